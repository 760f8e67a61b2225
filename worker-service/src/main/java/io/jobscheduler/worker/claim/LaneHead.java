package io.jobscheduler.worker.claim;

import org.jspecify.annotations.Nullable;

/**
 * Where the scan of one (queue, lane) starts, so that a claim does not walk over the dead entries
 * of all jobs claimed before.
 *
 * <p>The head only moves forward. A job that becomes ready before it (late commit, retry, higher
 * rank) makes an extra scan from its own place, while the head stays. A lane known to be empty is
 * left out until something says otherwise. Confined to the claimer's thread.
 */
final class LaneHead {
  private Position head = Position.START;
  private @Nullable Position early;
  private boolean open = true;

  /** Where the next scan starts, or {@link Position#NOWHERE}. */
  Position start() {
    if (early != null) {
      return early;
    }
    return open ? head : Position.NOWHERE;
  }

  /** Where a look for anything ready starts, whether the lane is believed empty or not. */
  Position probeStart() {
    return early != null ? early : head;
  }

  boolean mayHoldWork() {
    return open || early != null;
  }

  /** A job became ready there. */
  void ready(Position place) {
    if (!place.isBefore(head)) {
      open = true;
    } else if (early == null || place.isBefore(early)) {
      early = place;
    }
  }

  /** The scan took jobs up to {@code last} and was cut off by its limit. */
  void takenTo(Position last) {
    Position next = last.next();
    if (early != null && next.isBefore(head)) {
      early = next;
    } else {
      early = null;
      if (head.isBefore(next)) {
        head = next;
      }
    }
  }

  /** The scan went to the end of the lane and left nothing. */
  void exhausted() {
    early = null;
    open = false;
  }

  /** A look found the first ready job there. */
  void found(Position first) {
    if (early != null && first.isBefore(head)) {
      early = first;
    } else {
      early = null;
      open = true;
      head = first;
    }
  }

  /** The next look starts from the very beginning: the backstop of a place that was missed. */
  void forget() {
    head = Position.START;
    early = null;
  }
}
