package io.jobscheduler.localstack.chaos;

import static io.jobscheduler.localstack.faults.FaultKind.API_CUT;
import static io.jobscheduler.localstack.faults.FaultKind.API_KILL;
import static io.jobscheduler.localstack.faults.FaultKind.API_RESET;
import static io.jobscheduler.localstack.faults.FaultKind.API_SLOW;
import static io.jobscheduler.localstack.faults.FaultKind.API_STOP;
import static io.jobscheduler.localstack.faults.FaultKind.CLOCK;
import static io.jobscheduler.localstack.faults.FaultKind.CONNECTIONS_TAKEN;
import static io.jobscheduler.localstack.faults.FaultKind.CONNECTION_LIMIT;
import static io.jobscheduler.localstack.faults.FaultKind.DATABASE_RESTART;
import static io.jobscheduler.localstack.faults.FaultKind.LEADER_CUT;
import static io.jobscheduler.localstack.faults.FaultKind.LEADER_RESET;
import static io.jobscheduler.localstack.faults.FaultKind.LEADER_STOP;
import static io.jobscheduler.localstack.faults.FaultKind.LIMIT_CHANGED;
import static io.jobscheduler.localstack.faults.FaultKind.LISTEN_SESSIONS_ENDED;
import static io.jobscheduler.localstack.faults.FaultKind.LOCK_SESSIONS_ENDED;
import static io.jobscheduler.localstack.faults.FaultKind.ORDINARY_SESSIONS_ENDED;
import static io.jobscheduler.localstack.faults.FaultKind.OTHER_SETTINGS;
import static io.jobscheduler.localstack.faults.FaultKind.POOLER_KILL;
import static io.jobscheduler.localstack.faults.FaultKind.QUEUE_PAUSED;
import static io.jobscheduler.localstack.faults.FaultKind.SCHEDULER_KILL;
import static io.jobscheduler.localstack.faults.FaultKind.SCHEDULER_SLOW;
import static io.jobscheduler.localstack.faults.FaultKind.TABLE_LOCKED;
import static io.jobscheduler.localstack.faults.FaultKind.WEIGHT_CHANGED;
import static io.jobscheduler.localstack.faults.FaultKind.WORKER_CUT;
import static io.jobscheduler.localstack.faults.FaultKind.WORKER_CUT_FOR_GOOD;
import static io.jobscheduler.localstack.faults.FaultKind.WORKER_REFUSE;
import static io.jobscheduler.localstack.faults.FaultKind.WORKER_RESET;
import static io.jobscheduler.localstack.faults.FaultKind.WORKER_SLOW;
import static io.jobscheduler.localstack.faults.FaultKind.WORKER_STOP;

