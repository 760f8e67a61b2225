package io.jobscheduler.worker.execute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.jobscheduler.worker.claim.ClaimedJob;
import io.jobscheduler.worker.claim.QueueName;
import io.jobscheduler.worker.handlers.HandlerRegistry;
import io.jobscheduler.worker.handlers.InvalidPayloadException;
import io.jobscheduler.worker.handlers.JobContext;
import io.jobscheduler.worker.handlers.JobHandler;
import io.jobscheduler.worker.handlers.JobOutcome;
import io.jobscheduler.worker.handlers.RetryAfterException;
import io.jobscheduler.worker.settle.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AttemptRunnerTest {
  private interface Body {
    JobOutcome run(JobContext job) throws Exception;
  }

  private final AtomicInteger outOfMemory = new AtomicInteger();

  private Settlement run(Body body) {
    JobHandler handler =
        new JobHandler() {
          @Override
          public String type() {
            return "t";
          }

          @Override
          public JobOutcome run(JobContext job) throws Exception {
            return body.run(job);
          }
        };
    AttemptRunner runner =
        new AttemptRunner(
            new HandlerRegistry(List.of(handler)), 1_000, outOfMemory::incrementAndGet);
    return runner.run(job("t"), () -> false);
  }

  private static ClaimedJob job(String type) {
    return new ClaimedJob(
        7,
        70,
        1,
        4,
        1,
        1,
        new QueueName("shop", "mail"),
        5,
        2,
        3,
        4,
        type,
        "{\"a\":1}",
        1,
        null,
        null,
        null);
  }

  @Test
  void handlerSeesWhatItNeedsToBeIdempotent() {
    Settlement settlement =
        run(
            job ->
                JobOutcome.done(
                    "\"%s\""
                        .formatted(
                            List.of(
                                job.jobId(),
                                job.attempt(),
                                job.maxAttempts(),
                                job.leaseToken(),
                                job.type(),
                                job.project(),
                                job.queue(),
                                job.workflow(),
                                job.payload(),
                                job.isCancelled()))));
    assertEquals("\"[7, 2, 3, 70, t, shop, mail, 5, {\"a\":1}, false]\"", settlement.result());
  }

  @Test
  void eachOutcomeHasItsSettlement() {
    assertEquals("succeeded", run(job -> JobOutcome.done()).outcome());
    Settlement retry = run(job -> new JobOutcome.Retry("busy", "later", Duration.ofSeconds(3)));
    assertEquals("failed", retry.outcome());
    assertEquals("busy", retry.kind());
    assertEquals(Duration.ofSeconds(3), retry.delay());
    assertEquals("dead", run(job -> new JobOutcome.Dead("gone", "x")).outcome());
    assertEquals("cancelled", run(job -> new JobOutcome.Cancel("unwanted")).outcome());
  }

  @Test
  void whoeverRefusedMaySayWhenToComeBack() {
    Settlement wait =
        run(
            job -> {
              throw new RetryAfterException("http-429", "busy", Duration.ofDays(9_999));
            });
    assertEquals("failed", wait.outcome());
    assertEquals("http-429", wait.kind());
    assertEquals(JobOutcome.LONGEST_WAIT, wait.delay());
    Settlement until =
        run(
            job -> {
              throw new RetryAfterException("http-503", "down", Instant.MAX);
            });
    assertEquals(Instant.parse("9999-01-01T00:00:00Z"), until.until());
    Settlement snooze = run(job -> JobOutcome.snooze(Instant.MIN));
    assertEquals("snoozed", snooze.outcome());
    assertEquals(Instant.EPOCH, snooze.until());
  }

  @Test
  void equalFailuresShareAFingerprint() {
    Settlement first = run(job -> new JobOutcome.Retry("busy", "order 1", null));
    Settlement second = run(job -> new JobOutcome.Dead("busy", "order 2"));
    assertNotNull(first.fingerprint());
    assertEquals(first.fingerprint(), second.fingerprint());
    Settlement thrown =
        run(
            job -> {
              throw new IllegalStateException("order 3");
            });
    assertNotNull(thrown.fingerprint());
  }

  @Test
  void exceptionFailsTheAttemptWithItsNameMessageAndStack() {
    Settlement settlement =
        run(
            job -> {
              throw new IllegalStateException("no\u0000way");
            });
    assertEquals("failed", settlement.outcome());
    assertEquals("illegal-state-exception", settlement.kind());
    assertEquals("no\uFFFDway", settlement.message());
    assertNotNull(settlement.stack());
  }

  @Test
  void survivesErrorsOfTheHandler() {
    assertEquals("stack-overflow-error", run(AttemptRunnerTest::recurse).kind());
    assertEquals(
        "no-class-def-found-error",
        run(job -> {
              throw new NoClassDefFoundError("x");
            })
            .kind());
    assertEquals(0, outOfMemory.get());
  }

  @SuppressWarnings("InfiniteRecursion")
  private static JobOutcome recurse(JobContext job) {
    return recurse(job);
  }

  @Test
  void outOfMemoryEndsTheProcess() {
    run(
        job -> {
          throw new OutOfMemoryError("heap");
        });
    assertEquals(1, outOfMemory.get());
  }

  @Test
  void exceptionThatThrowsWhenDescribedStillFailsTheAttempt() {
    Settlement settlement =
        run(
            job -> {
              throw new RuntimeException() {
                private static final long serialVersionUID = 1L;

                @Override
                public String getMessage() {
                  throw new UnsupportedOperationException();
                }
              };
            });
    assertEquals("failed", settlement.outcome());
    assertEquals("the exception could not be described", settlement.message());
  }

  @Test
  void unusablePayloadIsDeadAtOnce() {
    Settlement settlement =
        run(
            job -> {
              throw new InvalidPayloadException("no millis");
            });
    assertEquals("dead", settlement.outcome());
    assertEquals("invalid-payload", settlement.kind());
    assertNull(settlement.stack());
  }

  @Test
  void handlerWithoutAnOutcomeFails() {
    assertEquals("no-outcome", run(job -> null).kind());
  }

  @Test
  void unknownTypeFailsByTheJobsPolicy() {
    AttemptRunner runner = new AttemptRunner(new HandlerRegistry(List.of()), 1_000, () -> {});
    Settlement settlement = runner.run(job("nobody"), () -> false);
    assertEquals("failed", settlement.outcome());
    assertEquals("unknown-type", settlement.kind());
  }

  @Test
  void tooLargeResultFailsInsteadOfBeingCut() {
    assertEquals("succeeded", run(job -> JobOutcome.done("\"" + "x".repeat(998) + "\"")).outcome());
    assertEquals(
        "result-too-large", run(job -> JobOutcome.done("\"" + "x".repeat(999) + "\"")).kind());
    assertEquals(
        "result-too-large", run(job -> JobOutcome.done("\"" + "€".repeat(400) + "\"")).kind());
  }

  @Test
  void loneSurrogateInAResultIsReplaced() {
    assertEquals("\"\uFFFD\"", run(job -> JobOutcome.done("\"\uD800\"")).result());
  }
}
