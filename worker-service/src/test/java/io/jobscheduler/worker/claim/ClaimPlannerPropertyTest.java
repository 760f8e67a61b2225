package io.jobscheduler.worker.claim;

import static io.jobscheduler.worker.claim.Hand.held;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.worker.Seed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * The planner against a plain model of the table: whatever becomes ready, wherever in the order, is
 * claimed as long as each arrival is announced, and nothing is asked for beyond the room.
 */
class ClaimPlannerPropertyTest {
  private static final QueueName NAME = new QueueName("shop", "q");

  /** Ready jobs by queue, lane (most urgent first) and place. */
  private static final class Table {
    final Map<Integer, TreeMap<Integer, TreeMap<Position, Boolean>>> queues = new HashMap<>();
    long nextId = 1;
    int size;

    ReadyPlace add(int queue, int lane, long key) {
      Position place = new Position(key, nextId++);
      queues
          .computeIfAbsent(queue, q -> new TreeMap<>())
          .computeIfAbsent(-lane, l -> new TreeMap<>())
          .put(place, true);
      size++;
      return new ReadyPlace(queue, lane, place);
    }

    /** What jobs.claim does with a request. */
    List<ClaimedJob> claim(ClaimRequest request) {
      List<ClaimedJob> claimed = new ArrayList<>();
      for (int i = 0; i < request.queueIds().length; i++) {
        int queue = request.queueIds()[i];
        int left = request.wanted()[i];
        for (int lane = 9; lane >= 0 && left > 0; lane--) {
          Position start =
              new Position(request.headKeys()[i][9 - lane], request.headIds()[i][9 - lane]);
          TreeMap<Position, Boolean> jobs =
              queues.getOrDefault(queue, new TreeMap<>()).getOrDefault(-lane, new TreeMap<>());
          while (left > 0 && start.key() < Long.MAX_VALUE && jobs.ceilingKey(start) != null) {
            Position place = jobs.ceilingKey(start);
            jobs.remove(place);
            size--;
            left--;
            claimed.add(job(queue, lane, place));
          }
        }
      }
      return claimed;
    }

    private static ClaimedJob job(int queue, int lane, Position place) {
      return new ClaimedJob(
          place.jobId(),
          1,
          place.key(),
          lane,
          queue,
          1,
          NAME,
          null,
          1,
          1,
          lane,
          "t",
          null,
          1,
          null,
          null,
          null);
    }
  }

  @Test
  void claimsWhateverIsAnnouncedAndNeverMoreThanTheRoom() {
    Seed.check("ClaimPlannerPropertyTest", 300, ClaimPlannerPropertyTest::run);
  }

  private static void run(Random random) {
    ClaimPlanner planner = new ClaimPlanner(new AtomicLong()::get);
    int queueCount = 1 + random.nextInt(4);
    List<QueueInfo> queues = new ArrayList<>();
    for (int id = 1; id <= queueCount; id++) {
      queues.add(new QueueInfo(id, 1, NAME, 1 + random.nextInt(3), null, null, null, null, false));
    }
    planner.serve(queues);
    Table table = new Table();
    List<ReadyPlace> unannounced = new ArrayList<>();
    for (int step = 0; step < 200; step++) {
      if (random.nextInt(3) > 0) {
        int lane = random.nextInt(3) * 4;
        ReadyPlace place =
            table.add(1 + random.nextInt(queueCount), lane, random.nextInt(1 + step * 10));
        // Its NOTIFY may come after the next claims.
        unannounced.add(place);
      }
      if (random.nextInt(3) == 0) {
        unannounced.forEach(planner::ready);
        unannounced.clear();
      }
      if (random.nextInt(2) == 0) {
        claim(planner, table, random.nextInt(6), random.nextInt(4));
      }
    }
    unannounced.forEach(planner::ready);
    int rounds = 0;
    while (claim(planner, table, 5, 0) > 0) {
      assertTrue(++rounds < 1_000, "the planner goes on asking an empty table");
    }
    assertEquals(0, table.size, "jobs never asked for");
  }

  private static int claim(ClaimPlanner planner, Table table, int free, int prefetch) {
    ClaimRequest request = planner.plan(free, prefetch, held(0));
    int wanted = 0;
    for (int n : request.wanted()) {
      assertTrue(n > 0, "a queue asked for nothing");
      wanted += n;
    }
    assertTrue(wanted <= free + prefetch, wanted + " wanted of " + free + " + " + prefetch);
    planner.claimed(request, table.claim(request));
    return request.queueIds().length;
  }
}
