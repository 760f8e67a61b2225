package io.jobscheduler.api.description;

import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.parameters.Parameter;

/** What parameters of one name mean wherever they stand; what a resource says itself stays. */
final class Parameters {
  private static final String NAME = "^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$";

  private record Meaning(String description, String example) {}

  private static final Map<String, Meaning> PATH =
      Map.ofEntries(
          Map.entry("project", new Meaning("The project's name", "default")),
          Map.entry("queue", new Meaning("The queue's name", "mail")),
          Map.entry("job", new Meaning("The job's id", "4711")),
          Map.entry("workflow", new Meaning("The workflow's id", "17")),
          Map.entry("user", new Meaning("The user's id", "3")),
          Map.entry("key", new Meaning("Its id, or of a job its key in the workflow", "5")),
          Map.entry("name", new Meaning("Its name", "nightly-report")),
          Map.entry("worker", new Meaning("The worker's id", "12")),
          Map.entry("bulkAction", new Meaning("The bulk action's id", "8")),
          Map.entry("backfill", new Meaning("The backfill's id", "2")),
          Map.entry(
              "fingerprint",
              new Meaning("What the jobs of a group have in common", "9f86d081884c7d65")));

  private static final Map<String, Meaning> QUERY =
      Map.ofEntries(
          Map.entry("limit", new Meaning("How many a page has at most", "50")),
          Map.entry("cursor", new Meaning("The nextCursor of the page before; opaque", "MTo0NzEx")),
          Map.entry("queue", new Meaning("Of this queue", "mail")),
          Map.entry("type", new Meaning("Of this type", "echo")),
          Map.entry("schedule", new Meaning("Made by this schedule", "nightly-report")),
          Map.entry("workflow", new Meaning("Of the workflow with this id", "17")),
          Map.entry("error", new Meaning("That died of this, a fingerprint", "9f86d081884c7d65")),
          Map.entry("groupBy", new Meaning("What makes a group", "fingerprint")),
          Map.entry("attempt", new Meaning("Of this attempt; the newest if absent", "1")),
          Map.entry("generation", new Meaning("Of this generation; the newest if absent", "0")),
          Map.entry("outcome", new Meaning("That ended so, separated by commas", "skipped")),
          Map.entry("worker", new Meaning("Run by this worker", "12")),
          Map.entry("tag", new Meaning("With this tag", "billing")),
          Map.entry("name", new Meaning("Of this name", "nightly")),
          Map.entry("state", new Meaning("In one of these states, separated by commas", "")),
          Map.entry("from", new Meaning("Not before this instant", "2030-01-31T08:00:00Z")),
          Map.entry("to", new Meaning("Before this instant", "2030-01-31T09:00:00Z")),
          Map.entry(
              "createdAfter", new Meaning("Accepted after this instant", "2030-01-31T08:00:00Z")),
          Map.entry(
              "createdBefore",
              new Meaning("Accepted before this instant", "2030-01-31T09:00:00Z")));

  private static final Map<String, Meaning> HEADER =
      Map.of(
          "Idempotency-Key",
          new Meaning(
              "1 to 255 printable ASCII characters: the same request under the same key is carried"
                  + " out once",
              "order-42"),
          "If-Match",
          new Meaning("The ETag that was read; 412 when it has been changed since", ""),
          "Prefer",
          new Meaning("wait=<seconds>, at most 60: answer once the job has ended", "wait=10"),
          "traceparent",
          new Meaning(
              "W3C Trace Context, kept with the jobs",
              "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"));

  private static final List<String> NAMES = List.of("project", "queue");

  /** Its limit is of entries to check, not of a page. */
  private static final String UNPAGED = "/audit/verify";

  private Parameters() {}

  static void describe(String path, Operation operation) {
    if (operation.getParameters() == null) {
      return;
    }
    for (Parameter parameter : operation.getParameters()) {
      String name = parameter.getName();
      boolean inPath = parameter.getIn() == Parameter.In.PATH;
      Meaning meaning =
          switch (parameter.getIn()) {
            case PATH -> PATH.get(name);
            case QUERY -> QUERY.get(name);
            case HEADER -> HEADER.get(name);
            default -> null;
          };
      if (meaning == null) {
        continue;
      }
      if (parameter.getDescription() == null) {
        parameter.setDescription(meaning.description());
      }
      if (parameter.getExample() == null
          && parameter.getExamples() == null
          && !meaning.example().isEmpty()) {
        parameter.setExample(meaning.example());
      }
      Schema schema = parameter.getSchema();
      if (inPath && NAMES.contains(name) && schema != null && schema.getPattern() == null) {
        schema.setPattern(NAME);
      }
      if (parameter.getIn() == Parameter.In.QUERY
          && name.equals("limit")
          && !path.endsWith(UNPAGED)) {
        parameter.setSchema(
            OASFactory.createSchema()
                .addType(Schema.SchemaType.INTEGER)
                .minimum(java.math.BigDecimal.ONE)
                .maximum(java.math.BigDecimal.valueOf(200))
                .defaultValue(50));
        parameter.setExample(50);
      }
    }
  }
}
