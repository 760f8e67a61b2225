package io.jobscheduler.api.jobs;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/** SQL that reads what a job's parents left. */
@ApplicationScoped
class InputStore {
  private static final int LARGEST = 256 * 1024;
  private static final int LARGEST_IN_ALL = 4 * 1024 * 1024;

  private final Jdbi jdbi;

  InputStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  // By the primary keys of edges and members and, per parent, of both job tables; a result that is
  // too
  // large is measured, not sent. The caller has found the job in its project, and parents are of
  // the
  // same one.
  private static final String LIST_INPUTS =
      """
      SELECT i.parent_id, i.key, i.outcome,
             CASE WHEN :visible AND i.size <= :largest AND i.total <= :most THEN i.result END AS result,
             CASE WHEN i.outcome IS NOT NULL AND i.kept IS NULL THEN 'gone'
                  WHEN i.result IS NULL THEN 'none'
                  WHEN NOT :visible THEN 'hidden'
                  WHEN i.size > :largest OR i.total > :most THEN 'too_large' END AS missing
        FROM (
          SELECT d.parent_id, m.key, d.outcome, f.kept, f.result, f.size,
                 sum(CASE WHEN f.size <= :largest THEN f.size ELSE 0 END) OVER (ORDER BY d.parent_id) AS total
            FROM (SELECT e.parent_id, e.workflow_id, e.outcome FROM jobs.dependencies e
                   WHERE e.child_id = :id ORDER BY e.parent_id LIMIT :parents) d
            LEFT JOIN jobs.workflow_members m ON m.workflow_id = d.workflow_id AND m.job_id = d.parent_id
            LEFT JOIN LATERAL (
              SELECT true AS kept, j.result::text AS result, octet_length(j.result::text) AS size
                FROM jobs.all_jobs j WHERE j.id = d.parent_id) f ON true) i
       ORDER BY i.parent_id
      """;

  /** Of a job that the caller may see. */
  JobInputs inputs(long id, boolean payloadVisible) {
    List<JobInputs.Input> items =
        jdbi.withHandle(
            h ->
                h.createQuery(LIST_INPUTS)
                    .bind("id", id)
                    .bind("visible", payloadVisible)
                    .bind("largest", LARGEST)
                    .bind("most", LARGEST_IN_ALL)
                    .bind("parents", JobGraph.MOST_SHOWN)
                    .map(
                        (row, c) ->
                            new JobInputs.Input(
                                row.getString("parent_id"),
                                row.getString("key"),
                                row.getString("outcome"),
                                row.getString("result"),
                                row.getString("missing")))
                    .list());
    return new JobInputs(items);
  }
}
