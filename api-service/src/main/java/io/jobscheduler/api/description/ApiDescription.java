package io.jobscheduler.api.description;

import io.jobscheduler.schema.state.JobState;
import io.quarkus.smallrye.openapi.OpenApiFilter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.security.SecurityScheme;
import org.jboss.jandex.IndexView;

/** Completes the OpenAPI document at build time with what follows from rules. */
@OpenApiFilter(OpenApiFilter.RunStage.BUILD)
public class ApiDescription implements OASFilter {
  private static final String ROLE = "x-role";
  private static final String BEARER = "accessToken";

  private final IndexView classes;

  /** For the build, which gives the classes that it knows. */
  public ApiDescription(IndexView classes) {
    this.classes = classes;
  }

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
    api.getComponents()
        .addSchema(
            "JobState",
            OASFactory.createSchema()
                .addType(Schema.SchemaType.STRING)
                .enumeration(
                    Arrays.stream(JobState.values()).<Object>map(JobState::label).toList()));
    // Not "format: duration", which has no fractions of a second.
    api.getComponents()
        .addSchema(
            "Duration",
            OASFactory.createSchema()
                .addType(Schema.SchemaType.STRING)
                .description("An ISO 8601 duration in days, hours, minutes and seconds.")
                .pattern("^P([0-9]+D)?(T([0-9]+H)?([0-9]+M)?([0-9]+([.][0-9]+)?S)?)?$")
                .examples(List.of("PT30S")));
    // Nor "format: date-time", which has an offset.
    if (api.getComponents().getSchemas().containsKey("LocalDateTime")) {
      api.getComponents()
          .addSchema(
              "LocalDateTime",
              OASFactory.createSchema()
                  .addType(Schema.SchemaType.STRING)
                  .description("A time on a clock, without zone.")
                  .pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?$")
                  .examples(List.of("2030-03-31T02:30:00")));
    }
    Map<String, PathItem> paths = new TreeMap<>(api.getPaths().getPathItems());
    api.getPaths().setPathItems(new LinkedHashMap<>(paths));
    Problems problems = new Problems(api);
    paths.forEach(
        (path, item) ->
            item.getOperations()
                .forEach(
                    (method, operation) -> {
                      secure(operation);
                      Parameters.describe(path, operation);
                      problems.complete(path, method, operation);
                    }));
    paths.values().forEach(EntityTags::describe);
    new Shapes(api, classes).complete();
    new Examples(api).complete();
  }

  private static void secure(Operation operation) {
    operation.setSecurity(
        role(operation).equals("none")
            ? List.of()
            : List.of(OASFactory.createSecurityRequirement().addScheme(BEARER)));
  }

  /** The least role that may call it. */
  static String role(Operation operation) {
    return String.valueOf(operation.getExtensions().get(ROLE));
  }
}
