package io.jobscheduler.worker.execute;

import io.jobscheduler.worker.claim.ClaimedJob;
import io.jobscheduler.worker.handlers.HandlerRegistry;
import io.jobscheduler.worker.handlers.InvalidPayloadException;
import io.jobscheduler.worker.handlers.JobContext;
import io.jobscheduler.worker.handlers.JobHandler;
import io.jobscheduler.worker.handlers.JobOutcome;
import io.jobscheduler.worker.settle.Settlement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Runs one attempt and says how it ends, whatever the handler throws. Only running out of memory is
 * not survived: then nothing in this process can be trusted, and the reaper gives its jobs to
 * others. Thread-safe.
 */
public final class AttemptRunner {
  private static final Logger LOG = Logger.getLogger(AttemptRunner.class);

  private final HandlerRegistry handlers;
  private final int largestResult;
  private final Runnable onOutOfMemory;

  /**
   * Makes a runner.
   *
   * @param largestResult bytes of UTF-8 that a result may have
   * @param onOutOfMemory ends the process
   */
  public AttemptRunner(HandlerRegistry handlers, int largestResult, Runnable onOutOfMemory) {
    this.handlers = handlers;
    this.largestResult = largestResult;
    this.onOutOfMemory = onOutOfMemory;
  }

  /** Runs the job's handler on this thread. */
  public Settlement run(ClaimedJob job) {
    JobHandler handler = handlers.find(job.type()).orElse(null);
    if (handler == null) {
      return Settlement.failed(
          "unknown-type",
          ErrorText.clean("this worker has no handler for type '" + job.type() + "'"),
          null,
          null,
          null,
          null);
    }
    try {
      JobOutcome outcome = handler.run(context(job));
      return outcome == null
          ? Settlement.failed(
              "no-outcome", "the handler returned no outcome", null, null, null, null)
          : settlementOf(outcome);
    } catch (OutOfMemoryError e) {
      onOutOfMemory.run();
      return failed(e);
    } catch (InvalidPayloadException e) {
      return Settlement.dead("invalid-payload", ErrorText.clean(e.getMessage()), null, null);
    } catch (Throwable e) {
      return failed(e);
    }
  }

  private static JobContext context(ClaimedJob job) {
    return new JobContext(
        job.id(),
        job.attempt(),
        job.maxAttempts(),
        job.leaseToken(),
        job.type(),
        job.queue().project(),
        job.queue().queue(),
        job.workflowId(),
        job.payload());
  }

  private Settlement settlementOf(JobOutcome outcome) {
    if (outcome instanceof JobOutcome.Done done) {
      return done(done.result());
    }
    if (outcome instanceof JobOutcome.Retry retry) {
      return Settlement.failed(
          kind(retry.kind()),
          ErrorText.clean(retry.message()),
          null,
          null,
          delay(retry.after()),
          null);
    }
    if (outcome instanceof JobOutcome.Dead dead) {
      return Settlement.dead(kind(dead.kind()), ErrorText.clean(dead.message()), null, null);
    }
    return Settlement.cancelled(orEmpty(ErrorText.clean(((JobOutcome.Cancel) outcome).reason())));
  }

  private Settlement done(@Nullable String result) {
    if (result == null) {
      return Settlement.succeeded(null);
    }
    // A char is at least one byte: most results need no counting.
    if (result.length() > largestResult
        || (result.length() > largestResult / 3
            && result.getBytes(StandardCharsets.UTF_8).length > largestResult)) {
      return Settlement.failed(
          "result-too-large",
          "the result has more than " + largestResult + " bytes",
          null,
          null,
          null,
          null);
    }
    return Settlement.succeeded(ErrorText.storable(result));
  }

  private static @Nullable Duration delay(@Nullable Duration after) {
    if (after == null || after.isNegative()) {
      return after == null ? null : Duration.ZERO;
    }
    return after.compareTo(JobOutcome.LONGEST_WAIT) > 0 ? JobOutcome.LONGEST_WAIT : after;
  }

  private static String kind(String kind) {
    String clean = orEmpty(ErrorText.clean(kind));
    return clean.isBlank() ? "unnamed" : clean.length() > 100 ? clean.substring(0, 100) : clean;
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  private static Settlement failed(Throwable error) {
    try {
      return Settlement.failed(
          ErrorText.kindOf(error),
          ErrorText.clean(error.getMessage()),
          ErrorText.stackOf(error),
          null,
          null,
          null);
    } catch (Throwable broken) {
      // An exception whose own methods throw.
      LOG.debugf("Exception could not be described class=%s", error.getClass().getName());
      return Settlement.failed(
          ErrorText.kindOf(error), "the exception could not be described", null, null, null, null);
    }
  }
}
