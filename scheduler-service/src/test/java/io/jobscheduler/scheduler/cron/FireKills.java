package io.jobscheduler.scheduler.cron;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.scheduler.leadership.LeaderTransactions;
import io.jobscheduler.scheduler.leadership.LeadershipConfig;
import io.jobscheduler.scheduler.testing.Await;
import io.jobscheduler.scheduler.testing.Background;
import io.jobscheduler.scheduler.testing.Configs;
import io.jobscheduler.scheduler.testing.SchedulerRig;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.jboss.logging.Logger;

/** Leaders that fire 500 schedules, due each second, and are killed one after the other. */
final class FireKills {
  private static final Logger LOG = Logger.getLogger(FireKills.class);
  private static final int SCHEDULES = 500;
  private static final Duration SOON = Duration.ofSeconds(30);

  private final TestDatabase database;
  private final Schedules schedules;
  private final Random random;

  FireKills(TestDatabase database) {
    this.database = database;
    this.schedules = new Schedules(database);
    long seed = System.nanoTime();
    LOG.infof("kills: seed=%d", seed);
    this.random = new Random(seed);
    // None is ever dropped as missed, however long the test takes.
    schedules.insert(
        SCHEDULES,
        "interval '1 s', interval '15 s'",
        ", overlap_policy, misfire_policy, max_catch_up",
        ", 'allow', 'fire_all', 1000");
    database.sql(
        "UPDATE schedules SET kind = 'cron', expression = '* * * * * ?', dialect = 'quartz',"
            + " every_ms = NULL, anchor = NULL, tzdb_version = NULL");
  }

  /**
   * A leader's life: it fires until it is killed, at a random point or with an unanswered commit.
   */
  void killOne() throws Exception {
    killOne(random.nextInt(4) == 0 ? Death.AT_COMMIT : Death.ANYWHERE);
  }

  /** The same, and the server crashes under it first. */
  void killOneWithTheServer() throws Exception {
    killOne(Death.WITH_THE_SERVER);
  }

  private enum Death {
    ANYWHERE,
    AT_COMMIT,
    WITH_THE_SERVER
  }

  private void killOne(Death death) throws Exception {
    DoomedDataSource doomed = new DoomedDataSource(database.dataSource(Role.SCHEDULER));
    try (SchedulerRig rig = lead()) {
      Firer firer =
          Firers.of(
              rig,
              new LeaderTransactions(doomed, Configs.of(LeadershipConfig.class), System::nanoTime),
              doomed,
              "jobs.scheduler.cron.batch",
              Integer.toString(20 + random.nextInt(200)));
      long delay = Duration.ofMillis(1).toNanos() * random.nextInt(250);
      Background<Void> killer =
          Background.start(
              () -> {
                LockSupport.parkNanos(delay);
                switch (death) {
                  case ANYWHERE -> doomed.die();
                  case AT_COMMIT -> doomed.dieAtCommit();
                  case WITH_THE_SERVER -> {
                    crashServer();
                    doomed.die();
                  }
                }
                return null;
              });
      while (!doomed.isDead()) {
        try {
          firer.lookAgain();
          firer.runOnce();
        } catch (SQLException | RuntimeException e) {
          if (!doomed.isDead() && death != Death.WITH_THE_SERVER) {
            throw e;
          }
          LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
        }
      }
      killer.result();
    }
  }

  /**
   * Crashes the server: a backend that is killed makes it end all others and recover from its log.
   * Where its processes are out of reach, in a container, its connections end without the crash.
   */
  private void crashServer() throws Exception {
    try (Connection admin = database.superuser();
        Statement statement = admin.createStatement();
        ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
      row.next();
      Optional<ProcessHandle> backend =
          ProcessHandle.of(row.getLong(1))
              .filter(p -> p.info().command().orElse("").contains("postgres"));
      if (backend.isPresent()) {
        backend.get().destroyForcibly();
      } else {
        statement.execute(
            "SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a"
                + " WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()");
      }
    } catch (SQLException e) {
      LOG.debug("ended with the server", e);
    }
    Await.until("the server is back", SOON, this::answers);
  }

  private boolean answers() {
    try (Connection admin = database.superuser()) {
      return admin.isValid(1);
    } catch (SQLException e) {
      return false;
    }
  }

  private SchedulerRig lead() throws Exception {
    SchedulerRig rig = new SchedulerRig(database, "leader");
    Await.until(
        "leads",
        SOON,
        () -> {
          try {
            rig.leadership.runOnce();
          } catch (SQLException e) {
            // The server comes up again.
            LOG.debug("not yet", e);
          }
          return rig.leadership.current().isPresent();
        });
    return rig;
  }

  /** Lets one live until nothing is late, then checks each second of each schedule. */
  void assertEachTimeHasOneFire() throws Exception {
    try (SchedulerRig rig = lead()) {
      Firer firer = Firers.of(rig);
      Await.until(
          "nothing is late",
          SOON,
          () -> {
            firer.lookAgain();
            firer.runOnce();
            return database
                .sql("SELECT count(*) FROM schedules WHERE next_fire_at < now() - interval '2 s'")
                .equals("0");
          });
    }
    assertEquals("0", database.sql("SELECT count(*) FROM schedules WHERE state <> 'active'"));
    assertEquals(
        "t t t t",
        database.sql(
            "SELECT concat_ws(' ', count(*) = count(DISTINCT (f.schedule_id, f.planned_at)),"
                + " bool_and(f.outcome = 'fired'), bool_and(j.id IS NOT NULL),"
                + " count(*) = (SELECT count(*) FROM jobs))"
                + " FROM schedule_fires f LEFT JOIN jobs j ON j.id = f.job_id"
                + " AND j.schedule_id = f.schedule_id AND j.planned_at = f.planned_at"));
    assertEquals(
        null,
        database.sql(
            "SELECT string_agg(concat_ws(' ', f.schedule_id, f.fires, f.seconds), ', ')"
                + " FROM (SELECT schedule_id, count(*) AS fires,"
                + " extract(epoch FROM max(planned_at) - min(planned_at)) + 1 AS seconds"
                + " FROM schedule_fires GROUP BY schedule_id) f WHERE f.fires <> f.seconds"));
    assertEquals(
        Integer.toString(SCHEDULES),
        database.sql(
            "SELECT count(*) FROM schedules s WHERE s.planned_to ="
                + " (SELECT max(f.planned_at) FROM schedule_fires f WHERE f.schedule_id = s.id)"
                + " AND s.created_at - (SELECT min(f.planned_at) FROM schedule_fires f"
                + " WHERE f.schedule_id = s.id) BETWEEN interval '14 s' AND interval '17 s'"));
  }
}
