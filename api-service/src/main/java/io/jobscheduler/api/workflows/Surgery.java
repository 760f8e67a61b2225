package io.jobscheduler.api.workflows;

import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.database.Patience;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.signal.Signals;
import io.jobscheduler.api.trail.AuditTrail;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * What people do to a workflow after its submission: each is one transaction that holds the
 * workflow, or, as a dry run, one that reads it. Tells, after the commit, who waits for it.
 *
 * <p>A refusal is a 409 that says what stands in the way; nothing has happened then.
 */
@ApplicationScoped
class Surgery {
  private static final String ABSENT = "absent";
  private static final String FINISHED = "finished";

  private final Jdbi jdbi;
  private final SurgeryStore store;
  private final Signals signals;
  private final AuditTrail trail;

  Surgery(Jdbi jdbi, SurgeryStore store, Signals signals, AuditTrail trail) {
    this.jdbi = jdbi;
    this.store = store;
    this.signals = signals;
    this.trail = trail;
  }

  /** The answer, what became ready, and the workers that have something to do at once. */
  record Outcome<T>(T answer, List<ReadyJob> ready, List<Long> workers) {
    Outcome(T answer, List<ReadyJob> ready) {
      this(answer, ready, List.of());
    }
  }

  /** Runs a transaction of the project, again when it met another, and tells what it did. */
  <T> T operate(Grant grant, Function<Handle, Outcome<T>> operation) {
    Outcome<T> outcome = Patience.in(jdbi, operation);
    outcome.workers().stream().distinct().forEach(signals::control);
    ReadyJob.tell(signals, grant, outcome.ready());
    return outcome.answer();
  }

  /** Like {@link #operate}, on one workflow: what it changes of it is recorded. */
  <T> T change(Grant grant, int workflow, Function<Handle, Outcome<T>> operation) {
    return operate(
        grant,
        h -> {
          hold(h, grant, workflow, false);
          SurgeryStore.Standing before = store.standing(h, workflow);
          Outcome<T> outcome = operation.apply(h);
          SurgeryStore.Standing after = store.standing(h, workflow);
          trail.changed("paused", before.paused(), after.paused());
          trail.changed("pauseReason", before.pauseReason(), after.pauseReason());
          trail.changed(
              "jobs", others(before.jobs(), after.jobs()), others(after.jobs(), before.jobs()));
          return outcome;
        });
  }

  /** The counts that {@code other} has not. */
  private static Map<String, Long> others(Map<String, Long> counts, Map<String, Long> other) {
    Map<String, Long> differing = new TreeMap<>(counts);
    differing.entrySet().removeAll(other.entrySet());
    return differing;
  }

  private void hold(Handle h, Grant grant, int workflow, boolean dryRun) {
    boolean there =
        dryRun
            ? store.exists(h, grant.projectId(), workflow)
            : !store.hold(h, grant.projectId(), workflow).equals(ABSENT);
    if (!there) {
      throw absent();
    }
  }

  /** Runs members again that have ended. */
  SurgeryAnswer retry(Grant grant, int workflow, Rerun.Mode mode, boolean dryRun) {
    return run(
        grant,
        workflow,
        dryRun,
        h -> {
          StoredGraph graph = store.graph(h, grant.projectId(), workflow);
          BitSet again = Rerun.of(graph, mode);
          List<ReadyJob> ready =
              dryRun || again.isEmpty() ? List.of() : rerun(h, grant, workflow, graph, again);
          trail.changed("rerun", null, again.cardinality());
          return new Outcome<>(SurgeryAnswer.of(graph, again, -1, dryRun), ready);
        });
  }

  private <T> T run(
      Grant grant, int workflow, boolean dryRun, Function<Handle, Outcome<T>> operation) {
    if (!dryRun) {
      return change(grant, workflow, operation);
    }
    return operate(
        grant,
        h -> {
          hold(h, grant, workflow, true);
          return operation.apply(h);
        });
  }

  private List<ReadyJob> rerun(
      Handle h, Grant grant, int workflow, StoredGraph graph, BitSet again) {
    return store.rerun(
        h,
        grant.projectId(),
        workflow,
        again.stream().mapToObj(i -> graph.member(i).id()).toList());
  }

