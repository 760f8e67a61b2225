package io.jobscheduler.localstack.chaos;

import io.jobscheduler.localstack.faults.FaultKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Which fault comes when: a function of its arguments, the same on every machine. */
final class Schedule {
  /** How many targets a choice tells apart. */
  private static final int CHOICES = 1_000;

  private Schedule() {}

  /**
   * Draws the kinds like cards from a shuffled deck, so that each comes in its turn.
   *
   * @param cards how many cards each kind has in the deck
   * @param total no fault begins after it
   * @param gap the time between two faults is this to 5/4 of it
   */
  static List<PlannedFault> of(
      long seed, Map<FaultKind, Integer> cards, Duration total, Duration gap) {
    // java.util.Random's sequence is specified; no other generator's is for all releases.
    Random random = new Random(seed);
    List<PlannedFault> planned = new ArrayList<>();
    List<FaultKind> deck = new ArrayList<>();
    Duration at = gap;
    while (at.compareTo(total) < 0) {
      if (deck.isEmpty()) {
        cards.forEach((kind, count) -> deck.addAll(Collections.nCopies(count, kind)));
        Collections.shuffle(deck, random);
      }
      FaultKind kind = deck.remove(deck.size() - 1);
      planned.add(new PlannedFault(at, kind, random.nextInt(CHOICES), lasts(kind, random)));
      at = at.plusMillis(between(gap.toMillis(), gap.toMillis() * 5 / 4, random));
    }
    return planned;
  }

  private static Duration lasts(FaultKind kind, Random random) {
    return Duration.ofMillis(
        between(kind.shortest().toMillis(), kind.longest().toMillis(), random));
  }

  private static long between(long least, long most, Random random) {
    return least + random.nextInt((int) (most - least) + 1);
  }
}
