package io.jobscheduler.api.jobs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Grant;
import io.jobscheduler.api.idempotency.Idempotency;
import io.jobscheduler.api.idempotency.Scope;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.net.URI;
import java.util.List;
import java.util.Set;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Hands jobs in and says what became of them, once for each idempotency key. */
@ApplicationScoped
class Enqueueing {
  private static final String NO_PAYLOAD = "\"payload\":null";

  private final Enqueuer enqueuer;
  private final JobStore store;
  private final Idempotency idempotency;
  private final Jdbi jdbi;
  private final ObjectMapper json;

  Enqueueing(
      Enqueuer enqueuer, JobStore store, Idempotency idempotency, Jdbi jdbi, ObjectMapper json) {
    this.enqueuer = enqueuer;
    this.store = store;
    this.idempotency = idempotency;
    this.jdbi = jdbi;
    this.json = json;
  }

  /** That another job holds the unique key and stands for the one handed in. */
  public record DuplicateJob(Job job, boolean duplicate) {}

  /**
   * A job of a bulk request.
   *
   * @param id its own, or of the job that holds its unique key; null when the caller does not reach
   *     that
   * @param state null when that job is gone, or not reached
   * @param duplicate whether another job stands for it
   */
  public record BulkItem(
      @Nullable String id, @Schema(ref = "JobState") @Nullable String state, boolean duplicate) {}

  /** What became of the jobs of a bulk request, in its order. */
  public record BulkAnswer(List<BulkItem> items, int count) {}

  /**
   * What is recorded of a duplicate: each caller is shown what it may see of the holder, as it is.
   */
  record Holder(String holder) {}

  /** 201 with the job, or 200 with the one that stands for it. */
  Response enqueue(Grant grant, JobRequest request, @Nullable String key, byte[] body) {
    if (key != null) {
      enqueuer.requireReach(grant, List.of(request), true);
    }
    Response answer =
        idempotency.once(
            Scope.ofProject(grant.projectId()),
            key,
            body,
            () -> enqueueOne(grant, request, key != null));
    if (answer.getStatus() == Response.Status.OK.getStatusCode()) {
      long holder = Long.parseLong(entity(answer, Holder.class).holder());
      return with(answer, new DuplicateJob(holder(grant, holder), true));
    }
    // The record of an answer leaves out the payload: the request, being the same, has it too.
    return answer.getEntity() instanceof String text
            && answer.getStatus() == Response.Status.CREATED.getStatusCode()
            && grant.payloadVisible()
            && request.payload() != null
        ? Response.fromResponse(answer).entity(withPayload(text, request.payload())).build()
        : answer;
  }

  // A quote inside a value is escaped, so the member's name stands where it is found.
  private static String withPayload(String job, String payload) {
    int at = job.indexOf(NO_PAYLOAD);
    return job.substring(0, at)
        + "\"payload\":"
        + payload
        + job.substring(at + NO_PAYLOAD.length());
  }

  private Response enqueueOne(Grant grant, JobRequest request, boolean keyed) {
    Verdict verdict = enqueuer.enqueue(grant, List.of(request), true).get(0);
    if (verdict instanceof Verdict.Duplicate duplicate) {
      if (keyed) {
        // A refusal is not recorded.
        holder(grant, duplicate.holder());
      }
      return Response.ok(new Holder(Long.toString(duplicate.holder()))).build();
    }
    EnqueueStore.Enqueued stored = ((Verdict.Created) verdict).job();
    boolean shown = !keyed && grant.payloadVisible();
    // What its dependencies made of it is read; all else is known.
    Job job =
        request.needs().isEmpty()
            ? jobOf(request, stored, shown ? request.payload() : null)
            : store.findJob(grant, stored.id(), shown).orElseThrow();
    return Response.created(
            URI.create("/api/v1/projects/" + grant.project() + "/jobs/" + stored.id()))
        .entity(job)
        .build();
  }

