package io.jobscheduler.localstack;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;

/** What the records in the database must show about a project whose jobs have all finished. */
final class Records {
  private final TestProject project;

  Records(TestProject project) {
    this.project = project;
  }

  private static final String LIVE =
      """
      SELECT id || ' ' || state FROM jobs.jobs
       WHERE project_id = (SELECT id FROM jobs.projects WHERE name = ?)
      """;

  private static final String STATES =
      """
      SELECT state || ' ' || count(*) FROM jobs.finished_jobs
       WHERE project_id = (SELECT id FROM jobs.projects WHERE name = ?)
       GROUP BY state
      """;

  private static final String ENDED_TWICE =
      """
      SELECT id || ' ended ' || count(*) || ' times' FROM jobs.finished_jobs
       WHERE project_id = (SELECT id FROM jobs.projects WHERE name = ?)
       GROUP BY id HAVING count(*) > 1
      """;

  // Every attempt that ended has its own token; a token that ended two attempts was settled twice.
  private static final String TOKENS_TWICE =
      """
      WITH mine AS (
        SELECT id, lease_token FROM jobs.finished_jobs
         WHERE project_id = (SELECT id FROM jobs.projects WHERE name = ?)
      ), ended AS (
        SELECT id AS job_id, lease_token FROM mine WHERE lease_token IS NOT NULL
        UNION ALL
        SELECT a.job_id, a.lease_token FROM jobs.finished_attempts a JOIN mine ON mine.id = a.job_id
      )
      SELECT 'token ' || lease_token || ' of job ' || min(job_id) FROM ended
       GROUP BY lease_token HAVING count(*) > 1
      """;

  // The counted attempts are the terminal one and those that were recorded before it.
  private static final String MISCOUNTED =
      """
      SELECT f.id || ' attempt ' || f.attempt FROM jobs.finished_jobs f
       WHERE f.project_id = (SELECT id FROM jobs.projects WHERE name = ?)
         AND f.attempt <> 1 + (SELECT count(*) FROM jobs.finished_attempts a
                                WHERE a.job_id = f.id AND a.outcome <> 'released')
      """;

  private static final String LOST =
      """
      SELECT count(*) FROM jobs.finished_attempts a
       WHERE a.outcome = 'lost'
         AND a.job_id IN (SELECT id FROM jobs.finished_jobs
                           WHERE project_id = (SELECT id FROM jobs.projects WHERE name = ?))
      """;

  /** Nothing was lost, nothing was settled twice: each of so many jobs succeeded exactly once. */
  void showEachSucceededOnce(int jobs) {
    assertEquals(List.of(), project.texts(LIVE), "still live");
    assertEquals(List.of("succeeded " + jobs), project.texts(STATES));
    assertEquals(List.of(), project.texts(ENDED_TWICE), "ended twice");
    assertEquals(List.of(), project.texts(TOKENS_TWICE), "settled twice");
    assertEquals(List.of(), project.texts(MISCOUNTED), "attempts do not add up");
  }

  /** Attempts that ended with their worker. */
  long lostAttempts() {
    return project.number(LOST);
  }
}
