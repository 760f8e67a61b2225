package io.jobscheduler.api.paging;

import io.jobscheduler.api.problem.ProblemException;

/** Ids in paths: numbers written as strings. */
public final class Ids {
  private Ids() {}

  /**
   * The number in a path.
   *
   * @param what what it names, for the answer
   * @throws ProblemException 404 when it is none: nothing has such an id
   */
  public static long number(String text, String what) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw ProblemException.notFound(what);
    }
  }

  /** Like {@link #number}, for ids of 32 bits. */
  public static int smallNumber(String text, String what) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw ProblemException.notFound(what);
    }
  }
}
