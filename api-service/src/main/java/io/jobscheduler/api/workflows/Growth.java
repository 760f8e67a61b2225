package io.jobscheduler.api.workflows;

import io.jobscheduler.algorithms.graph.Graph;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.jobs.Need;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.problem.Violations;
import io.jobscheduler.api.trail.AuditTrail;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Adds jobs and edges to a workflow that runs. The whole graph is looked at by the three-colour
 * depth-first search while the workflow is held, so two additions at once cannot close a cycle. A
 * cycle through other workflows needs an edge to a job that exists already: whoever adds one looks
 * at what lies above outside the workflow too, and nobody else adds one meanwhile.
 */
@ApplicationScoped
class Growth {
  /** Jobs and edges that the audit log names. */
  private static final int MOST_NOTED = 100;

  private final Surgery surgery;
  private final SurgeryStore stored;
  private final GrowthStore store;
  private final Submitter submitter;
  private final AuditTrail trail;

  Growth(
      Surgery surgery,
      SurgeryStore stored,
      GrowthStore store,
      Submitter submitter,
      AuditTrail trail) {
    this.trail = trail;
    this.surgery = surgery;
    this.stored = stored;
    this.store = store;
    this.submitter = submitter;
  }

  /**
   * Adds all of it or nothing.
   *
   * @throws ProblemException 404; 409 when the workflow has ended, or a job that is to wait for
   *     more has started; 422 naming each bad key, queue and job, or the cycle
   */
  void add(Grant grant, int workflow, GrowthRequest request) {
    submitter.nameUnknownQueues(grant, request.jobs()).throwIfAny();
    surgery.operate(
        grant,
        h -> {
          boolean back = request.reachesBack();
          if (back) {
            store.holdEdges(h);
          }
          Surgery.check(stored.hold(h, grant.projectId(), workflow));
          Nodes nodes = new Nodes(stored.graph(h, grant.projectId(), workflow), request);
          nodes.check(
              back ? store.edgesAbove(h, grant.projectId(), workflow, nodes.outside()) : List.of());
          List<ReadyJob> ready = insert(h, grant, workflow, request);
          trail.changed("addedCount", 0, request.jobs().jobs().size());
          trail.changed("added", List.of(), keys(request));
          trail.changed("dependencyCount", 0, request.dependencies().size());
          trail.changed("dependencies", List.of(), edges(request));
          return new Surgery.Outcome<>(true, ready);
        });
    submitter.tellDue(request.jobs());
  }

  /** The first of the new jobs. */
  private static List<String> keys(GrowthRequest request) {
    return request.jobs().jobs().stream()
        .limit(MOST_NOTED)
        .map(WorkflowRequest.Member::key)
        .toList();
  }

  /** The first of the edges by themselves: they may send a job back that was ready. */
  private static List<String> edges(GrowthRequest request) {
    return request.dependencies().stream()
        .limit(MOST_NOTED)
        .map(edge -> edge.from() + " -> " + edge.to())
        .toList();
  }

  private List<ReadyJob> insert(Handle h, Grant grant, int workflow, GrowthRequest request) {
    List<WorkflowRequest.Member> members = request.jobs().jobs();
    List<GrowthStore.Edge> edges = new ArrayList<>();
    List<String> pointers = new ArrayList<>();
    for (WorkflowRequest.Edge edge : request.jobs().edges()) {
      edges.add(
          new GrowthStore.Edge(
              members.get(edge.parent()).key(), null, members.get(edge.child()).key(), edge.on()));
      pointers.add(members.get(edge.child()).node().pointer());
    }
    for (WorkflowRequest.Outside edge : request.jobs().outside()) {
      edges.add(
          new GrowthStore.Edge(edge.key(), edge.job(), members.get(edge.child()).key(), edge.on()));
      pointers.add(edge.pointer());
    }
    for (GrowthRequest.Added edge : request.dependencies()) {
      edges.add(new GrowthStore.Edge(edge.from(), null, edge.to(), edge.on()));
      pointers.add(edge.pointer());
    }
    List<ReadyJob> ready = new ArrayList<>();
    List<GrowthStore.Row> rows =
        store.add(
            h, grant.projectId(), workflow, members, edges, request.jobs().extras().traceparent());
    refuse(rows, request, pointers);
    rows.stream().map(GrowthStore.Row::ready).filter(Objects::nonNull).forEach(ready::add);
    return ready;
  }

