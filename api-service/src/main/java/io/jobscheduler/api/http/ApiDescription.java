package io.jobscheduler.api.http;

import io.jobscheduler.api.problem.ProblemMappers;
import io.jobscheduler.api.problem.ProblemType;
import io.quarkus.smallrye.openapi.OpenApiFilter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.responses.APIResponse;
import org.eclipse.microprofile.openapi.models.security.SecurityScheme;

/**
 * Completes the OpenAPI document at build time with what follows from rules: the problems that an
 * operation may answer, from its role, path and body; and the security scheme.
 */
@OpenApiFilter(OpenApiFilter.RunStage.BUILD)
public class ApiDescription implements OASFilter {
  private static final String ROLE = "x-role";
  private static final String BEARER = "accessToken";

  @Override
  public void filterOpenAPI(OpenAPI api) {
    api.getComponents()
        .addSecurityScheme(
            BEARER,
            OASFactory.createSecurityScheme()
                .type(SecurityScheme.Type.HTTP)
                .scheme("bearer")
                .bearerFormat("JWT")
                .description(
                    "An access token from POST /api/v1/auth/login or of the configured issuer, or"
                        + " an API key."));
    api.getComponents()
        .addSchema(
            "AnyJson",
            OASFactory.createSchema()
                .description("Any JSON; comes back digit for digit as it was typed."));
    // An interface in Java, and so taken for an object; it is a string or an object.
    Schema dependency = api.getComponents().getSchemas().get("Dependency");
    if (dependency != null) {
      dependency.setType(null);
    }
    Map<String, PathItem> paths = new TreeMap<>(api.getPaths().getPathItems());
    api.getPaths().setPathItems(new LinkedHashMap<>(paths));
    paths.forEach(
        (path, item) ->
            item.getOperations().forEach((method, operation) -> complete(path, method, operation)));
  }

  private static void complete(String path, PathItem.HttpMethod method, Operation operation) {
    String role = String.valueOf(operation.getExtensions().get(ROLE));
    boolean open = role.equals("none");
    operation.setSecurity(
        open ? List.of() : List.of(OASFactory.createSecurityRequirement().addScheme(BEARER)));
    Map<Integer, List<ProblemType>> problems = new TreeMap<>();
    for (ProblemType type : ProblemType.values()) {
      if (mayAnswer(type, path, method, operation, role)) {
        problems.merge(
            type.status(), List.of(type), (a, b) -> Stream.concat(a.stream(), b.stream()).toList());
      }
    }
    problems.forEach(
        (status, types) ->
            operation.getResponses().addAPIResponse(Integer.toString(status), response(types)));
  }

  private static boolean mayAnswer(
      ProblemType type, String path, PathItem.HttpMethod method, Operation operation, String role) {
    boolean body = operation.getRequestBody() != null;
    boolean parameters = operation.getParameters() != null;
    return switch (type) {
      case MALFORMED_JSON, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE -> body;
      case UNKNOWN_FIELD, NOT_ACCEPTABLE, INTERNAL_ERROR, SERVICE_UNAVAILABLE -> true;
      case UNAUTHORIZED ->
          !role.equals("none") || path.endsWith("/login") || path.endsWith("/refresh");
      case TOO_MANY_REQUESTS -> path.endsWith("/login") || !role.equals("none");
      case FORBIDDEN -> !role.equals("none") && !role.equals("any");
      case NOT_FOUND -> path.contains("{");
      case CONFLICT ->
          method == PathItem.HttpMethod.POST
                  && (path.endsWith("/users")
                      || path.endsWith("/projects")
                      || path.contains("/jobs/{job}/")
                      || path.matches(".*\\{project}/jobs(/bulk)?")
                      || path.contains("/workflows/{workflow}/")
                      || path.contains("/bulk-actions"))
              || path.endsWith("/workflows/{workflow}/jobs/{key}") && body
              || method == PathItem.HttpMethod.DELETE && path.endsWith("/projects/{project}")
              || method == PathItem.HttpMethod.PATCH && path.endsWith("/users/{user}")
              || path.endsWith("/members/{user}") && method != PathItem.HttpMethod.GET
              || path.contains("/schedules")
                  && method != PathItem.HttpMethod.GET
                  && method != PathItem.HttpMethod.DELETE
                  && !path.endsWith("/preview");
      case IN_FLIGHT, IDEMPOTENCY_MISMATCH -> has(operation, "Idempotency-Key");
      case QUEUE_FULL ->
          method == PathItem.HttpMethod.POST && path.matches(".*\\{project}/jobs(/bulk)?");
      case PRECONDITION_FAILED -> has(operation, "If-Match");
      case VALIDATION_FAILED -> body || parameters;
      case WORKFLOW_FINISHED ->
          method == PathItem.HttpMethod.POST
              && path.contains("/workflows/{workflow}/")
              && !path.endsWith("/retry")
              && !path.contains("{key}");
      case WORKFLOW_CYCLE ->
          method == PathItem.HttpMethod.POST
                  && (path.endsWith("/workflows") || path.endsWith("/workflows/{workflow}/jobs"))
              || body && (path.endsWith("/schedules") || path.endsWith("/schedules/{name}"));
      case METHOD_NOT_ALLOWED, BAD_REQUEST -> false;
    };
  }

  private static boolean has(Operation operation, String header) {
    return operation.getParameters() != null
        && operation.getParameters().stream().anyMatch(p -> header.equals(p.getName()));
  }

  private static APIResponse response(List<ProblemType> types) {
    Schema problem = OASFactory.createSchema().ref("#/components/schemas/Problem");
    return OASFactory.createAPIResponse()
        .description(
            types.stream()
                .map(t -> t.title() + " (`" + t.uri() + "`)")
                .collect(Collectors.joining("; ")))
        .content(
            OASFactory.createContent()
                .addMediaType(
                    ProblemMappers.MEDIA_TYPE, OASFactory.createMediaType().schema(problem)));
  }
}
