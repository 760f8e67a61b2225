package io.jobscheduler.worker.execute;

import io.jobscheduler.worker.claim.ClaimedJob;
import io.jobscheduler.worker.handlers.HandlerRegistry;
import io.jobscheduler.worker.handlers.InvalidPayloadException;
import io.jobscheduler.worker.handlers.JobContext;
import io.jobscheduler.worker.handlers.JobHandler;
import io.jobscheduler.worker.handlers.JobOutcome;
import io.jobscheduler.worker.handlers.RetryAfterException;
import io.jobscheduler.worker.handlers.RunningAttempt;
import io.jobscheduler.worker.settle.Settlement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Runs one attempt and says how it ends, whatever the handler throws. Only running out of memory is
 * not survived: then nothing in this process can be trusted, and the reaper gives its jobs to
 * others. Thread-safe.
 */
public final class AttemptRunner implements JobRun {
  private static final Logger LOG = Logger.getLogger(AttemptRunner.class);

  private static final Instant LAST = Instant.parse("9999-01-01T00:00:00Z");

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
  @Override
  public Settlement run(ClaimedJob job, RunningAttempt running) {
    JobHandler handler = handlers.find(job.type()).orElse(null);
    if (handler == null) {
      return failed("unknown-type", "this worker has no handler for type '" + job.type() + "'");
    }
    try {
      JobOutcome outcome = handler.run(context(job, running));
      return outcome == null
          ? failed("no-outcome", "the handler returned no outcome")
          : settlementOf(outcome);
    } catch (OutOfMemoryError e) {
      onOutOfMemory.run();
      return failed(e);
    } catch (InvalidPayloadException e) {
      return dead("invalid-payload", e.getMessage());
    } catch (RetryAfterException e) {
      return retryAfter(e);
    } catch (Throwable e) {
      return failed(e);
    }
  }

  private static JobContext context(ClaimedJob job, RunningAttempt running) {
    return new JobContext(
        job.id(),
        job.attempt(),
        job.maxAttempts(),
        job.leaseToken(),
        job.type(),
        job.queue().project(),
        job.queue().queue(),
        job.workflowId(),
        job.payload(),
        job.traceparent(),
        running);
  }

  private Settlement settlementOf(JobOutcome outcome) {
    if (outcome instanceof JobOutcome.Done done) {
      return done(done.result());
    }
    if (outcome instanceof JobOutcome.Retry retry) {
      return failed(retry.kind(), retry.message(), retry.after());
    }
    if (outcome instanceof JobOutcome.Dead dead) {
      return dead(dead.kind(), dead.message());
    }
    if (outcome instanceof JobOutcome.Snooze snooze) {
      return Settlement.snoozed(delay(snooze.after()), instant(snooze.until()));
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
      return failed("result-too-large", "the result has more than " + largestResult + " bytes");
    }
    return Settlement.succeeded(ErrorText.storable(result));
  }

  private static @Nullable Duration delay(@Nullable Duration after) {
    if (after == null || after.isNegative()) {
      return after == null ? null : Duration.ZERO;
    }
    return after.compareTo(JobOutcome.LONGEST_WAIT) > 0 ? JobOutcome.LONGEST_WAIT : after;
  }

  /** Within the years that a timestamp can name; what is further away the database bounds. */
  private static @Nullable Instant instant(@Nullable Instant until) {
    if (until == null || until.isBefore(Instant.EPOCH)) {
      return until == null ? null : Instant.EPOCH;
    }
    return until.isAfter(LAST) ? LAST : until;
  }

  private static String kind(@Nullable String kind) {
    String clean = orEmpty(ErrorText.clean(kind));
    return clean.isBlank() ? "unnamed" : clean.length() > 100 ? clean.substring(0, 100) : clean;
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  private static Settlement failed(String kind, @Nullable String message) {
    return failed(kind, message, null);
  }

  private static Settlement failed(
      @Nullable String kind, @Nullable String message, @Nullable Duration after) {
    String clean = kind(kind);
    String text = ErrorText.clean(message);
    return Settlement.failed(
        clean, text, null, ErrorFingerprint.of(clean, text), delay(after), null);
  }

  private static Settlement dead(@Nullable String kind, @Nullable String message) {
    String clean = kind(kind);
    String text = ErrorText.clean(message);
    return Settlement.dead(clean, text, null, ErrorFingerprint.of(clean, text));
  }

  private static Settlement retryAfter(RetryAfterException e) {
    String kind = kind(e.kind());
    String message = ErrorText.clean(e.getMessage());
    return Settlement.failed(
        kind,
        message,
        ErrorText.stackOf(e),
        ErrorFingerprint.of(kind, message),
        delay(e.after()),
        instant(e.until()));
  }

  private static Settlement failed(Throwable error) {
    String kind = ErrorText.kindOf(error);
    try {
      String message = ErrorText.clean(error.getMessage());
      return Settlement.failed(
          kind,
          message,
          ErrorText.stackOf(error),
          ErrorFingerprint.of(kind, message, error),
          null,
          null);
    } catch (Throwable broken) {
      // An exception whose own methods throw.
      LOG.debugf("Exception could not be described class=%s", error.getClass().getName());
      return failed(kind, "the exception could not be described");
    }
  }
}
