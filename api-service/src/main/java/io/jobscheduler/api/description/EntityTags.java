package io.jobscheduler.api.description;

import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem;
import org.eclipse.microprofile.openapi.models.media.Schema;

/** Says which answers bear the entity tag that an edit of the same path may require. */
final class EntityTags {
  private EntityTags() {}

  /** Adds the header to what reads and what edits of a path answer, if one takes If-Match. */
  static void describe(PathItem item) {
    if (item.getOperations().values().stream().noneMatch(EntityTags::takesOne)) {
      return;
    }
    item.getOperations()
        .forEach(
            (method, operation) -> {
              if (method != PathItem.HttpMethod.DELETE) {
                addTo(operation);
              }
            });
  }

  private static boolean takesOne(Operation operation) {
    return operation.getParameters() != null
        && operation.getParameters().stream().anyMatch(p -> "If-Match".equals(p.getName()));
  }

  private static void addTo(Operation operation) {
    operation
        .getResponses()
        .getAPIResponses()
        .forEach(
            (status, response) -> {
              if (status.startsWith("2")) {
                response.addHeader(
                    "ETag",
                    OASFactory.createHeader()
                        .description("the version of it, for If-Match")
                        .schema(OASFactory.createSchema().addType(Schema.SchemaType.STRING))
                        .example("\"7-3\""));
              }
            });
  }
}
