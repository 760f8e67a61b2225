package io.jobscheduler.localstack.judge;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * I4: what the observer saw, and for queues that nobody edited every recorded lease. Leases that
 * were given back unstarted leave no record, so the recorded ones are at most as many as there
 * were.
 */
final class LimitCheck {
  private final Findings findings;
  private final Names names;
  private final Observations observations;
  private final Map<Integer, Spans> byQueue = new HashMap<>();
  private final Map<Key, Spans> byKey = new HashMap<>();

  private record Key(int queue, String key) {}

  LimitCheck(Findings findings, Names names, Observations observations) {
    this.findings = findings;
    this.names = names;
    this.observations = observations;
    findings.checked(Invariant.I4, observations.limitChecks());
    observations.overLimit().forEach(findings::violated);
    findings.more(Invariant.I4, observations.overLimitCount() - observations.overLimit().size());
  }

  void check(Dossier dossier) {
    JobRow job = dossier.job();
    Observations.Limits limits = job == null ? null : observations.steady().get(job.queue());
    if (job == null || limits == null) {
      return;
    }
    for (Lease lease : dossier.leases()) {
      long start = Objects.requireNonNull(lease.startedMicros());
      findings.checked(Invariant.I4, 1);
      if (limits.jobs() != null) {
        byQueue.computeIfAbsent(job.queue(), q -> new Spans()).add(start, lease.endedMicros());
      }
      if (limits.perKey() != null && job.concurrencyKey() != null) {
        byKey
            .computeIfAbsent(new Key(job.queue(), job.concurrencyKey()), k -> new Spans())
            .add(start, lease.endedMicros());
      }
    }
  }

  /** After the last job. */
  void finish() {
    byQueue.forEach(
        (queue, spans) -> {
          Integer limit = limits(queue).jobs();
          if (limit != null) {
            spans.above(limit, at -> over("queue " + names.path(queue), limit, at));
          }
        });
    byKey.forEach(
        (key, spans) -> {
          Integer limit = limits(key.queue()).perKey();
          if (limit != null) {
            String place = "key " + key.key() + " of queue " + names.path(key.queue());
            spans.above(limit, at -> over(place, limit, at));
          }
        });
  }

  private Observations.Limits limits(int queue) {
    return observations.steady().getOrDefault(queue, new Observations.Limits(null, null));
  }

  private void over(String place, int limit, long micros) {
    findings.violated(
        Invariant.I4,
        null,
        "%s had more than its limit of %d leases at %s"
            .formatted(place, limit, Instant.EPOCH.plus(micros, ChronoUnit.MICROS)));
  }
}
