package io.jobscheduler.localstack.judge;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Judges a run. Reads every table once, as a stream, all in one snapshot; of each job it holds what
 * the checks have to compare later, some 100 bytes an attempt.
 *
 * <p>Nothing may run any more that could end an attempt, or what ended between the two reads looks
 * as if it had left no effect: judge when the load has drained, or when the workers have ended.
 */
public final class Judge {
  private Judge() {}

  /**
   * Judges it. Takes about 5 s for 100,000 jobs.
   *
   * @throws SQLException when the records cannot be read
   * @throws UncheckedIOException when the effect log cannot be read
   */
  public static Judgement judge(Evidence evidence) throws SQLException {
    EffectFiles.Content effects = effects(evidence);
    Findings findings = new Findings();
    findings.count("handlers begun", effects.byJob().stream().mapToLong(e -> e.begins).sum());
    findings.count("unreadable effect lines", effects.unreadable());
    findings.count(Judgement.SAMPLES, evidence.observations().samples());
    findings.count("observer's failed samples", evidence.observations().failures());
    findings.count(Judgement.LONGEST_GAP, evidence.observations().longestGapMillis());
    evidence.ledger().counts().forEach((name, count) -> findings.count("load: " + name, count));
    try (Connection connection = evidence.database().open()) {
      connection.setAutoCommit(false);
      connection.setReadOnly(true);
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      judge(evidence, effects.byJob(), new RecordStore(connection), findings);
      connection.rollback();
    }
    return findings.judgement(evidence.ledger().unexpected());
  }

  private static void judge(
      Evidence evidence, List<Effect> effects, RecordStore records, Findings findings)
      throws SQLException {
    Names names = records.names();
    List<RecordStore.Workflow> workflows = records.workflows();
    Map<Integer, Integer> projectOf =
        workflows.stream()
            .collect(Collectors.toMap(RecordStore.Workflow::id, RecordStore.Workflow::project));
    LeaseCheck leases = new LeaseCheck(findings, evidence.observations());
    LossCheck losses = new LossCheck(findings, evidence);
    LimitCheck limits = new LimitCheck(findings, names, evidence.observations());
    EdgeCheck edges = new EdgeCheck(findings, records.edges());
    Map<Integer, FireCheck.Schedule> schedules = records.schedules();
    FireCheck fires = new FireCheck(findings, schedules);
    WaitingCheck waiting = new WaitingCheck(findings, schedules, evidence.drained());
    FlowCheck flows = new FlowCheck(findings, evidence.ledger());
    FenceCheck fences = new FenceCheck(findings, evidence);
    TenantCheck tenants = new TenantCheck(findings, names, evidence.ledger(), projectOf);
    RunCheck runs = new RunCheck(findings, evidence.observations());

    Dossiers.forEach(
        records,
        effects,
        dossier -> {
          findings.count(Judgement.JOBS, dossier.rows().size());
          leases.check(dossier);
          fences.check(dossier);
          losses.check(dossier);
          flows.check(dossier);
          limits.check(dossier);
          edges.check(dossier);
          fires.check(dossier);
          waiting.check(dossier);
          tenants.check(dossier);
          runs.check(dossier);
        });
    workflows.forEach(flow -> losses.checkWorkflow(flow.id(), flow.jobCount(), flow.members()));
    try (Rows<FireCheck.Fire> rows = records.fires()) {
      while (rows.peek() != null) {
        FireCheck.Fire fire = rows.take();
        fires.fire(fire);
        waiting.fire(fire);
      }
    }
    leases.finish();
    losses.finish();
    flows.finish();
    limits.finish();
    edges.finish();
    fires.finish();
    waiting.finish();
  }

  private static EffectFiles.Content effects(Evidence evidence) {
    try {
      return EffectFiles.read(evidence.effects());
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the effect log.", e);
    }
  }
}
