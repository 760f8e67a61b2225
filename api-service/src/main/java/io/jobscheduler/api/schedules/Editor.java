package io.jobscheduler.api.schedules;

import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.http.Etag;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.problem.Violations;
import io.jobscheduler.api.signal.Signals;
import io.jobscheduler.api.signal.Topic;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Changes schedules and, after the commit, wakes the leader. Each change locks the schedule's row
 * first, so it waits for a fire that is being decided, and that for it.
 */
@ApplicationScoped
class Editor {
  private final Jdbi jdbi;
  private final ScheduleStore store;
  private final EditStore edits;
  private final Signals signals;

  Editor(Jdbi jdbi, ScheduleStore store, EditStore edits, Signals signals) {
    this.jdbi = jdbi;
    this.store = store;
    this.edits = edits;
    this.signals = signals;
  }

  /** A schedule after a change. */
  record Edited(ScheduleRow row, boolean created) {}

  /**
   * Makes a schedule.
   *
   * @throws ProblemException 409 when the name is taken, 422
   */
  ScheduleRow create(Grant grant, String name, ScheduleRequest request) {
    return told(grant, jdbi.inTransaction(h -> insert(h, grant, name, request)))
        .orElseThrow(
            () ->
                ProblemException.at(
                    ProblemType.CONFLICT, "/name", "There is a schedule of this name."));
  }

  /**
   * Makes or replaces a schedule.
   *
   * @param ifMatch the tag that it must have; then it must exist
   * @throws ProblemException 412, 422
   */
  Edited put(Grant grant, String name, ScheduleRequest request, @Nullable String ifMatch) {
    Edited edited =
        jdbi.inTransaction(
            h -> {
              Optional<ScheduleRow> old = store.lockSchedule(h, grant.projectId(), name);
              if (old.isEmpty()) {
                if (ifMatch != null) {
                  throw Etag.stale();
                }
                Optional<ScheduleRow> made = insert(h, grant, name, request);
                if (made.isPresent()) {
                  return new Edited(made.get(), true);
                }
                // Somebody else has just made it.
                old = store.lockSchedule(h, grant.projectId(), name);
              }
              return new Edited(
                  replace(h, grant, old.orElseThrow(Etag::stale), request, ifMatch), false);
            });
    told(grant, Optional.of(edited.row()));
    return edited;
  }

  /**
   * Changes a schedule by what {@code change} makes of it.
   *
   * @throws ProblemException 404, 412, 422, and what {@code change} throws
   */
  ScheduleRow patch(
      Grant grant,
      String name,
      @Nullable String ifMatch,
      Function<ScheduleRow, ScheduleRequest> change) {
    return changed(grant, name, (h, old) -> replace(h, grant, old, change.apply(old), ifMatch));
  }

  /**
   * Deletes a schedule. What it made goes on.
   *
   * @throws ProblemException 404, 412
   */
  void delete(Grant grant, String name, @Nullable String ifMatch) {
    changed(
        grant,
        name,
        (h, old) -> {
          Etag.require(ifMatch, old.etag());
          edits.deleteSchedule(h, grant.projectId(), old.id());
          return old;
        });
  }

  /**
   * Pauses a schedule; one that is paused gets another reason and end.
   *
   * @throws ProblemException 404, 409 when it is over or disabled, 422 when the end is past
   */
  ScheduleRow pause(
      Grant grant, String name, String by, @Nullable String reason, @Nullable Instant until) {
    return changed(
        grant,
        name,
        (h, old) -> {
          if (!old.state().equals(Standing.ACTIVE) && !old.state().equals(Standing.PAUSED)) {
            throw ProblemException.of(
                ProblemType.CONFLICT, "A schedule that is " + old.state() + " fires nothing.");
          }
          if (until != null && !until.isAfter(old.now())) {
            throw ProblemException.at(
                ProblemType.VALIDATION_FAILED, "/until", "It must lie ahead.");
          }
          edits.pauseSchedule(h, grant.projectId(), old.id(), by, reason, until);
          return read(h, grant, name);
        });
  }

  /**
   * Lets a schedule fire again from now on; what fell into the pause is not run.
   *
   * @throws ProblemException 404, 409 when it is completed, or cannot be reckoned
   */
  ScheduleRow resume(Grant grant, String name) {
    return changed(
        grant,
        name,
        (h, old) -> {
          if (old.state().equals(Standing.ACTIVE)) {
            return old;
          }
          if (old.state().equals(Standing.COMPLETED)) {
            throw ProblemException.of(
                ProblemType.CONFLICT, "It is completed: no planned time is left.");
          }
          Standing standing =
              Standing.resumed(old)
                  .orElseThrow(
                      () ->
                          ProblemException.of(
                              ProblemType.CONFLICT,
                              "Its times cannot be reckoned; edit it first."));
          edits.resumeSchedule(h, grant.projectId(), old.id(), standing);
          return read(h, grant, name);
        });
  }

  private interface Change {
    ScheduleRow apply(Handle h, ScheduleRow old);
  }

  private ScheduleRow changed(Grant grant, String name, Change change) {
    return told(
            grant,
            jdbi.inTransaction(
                h ->
                    store
                        .lockSchedule(h, grant.projectId(), name)
                        .map(old -> change.apply(h, old))))
        .orElseThrow(() -> ProblemException.notFound("schedule"));
  }

  private Optional<ScheduleRow> insert(
      Handle h, Grant grant, String name, ScheduleRequest request) {
    Map<String, Integer> queues = queues(h, grant, request);
    Standing standing = Standing.created(request, store.now(h));
    return edits.insertSchedule(h, grant.projectId(), name, request, standing, queues)
        ? Optional.of(read(h, grant, name))
        : Optional.empty();
  }

  private ScheduleRow replace(
      Handle h, Grant grant, ScheduleRow old, ScheduleRequest request, @Nullable String ifMatch) {
    Etag.require(ifMatch, old.etag());
    Map<String, Integer> queues = queues(h, grant, request);
    Standing standing = Standing.replaced(old, request, old.now());
    edits.updateSchedule(h, grant.projectId(), old.id(), request, standing, queues);
    return read(h, grant, old.shown().summary().name());
  }

  private ScheduleRow read(Handle h, Grant grant, String name) {
    return store.findSchedule(h, grant.projectId(), name).orElseThrow();
  }

  private Map<String, Integer> queues(Handle h, Grant grant, ScheduleRequest request) {
    Map<String, Integer> ids = store.queueIds(h, grant.projectId(), request.queues());
    Violations violations = new Violations();
    if (request.job() != null) {
      requireQueue(violations, "/job", request.job().queue(), ids);
    } else if (request.workflow() != null) {
      List<String> named = request.workflow().jobs().stream().map(m -> m.job().queue()).toList();
      for (int i = 0; i < named.size(); i++) {
        requireQueue(violations, "/workflow/jobs/" + i, named.get(i), ids);
      }
    }
    violations.throwIfAny();
    return ids;
  }

  private static void requireQueue(
      Violations violations, String at, String queue, Map<String, Integer> ids) {
    if (!ids.containsKey(queue)) {
      violations.add(at + "/queue", "The project has no queue \"" + queue + "\".");
    }
  }

  private Optional<ScheduleRow> told(Grant grant, Optional<ScheduleRow> changed) {
    changed.ifPresent(
        row -> {
          Instant next = row.nextFireAt() == null ? row.now() : row.nextFireAt();
          signals.scheduleDue(next);
          signals.changed(grant.project(), Topic.SCHEDULES);
        });
    return changed;
  }
}
