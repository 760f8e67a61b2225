package io.jobscheduler.localstack.chaos;

import java.util.ArrayList;
import java.util.List;

/** What the report says besides figures. Thread-safe. */
final class Notes {
  private final List<String> notes = new ArrayList<>();
  private boolean failed;

  synchronized void add(String note) {
    notes.add(note);
  }

  /** Something that must not be, though no invariant forbids it. */
  synchronized void fail(String note) {
    notes.add("FAILED: " + note);
    failed = true;
  }

  synchronized boolean failed() {
    return failed;
  }

  synchronized List<String> all() {
    return List.copyOf(notes);
  }
}
