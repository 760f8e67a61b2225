package io.jobscheduler.api.workflows;

import io.jobscheduler.algorithms.graph.ExecutionPlan;
import io.jobscheduler.algorithms.graph.Graph;
import io.jobscheduler.algorithms.heap.BinaryMinHeap;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * How long a workflow takes on a number of slots, by a simulation of the order in which its jobs
 * are claimed: priority, then upward rank, then place in the request.
 *
 * <p>It assumes that the slots are this workflow's alone, that every job takes one of them and that
 * durations are as expected; gates take time but no slot.
 *
 * <p>Source: R. L. Graham, "Bounds on multiprocessing timing anomalies", SIAM Journal on Applied
 * Mathematics 17(2), 1969: a list schedule is at most twice as long as the best one.
 *
 * <p>Cost: O(n log n + m) time. Not thread-safe.
 */
final class Makespan {
  private record End(double at, int node) {}

  private final Graph graph;
  private final List<WorkflowRequest.Member> jobs;
  private final double[] seconds;
  private final BinaryMinHeap<Integer> ready;
  private final BinaryMinHeap<End> running =
      new BinaryMinHeap<>(Comparator.comparingDouble(End::at).thenComparingInt(End::node));
  private final int[] waitingFor;
  private int free;

  private Makespan(
      Graph graph,
      ExecutionPlan plan,
      List<WorkflowRequest.Member> jobs,
      double[] seconds,
      int slots) {
    this.graph = graph;
    this.jobs = jobs;
    this.seconds = seconds;
    this.free = slots;
    this.waitingFor = new int[graph.nodeCount()];
    this.ready =
        new BinaryMinHeap<>(
            Comparator.<Integer>comparingInt(i -> -jobs.get(i).job().priority())
                .thenComparingDouble(i -> -plan.upwardRank(i))
                .thenComparingInt(i -> i));
  }

  /** In seconds. */
  static double of(
      Graph graph,
      ExecutionPlan plan,
      List<WorkflowRequest.Member> jobs,
      double[] seconds,
      int slots) {
    return new Makespan(graph, plan, jobs, seconds, slots).run();
  }

  private double run() {
    for (int node = 0; node < waitingFor.length; node++) {
      waitingFor[node] = graph.parentCount(node);
    }
    for (int node = 0; node < waitingFor.length; node++) {
      if (waitingFor[node] == 0) {
        release(node, 0);
      }
    }
    double now = 0;
    start(now);
    End end;
    while ((end = running.poll()) != null) {
      now = end.at();
      free += isGate(end.node()) ? 0 : 1;
      for (int i = 0; i < graph.childCount(end.node()); i++) {
        int child = graph.child(end.node(), i);
        if (--waitingFor[child] == 0) {
          release(child, now);
        }
      }
      start(now);
    }
    return now;
  }

  private void release(int node, double now) {
    if (isGate(node)) {
      running.add(new End(now + seconds[node], node));
    } else {
      ready.add(node);
    }
  }

  private void start(double now) {
    // Whoever ends at this very instant frees a slot, or a better job, first.
    End next = running.peek();
    if (next != null && next.at() <= now) {
      return;
    }
    while (free > 0 && !ready.isEmpty()) {
      int node = Objects.requireNonNull(ready.poll());
      free--;
      running.add(new End(now + seconds[node], node));
    }
  }

  private boolean isGate(int node) {
    return jobs.get(node).node().gate() != null;
  }
}
