package io.jobscheduler.localstack.judge;

import io.jobscheduler.localstack.load.Ledger;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Everything that the evidence holds about one job, for people. */
public final class JobHistory {
  private JobHistory() {}

  // For people, so all of it, as the database writes it; payloads and results are the users'.
  private static final String FACTS =
      """
      SELECT 1, j.created_at,
             format('job %s: %s (%s) attempt %s of %s generation %s lease %s worker %s queue %s'
                    ' project %s type %s key %s workflow %s schedule %s, created %s ready %s'
                    ' started %s finished %s, error %s: %s',
                    j.id, j.state, j.state_reason, j.attempt, j.max_attempts, j.generation,
                    j.lease_token, j.worker_id, q.name, p.name, j.type, j.concurrency_key,
                    j.workflow_id, j.schedule_id, j.created_at, j.ready_at, j.started_at,
                    j.finished_at, j.error_kind, j.error_message)
        FROM jobs.all_jobs j
        LEFT JOIN jobs.queues q ON q.id = j.queue_id
        LEFT JOIN jobs.projects p ON p.id = j.project_id
       WHERE j.id = ?
      UNION ALL
      SELECT 2, a.started_at,
             format('attempt %s generation %s lease %s worker %s: %s, started %s ended %s, error %s: %s',
                    a.attempt, a.generation, a.lease_token, a.worker_id, a.outcome, a.started_at,
                    a.ended_at, a.error_kind, a.error_message)
        FROM (SELECT l.job_id, l.lease_token, l.worker_id, l.started_at, l.ended_at, l.attempt,
                     l.generation, l.outcome, l.error_kind, l.error_message
                FROM jobs.attempts l
               UNION ALL
              SELECT f.job_id, f.lease_token, f.worker_id, f.started_at, f.ended_at, f.attempt,
                     f.generation, f.outcome, f.error_kind, f.error_message
                FROM jobs.finished_attempts f) a
       WHERE a.job_id = ?
      UNION ALL
      SELECT 3, NULL,
             format('edge from parent %s (%s): on %s, outcome %s, waived %s, met %s', d.parent_id,
                    j.state, d.on_outcome, d.outcome, d.waived, d.met)
        FROM jobs.dependencies d
        LEFT JOIN jobs.all_jobs j ON j.id = d.parent_id
       WHERE d.child_id = ?
      UNION ALL
      SELECT 4, w.started_at,
             format('worker %s: pid %s started %s last beat %s lost %s stopped %s', w.id, w.pid,
                    w.started_at, w.beat_at, w.lost_at, w.stopped_at)
        FROM jobs.workers w
       WHERE w.id IN (SELECT j.worker_id FROM jobs.all_jobs j WHERE j.id = ?
                      UNION ALL SELECT a.worker_id FROM jobs.attempts a WHERE a.job_id = ?
                      UNION ALL SELECT a.worker_id FROM jobs.finished_attempts a WHERE a.job_id = ?)
      UNION ALL
      SELECT 5, c.requested_at, format('cancel asked for at %s', c.requested_at)
        FROM jobs.cancel_requests c WHERE c.job_id = ?
       ORDER BY 1, 2
      """;

  private static final int JOB_PARAMETERS = 7;

  /**
   * One line for each fact: the row, its attempts, edges and workers, then what ran, then what was
   * promised. Reads the whole effect log.
   */
  public static List<String> of(Evidence evidence, long job) throws SQLException {
    List<String> facts = new ArrayList<>();
    try (Connection connection = evidence.database().open();
        PreparedStatement statement = connection.prepareStatement(FACTS)) {
      for (int i = 1; i <= JOB_PARAMETERS; i++) {
        statement.setLong(i, job);
      }
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          facts.add(row.getString(3));
        }
      }
    }
    try {
      for (Effect effect : EffectFiles.read(evidence.effects()).byJob()) {
        if (effect.job == job) {
          facts.add(inWords(effect));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Ledger.Accepted accepted = evidence.ledger().jobs().get(job);
    if (accepted != null) {
      facts.add("accepted: " + accepted);
    }
    return List.copyOf(facts);
  }

  private static String inWords(Effect effect) {
    return "effect under lease %d in worker %d (pid %d): %d begins, the last at %d ns; %d ends, the last at %d ns as %s"
        .formatted(
            effect.token,
            effect.incarnation,
            effect.pid,
            effect.begins,
            effect.beganNanos,
            effect.ends,
            effect.endedNanos,
            effect.outcome);
  }
}
