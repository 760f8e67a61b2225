package io.jobscheduler.api.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.api.TestProjects;
import io.jobscheduler.schema.testing.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class EnqueueStorePgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();

  private EnqueueStore store;
  private JobStore jobs;
  private int project;

  @BeforeEach
  void open() {
    store = new EnqueueStore(TestProjects.api(database));
    jobs = new JobStore(TestProjects.api(database));
    project = TestProjects.create(database, "p");
  }

  private static JobRequest job(Instant runAt, Duration delay) {
    return new JobRequest("t", "default", null, 7, runAt, delay, 3, null, JobOptions.NONE);
  }

  private EnqueueStore.Enqueued enqueue(JobRequest job) {
    return store.enqueueJobs(project, List.of(job)).orElseThrow().get(0);
  }

  @Test
  void aJobDueNowIsReadyWithItsReadyTimeAsKey() {
    EnqueueStore.Enqueued stored = enqueue(job(null, null));
    assertEquals("ready", stored.state());
    assertNull(stored.runAt());
    Instant ready = stored.readyAt();
    assertEquals(ready.getEpochSecond() * 1_000_000 + ready.getNano() / 1000, stored.dispatchKey());
    assertEquals(7, stored.lane());
  }

  @Test
  void aJobDueLaterIsScheduledByTheDatabasesClock() {
    EnqueueStore.Enqueued later = enqueue(job(null, Duration.ofMinutes(5)));
    assertEquals("scheduled", later.state());
    assertNull(later.readyAt());
    Duration ahead = Duration.between(later.createdAt(), later.runAt());
    assertTrue(ahead.minusMinutes(5).abs().compareTo(Duration.ofSeconds(5)) < 0, ahead.toString());

    Instant exact = Instant.parse("2999-01-01T00:00:00.123456Z");
    assertEquals(exact, enqueue(job(exact, null)).runAt());
  }

  @Test
  void aJobDueInThePastIsReady() {
    Instant past = Instant.parse("2001-02-03T04:05:06Z");
    EnqueueStore.Enqueued stored = enqueue(job(past, null));
    assertEquals("ready", stored.state());
    assertEquals(past, stored.runAt());
    assertNotNull(stored.readyAt());
    assertEquals("ready", enqueue(job(null, Duration.ZERO)).state());
  }

  @Test
  void keepsOrderAndPayloadOfEach() {
    List<JobRequest> requests =
        List.of(
            new JobRequest("a", "default", "1e2", 0, null, null, 1, null, JobOptions.NONE),
            new JobRequest("b", "default", null, 9, null, null, 1000, null, JobOptions.NONE),
            new JobRequest(
                "c",
                "default",
                "{\"x\": \"\\u00e9😀\" }",
                4,
                null,
                null,
                20,
                null,
                JobOptions.NONE));
    List<EnqueueStore.Enqueued> stored = store.enqueueJobs(project, requests).orElseThrow();
    for (int i = 0; i < requests.size(); i++) {
      Job job = jobs.findJob(project, stored.get(i).id(), true, true).orElseThrow();
      assertEquals(requests.get(i).type(), job.summary().type());
      assertEquals(requests.get(i).payload(), job.payload());
      assertEquals(requests.get(i).priority(), job.summary().priority());
      assertEquals(requests.get(i).maxAttempts(), job.summary().maxAttempts());
    }
    assertTrue(stored.get(0).id() < stored.get(1).id() && stored.get(1).id() < stored.get(2).id());
  }

  @Test
  void storesNothingWhenOneQueueIsUnknown() {
    JobRequest good = job(null, null);
    JobRequest bad = new JobRequest("t", "nowhere", null, 4, null, null, 20, null, JobOptions.NONE);
    assertTrue(store.enqueueJobs(project, List.of(good, bad, good)).isEmpty());
    assertTrue(store.enqueueJobs(project, List.of(bad)).isEmpty());
    assertEquals("0", database.sql("SELECT count(*) FROM jobs"));
  }

  @Test
  void aQueueOfAnotherProjectIsUnknown() {
    int other = TestProjects.create(database, "other");
    database.sql("INSERT INTO queues (project_id, name) VALUES (" + other + ", 'mail')");
    JobRequest mail = new JobRequest("t", "mail", null, 4, null, null, 20, null, JobOptions.NONE);
    assertTrue(store.enqueueJobs(project, List.of(mail)).isEmpty());
    assertTrue(store.enqueueJobs(other, List.of(mail)).isPresent());
    assertEquals(Set.of("default"), store.knownQueues(project, Set.of("mail", "default")));
  }

  @Test
  void retryDelayReadsEveryPolicyThatIsStored() {
    for (String policy :
        List.of(
            RetryPolicy.of("exponential", Duration.ofSeconds(3), 2.5, Duration.ofHours(2), null)
                .stored(),
            RetryPolicy.of("linear", Duration.ofMillis(1500), null, Duration.ofMinutes(1), null)
                .stored(),
            RetryPolicy.of("fixed", Duration.ofDays(2), null, Duration.ofDays(2), null).stored(),
            RetryPolicy.of(
                    "list", null, null, null, List.of(Duration.ofSeconds(5), Duration.ofDays(1)))
                .stored())) {
      long id =
          enqueue(new JobRequest("t", "default", null, 4, null, null, 9, policy, JobOptions.NONE))
              .id();
      // Full jitter: a hundred draws lie within the strategy's wait and reach its upper half.
      String longest =
          database.sql(
              "SELECT extract(epoch FROM max(retry_delay(j.retry_policy, 2)))::numeric"
                  + " FROM jobs j, generate_series(1, 100) WHERE j.id = "
                  + id);
      double seconds = Double.parseDouble(longest);
      double most =
          policy.contains("exponential")
              ? 7.5
              : policy.contains("linear") ? 3 : policy.contains("fixed") ? 172_800 : 86_400;
      assertTrue(seconds <= most && seconds > most / 2, policy + " gave " + seconds);
      assertEquals(policy, RetryPolicy.ofStored(policy).stored());
      Job job = jobs.findJob(project, id, true, true).orElseThrow();
      assertEquals(RetryPolicy.ofStored(policy), job.retry());
    }
  }
}
