package io.jobscheduler.api.workflows;

import io.jobscheduler.algorithms.graph.Graph;
import io.jobscheduler.algorithms.graph.KahnPlanner;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * What is left to do in a workflow.
 *
 * @param jobs how many have not ended then
 * @param work what they take one after the other
 * @param atLeast what they take with any number of workers: the longest path through them
 * @param unknown of how many nothing is known; they are reckoned as one second
 */
@Schema(name = "WorkflowEstimate")
public record Estimate(int jobs, Duration work, Duration atLeast, int unknown) {
  private static final double UNKNOWN_SECONDS = 1;

  /**
   * With the members at {@code again}, beside those that live; without the one at {@code done}, or
   * with all for -1. O(members + edges).
   */
  static Estimate of(StoredGraph graph, BitSet again, int done) {
    int n = graph.members().size();
    double[] seconds = new double[n];
    int jobs = 0;
    int unknown = 0;
    BitSet counted = new BitSet(n);
    for (int i = 0; i < n; i++) {
      StoredGraph.Member member = graph.member(i);
      if (i != done && (member.live() || again.get(i))) {
        counted.set(i);
        jobs++;
        Double known = member.seconds();
        unknown += known == null ? 1 : 0;
        seconds[i] = known == null ? UNKNOWN_SECONDS : known;
      }
    }
    Graph.Builder left = Graph.builder(n);
    for (StoredGraph.Edge edge : graph.edges()) {
      if (counted.get(edge.parent()) && counted.get(edge.child())) {
        left.edge(edge.parent(), edge.child());
      }
    }
    return new Estimate(
        jobs,
        millis(Arrays.stream(seconds).sum()),
        millis(KahnPlanner.plan(left.build(), seconds).criticalPathLength()),
        unknown);
  }

  private static Duration millis(double seconds) {
    return Duration.ofMillis(Math.round(seconds * 1_000));
  }
}
