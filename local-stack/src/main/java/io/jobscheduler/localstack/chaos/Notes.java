package io.jobscheduler.localstack.chaos;

import java.util.ArrayList;
import java.util.List;

/** What the report says besides figures. Thread-safe. */
final class Notes {
  private final List<String> notes = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();

  synchronized void add(String note) {
    notes.add(note);
  }

  /** Something that must not be, though no invariant forbids it. */
  synchronized void fail(String failure) {
    failures.add(failure);
  }

  synchronized List<String> failures() {
    return List.copyOf(failures);
  }

  synchronized List<String> all() {
    return List.copyOf(notes);
  }
}
