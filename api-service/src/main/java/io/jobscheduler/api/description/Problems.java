package io.jobscheduler.api.description;

import io.jobscheduler.api.problem.ProblemMappers;
import io.jobscheduler.api.problem.ProblemType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem;
import org.eclipse.microprofile.openapi.models.media.MediaType;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.responses.APIResponse;

/**
 * The problems that an operation may answer, from its role, path and body. Each set of them that
 * share a status is one response of the document, with an example of each.
 */
final class Problems {
  private final OpenAPI api;

  Problems(OpenAPI api) {
    this.api = api;
    List<Object> types = Arrays.stream(ProblemType.values()).<Object>map(ProblemType::uri).toList();
    Schema problem = Objects.requireNonNull(api.getComponents().getSchemas().get("Problem"));
    Objects.requireNonNull(problem.getProperties().get("type")).setEnumeration(types);
  }

  void complete(String path, PathItem.HttpMethod method, Operation operation) {
    Map<Integer, List<ProblemType>> problems = new TreeMap<>();
    for (ProblemType type : ProblemType.values()) {
      if (mayAnswer(type, path, method, operation)) {
        problems.merge(
            type.status(), List.of(type), (a, b) -> Stream.concat(a.stream(), b.stream()).toList());
      }
    }
    problems.forEach(
        (status, types) ->
            operation
                .getResponses()
                .addAPIResponse(
                    Integer.toString(status), OASFactory.createAPIResponse().ref(shared(types))));
  }

  private static boolean mayAnswer(
      ProblemType type, String path, PathItem.HttpMethod method, Operation operation) {
    String role = ApiDescription.role(operation);
    boolean body = operation.getRequestBody() != null;
    boolean parameters = operation.getParameters() != null;
    return switch (type) {
      case MALFORMED_JSON, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE -> body;
      case UNKNOWN_FIELD, BAD_REQUEST, NOT_ACCEPTABLE, INTERNAL_ERROR, SERVICE_UNAVAILABLE -> true;
      case UNAUTHORIZED ->
          !role.equals("none") || path.endsWith("/login") || path.endsWith("/refresh");
      case TOO_MANY_REQUESTS -> path.endsWith("/login") || !role.equals("none");
      case FORBIDDEN -> !role.equals("none");
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
              || path.endsWith("/jobs/{job}") && method != PathItem.HttpMethod.GET
              || method == PathItem.HttpMethod.DELETE
                  && (path.endsWith("/projects/{project}") || path.endsWith("/queues/{queue}"))
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
                  && (path.endsWith("/workflows")
                      || path.endsWith("/workflows/plan")
                      || path.endsWith("/workflows/{workflow}/jobs"))
              || body && (path.endsWith("/schedules") || path.endsWith("/schedules/{name}"));
      case METHOD_NOT_ALLOWED -> false;
    };
  }

  private static boolean has(Operation operation, String header) {
    return operation.getParameters() != null
        && operation.getParameters().stream().anyMatch(p -> header.equals(p.getName()));
  }

  /** The reference of the one response that answers these. */
  private String shared(List<ProblemType> types) {
    String name = types.stream().map(ProblemType::slug).collect(Collectors.joining("-or-"));
    Map<String, APIResponse> responses = api.getComponents().getResponses();
    if (responses == null || !responses.containsKey(name)) {
      api.getComponents().addResponse(name, response(types));
    }
    return "#/components/responses/" + name;
  }

  private static APIResponse response(List<ProblemType> types) {
    Schema these =
        OASFactory.createSchema()
            .addProperty(
                "type",
                OASFactory.createSchema()
                    .enumeration(types.stream().<Object>map(ProblemType::uri).toList()))
            .addProperty(
                "status", OASFactory.createSchema().enumeration(List.of(types.get(0).status())));
    MediaType content =
        OASFactory.createMediaType()
            .schema(
                OASFactory.createSchema()
                    .allOf(
                        List.of(
                            OASFactory.createSchema().ref("#/components/schemas/Problem"), these)));
    types.forEach(t -> content.addExample(t.slug(), OASFactory.createExample().value(example(t))));
    return OASFactory.createAPIResponse()
        .description(
            types.stream()
                .map(t -> t.title() + " (`" + t.uri() + "`)")
                .collect(Collectors.joining("; ")))
        .content(OASFactory.createContent().addMediaType(ProblemMappers.MEDIA_TYPE, content));
  }

  private static Map<String, Object> example(ProblemType type) {
    Map<String, Object> problem = new LinkedHashMap<>();
    problem.put("type", type.uri());
    problem.put("title", type.title());
    problem.put("status", type.status());
    problem.put("detail", type.title() + ".");
    problem.put("instance", "/api/v1/projects/default/jobs");
    problem.put("requestId", "0d9f2a4e-7d3c-4b55-9a35-6f6d0c0a8f11");
    List<Object> errors = new ArrayList<>();
    switch (type) {
      case UNKNOWN_FIELD -> errors.add(error("/prio", "The field \"prio\" is not known here."));
      case VALIDATION_FAILED ->
          errors.add(error("/priority", "Expected a whole number from 0 to 9."));
      case WORKFLOW_CYCLE -> problem.put("cycle", List.of("a", "b", "a"));
      default -> {}
    }
    if (!errors.isEmpty()) {
      problem.put("errors", errors);
    }
    return problem;
  }

  private static Map<String, Object> error(String pointer, String detail) {
    Map<String, Object> error = new LinkedHashMap<>();
    error.put("pointer", pointer);
    error.put("detail", detail);
    return error;
  }
}
