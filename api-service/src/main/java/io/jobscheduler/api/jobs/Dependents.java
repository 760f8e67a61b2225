package io.jobscheduler.api.jobs;

import io.jobscheduler.api.access.Grant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** Jobs that are handed in and wait for others, inside their transaction. */
final class Dependents {
  private Dependents() {}

  /** Refuses those that wait for a job which the project does not have, or the caller not reach. */
  static void refuseUnknown(Handle h, Grant grant, List<JobRequest> jobs, Verdict[] verdicts) {
    Set<Long> named = new HashSet<>();
    jobs.forEach(j -> j.needs().forEach(n -> named.add(n.job())));
    if (named.isEmpty()) {
      return;
    }
    Set<Long> known = Reach.known(h, grant, named);
    for (int i = 0; i < verdicts.length; i++) {
      List<String> unknown =
          jobs.get(i).needs().stream()
              .filter(n -> !known.contains(n.job()))
              .map(Need::pointer)
              .toList();
      if (verdicts[i] == null && !unknown.isEmpty()) {
        verdicts[i] = new Verdict.UnknownJobs(unknown);
      }
    }
  }

  private static final String FIND_STATES =
      """
      SELECT j.id, j.state, j.ready_at FROM jobs.all_jobs j WHERE j.id = ANY (:ids)
      """;

  /** Adds the edges of what was stored, which decides some of it at once. */
  static void connect(Handle h, int projectId, List<JobRequest> jobs, Verdict[] verdicts) {
    List<ConnectStore.Edge> edges = new ArrayList<>();
    Map<Long, Integer> places = new HashMap<>();
    for (int i = 0; i < verdicts.length; i++) {
      if (verdicts[i] instanceof Verdict.Created created) {
        for (Need need : jobs.get(i).needs()) {
          edges.add(new ConnectStore.Edge(created.job().id(), need.job(), need.on()));
          places.put(created.job().id(), i);
        }
      }
    }
    if (edges.isEmpty()) {
      return;
    }
    ConnectStore.Connected connected = ConnectStore.connect(h, projectId, edges, List.of());
    if (!connected.unknown().isEmpty()) {
      throw new IllegalStateException("a job's retention ended between two statements");
    }
    Map<Long, ConnectStore.Ready> ready = new HashMap<>();
    connected.ready().forEach(r -> ready.put(r.id(), r));
    h.createQuery(FIND_STATES)
        .bindArray("ids", Long.class, places.keySet().toArray())
        .map(
            (row, c) -> {
              long id = row.getLong("id");
              int i = places.getOrDefault(id, 0);
              verdicts[i] =
                  new Verdict.Created(
                      ((Verdict.Created) verdicts[i])
                          .job()
                          .as(
                              row.getString("state"),
                              EnqueueStore.instant(row.getObject("ready_at", OffsetDateTime.class)),
                              ready.get(id)));
              return id;
            })
        .list();
  }
}
