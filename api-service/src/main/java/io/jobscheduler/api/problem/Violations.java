package io.jobscheduler.api.problem;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Collects what is wrong with a request, so that all of it is named at once. Not thread-safe. */
public final class Violations {
  private static final int MOST_REPORTED = 1_000;

  private final List<FieldError> errors = new ArrayList<>();
  private final Set<String> pointers = new HashSet<>();
  private boolean unknown;
  private int count;

  /** A value that is not acceptable. */
  public void add(String pointer, String detail) {
    add(new FieldError(pointer, detail));
  }

  /** A value that is not acceptable. */
  public void add(FieldError error) {
    count++;
    // What is not reported is not remembered either: a body of 4 MiB may hold a million faults.
    if (errors.size() < MOST_REPORTED) {
      pointers.add(error.pointer());
      errors.add(error);
    }
  }

  /** A field or parameter that nobody knows. */
  public void addUnknown(String pointer, String detail) {
    unknown = true;
    add(pointer, detail);
  }

  /** Notes a field that must be there and is not, unless something is wrong with it already. */
  public void require(String pointer, boolean given) {
    if (!given && !pointers.contains(pointer)) {
      add(pointer, "This field is needed.");
    }
  }

  /** How many pointers are held in memory. */
  int remembered() {
    return pointers.size();
  }

  /** How many things are wrong so far. */
  public int count() {
    return count;
  }

  /** Whether nothing is wrong so far. */
  public boolean isEmpty() {
    return count == 0;
  }

  /**
   * Ends the request if anything is wrong.
   *
   * @throws ProblemException naming every violation, the first 1,000 in full
   */
  public void throwIfAny() {
    if (count > 0) {
      throw problem();
    }
  }

  /** The answer that names every violation, the first 1,000 in full. */
  public ProblemException problem() {
    String detail =
        count == 1
            ? errors.get(0).detail()
            : count > errors.size()
                ? "More than %1$d things are wrong; the first %1$d are listed."
                    .formatted(MOST_REPORTED)
                : count + " things are wrong.";
    return ProblemException.in(
        unknown ? ProblemType.UNKNOWN_FIELD : ProblemType.VALIDATION_FAILED, detail, errors);
  }
}
