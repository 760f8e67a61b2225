package io.jobscheduler.dashboard.live;

import io.jobscheduler.dashboard.proxy.ApiClient;
import io.smallrye.mutiny.Uni;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;

/** Asks api-service, with the caller's own token, whether the caller may see a project. */
@ApplicationScoped
class AccessCheck {

  /** The answer; {@code UNKNOWN} when api-service could not be asked. */
  enum Access {
    GRANTED,
    DENIED,
    TOKEN_REFUSED,
    UNKNOWN
  }

  private static final String ME = "/api/v1/auth/me";
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final ApiClient api;

  AccessCheck(ApiClient api) {
    this.api = api;
  }

  /** Never fails; an answer that makes no sense is {@code UNKNOWN}. */
  Uni<Access> check(String token, String project) {
    return Uni.createFrom()
        .completionStage(() -> api.get(ME, token, TIMEOUT).toCompletionStage())
        .onItem()
        .transform(answer -> read(answer.status(), answer.body(), project))
        .onFailure()
        .recoverWithItem(Access.UNKNOWN);
  }

  static Access read(int status, Buffer body, String project) {
    if (status == 401 || status == 403) {
      return status == 401 ? Access.TOKEN_REFUSED : Access.DENIED;
    }
    if (status != 200) {
      return Access.UNKNOWN;
    }
    try {
      JsonArray projects = new JsonObject(body).getJsonArray("projects", new JsonArray());
      boolean member =
          projects.stream()
              .anyMatch(
                  entry ->
                      entry instanceof JsonObject access
                          && project.equals(access.getString("project")));
      return member ? Access.GRANTED : Access.DENIED;
    } catch (DecodeException | ClassCastException e) {
      return Access.UNKNOWN;
    }
  }
}