  private static void refuse(
      List<GrowthStore.Row> rows, GrowthRequest request, List<String> pointers) {
    String verdict = rows.isEmpty() ? "added" : rows.get(0).verdict();
    switch (verdict) {
      case "added" -> {
        // All of them.
      }
      case "absent" -> throw Surgery.absent();
      case "finished" -> throw Surgery.finished();
      case "cancelled" ->
          throw Surgery.conflict("The workflow was cancelled; it takes no more jobs.");
      case "overdue" ->
          throw Surgery.conflict("The workflow's deadline has passed; it takes no more jobs.");
      case "condition-differs" -> throw differs(rows, pointers);
      case "too-large" ->
          throw ProblemException.at(
              ProblemType.VALIDATION_FAILED,
              "/jobs",
              "The workflow would have more than 20,000 jobs or 200,000 dependencies.");
      case "started" ->
          throw Surgery.conflict(
              "The job \"" + rows.get(0).key() + "\" has started; it can wait for nothing more.");
      case "unknown-job" -> throw unknownJobs(rows, request);
      default -> throw Surgery.conflict("A queue was deleted meanwhile.");
    }
  }

  private static ProblemException differs(List<GrowthStore.Row> rows, List<String> pointers) {
    Violations violations = new Violations();
    for (GrowthStore.Row row : rows) {
      violations.add(
          pointers.get(Math.toIntExact(Objects.requireNonNull(row.id())) - 1),
          "The job \"" + row.key() + "\" depends on this one already, on a different outcome.");
    }
    return violations.problem();
  }

  private static ProblemException unknownJobs(List<GrowthStore.Row> rows, GrowthRequest request) {
    Set<Long> unknown = new HashSet<>();
    rows.forEach(row -> unknown.add(Objects.requireNonNull(row.id())));
    Violations violations = new Violations();
    for (WorkflowRequest.Outside edge : request.jobs().outside()) {
      if (edge.job() != null && unknown.contains(edge.job())) {
        violations.add(edge.pointer(), Need.UNKNOWN);
      }
    }
    return violations.isEmpty()
        ? Surgery.conflict("Nothing is kept any more of a job that is to be waited for.")
        : violations.problem();
  }

  /** The members, the new jobs and jobs outside the workflow, numbered through. */
  private static final class Nodes {
    private final StoredGraph graph;
    private final GrowthRequest request;
    private final int before;
    private final Map<String, Integer> added = new HashMap<>();
    private final Map<Long, Integer> outside = new LinkedHashMap<>();
    private final List<String> names = new ArrayList<>();
    private final Violations violations = new Violations();

    Nodes(StoredGraph graph, GrowthRequest request) {
      this.graph = graph;
      this.request = request;
      this.before = graph.members().size();
      graph.members().forEach(member -> names.add(member.key()));
      request.jobs().jobs().forEach(job -> names.add(job.key()));
      for (WorkflowRequest.Outside edge : request.jobs().outside()) {
        if (edge.job() != null) {
          number(edge.job());
        }
      }
    }

    /** The ids of jobs outside the workflow that new jobs are to wait for. */
    Collection<Long> outside() {
      return List.copyOf(outside.keySet());
    }

    /** Names every bad key, else refuses a cycle; above: what lies above outside the workflow. */
    void check(List<GrowthStore.Link> above) {
      List<WorkflowRequest.Member> members = request.jobs().jobs();
      for (int i = 0; i < members.size(); i++) {
        WorkflowRequest.Member member = members.get(i);
        if (graph.position(member.key()) != null) {
          violations.add(
              member.node().pointer() + "/key",
              "The workflow has a job of the key \"" + member.key() + "\" already.");
        }
        added.put(member.key(), before + i);
      }
      for (GrowthStore.Link link : above) {
        number(link.parent());
        number(link.child());
      }
      Graph.Builder all = Graph.builder(names.size());
      graph.edges().forEach(edge -> all.edge(edge.parent(), edge.child()));
      above.forEach(link -> all.edge(number(link.parent()), number(link.child())));
      request.jobs().edges().forEach(e -> all.edge(before + e.parent(), before + e.child()));
      for (WorkflowRequest.Outside edge : request.jobs().outside()) {
        Integer parent =
            edge.job() != null
                ? Integer.valueOf(number(edge.job()))
                : edge.key() == null ? null : find(edge.key(), edge.pointer());
        if (parent != null) {
          all.edge(parent, before + edge.child());
        }
      }
      for (GrowthRequest.Added edge : request.dependencies()) {
        Integer from = find(edge.from(), edge.pointer() + "/from");
        Integer to = find(edge.to(), edge.pointer() + "/to");
        if (from != null && to != null) {
          all.edge(from, to);
        }
      }
      violations.throwIfAny();
      Cycles.refuse(all.build(), names::get);
    }

    /** The number of a job by its id, which it gets if it is no member. */
    private int number(long id) {
      Integer member = graph.position(id);
      if (member != null) {
        return member;
      }
      Integer number = outside.putIfAbsent(id, names.size());
      if (number != null) {
        return number;
      }
      names.add("job " + id);
      return names.size() - 1;
    }

    private @Nullable Integer find(String key, String pointer) {
      Integer at = added.containsKey(key) ? added.get(key) : graph.position(key);
      if (at == null) {
        violations.add(pointer, "No job has the key \"" + key + "\".");
      }
      return at;
    }
  }
}
