package io.jobscheduler.localstack.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JobMakerTest {
  private static final int DRAWN = 5_000;

  /** Lost with worker after worker, it would wait for minutes by the usual policy. */
  @Test
  void jobsThatAWorkersEndMayInterruptAreRetriedAtOnce() {
    JobMaker maker = new JobMaker(new Random(1), 3);
    List<JobMaker.Made> drawn = new ArrayList<>(maker.many(DRAWN));
    drawn.add(maker.toCancel());
    List<Map<String, Object>> slow =
        drawn.stream()
            .map(JobMaker.Made::body)
            .filter(body -> body.get("queue").equals(LoadQueues.SLOW))
            .toList();
    assertTrue(slow.size() > 100, () -> slow.size() + " lengthy ones");
    Map<String, String> atOnce = Map.of("strategy", "fixed", "base", "PT0.5S");
    slow.forEach(body -> assertEquals(atOnce, body.get("retry"), body::toString));
  }
}
