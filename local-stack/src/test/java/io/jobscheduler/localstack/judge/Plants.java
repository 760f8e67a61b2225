package io.jobscheduler.localstack.judge;

import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;

/** At least two violations of each invariant, each to be planted in a {@link CleanRun}. */
final class Plants {
  private Plants() {}

  /** A violation and how it is planted in a clean run. */
  record Plant(Invariant invariant, String what, Forgery forgery) {
    @Override
    public String toString() {
      return invariant + " " + what;
    }
  }

  @FunctionalInterface
  interface Forgery {
    void in(CleanRun run, Play play) throws SQLException;
  }

  static List<Plant> all() {
    return Stream.of(
            AttemptPlants.overlaps(),
            AttemptPlants.losses(),
            AttemptPlants.staleWords(),
            AttemptPlants.anothersWords(),
            FlowPlants.members(),
            FlowPlants.waiting(),
            FlowPlants.fences(),
            RulePlants.limits(),
            RulePlants.edges(),
            RulePlants.fires(),
            RulePlants.walls(),
            AttemptPlants.runs())
        .flatMap(List::stream)
        .toList();
  }

  /** The handler of a lease begins a microsecond before that of another one ends. */
  static void beginBeforeEnd(Play play, long begins, long ends) {
    long end = Long.parseLong(play.lines(ends).get(1)[9]);
    play.lines(begins).get(0)[9] = Long.toString(end - 1_000);
  }

  static long token(Play play, long job) throws SQLException {
    return play.number("SELECT lease_token FROM finished_jobs WHERE id = " + job);
  }
}
