package io.jobscheduler.localstack.load;

import java.util.List;
import java.util.Random;

/** The queues that a load has in each of its projects, one of each kind that there is. */
final class LoadQueues {
  static final String PLAIN = "plain";
  static final String SLOW = "slow";
  static final String LIMITED = "limited";
  static final String KEYED = "keyed";

  private static final String[] DRAWN = {
    PLAIN,
    PLAIN,
    PLAIN,
    PLAIN,
    PLAIN,
    PLAIN,
    "elastic",
    "elastic",
    LIMITED,
    LIMITED,
    "limited-elastic",
    "solo",
    KEYED,
    "keyed-elastic",
    "rated",
    "elastic"
  };

  private LoadQueues() {}

  static List<LoadQueue> of(String project) {
    return List.of(
        new LoadQueue(project, PLAIN, null, null, null, false),
        new LoadQueue(project, SLOW, null, null, null, false),
        new LoadQueue(project, "elastic", null, null, null, true),
        new LoadQueue(project, LIMITED, 3, null, null, false),
        new LoadQueue(project, "limited-elastic", 4, null, null, true),
        new LoadQueue(project, "solo", 1, null, null, false),
        new LoadQueue(project, KEYED, null, 1, null, false),
        new LoadQueue(project, "keyed-elastic", 6, 2, null, true),
        new LoadQueue(project, "rated", null, null, 50, false));
  }

  /** One of them for a short job, those without a limit most often. */
  static String draw(Random random) {
    return DRAWN[random.nextInt(DRAWN.length)];
  }
}
