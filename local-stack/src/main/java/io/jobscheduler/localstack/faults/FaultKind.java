package io.jobscheduler.localstack.faults;

import io.jobscheduler.localstack.service.Service;
import java.time.Duration;
import java.util.Locale;

/** Every way to break the system, with how long it stays broken, in milliseconds. */
public enum FaultKind {
  WORKER_KILL(0, 3_000, ProcessFaults.worker(ProcessFaults::kill)),
  WORKER_STOP(2_000, 20_000, ProcessFaults.worker(ProcessFaults::stop)),
  WORKER_CUT(2_000, 20_000, ProcessFaults.worker(NetworkFaults::cut)),
  WORKER_CUT_FOR_GOOD(2_000, 20_000, ProcessFaults.worker(NetworkFaults::cutForGood)),
  WORKER_RESET(0, 0, ProcessFaults.any(Service.WORKER, NetworkFaults::reset)),
  WORKER_REFUSE(500, 8_000, ProcessFaults.any(Service.WORKER, NetworkFaults::refuse)),
  WORKER_SLOW(2_000, 10_000, ProcessFaults.any(Service.WORKER, NetworkFaults::slow)),
  LEADER_KILL(0, 3_000, ProcessFaults.leader(ProcessFaults::kill)),
  LEADER_STOP(14_000, 16_000, ProcessFaults.leader(ProcessFaults::stop)),
  LEADER_CUT(14_000, 16_000, ProcessFaults.leader(NetworkFaults::cut)),
  LEADER_RESET(0, 0, ProcessFaults.leader(NetworkFaults::reset)),
  SCHEDULER_KILL(0, 3_000, ProcessFaults.any(Service.SCHEDULER, ProcessFaults::kill)),
  SCHEDULER_SLOW(2_000, 10_000, ProcessFaults.any(Service.SCHEDULER, NetworkFaults::slow)),
  API_KILL(0, 3_000, ProcessFaults.any(Service.API, ProcessFaults::kill)),
  API_STOP(500, 6_000, ProcessFaults.any(Service.API, ProcessFaults::stop)),
  API_CUT(500, 8_000, ProcessFaults.any(Service.API, NetworkFaults::cut)),
  API_RESET(0, 0, ProcessFaults.any(Service.API, NetworkFaults::reset)),
  API_SLOW(2_000, 8_000, ProcessFaults.any(Service.API, NetworkFaults::slow)),
  OTHER_SETTINGS(0, 2_000, RestartFaults::otherSettings),
  CLOCK(5_000, 15_000, Need.FAKETIME, RestartFaults::clock),
  DATABASE_RESTART(0, 0, Need.OWN_SERVER, DatabaseFaults::restart),
  CONNECTIONS_TAKEN(1_000, 6_000, Need.OWN_SERVER, DatabaseFaults::connectionsTaken),
  CONNECTION_LIMIT(1_000, 8_000, DatabaseFaults::connectionLimit),
  TABLE_LOCKED(200, 2_500, DatabaseFaults::tableLocked),
  POOLER_KILL(0, 3_000, Need.PGBOUNCER, DatabaseFaults::poolerKilled),
  LOCK_SESSIONS_ENDED(0, 0, SessionFaults::locks),
  LISTEN_SESSIONS_ENDED(0, 0, SessionFaults::listens),
  ORDINARY_SESSIONS_ENDED(0, 0, SessionFaults::ordinary),
  LIMIT_CHANGED(1_000, 10_000, SettingFaults::limit),
  QUEUE_PAUSED(500, 5_000, SettingFaults::pause),
  WEIGHT_CHANGED(1_000, 10_000, SettingFaults::weight);

  private final Duration shortest;
  private final Duration longest;
  private final Need need;
  private final Fault fault;

  FaultKind(long shortestMillis, long longestMillis, Fault fault) {
    this(shortestMillis, longestMillis, Need.NOTHING, fault);
  }

  FaultKind(long shortestMillis, long longestMillis, Need need, Fault fault) {
    this.shortest = Duration.ofMillis(shortestMillis);
    this.longest = Duration.ofMillis(longestMillis);
    this.need = need;
    this.fault = fault;
  }

  /** As schedules and reports name it: {@code worker-kill}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The shortest time for which it stays. */
  public Duration shortest() {
    return shortest;
  }

  /** The longest time for which it stays. */
  public Duration longest() {
    return longest;
  }

  /** What must be there for it. */
  public Need need() {
    return need;
  }

  public Fault fault() {
    return fault;
  }
}
