package io.jobscheduler.localstack.judge;

import io.jobscheduler.localstack.judge.Play.Claim;
import io.jobscheduler.localstack.load.Expectation;
import io.jobscheduler.localstack.load.Ledger;
import java.sql.SQLException;
import java.util.List;

/** A run in which every promise was kept: one job of each fate, to plant violations in. */
final class CleanRun {
  final long plain;
  final long failedOnce;
  final long lostOnce;
  final long dead;
  final long cancelled;
  final long redriven;
  final List<Claim> limited;
  final long lastLimited;
  final long lastKeyed;
  final Claim parent;
  final Claim child;
  final int schedule;
  final long scheduled;
  final long foreign;
  final Claim lost;

  private final Play play;

  CleanRun(Play play) throws SQLException {
    this.play = play;
    plain = succeed("a", "plain");
    foreign = succeed("b", "plain");

    failedOnce = play.enqueue("a", "plain", Expectation.SUCCEEDS);
    play.settle(play.claimOne(Play.OTHER, "a", "plain"), "failed");
    play.settle(play.claimOne(Play.OTHER, "a", "plain"), "succeeded");

    lostOnce = play.enqueue("a", "plain", Expectation.SUCCEEDS);
    lost = play.claimOne(Play.WORKER, "a", "plain");
    play.lose(Play.WORKER);
    Claim again = play.claimOne(Play.OTHER, "a", "plain");
    // The lost worker's handler goes on: it may, and it is counted.
    play.end(lost, "succeeded");
    play.settle(again, "succeeded");

    dead = play.enqueue("a", "plain", Expectation.DIES);
    play.settle(play.claimOne(Play.OTHER, "a", "plain"), "dead");

    cancelled = play.enqueue("a", "plain", Expectation.ANY);
    play.sql(
        "SELECT verdict FROM cancel_jobs(" + project("a") + ", '{" + cancelled + "}', 'me', NULL)");
    play.ledger.cancelled(cancelled);

    redriven = play.enqueue("a", "plain", Expectation.ANY);
    play.settle(play.claimOne(Play.OTHER, "a", "plain"), "dead");
    play.sql(
        "SELECT verdict FROM redrive_jobs(" + project("a") + ", '{" + redriven + "}', '{dead}')");
    play.ledger.redriven(redriven);
    play.settle(play.claimOne(Play.OTHER, "a", "plain"), "succeeded");

    for (int i = 0; i < 3; i++) {
      play.enqueue("a", "limited", Expectation.SUCCEEDS);
    }
    limited = play.claim(Play.OTHER, "a", "limited", 3);
    play.settle(limited.get(0), "succeeded");
    Claim third = play.claimOne(Play.OTHER, "a", "limited");
    lastLimited = third.job();
    play.settle(third, "succeeded");
    play.settle(limited.get(1), "succeeded");

    play.enqueue("a", "keyed", Expectation.SUCCEEDS, "'k'");
    lastKeyed = play.enqueue("a", "keyed", Expectation.SUCCEEDS, "'k'");
    play.settle(play.claimOne(Play.OTHER, "a", "keyed"), "succeeded");
    play.settle(play.claimOne(Play.OTHER, "a", "keyed"), "succeeded");

    makeWorkflow();
    parent = play.claimOne(Play.OTHER, "a", "plain");
    play.settle(parent, "succeeded");
    child = play.claimOne(Play.OTHER, "a", "plain");
    play.settle(child, "succeeded");

    schedule = makeSchedule();
    scheduled = play.number("SELECT job_id FROM schedule_fires WHERE outcome = 'fired'");
    play.settle(play.claimOne(Play.OTHER, "a", "plain"), "succeeded");
    play.observations = play.observed();
  }

  private long succeed(String project, String queue) throws SQLException {
    long job = play.enqueue(project, queue, Expectation.SUCCEEDS);
    play.settle(play.claimOne(Play.OTHER, project, queue), "succeeded");
    return job;
  }

  long project(String name) throws SQLException {
    return play.number("SELECT id FROM projects WHERE name = '" + name + "'");
  }

  long queue(String project, String name) throws SQLException {
    return play.number(
        "SELECT id FROM queues WHERE name = '%s' AND project_id = %d"
            .formatted(name, project(project)));
  }

  private void makeWorkflow() throws SQLException {
    long flow =
        play.number(
            "INSERT INTO workflows (project_id, name, job_count) VALUES (%d, 'w', 2) RETURNING id"
                .formatted(project("a")));
    play.ledger.workflow(flow, new Ledger.Flow("a", true));
    long up = play.enqueue("a", "plain", Expectation.SUCCEEDS);
    long down = play.enqueue("a", "plain", Expectation.SUCCEEDS);
    play.sql(
        """
        UPDATE jobs SET workflow_id = %1$d, workflow_key = id::text, has_dependents = id = %2$d,
               has_dependencies = id = %3$d, state = CASE id WHEN %2$d THEN 'ready' ELSE 'blocked' END
         WHERE id IN (%2$d, %3$d);
        INSERT INTO workflow_members (workflow_id, job_id, key)
        VALUES (%1$d, %2$d, '%2$d'), (%1$d, %3$d, '%3$d');
        INSERT INTO dependencies (child_id, parent_id, workflow_id) VALUES (%3$d, %2$d, %1$d)
        """
            .formatted(flow, up, down));
  }

  /** Three planned times, the first fired, the second skipped, the third missed. */
  private int makeSchedule() throws SQLException {
    int id =
        (int)
            play.number(
                """
                INSERT INTO schedules (project_id, name, created_at, kind, every_ms, anchor, template,
                                       job_type, queue_id, planned_to, next_fire_at)
                VALUES (%d, 's', '2026-01-01T00:00:01Z', 'interval', 10000, '2026-01-01T00:00:00Z', 'job',
                        'work', %d, '2026-01-01T00:00:30Z', '2026-01-01T00:00:40Z') RETURNING id
                """
                    .formatted(project("a"), queue("a", "plain")));
    long job = play.enqueue("a", "plain", Expectation.SUCCEEDS);
    play.sql(
        """
        UPDATE jobs SET schedule_id = %1$d, planned_at = '2026-01-01T00:00:10Z' WHERE id = %2$d;
        INSERT INTO schedule_fires (schedule_id, planned_at, trigger, outcome, reason, job_id, fired_at)
        VALUES (%1$d, '2026-01-01T00:00:10Z', 'scheduled', 'fired', NULL, %2$d, clock_timestamp()),
               (%1$d, '2026-01-01T00:00:20Z', 'scheduled', 'skipped', 'overlap', NULL, NULL);
        INSERT INTO schedule_fires (schedule_id, trigger, outcome, reason, missed_from, missed_to, missed_count)
        VALUES (%1$d, 'scheduled', 'missed', 'misfire-policy', '2026-01-01T00:00:30Z', '2026-01-01T00:00:30Z', 1)
        """
            .formatted(id, job));
    return id;
  }
}
