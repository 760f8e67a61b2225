package io.jobscheduler.localstack.judge;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Collects what the checks find. One thread. */
final class Findings {
  private final Map<Invariant, Long> checked = new EnumMap<>(Invariant.class);
  private final Map<Invariant, Long> violated = new EnumMap<>(Invariant.class);
  private final Map<Invariant, List<Violation>> first = new EnumMap<>(Invariant.class);
  private final Map<String, Long> counts = new TreeMap<>();

  void checked(Invariant invariant, long facts) {
    checked.merge(invariant, facts, Long::sum);
  }

  void violated(Invariant invariant, @Nullable Long job, String sentence) {
    violated(new Violation(invariant, job, sentence));
  }

  void violated(Violation violation) {
    more(violation.invariant(), 1);
    List<Violation> kept = first.computeIfAbsent(violation.invariant(), i -> new ArrayList<>());
    if (kept.size() < Judgement.KEPT) {
      kept.add(violation);
    }
  }

  /** Violations that are not put into words any more. */
  void more(Invariant invariant, long count) {
    violated.merge(invariant, count, Long::sum);
  }

  void count(String name, long by) {
    counts.merge(name, by, Long::sum);
  }

  Judgement judgement(List<String> unexpected) {
    Map<Invariant, Verdict> verdicts = new EnumMap<>(Invariant.class);
    for (Invariant invariant : Invariant.values()) {
      verdicts.put(
          invariant,
          new Verdict(
              checked.getOrDefault(invariant, 0L),
              violated.getOrDefault(invariant, 0L),
              first.getOrDefault(invariant, List.of())));
    }
    return new Judgement(verdicts, counts, unexpected);
  }
}
