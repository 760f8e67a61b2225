package io.jobscheduler.worker.handlers;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The results of all jobs that a job depends on, in the order of their ids. Immutable. */
public final class ParentResults {
  /** Of a job that depends on none. */
  public static final ParentResults NONE = new ParentResults(List.of());

  private final List<ParentResult> all;
  private final Map<String, ParentResult> byKey = new HashMap<>();

  /** Takes them. */
  public ParentResults(List<ParentResult> all) {
    this.all = List.copyOf(all);
    for (ParentResult parent : all) {
      if (parent.key() != null) {
        byKey.put(parent.key(), parent);
      }
    }
  }

  /** Each parent, with a result or without. */
  public List<ParentResult> all() {
    return all;
  }

  /** The parent of that key, when the job depends on it. */
  public Optional<ParentResult> of(String key) {
    return Optional.ofNullable(byKey.get(key));
  }
}
