package io.jobscheduler.scheduler.signal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class SignalsTest {

  @Test
  void dispatchOrderIsLaneThenKeyThenId() {
    ReadyJob urgent = new ReadyJob(9, 1, 9, 500, 1);
    ReadyJob early = new ReadyJob(8, 1, 4, 100, 1);
    ReadyJob sameKey = new ReadyJob(9, 1, 4, 100, 1);
    ReadyJob late = new ReadyJob(1, 1, 4, 101, 1);

    assertEquals(
        List.of(urgent, early, sameKey, late),
        List.of(late, sameKey, early, urgent).stream().sorted(ReadyJob.DISPATCH_ORDER).toList());
  }

  @Test
  void payloadCanBeReadBack() {
    ReadyJob job = new ReadyJob(Long.MAX_VALUE, 7, 0, -5, 0);

    assertEquals("7:0:-5:9223372036854775807", job.payload());
    assertEquals(job, ReadyJob.parse(job.payload()));
  }

  @Test
  void topicsThatWaitAreUnited() {
    assertEquals(
        "a.b:c jobs,queues,workers", Signals.unionOfTopics("a.b:c queues,jobs", "a.b:c workers"));
    assertEquals("p jobs", Signals.unionOfTopics("p jobs", "p jobs"));
  }
}
