package io.jobscheduler.worker.claim;

import java.util.Map;

/** What a planner's test says is in hand: jobs that fill a slot each. */
record Hand(Map<Integer, Integer> claimed, Map<Integer, Integer> running, int others)
    implements InHand {
  /** So many of each queue. */
  static InHand held(int each) {
    return new Hand(Map.of(), Map.of(), each);
  }

  /** So many of each queue, all of them running. */
  static InHand held(Map<Integer, Integer> running) {
    return new Hand(running, running, 0);
  }

  @Override
  public int jobs(int queueId) {
    return claimed.getOrDefault(queueId, others);
  }

  @Override
  public int slots(int queueId) {
    return claimed.getOrDefault(queueId, others);
  }

  @Override
  public int filled(int queueId) {
    return running.getOrDefault(queueId, others);
  }
}