  /** The job that holds a key, as the caller may see it. */
  private Job holder(Grant grant, long id) {
    // Who may only enqueue learns of the holder, not what it carries.
    Job holder =
        store
            .findJob(grant, id, grant.payloadVisible() && grant.permits(Action.JOBS_READ))
            .orElseThrow(Enqueueing::gone);
    if (grant.queues() != null && !grant.queues().containsKey(holder.summary().queue())) {
      throw ProblemException.of(
          ProblemType.CONFLICT, "A job that this API key does not reach holds this unique key.");
    }
    return holder;
  }

  /** A window may outlast the job that holds it, and so may the record of an answer. */
  private static ProblemException gone() {
    return ProblemException.of(
        ProblemType.CONFLICT, "The job that this unique key was found with is not kept any more.");
  }

  /** 201 with a verdict for each job. */
  Response enqueueAll(Grant grant, List<JobRequest> requests, @Nullable String key, byte[] body) {
    if (key != null) {
      enqueuer.requireReach(grant, requests, false);
    }
    Response answer =
        idempotency.once(
            Scope.ofProject(grant.projectId()),
            key,
            body,
            () -> {
              List<BulkItem> items =
                  enqueuer.enqueue(grant, requests, false).stream()
                      .map(Enqueueing::itemOf)
                      .toList();
              return Response.status(Response.Status.CREATED)
                  .entity(new BulkAnswer(items, items.size()))
                  .build();
            });
    return grant.queues() == null ? answer : hideHolders(grant, answer);
  }

  private Response hideHolders(Grant grant, Response answer) {
    BulkAnswer all = entity(answer, BulkAnswer.class);
    List<Long> holders =
        all.items().stream()
            .filter(BulkItem::duplicate)
            .map(i -> Long.valueOf(String.valueOf(i.id())))
            .toList();
    Set<Long> known = jdbi.withHandle(h -> Reach.known(h, grant, holders));
    return with(
        answer,
        new BulkAnswer(
            all.items().stream()
                .map(
                    i ->
                        !i.duplicate() || known.contains(Long.valueOf(String.valueOf(i.id())))
                            ? i
                            : new BulkItem(null, null, true))
                .toList(),
            all.count()));
  }

  /** What an answer holds, be it the first one or the text that was recorded. */
  private <T> T entity(Response answer, Class<T> type) {
    try {
      return answer.getEntity() instanceof String text
          ? json.readValue(text, type)
          : type.cast(answer.getEntity());
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Response with(Response answer, Object entity) {
    return Response.fromResponse(answer).entity(entity).type(MediaType.APPLICATION_JSON).build();
  }

  private static BulkItem itemOf(Verdict verdict) {
    if (verdict instanceof Verdict.Duplicate duplicate) {
      return new BulkItem(Long.toString(duplicate.holder()), duplicate.state(), true);
    }
    EnqueueStore.Enqueued job = ((Verdict.Created) verdict).job();
    return new BulkItem(Long.toString(job.id()), job.state(), false);
  }

  private static Job jobOf(
      JobRequest request, EnqueueStore.Enqueued stored, @Nullable String payload) {
    JobSummary summary =
        new JobSummary(
            Long.toString(stored.id()),
            request.type(),
            request.queue(),
            stored.state(),
            null,
            request.priority(),
            0,
            request.maxAttempts(),
            stored.createdAt(),
            stored.runAt(),
            stored.readyAt(),
            null,
            null,
            null,
            null,
            null,
            null);
    return new Job(
        summary,
        payload,
        null,
        null,
        RetryPolicy.ofStored(
            request.retryPolicy() == null ? stored.queuePolicy() : request.retryPolicy()),
        null,
        request.options().orTimeoutMillis(stored.queueTimeoutMillis()),
        request.extras(),
        request.unique() == null
            ? null
            : new Job.UniqueKey(request.unique().key(), request.unique().until().label()),
        0,
        null,
        null,
        null,
        null,
        JobGraph.NONE,
        null);
  }
}
