package io.jobscheduler.api.workflows;

import io.jobscheduler.api.database.IndexReads;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** SQL of gates: members that no worker runs. Thread-safe. */
@ApplicationScoped
class GateStore {
  private static final int MOST_APPROVALS = 1_000;

  private final Jdbi jdbi;

  GateStore(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * A gate that has not ended.
   *
   * @param kind time, signal or approval
   * @param open whether it waits for its instant, its signal or its decision; else for other jobs
   * @param signal the name of the signal
   * @param openedAt since when
   * @param until of a time gate, when it ends
   * @param expiresAt of an approval, when it counts as refused; null: never, or not open yet
   */
  @Schema(name = "WorkflowGate")
  public record Gate(
      String key,
      String job,
      String kind,
      boolean open,
      @Nullable String signal,
      @Nullable Instant openedAt,
      @Nullable Instant until,
      @Nullable Instant expiresAt) {}

  /** A decision on an approval gate; one that was asked again has several. */
  @Schema(name = "WorkflowApproval")
  public record Approval(
      String key,
      @Schema(enumeration = {"approve", "reject"}) String decision,
      String by,
      @Nullable String comment,
      Instant at) {}

  private static final String WORKFLOW_EXISTS =
      """
      SELECT 1 FROM jobs.workflows w WHERE w.id = :workflow AND w.project_id = :project
      """;

  // Live members by the index of their workflow: at most 20,000.
  private static final String LIST_GATES =
      """
      SELECT j.workflow_key, j.id, j.gate, j.state = 'scheduled' OR j.ready_at IS NOT NULL AS open,
             j.payload ->> 'signal' AS signal, j.ready_at, j.run_at, j.start_by
        FROM jobs.jobs j
       WHERE j.workflow_id = :workflow AND j.gate IN ('time', 'signal', 'approval')
       ORDER BY j.id
      """;

  /** The gates of a workflow that have not ended; empty when there is no such workflow. */
  Optional<List<Gate>> listGates(int project, int workflow) {
    return IndexReads.in(
        jdbi,
        h ->
            ofWorkflow(h, project, workflow)
                .map(
                    found ->
                        h.createQuery(LIST_GATES)
                            .bind("workflow", workflow)
                            .map((row, c) -> gateOf(row))
                            .list()));
  }

  private static final String LIST_APPROVALS =
      """
      SELECT m.key, a.decision, a.decided_by, a.comment, a.decided_at
        FROM jobs.workflow_approvals a
        JOIN jobs.workflow_members m ON m.workflow_id = a.workflow_id AND m.job_id = a.job_id
       WHERE a.workflow_id = :workflow
       ORDER BY a.workflow_id, a.id DESC
       LIMIT :most
      """;

  /** The newest decisions, newest first; empty when there is no such workflow. */
  Optional<List<Approval>> listApprovals(int project, int workflow) {
    return IndexReads.in(
        jdbi,
        h ->
            ofWorkflow(h, project, workflow)
                .map(
                    found ->
                        h.createQuery(LIST_APPROVALS)
                            .bind("workflow", workflow)
                            .bind("most", MOST_APPROVALS)
                            .map(
                                (row, c) ->
                                    new Approval(
                                        row.getString("key"),
                                        row.getString("decision"),
                                        row.getString("decided_by"),
                                        row.getString("comment"),
                                        row.getObject("decided_at", OffsetDateTime.class)
                                            .toInstant()))
                            .list()));
  }

  private static Optional<Integer> ofWorkflow(Handle h, int project, int workflow) {
    return h.createQuery(WORKFLOW_EXISTS)
        .bind("project", project)
        .bind("workflow", workflow)
        .mapTo(Integer.class)
        .findOne();
  }

  // Under the workflow's lock (R__38_gates.sql).
  private static final String SEND_SIGNAL =
      """
      SELECT s.verdict, s.id, s.queue_id, s.dispatch_lane, s.dispatch_key
        FROM jobs.send_signal(:project, :workflow, :name, :payload, :by) s
      """;

  /** Keeps a signal and ends the gates that wait for it: stored, finished or absent. */
  SurgeryStore.Done send(
      Handle h, int project, int workflow, String name, @Nullable String payload, String by) {
    return SurgeryStore.done(
        h.createQuery(SEND_SIGNAL)
            .bind("project", project)
            .bind("workflow", workflow)
            .bind("name", name)
            .bind("payload", payload)
            .bind("by", by));
  }

  private static final String DECIDE_APPROVAL =
      """
      SELECT d.verdict, d.id, d.queue_id, d.dispatch_lane, d.dispatch_key
        FROM jobs.decide_approval(:project, :workflow, :job, :decision, :by, :comment) d
      """;

  /** Decides an approval: decided, absent, not-gate, ended, not-open or expired. */
  SurgeryStore.Done decide(
      Handle h,
      int project,
      int workflow,
      long job,
      String decision,
      String by,
      @Nullable String comment) {
    return SurgeryStore.done(
        h.createQuery(DECIDE_APPROVAL)
            .bind("project", project)
            .bind("workflow", workflow)
            .bind("job", job)
            .bind("decision", decision)
            .bind("by", by)
            .bind("comment", comment));
  }

  private static Gate gateOf(ResultSet row) throws SQLException {
    return new Gate(
        row.getString("workflow_key"),
        row.getString("id"),
        row.getString("gate"),
        row.getBoolean("open"),
        row.getString("signal"),
        instant(row, "ready_at"),
        instant(row, "run_at"),
        instant(row, "start_by"));
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime at = row.getObject(column, OffsetDateTime.class);
    return at == null ? null : at.toInstant();
  }
}
