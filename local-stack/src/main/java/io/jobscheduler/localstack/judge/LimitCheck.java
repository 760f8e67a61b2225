package io.jobscheduler.localstack.judge;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * I4: what the observer saw, and every recorded lease by the limits that were in force when it
 * started. A start that leaves more open than the limit is wrong also after the limit was lowered:
 * what ran then may end, and nothing starts until there is room. An edit is stamped under the
 * queue's lock, so no start lies between its time and its commit. Leases that were given back
 * unstarted leave no record, so the recorded ones are at most as many as there were.
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
    List<Observations.Rule> rules = job == null ? null : observations.rules().get(job.queue());
    if (job == null || rules == null) {
      return;
    }
    for (Lease lease : dossier.leases()) {
      long start = Objects.requireNonNull(lease.startedMicros());
      boolean ruled =
          rules.stream().anyMatch(rule -> rule.from() <= start && start < rule.before());
      findings.checked(Invariant.I4, ruled ? 1 : 0);
      byQueue.computeIfAbsent(job.queue(), q -> new Spans()).add(start, lease.endedMicros());
      if (job.concurrencyKey() != null) {
        byKey
            .computeIfAbsent(new Key(job.queue(), job.concurrencyKey()), k -> new Spans())
            .add(start, lease.endedMicros());
      }
    }
  }

  /** After the last job. */
  void finish() {
    byQueue.forEach(
        (queue, spans) ->
            rules(queue)
                .forEach(rule -> judge(spans, rule, rule.jobs(), "queue " + names.path(queue))));
    byKey.forEach(
        (key, spans) -> {
          String place = "key " + key.key() + " of queue " + names.path(key.queue());
          rules(key.queue()).forEach(rule -> judge(spans, rule, rule.perKey(), place));
        });
  }

  private List<Observations.Rule> rules(int queue) {
    return observations.rules().getOrDefault(queue, List.of());
  }

  private void judge(Spans spans, Observations.Rule rule, @Nullable Integer limit, String place) {
    if (limit != null) {
      spans.above(limit, rule.from(), rule.before(), at -> over(place, limit, at));
    }
  }

  private void over(String place, int limit, long micros) {
    findings.violated(
        Invariant.I4,
        null,
        "%s had more than its limit of %d leases at %s"
            .formatted(place, limit, Instant.EPOCH.plus(micros, ChronoUnit.MICROS)));
  }
}
