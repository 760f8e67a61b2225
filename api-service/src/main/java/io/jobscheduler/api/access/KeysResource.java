package io.jobscheduler.api.access;

import static io.jobscheduler.api.idempotency.Scope.ofProject;

import io.jobscheduler.api.idempotency.Idempotency;
import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.paging.Cursor;
import io.jobscheduler.api.paging.Ids;
import io.jobscheduler.api.paging.Limit;
import io.jobscheduler.api.paging.Page;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.trail.Audited;
import io.quarkus.security.Authenticated;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponseSchema;
import org.jspecify.annotations.Nullable;

/** API keys of a project: for programs, where a login is for people. */
@Path("/api/v1/projects/{project}/api-keys")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class KeysResource {
  private final KeyStore store;
  private final Authorizer authorizer;
  private final Idempotency idempotency;

  KeysResource(KeyStore store, Authorizer authorizer, Idempotency idempotency) {
    this.store = store;
    this.authorizer = authorizer;
    this.idempotency = idempotency;
  }

  /**
   * An API key.
   *
   * @param hint how it begins
   * @param queues null: every queue
   * @param lastUsedAt to the minute
   */
  @Schema(name = "ApiKey")
  public record Key(
      String id,
      String name,
      String hint,
      List<String> scopes,
      @Nullable List<String> queues,
      boolean payloadVisible,
      String createdBy,
      Instant createdAt,
      @Nullable Instant expiresAt,
      @Nullable Instant lastUsedAt) {
    static Key of(KeyStore.Row row) {
      return new Key(
          Long.toString(row.id()),
          row.name(),
          row.hint(),
          row.scopes(),
          row.queues(),
          row.payloadVisible(),
          row.createdBy(),
          row.createdAt(),
          row.expiresAt(),
          row.lastUsedAt());
    }
  }

  /**
   * A new API key.
   *
   * @param secret the key itself; never shown again, so null in an answer that is given again
   */
  @Schema(name = "NewApiKey")
  public record NewKey(
      Key key,
      @Schema(description = "never shown again: null in an answer that is given again")
          @Nullable String secret) {}

  @POST
  @Audited("api-key")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "createApiKey",
      summary = "Make an API key; the answer is the only one that shows it",
      extensions = @Extension(name = "x-role", value = "admin"))
  @APIResponseSchema(value = NewKey.class, responseCode = "201")
  public Response create(
      @PathParam("project") String project,
      @HeaderParam(Idempotency.KEY) @Nullable String idempotencyKey,
      @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = KeyRequest.class),
                      examples =
                          @ExampleObject(
                              name = "example",
                              value =
                                  "{\"name\":\"checkout\",\"scopes\":[\"enqueue\"],\"queues\":[\"mail-*\"],\"expiresAt\":\"2030-01-31T08:00:00Z\"}")))
          InputStream body) {
    Grant grant = authorizer.require(project, Action.KEYS_EDIT);
    byte[] bytes = JsonBody.bytes(body, JsonBody.SMALL);
    KeyRequest request = JsonBody.read(bytes, KeyRequest::read);
    // Nobody gives away what is kept from him.
    if (request.payloadVisible() && !grant.payloadVisible()) {
      throw ProblemException.of(
          ProblemType.FORBIDDEN, "You do not see payloads, so you cannot make a key that does.");
    }
    // The secret is not recorded: it is stored nowhere but as its hash.
    return idempotency.once(
        ofProject(grant.projectId()),
        idempotencyKey,
        bytes,
        () -> made(insert(grant, request)),
        answer -> made(new NewKey(((NewKey) answer.getEntity()).key(), null)),
        UnaryOperator.identity());
  }

  private NewKey insert(Grant grant, KeyRequest request) {
    String secret = ApiKey.make();
    return new NewKey(
        Key.of(store.insertKey(grant, request, ApiKey.hint(secret), ApiKey.hash(secret))), secret);
  }

  private static Response made(NewKey key) {
    return Response.status(Response.Status.CREATED).entity(key).build();
  }

  @GET
  @Operation(
      operationId = "listApiKeys",
      summary = "List the API keys of a project, oldest first",
      extensions = @Extension(name = "x-role", value = "admin"))
  public Page<Key> list(
      @PathParam("project") String project,
      @QueryParam("limit") @Nullable String limitText,
      @QueryParam("cursor") @Nullable String cursor) {
    Grant grant = authorizer.require(project, Action.KEYS_READ);
    int limit = Limit.of(limitText);
    List<Key> rows =
        store.listKeys(grant.projectId(), Cursor.number(cursor, 0), limit + 1).stream()
            .map(Key::of)
            .toList();
    return Page.of(rows, limit, Key::id, store.countKeys(grant.projectId()));
  }

  @DELETE
  @Audited("api-key")
  @Path("/{key}")
  @Operation(
      operationId = "deleteApiKey",
      summary = "Revoke an API key, at once and for good",
      extensions = @Extension(name = "x-role", value = "admin"))
  public void delete(@PathParam("project") String project, @PathParam("key") String key) {
    Grant grant = authorizer.require(project, Action.KEYS_EDIT);
    if (!store.deleteKey(grant.projectId(), Ids.number(key, "API key"))) {
      throw ProblemException.notFound("API key");
    }
  }
}
