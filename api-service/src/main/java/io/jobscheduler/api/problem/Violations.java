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
    count++;
    pointers.add(pointer);
    if (errors.size() < MOST_REPORTED) {
      errors.add(new FieldError(pointer, detail));
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
    if (count == 0) {
      return;
    }
    String detail =
        count == 1
            ? errors.get(0).detail()
            : count
                + " things are wrong"
                + (count > errors.size() ? "; the first " + errors.size() + " are listed." : ".");
    throw ProblemException.in(
        unknown ? ProblemType.UNKNOWN_FIELD : ProblemType.VALIDATION_FAILED, detail, errors);
  }
}
