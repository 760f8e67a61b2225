package io.jobscheduler.algorithms.fairness;

/** An active flow: its place in the ring, its credit per visit and its account. */
final class Flow<F> {
  final F key;
  Flow<F> next = this;
  Flow<F> previous = this;

  /** What each visit adds to the deficit: quantum × weight. */
  long credit;

  /** The paper's deficit counter; below zero after a charge that was not foreseen. */
  long deficit;

  /** Within one plan: how many more units the flow can take. */
  long room;

  Flow(F key) {
    this.key = key;
  }

  /** Visits needed until the deficit reaches {@code cost}; 0 when it does already. */
  long visitsUntil(long cost) {
    return Math.max(0, cost - deficit + credit - 1) / credit;
  }

  /** What the flow takes, in units, during that many visits from now on. */
  long takenIn(long visits) {
    if (visits >= visitsUntil(room)) {
      return room;
    }
    return Math.max(0, deficit + visits * credit);
  }

  /** Gives the flow that many visits at once. */
  long takeIn(long visits) {
    long taken = takenIn(visits);
    if (taken == room) {
      deficit = 0;
    } else {
      deficit += visits * credit - taken;
    }
    room -= taken;
    return taken;
  }
}