  /** Ends a member by hand that waits or has failed: as skipped, or as succeeded with a result. */
  SurgeryAnswer end(
      Grant grant,
      int workflow,
      String key,
      String state,
      @Nullable String result,
      String message,
      boolean dryRun) {
    return run(
        grant,
        workflow,
        dryRun,
        h -> {
          StoredGraph graph = store.graph(h, grant.projectId(), workflow);
          Integer at = graph.position(key);
          if (at == null) {
            throw ProblemException.notFound("job of the workflow");
          }
          StoredGraph.Member member = graph.member(at);
          BitSet none = new BitSet();
          if (member.bypassed() && state.equals("skipped")) {
            return new Outcome<>(SurgeryAnswer.of(graph, none, at, dryRun), List.of());
          }
          refuse(member);
          BitSet again = member.ended() ? Rerun.ofOne(graph, at) : none;
          SurgeryAnswer answer = SurgeryAnswer.of(graph, again, at, dryRun);
          if (dryRun) {
            return new Outcome<>(answer, List.of());
          }
          List<ReadyJob> ready = new ArrayList<>();
          if (!again.isEmpty()) {
            ready.addAll(rerun(h, grant, workflow, graph, again));
          }
          SurgeryStore.Done done =
              store.end(h, grant.projectId(), workflow, member.id(), state, result, message);
          if (!done.verdict().equals("ended")) {
            throw conflict("The job has started meanwhile.");
          }
          trail.changed("state", member.state(), state);
          trail.changed("message", null, message);
          trail.changed("result", null, AuditTrail.hash(result));
          ready.removeIf(job -> job.id() == member.id());
          ready.addAll(done.ready());
          return new Outcome<>(answer, ready);
        });
  }

  private static void refuse(StoredGraph.Member member) {
    String state = member.state();
    if (state == null) {
      throw conflict("The job has ended long ago; nothing is kept of it.");
    }
    switch (state) {
      case "running" -> throw conflict("The job runs; cancel it first, or wait for its end.");
      case "succeeded" -> throw conflict("The job has succeeded.");
      default -> {
        // It waits, or has failed.
      }
    }
  }

  /** Pauses a workflow, or replaces the reason of its pause. */
  void pause(Grant grant, int workflow, String by, @Nullable String reason) {
    change(
        grant,
        workflow,
        h -> {
          check(store.pause(h, grant.projectId(), workflow, by, reason));
          return new Outcome<>(true, List.of());
        });
  }

  /** Ends a pause; no harm if there is none. */
  void resume(Grant grant, int workflow) {
    change(
        grant,
        workflow,
        h -> {
          SurgeryStore.Done done = store.resume(h, grant.projectId(), workflow);
          check(done.verdict());
          return new Outcome<>(true, done.ready());
        });
  }

  /**
   * What a cancel has done.
   *
   * @param cancelled members that have ended by it
   * @param requested members that run, and have been asked to end
   */
  record Cancelled(int cancelled, int requested) {}

  /** Cancels what lives of a workflow. */
  Cancelled cancel(Grant grant, int workflow, String by, @Nullable String reason, boolean dryRun) {
    if (dryRun) {
      return jdbi.inTransaction(
          h -> {
            hold(h, grant, workflow, true);
            StoredGraph graph = store.graph(h, grant.projectId(), workflow);
            int live = (int) graph.members().stream().filter(StoredGraph.Member::live).count();
            int running =
                (int) graph.members().stream().filter(m -> "running".equals(m.state())).count();
            return new Cancelled(live - running, running);
          });
    }
    return change(
        grant,
        workflow,
        h -> {
          SurgeryStore.Cancelled done = store.cancel(h, grant.projectId(), workflow, by, reason);
          if (done.cancelled() == null) {
            throw absent();
          }
          if (done.cancelled() + done.requested() == 0 && !store.wasCancelled(h, workflow)) {
            throw finished();
          }
          trail.changed("reason", null, reason);
          // What runs keeps its state until it has ended.
          trail.changed("cancelRequested", 0, done.requested());
          return new Outcome<>(
              new Cancelled(done.cancelled(), done.requested()), List.of(), done.workers());
        });
  }

  static void check(String held) {
    switch (held) {
      case ABSENT -> throw absent();
      case FINISHED -> throw finished();
      default -> {
        // It lives.
      }
    }
  }

  static ProblemException absent() {
    return ProblemException.notFound("workflow");
  }

  static ProblemException finished() {
    return ProblemException.of(
        ProblemType.WORKFLOW_FINISHED, "Its last job has ended; retry it to go on.");
  }

  static ProblemException conflict(String detail) {
    return ProblemException.of(ProblemType.CONFLICT, detail);
  }
}
