package io.jobscheduler.api.access;

import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A token bucket for each user and key (the generic cell rate algorithm, ITU-T I.371), in the
 * memory of this process: with n replicas a caller may send up to n times as much. Asked before the
 * database is, so that a flood costs nothing but the check of its token. Thread-safe, no lock is
 * shared between callers.
 */
@ApplicationScoped
public class CallerRates {
  private static final int MOST_REMEMBERED = 10_000;
  private static final long SECOND = 1_000_000_000L;
  private static final String TAKEN = "jobs.rate-taken";

  private final long everyNanos;
  private final long mostNanos;
  private final LongSupplier nanoClock;

  // When each bucket is full again.
  private final ConcurrentHashMap<String, Long> fullAt = new ConcurrentHashMap<>();

  @Inject
  CallerRates(RateConfig config) {
    this(config.requests(), config.burst(), System::nanoTime);
  }

  /** With that rate a second, 0 for none, and that burst, on a monotonic clock. */
  CallerRates(int requests, int burst, LongSupplier nanoClock) {
    this.everyNanos = requests == 0 ? 0 : SECOND / requests;
    this.mostNanos = everyNanos * burst;
    this.nanoClock = nanoClock;
  }

  /**
   * Takes a token for a request, once however often it is asked.
   *
   * @throws ProblemException 429 when there is none
   */
  void takeOnce(@Nullable RoutingContext request, String caller) {
    if (request != null && request.get(TAKEN) == null) {
      request.put(TAKEN, true);
      take(caller);
    }
  }

  /**
   * Takes a token.
   *
   * @throws ProblemException 429 when there is none
   */
  void take(String caller) {
    if (everyNanos == 0) {
      return;
    }
    long now = nanoClock.getAsLong();
    long[] wait = new long[1];
    fullAt.compute(
        caller,
        (key, at) -> {
          long from = at == null || at - now < 0 ? now : at;
          wait[0] = from + everyNanos - now - mostNanos;
          return wait[0] > 0 ? at : Long.valueOf(from + everyNanos);
        });
    if (fullAt.size() > MOST_REMEMBERED) {
      // Who has not asked for a while has a full bucket, and no need to be remembered.
      fullAt.values().removeIf(at -> at - now <= 0);
    }
    if (wait[0] > 0) {
      throw ProblemException.retryAfter(
          ProblemType.TOO_MANY_REQUESTS,
          "You send more requests than are served to one caller. Wait, then go on slower.",
          Duration.ofNanos(wait[0]));
    }
  }

  /** How many callers are remembered. */
  int remembered() {
    return fullAt.size();
  }
}
