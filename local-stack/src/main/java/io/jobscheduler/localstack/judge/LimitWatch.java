package io.jobscheduler.localstack.judge;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Holds samples against the rule of I4: a running count is at most its limit; after the limit was
 * lowered, at most what ran at that moment, and never rising. A queue that was edited between two
 * samples may have had any limit in between: its count then only sets the new bound here, and what
 * was started under which limit is left to {@link LimitCheck}, which gets the times of the edits.
 */
final class LimitWatch {
  private final Map<Integer, Seen> queues = new HashMap<>();
  private final List<Violation> over = new ArrayList<>();
  private long overCount;
  private long checks;

  /**
   * A queue in one snapshot.
   *
   * @param editedMicros when somebody last edited it
   * @param running jobs of it that run
   * @param mostOfKey running jobs of that key of it of which most run; 0: none has a key
   * @param key that one
   */
  record Sample(
      int queue,
      String name,
      @Nullable Integer limit,
      @Nullable Integer perKey,
      long editedMicros,
      int running,
      int mostOfKey,
      @Nullable String key) {}

  /** A queue as it was last seen, and above what its counts must not be then. */
  private static final class Seen {
    final List<Observations.Rule> rules = new ArrayList<>();
    Sample last;
    long seenMicros;
    long from;
    long runningBound;
    long keyBound;

    Seen(Sample first, long micros) {
      last = first;
      seenMicros = micros;
      from = first.editedMicros();
    }

    /** The limits as they were last seen, up to an instant. */
    void close(long before) {
      boolean limited = last.limit() != null || last.perKey() != null;
      if (limited && from < before) {
        rules.add(new Observations.Rule(from, before, last.limit(), last.perKey()));
      }
    }

    /**
     * From the last edit on they are what they are now. Between the sample before and that edit
     * there may have been others, of which nobody knows: nothing is said of that time.
     */
    void edited(Sample now, long micros) {
      close(Math.min(seenMicros, now.editedMicros()));
      from = now.editedMicros() == last.editedMicros() ? micros : now.editedMicros();
    }
  }

  /**
   * Judges a snapshot. Costs a look-up a queue.
   *
   * @param micros an instant of the database just before it, since the epoch
   */
  void see(List<Sample> samples, long micros) {
    for (Sample sample : samples) {
      Seen seen = queues.get(sample.queue());
      if (seen == null) {
        seen = new Seen(sample, micros);
        queues.put(sample.queue(), seen);
        // Nothing is known of what it was before.
        seen.runningBound = bound(sample.limit(), sample.running());
        seen.keyBound = bound(sample.perKey(), sample.mostOfKey());
      } else if (edited(seen.last, sample)) {
        seen.edited(sample, micros);
        seen.runningBound = bound(sample.limit(), sample.running());
        seen.keyBound = bound(sample.perKey(), sample.mostOfKey());
      } else {
        judge(seen, sample);
      }
      seen.last = sample;
      seen.seenMicros = micros;
    }
  }

  private static boolean edited(Sample before, Sample now) {
    return before.editedMicros() != now.editedMicros()
        || !Objects.equals(before.limit(), now.limit())
        || !Objects.equals(before.perKey(), now.perKey());
  }

  private static long bound(@Nullable Integer limit, int count) {
    return limit == null ? Long.MAX_VALUE : Math.max(limit, count);
  }

  private void judge(Seen seen, Sample sample) {
    if (sample.limit() != null) {
      checks++;
      if (sample.running() > seen.runningBound) {
        over(
            "queue %s had %d running jobs at limit %d (bound %d)"
                .formatted(sample.name(), sample.running(), sample.limit(), seen.runningBound));
      }
      seen.runningBound = Math.max(sample.limit(), Math.min(seen.runningBound, sample.running()));
    }
    if (sample.perKey() != null) {
      checks++;
      if (sample.mostOfKey() > seen.keyBound) {
        over(
            "key %s of queue %s had %d running jobs at limit %d (bound %d)"
                .formatted(
                    sample.key(),
                    sample.name(),
                    sample.mostOfKey(),
                    sample.perKey(),
                    seen.keyBound));
      }
      seen.keyBound = Math.max(sample.perKey(), Math.min(seen.keyBound, sample.mostOfKey()));
    }
  }

  private void over(String sentence) {
    overCount++;
    if (over.size() < Judgement.KEPT) {
      over.add(new Violation(Invariant.I4, null, sentence));
    }
  }

  long checks() {
    return checks;
  }

  List<Violation> over() {
    return over;
  }

  long overCount() {
    return overCount;
  }

  /** Which limits were in force when, of each queue that had one: until the last snapshot. */
  Map<Integer, List<Observations.Rule>> rules() {
    Map<Integer, List<Observations.Rule>> rules = new HashMap<>();
    queues.forEach(
        (id, seen) -> {
          Seen whole = new Seen(seen.last, seen.seenMicros);
          whole.from = seen.from;
          whole.rules.addAll(seen.rules);
          whole.close(seen.seenMicros);
          if (!whole.rules.isEmpty()) {
            rules.put(id, List.copyOf(whole.rules));
          }
        });
    return rules;
  }
}