import io.jobscheduler.localstack.faults.FaultKind;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** What is broken, how often, in what fleet, under what load. */
enum Scenario {
  /** Everything, and often. */
  MIX(Size.LARGE, 1_700, everything()),
  /** The faults that matter most, all within 90 seconds, on a smaller system and less often. */
  SMOKE(
      Size.SMALL,
      5_000,
      cards(
          List.of(FaultKind.WORKER_KILL, FaultKind.WORKER_KILL, WORKER_STOP, WORKER_CUT),
          List.of(FaultKind.LEADER_KILL, LEADER_STOP, API_KILL, OTHER_SETTINGS),
          List.of(DATABASE_RESTART, CONNECTIONS_TAKEN, TABLE_LOCKED, LOCK_SESSIONS_ENDED),
          List.of(LIMIT_CHANGED, QUEUE_PAUSED))),
  /** Measures how soon a killed worker's job starts again: at most one kill in 10 s. */
  WORKER_KILL(Size.QUIET, 10_000, Map.of(FaultKind.WORKER_KILL, 1)),
  /** Measures how soon a killed leader is replaced: at most one kill in 10 s. */
  LEADER_KILL(Size.QUIET, 10_000, Map.of(FaultKind.LEADER_KILL, 1)),
  /** Measures how soon a stopped or a half-open leader is replaced. */
  LEADER_STALL(Size.QUIET, 17_000, Map.of(LEADER_STOP, 1, LEADER_CUT, 1)),
  /** kill -9 of everything. */
  KILLS(
      Size.LARGE,
      3_000,
      Map.of(FaultKind.WORKER_KILL, 3, FaultKind.LEADER_KILL, 2, SCHEDULER_KILL, 1, API_KILL, 2)),
  /** Processes that stand still for a while and then go on as if nothing had been. */
  STOPS(Size.LARGE, 4_000, Map.of(WORKER_STOP, 3, LEADER_STOP, 1, API_STOP, 1)),
  /** Half-open, broken, refused and slow connections. */
  NETWORK(
      Size.LARGE,
      2_000,
      cards(
          List.of(WORKER_CUT, WORKER_CUT, WORKER_CUT_FOR_GOOD, WORKER_RESET, WORKER_REFUSE),
          List.of(WORKER_SLOW, LEADER_CUT, LEADER_RESET, SCHEDULER_SLOW),
          List.of(API_CUT, API_RESET, API_SLOW))),
  /** Restarts of the server, no connections left, locked tables, ended sessions. */
  DATABASE(
      Size.LARGE,
      3_000,
      cards(
          List.of(DATABASE_RESTART, CONNECTIONS_TAKEN, CONNECTION_LIMIT, TABLE_LOCKED),
          List.of(LOCK_SESSIONS_ENDED, LISTEN_SESSIONS_ENDED, ORDINARY_SESSIONS_ENDED))),
  /** All ordinary work through PgBouncer in transaction mode. */
  POOLER(
      Size.POOLED,
      3_000,
      cards(
          List.of(POOLER_KILL, FaultKind.WORKER_KILL, FaultKind.LEADER_KILL, WORKER_CUT),
          List.of(ORDINARY_SESSIONS_ENDED, LOCK_SESSIONS_ENDED, TABLE_LOCKED, DATABASE_RESTART))),
  /** Wrong clocks of workers and schedulers, and kills among them. */
  CLOCKS(
      Size.LARGE,
      4_000,
      Map.of(CLOCK, 3, FaultKind.WORKER_KILL, 1, FaultKind.LEADER_KILL, 1, WORKER_STOP, 1)),
  /** Limits, pauses and weights change under load, and workers die. */
  SETTINGS(
      Size.LARGE,
      2_000,
      Map.of(LIMIT_CHANGED, 3, QUEUE_PAUSED, 2, WEIGHT_CHANGED, 2, FaultKind.WORKER_KILL, 1)),
  /** A rolling restart, over and over, with settings that differ. */
  ROLLING(Size.LARGE, 4_000, Map.of(OTHER_SETTINGS, 4, FaultKind.WORKER_KILL, 1));

  private final Size size;
  private final Duration gap;
  private final Map<FaultKind, Integer> cards;

  Scenario(Size size, long gapMillis, Map<FaultKind, Integer> cards) {
    this.size = size;
    this.gap = Duration.ofMillis(gapMillis);
    this.cards = new EnumMap<>(cards);
  }

  /** Each kind at least once, the usual ones more often. */
  private static Map<FaultKind, Integer> everything() {
    return cards(
        List.of(FaultKind.values()),
        List.of(FaultKind.WORKER_KILL, FaultKind.WORKER_KILL, FaultKind.LEADER_KILL),
        List.of(WORKER_STOP, WORKER_STOP, WORKER_CUT, WORKER_CUT, API_KILL),
        List.of(TABLE_LOCKED, ORDINARY_SESSIONS_ENDED, LIMIT_CHANGED, LIMIT_CHANGED));
  }

  @SafeVarargs
  private static Map<FaultKind, Integer> cards(List<FaultKind>... kinds) {
    Map<FaultKind, Integer> cards = new EnumMap<>(FaultKind.class);
    for (List<FaultKind> some : kinds) {
      some.forEach(kind -> cards.merge(kind, 1, Integer::sum));
    }
    return cards;
  }

  static Optional<Scenario> of(String label) {
    return Arrays.stream(values()).filter(s -> s.label().equals(label)).findFirst();
  }

  static String labels() {
    return Arrays.stream(values()).map(Scenario::label).collect(Collectors.joining(", "));
  }

  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  Size size() {
    return size;
  }

  /** The schedule of faults: a function of the scenario, the seed and the time. */
  List<PlannedFault> schedule(long seed, Duration time) {
    return Schedule.of(seed, cards, time, gap);
  }
}
