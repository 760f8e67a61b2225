package io.jobscheduler.scheduler.workflow;

import io.jobscheduler.algorithms.graph.Graph;
import java.util.Arrays;
import java.util.List;

/**
 * A stored workflow as a graph: node i is the member with the i-th smallest job id.
 *
 * @param jobIds of the nodes, ascending
 * @param keys of the nodes
 * @param seconds that the nodes are expected to run
 */
record WorkflowGraph(long[] jobIds, List<String> keys, double[] seconds, Graph graph) {

  /** An edge as stored. */
  record Edge(long parentId, long childId) {}

  /**
   * Makes the graph.
   *
   * @param jobIds ascending
   * @throws UnplannableException when an edge leads to or from a job that is no member
   */
  static WorkflowGraph of(long[] jobIds, List<String> keys, double[] seconds, List<Edge> edges)
      throws UnplannableException {
    Graph.Builder builder = Graph.builder(jobIds.length);
    for (Edge edge : edges) {
      builder.edge(nodeOf(jobIds, edge.parentId()), nodeOf(jobIds, edge.childId()));
    }
    return new WorkflowGraph(jobIds, keys, seconds, builder.build());
  }

  private static int nodeOf(long[] jobIds, long job) throws UnplannableException {
    int node = Arrays.binarySearch(jobIds, job);
    if (node < 0) {
      throw new UnplannableException("an edge names job " + job + ", which is no member");
    }
    return node;
  }
}
