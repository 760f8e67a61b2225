package io.jobscheduler.localstack.chaos;

/**
 * A fleet and its load.
 *
 * @param workers how many, and so on; more than one of each, so that the system goes on while one
 *     comes back
 * @param slots of a worker
 * @param jobsPerSecond handed in
 * @param pooled how many processes of each service go through a pooler, where there is one
 * @param quickStart whether processes start sooner and run slower
 */
record Size(
    int workers,
    int schedulers,
    int apis,
    int slots,
    int jobsPerSecond,
    int pooled,
    boolean quickStart) {
  static final Size LARGE = new Size(3, 3, 2, 16, 130, 1, true);
  static final Size POOLED = new Size(3, 3, 2, 16, 130, 3, true);

  /** For a machine that has much else to do: fewer processes have to start again. */
  static final Size SMALL = new Size(2, 2, 1, 16, 60, 0, true);

  /** Little work and the settings of a deployment: for measuring. */
  static final Size QUIET = new Size(3, 3, 2, 8, 3, 0, false);

  /** Whether it is there to measure recoveries, so that each must be seen. */
  boolean measures() {
    return equals(QUIET);
  }
}
