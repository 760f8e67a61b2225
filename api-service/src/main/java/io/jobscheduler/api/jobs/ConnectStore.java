package io.jobscheduler.api.jobs;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** SQL that ties jobs which are being stored to jobs that exist already. */
public final class ConnectStore {
  private ConnectStore() {}

  /**
   * That {@code child}, stored by the same transaction, waits for {@code parent}.
   *
   * @param on success, done or failure
   */
  public record Edge(long child, long parent, String on) {}

  /** A job that became ready, and its place. */
  public record Ready(long id, int queueId, int lane, long dispatchKey) {}

  /**
   * What came of it.
   *
   * @param unknown parents that the project does not have; unless empty, nothing else was done and
   *     the transaction is to be rolled back
   */
  public record Connected(Set<Long> unknown, List<Ready> ready) {}

  // The protocol stands in the function (R__42_connect.sql): parents are locked, then read, then
  // the
  // children decided.
  private static final String CONNECT_JOBS =
      """
      SELECT c.kind, c.id, c.queue_id, c.dispatch_lane, c.dispatch_key
        FROM jobs.connect_jobs(:project, :children::bigint[], :parents::bigint[], :conditions::text[],
                               :undecided::bigint[]) c
      """;

  /**
   * Adds the edges, then decides the children and {@code undecided}. Belongs last into the
   * transaction: it holds locks on the parents.
   */
  public static Connected connect(Handle h, int projectId, List<Edge> edges, List<Long> undecided) {
    Set<Long> unknown = new HashSet<>();
    List<Ready> ready = new ArrayList<>();
    h.createQuery(CONNECT_JOBS)
        .bind("project", projectId)
        .bindArray("children", Long.class, edges.stream().map(Edge::child).toArray())
        .bindArray("parents", Long.class, edges.stream().map(Edge::parent).toArray())
        .bindArray("conditions", String.class, edges.stream().map(Edge::on).toArray())
        .bindArray("undecided", Long.class, undecided.toArray())
        .map(
            (row, c) ->
                row.getString("kind").equals("unknown")
                    ? unknown.add(row.getLong("id"))
                    : ready.add(
                        new Ready(
                            row.getLong("id"),
                            row.getInt("queue_id"),
                            row.getInt("dispatch_lane"),
                            row.getLong("dispatch_key"))))
        .list();
    return new Connected(unknown, ready);
  }
}
