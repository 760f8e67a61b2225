package io.jobscheduler.localstack.demo;

import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The table at the end of the demo. */
final class DemoSummary {
  private static final String HEAD = "%n%-42s %6s %6s %9s %12s %11s %s%n";
  private static final String ROW = "%-42s %,6d %,6d %7.1f s %10.1f s %11d %s%n";

  private final List<SubmittedWorkflow> workflows;
  private final int slots;
  private final double scale;

  DemoSummary(List<SubmittedWorkflow> workflows, int slots, double scale) {
    this.workflows = workflows;
    this.slots = slots;
    this.scale = scale;
  }

  /** Prints it; returns whether everything succeeded, in order. */
  boolean print(PrintStream out) {
    out.printf(HEAD, "workflow", "jobs", "edges", "makespan", "lower bound", "violations", "");
    int jobs = 0;
    int edges = 0;
    int succeeded = 0;
    int violations = 0;
    Instant begin = Instant.MAX;
    Instant end = Instant.MIN;
    double work = 0;
    double path = 0;
    for (SubmittedWorkflow workflow : workflows) {
      WorkflowGraph graph = workflow.graph();
      Verdict verdict = workflow.verdict();
      boolean whole = verdict.succeeded() == graph.tasks().size();
      row(out, graph, verdict, whole ? "" : "FAILED");
      jobs += graph.tasks().size();
      edges += graph.edges();
      succeeded += verdict.succeeded();
      violations += verdict.violations();
      Instant submittedAt = workflow.submittedAt();
      Instant endedAt = submittedAt.plus(verdict.makespan());
      begin = submittedAt.isBefore(begin) ? submittedAt : begin;
      end = endedAt.isAfter(end) ? endedAt : end;
      work += graph.totalSeconds();
      path = Math.max(path, graph.criticalPathSeconds());
    }
    double bound = Math.max(path, work / slots) * scale;
    double makespan = seconds(Duration.between(begin, end));
    out.printf(ROW, "all, at once", jobs, edges, makespan, bound, violations, "");
    out.printf(
        "%n%,d of %,d jobs succeeded, %d order violations. The lower bound is the longest path, or all work on %d slots.%n",
        succeeded, jobs, violations, slots);
    return succeeded == jobs && violations == 0;
  }

  private void row(PrintStream out, WorkflowGraph graph, Verdict verdict, String remark) {
    out.printf(
        ROW,
        graph.name(),
        graph.tasks().size(),
        graph.edges(),
        seconds(verdict.makespan()),
        graph.lowerBoundSeconds(slots) * scale,
        verdict.violations(),
        remark);
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }
}
