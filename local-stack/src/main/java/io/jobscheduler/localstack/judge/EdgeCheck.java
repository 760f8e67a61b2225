package io.jobscheduler.localstack.judge;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * I5: no child's first start lies before an end of the parent that meets the edge, by the
 * database's clock and by the clock of what ran. Edges that a join or an operator waived bind
 * nobody. A parent that was brought back counts with each of its ends.
 *
 * <p>I2: a child is skipped only when some parent ended otherwise than its edge asks for.
 */
final class EdgeCheck {
  static final String SKIPPED = "skipped jobs";
  private static final String BY_HAND = "skipped-by-hand";

  private final Findings findings;
  private final List<Edge> edges;
  private final Set<Long> involved = new HashSet<>();
  private final Set<Long> children = new HashSet<>();

  /** Those that were skipped, until something explains it. */
  private final Set<Long> skipped = new HashSet<>();

  private final Map<Long, Life> lives = new HashMap<>();

  /** An edge: the child waits for the parent to end so. */
  record Edge(long child, long parent, String onOutcome, boolean waived) {}

  /** An end; the nanoseconds are of its handler's end, null when none ran. */
  private record End(String state, long micros, @Nullable Long nanos) {}

  /** Of a job that has an edge. {@code gaps}: an earlier end of it left no trace. */
  private record Life(
      int project,
      @Nullable Long firstStart,
      @Nullable Long firstBegin,
      List<End> ends,
      boolean gaps) {}

  EdgeCheck(Findings findings, List<Edge> edges) {
    this.findings = findings;
    this.edges = edges;
    edges.forEach(
        edge -> {
          involved.add(edge.child());
          children.add(edge.child());
          involved.add(edge.parent());
        });
  }

  void check(Dossier dossier) {
    JobRow job = dossier.job();
    if (job != null && job.state().equals("skipped") && !BY_HAND.equals(job.stateReason())) {
      findings.checked(Invariant.I2, 1);
      findings.count(SKIPPED, 1);
      skipped.add(job.id());
    }
    if (job == null || !involved.contains(job.id())) {
      return;
    }
    List<End> ends = new ArrayList<>();
    Map<Integer, Lease> lastOf = new HashMap<>();
    dossier.leases().forEach(lease -> lastOf.put(lease.generation(), lease));
    for (int generation = 0; generation < job.generation(); generation++) {
      Lease last = lastOf.get(generation);
      if (last != null) {
        ends.add(new End(state(last.outcome()), last.endedMicros(), endNanos(dossier, last)));
      }
    }
    boolean gaps = ends.size() < job.generation();
    if (job.ended()) {
      Lease last = job.lease();
      ends.add(
          new End(
              job.state(),
              Objects.requireNonNull(job.finishedMicros()),
              last == null ? null : endNanos(dossier, last)));
    }
    lives.put(
        job.id(),
        new Life(
            job.project(),
            dossier.leases().isEmpty() ? null : dossier.leases().get(0).startedMicros(),
            dossier.effects().stream()
                .filter(Effect::began)
                .map(effect -> effect.beganNanos)
                .min(Long::compare)
                .orElse(null),
            ends,
            gaps));
  }

  private static @Nullable Long endNanos(Dossier dossier, Lease lease) {
    Effect effect = dossier.effect(lease.token());
    // One that was lost may go on after its end.
    return effect != null && effect.ended() && lease.endedByItsHandler() ? effect.endedNanos : null;
  }

  /** The state that an attempt's outcome had brought its job into. */
  private static String state(String outcome) {
    return switch (outcome) {
      case "lost", "timed_out", "failed" -> "dead";
      case "revoked" -> "cancelled";
      default -> outcome;
    };
  }

  /** After the last job. */
  void finish() {
    for (Edge edge : edges) {
      Life child = lives.get(edge.child());
      Life parent = lives.get(edge.parent());
      if (edge.waived() || parent == null || parent.gaps() || contradicts(edge, parent)) {
        // Explained, or nobody can tell any more.
        skipped.remove(edge.child());
      }
      if (child == null || parent == null) {
        continue;
      }
      if (child.project() != parent.project()) {
        findings.violated(
            Invariant.I7,
            edge.child(),
            "waits for job %d of another project".formatted(edge.parent()));
      }
      if (!edge.waived() && !parent.gaps() && child.firstStart() != null) {
        findings.checked(Invariant.I5, 1);
        judge(edge, child, parent);
      }
    }
    for (long job : skipped) {
      findings.violated(
          Invariant.I2,
          job,
          children.contains(job)
              ? "was skipped, though none of its parents ended otherwise than it asks for"
              : "was skipped and has no parent");
    }
  }

  private static boolean contradicts(Edge edge, Life parent) {
    return parent.ends().stream().anyMatch(end -> !meets(edge.onOutcome(), end.state()));
  }

  private void judge(Edge edge, Life child, Life parent) {
    long start = Objects.requireNonNull(child.firstStart());
    @Nullable End met = null;
    for (End end : parent.ends()) {
      if (meets(edge.onOutcome(), end.state()) && (met == null || end.micros() < met.micros())) {
        met = end;
      }
    }
    if (met == null || start < met.micros()) {
      findings.violated(
          Invariant.I5,
          edge.child(),
          met == null
              ? "has started, but its parent %d never ended so that it may (on %s)"
                  .formatted(edge.parent(), edge.onOutcome())
              : "started %d µs before its parent %d had ended as %s"
                  .formatted(met.micros() - start, edge.parent(), met.state()));
    } else if (met.nanos() != null
        && child.firstBegin() != null
        && child.firstBegin() < met.nanos()) {
      findings.violated(
          Invariant.I5,
          edge.child(),
          "ran %d µs before the handler of its parent %d had ended"
              .formatted((met.nanos() - child.firstBegin()) / 1000, edge.parent()));
    }
  }

  private static boolean meets(String onOutcome, String state) {
    return switch (onOutcome) {
      case "success" -> state.equals("succeeded");
      case "failure" -> state.equals("dead") || state.equals("cancelled");
      default -> true;
    };
  }
}
