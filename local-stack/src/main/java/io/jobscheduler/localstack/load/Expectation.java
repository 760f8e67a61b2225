package io.jobscheduler.localstack.load;

/** How an accepted job must end, unless its workers were lost too often. */
public enum Expectation {
  SUCCEEDS,
  /** It fails for good, by its handler's own word. */
  DIES,
  /** It was cancelled, or is one of a workflow that something in it ends otherwise. */
  ANY
}
