package io.jobscheduler.api.problem;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Ends a request with a problem document. The detail is written for the caller. */
public final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ProblemType type;
  private final String detail;
  private final transient List<FieldError> errors;
  private final transient @Nullable List<String> cycle;
  private final @Nullable Duration retryAfter;

  private ProblemException(
      ProblemType type, String detail, List<FieldError> errors, @Nullable List<String> cycle) {
    this(type, detail, errors, cycle, null);
  }

  private ProblemException(
      ProblemType type,
      String detail,
      List<FieldError> errors,
      @Nullable List<String> cycle,
      @Nullable Duration retryAfter) {
    // An answer, not a fault: no stack trace is taken.
    super(detail, null, false, false);
    this.type = type;
    this.detail = detail;
    this.errors = errors;
    this.cycle = cycle;
    this.retryAfter = retryAfter;
  }

  /** A problem of {@code type}. */
  public static ProblemException of(ProblemType type, String detail) {
    return new ProblemException(type, detail, List.of(), null);
  }

  /** A problem that lies in one field. */
  public static ProblemException at(ProblemType type, String pointer, String detail) {
    return new ProblemException(type, detail, List.of(new FieldError(pointer, detail)), null);
  }

  /** A problem that lies inside one field. */
  public static ProblemException at(ProblemType type, FieldError error) {
    return new ProblemException(type, error.detail(), List.of(error), null);
  }

  /** A problem that lies in several fields. */
  public static ProblemException in(ProblemType type, String detail, List<FieldError> errors) {
    return new ProblemException(type, detail, List.copyOf(errors), null);
  }

  /** A workflow whose graph has a cycle. */
  public static ProblemException cycle(String detail, List<String> cycle) {
    return new ProblemException(ProblemType.WORKFLOW_CYCLE, detail, List.of(), List.copyOf(cycle));
  }

  /** A problem that passes: {@code Retry-After} says when, in whole seconds. */
  public static ProblemException retryAfter(ProblemType type, String detail, Duration after) {
    return new ProblemException(type, detail, List.of(), null, after);
  }

  /** What is not there, or belongs to somebody else. */
  public static ProblemException notFound(String what) {
    return of(ProblemType.NOT_FOUND, "There is no such " + what + ", or you may not see it.");
  }

  /** The kind of problem. */
  public ProblemType type() {
    return type;
  }

  /** The bad fields; empty when the problem lies in none. */
  public List<FieldError> errors() {
    return errors;
  }

  /** The seconds after which it may have passed; null when nobody knows. */
  @Nullable Long retryAfterSeconds() {
    return retryAfter == null ? null : Math.max(1, (retryAfter.toMillis() + 999) / 1_000);
  }

  Problem at(String instance, @Nullable String requestId) {
    return new Problem(
        type.uri(),
        type.title(),
        type.status(),
        detail,
        instance,
        requestId,
        errors.isEmpty() ? null : errors,
        cycle);
  }
}
