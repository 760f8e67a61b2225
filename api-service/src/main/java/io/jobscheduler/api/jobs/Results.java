package io.jobscheduler.api.jobs;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Grant;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.Response;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code Prefer: wait} (RFC 7240): the answer to an enqueue once the job has ended. */
@ApplicationScoped
class Results {
  /** Longer is not waited. */
  static final int MOST_SECONDS = 60;

  private static final Pattern WAIT =
      Pattern.compile("(?:^|[,;])\\s*wait\\s*=\\s*\"?(\\d{1,6})\"?");

  private final Ends ends;
  private final JobStore store;

  Results(Ends ends, JobStore store) {
    this.ends = ends;
    this.store = store;
  }

  /** The seconds that a Prefer header asks to wait, at most 60; 0 when it asks for none. */
  static int seconds(String prefer) {
    Matcher wait = WAIT.matcher(prefer);
    return wait.find() ? Math.min(MOST_SECONDS, Integer.parseInt(wait.group(1))) : 0;
  }

  /**
   * The answer with the job as it is once it has ended, or after the wait; at once when too many
   * wait already, which the absence of Preference-Applied tells.
   *
   * @param created 201 with a Location that ends in the job's id; else it is answered as it is
   */
  Uni<Response> await(Grant grant, Response created, String prefer) {
    int seconds = seconds(prefer);
    if (seconds == 0 || created.getStatus() != Response.Status.CREATED.getStatusCode()) {
      return Uni.createFrom().item(created);
    }
    String path = created.getLocation().getPath();
    long id = Long.parseLong(path.substring(path.lastIndexOf('/') + 1));
    Optional<CompletableFuture<Void>> end = ends.of(id, Duration.ofSeconds(seconds));
    return end.isEmpty()
        ? Uni.createFrom().item(created)
        : Uni.createFrom()
            .completionStage(end.get())
            .emitOn(Infrastructure.getDefaultWorkerPool())
            .map(unused -> after(grant, created, id, seconds));
  }

  private Response after(Grant grant, Response created, long id, int seconds) {
    boolean reads = grant.permits(Action.JOBS_READ);
    Response.ResponseBuilder answer =
        Response.fromResponse(created).header("Preference-Applied", "wait=" + seconds);
    store.findJob(grant, id, grant.payloadVisible() && reads).ifPresent(answer::entity);
    return answer.build();
  }
}
