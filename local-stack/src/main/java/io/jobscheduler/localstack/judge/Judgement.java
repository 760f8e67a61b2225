package io.jobscheduler.localstack.judge;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The verdict on a run. Immutable.
 *
 * @param verdicts one for each invariant
 * @param counts what is counted and no violation: jobs, attempts, effects after their lease had
 *     ended, samples … by name
 * @param unexpected answers of the API that no fault explains
 */
public record Judgement(
    Map<Invariant, Verdict> verdicts, Map<String, Long> counts, List<String> unexpected) {
  /** Violations of one invariant that are kept in words. */
  public static final int KEPT = 100;

  /** The one count that two runs do not add up to. */
  static final String LONGEST_GAP = "longest time between samples, ms";

  static final String JOBS = "jobs on record";

  static final String SAMPLES = "observer's samples";

  public Judgement {
    Map<Invariant, Verdict> all = new EnumMap<>(Invariant.class);
    for (Invariant invariant : Invariant.values()) {
      all.put(invariant, verdicts.getOrDefault(invariant, Verdict.NONE));
    }
    verdicts = Collections.unmodifiableMap(all);
    counts = Map.copyOf(counts);
    unexpected = List.copyOf(unexpected);
  }

  /** Judges nothing. */
  public static Judgement empty() {
    return new Judgement(Map.of(), Map.of(), List.of());
  }

  public Verdict of(Invariant invariant) {
    return verdicts.getOrDefault(invariant, Verdict.NONE);
  }

  /** No promise was broken, and the API answered nothing odd. */
  public boolean clean() {
    return violated() == 0 && unexpected.isEmpty();
  }

  /**
   * What nothing is proved of, in words: an invariant of which no fact was seen, no job, no sample,
   * no success. Empty when each promise was put to the test at least once.
   */
  public List<String> unproved() {
    List<String> unproved = new ArrayList<>();
    for (Invariant invariant : Invariant.values()) {
      if (of(invariant).checked() == 0) {
        unproved.add(invariant + " looked at nothing");
      }
    }
    for (String count : List.of(JOBS, SAMPLES, RunCheck.SUCCESSES)) {
      if (count(count) == 0) {
        unproved.add("no " + count);
      }
    }
    return List.copyOf(unproved);
  }

  /** Leases whose worker died, or seemed to. */
  public long lost() {
    return count(RunCheck.LOST);
  }

  /** Lost leases whose handlers ended all the same: their word was refused. */
  public long notTaken() {
    return count(RunCheck.NOT_TAKEN);
  }

  /** Looks of the observer. */
  public long samples() {
    return count(SAMPLES);
  }

  public long violated() {
    return verdicts.values().stream().mapToLong(Verdict::violated).sum();
  }

  /** The first violation of the first invariant that has one. */
  public Optional<Violation> firstViolation() {
    return Stream.of(Invariant.values()).flatMap(i -> of(i).first().stream()).findFirst();
  }

  /** A count by name; 0 when it was not taken. */
  public long count(String name) {
    return counts.getOrDefault(name, 0L);
  }

  /** Both together: of two scenarios that ran one after the other. */
  public Judgement plus(Judgement other) {
    Map<Invariant, Verdict> sums = new EnumMap<>(verdicts);
    other.verdicts.forEach((invariant, verdict) -> sums.merge(invariant, verdict, Verdict::plus));
    Map<String, Long> counted = new TreeMap<>(counts);
    other.counts.forEach(
        (name, count) ->
            counted.merge(name, count, name.equals(LONGEST_GAP) ? Math::max : Long::sum));
    List<String> odd =
        Stream.concat(unexpected.stream(), other.unexpected.stream()).limit(KEPT).toList();
    return new Judgement(sums, counted, odd);
  }
}
