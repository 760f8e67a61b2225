package io.jobscheduler.api.http;

import java.net.http.HttpRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A project with one of everything that a path can name, so that tests can call every operation. A
 * new path parameter needs a value here.
 */
final class Tenant {
  /** Stands in payloads, results, logs and whatever else is shown to few only. */
  static final String SECRET = "only-for-those-who-see-payloads";

  private static final String DUE_LATER = "{\"type\":\"t\",\"delay\":\"PT1H\"}";

  final String name = "t" + UUID.randomUUID();
  final String path = "/api/v1/projects/" + name;
  private final ApiClient admin;
  private final Map<String, String> ids = new HashMap<>();

  /** As a platform admin. */
  Tenant(ApiClient admin) {
    this.admin = admin;
    admin.project(name);
    ids.put("project", name);
    ids.put("user", user());
    admin.put(path + "/members/" + ids.get("user"), "{\"role\":\"viewer\"}").status(200);
    ids.put(
        "key",
        admin
            .post(path + "/api-keys", "{\"name\":\"k\",\"scopes\":[\"read\"]}")
            .status(201)
            .json()
            .path("key")
            .path("id")
            .asText());
    ids.put("queue", "q-" + name);
    admin.put(path + "/queues/" + ids.get("queue"), "{}").status(201);
    ids.put("job", job("{\"type\":\"t\",\"payload\":{\"secret\":\"" + SECRET + "\"}}"));
    ids.put("scheduled job", job(DUE_LATER));
    ids.put("dead job", ended("dead"));
    ids.put("another dead job", ended("dead"));
    ids.put("succeeded job", ended("succeeded"));
    ids.put("fingerprint", "f" + name.replace("-", ""));
    ApiClient.sql(
        "UPDATE finished_jobs SET error_fingerprint = '%s' WHERE id = %s"
            .formatted(ids.get("fingerprint"), ids.get("another dead job")));
    ids.put("name", "s-" + name);
    admin
        .post(
            path + "/schedules",
            ("{\"name\":\"%s\",\"every\":\"PT1H\",\"anchor\":\"2020-01-01T00:00:00Z\",\"job\":"
                    + "{\"type\":\"t\",\"payload\":{\"secret\":\"%s\"}}}")
                .formatted(ids.get("name"), SECRET))
        .status(201);
    ApiClient.sql(
        ("INSERT INTO backfills (schedule_id, range_from, range_to, planned) SELECT s.id, now() -"
                + " interval '1 h', now(), 1 FROM schedules s WHERE s.name = '%s'")
            .formatted(ids.get("name")));
    ids.put("backfill", ApiClient.value("SELECT max(id) FROM backfills"));
    ids.put("worker", ApiClient.worker(name + "/*"));
    ids.put(
        "bulkAction",
        admin
            .post(
                path + "/bulk-actions",
                "{\"action\":\"retry\",\"filter\":{\"error\":\"%s\"}}"
                    .formatted(ids.get("fingerprint")))
            .status(202)
            .json()
            .path("id")
            .asText());
    ids.put("workflow", workflow());
    ids.put("another workflow", workflow());
    ApiClient.sql(
        ("UPDATE jobs SET state = 'blocked', gate = 'approval', state_reason ="
                + " 'waiting-for-approval' WHERE workflow_key = 'ask' AND workflow_id = %s")
            .formatted(ids.get("workflow")));
  }

  private String workflow() {
    return admin
        .post(
            path + "/workflows",
            ("{\"name\":\"w\",\"jobs\":[{\"key\":\"a\",\"type\":\"t\",\"payload\":\"%s\"},"
                    + "{\"key\":\"b\",\"type\":\"t\",\"dependsOn\":[\"a\"]},"
                    + "{\"key\":\"edit\",\"type\":\"t\"},{\"key\":\"skip\",\"type\":\"t\"},"
                    + "{\"key\":\"mark\",\"type\":\"t\"},{\"key\":\"ask\",\"type\":\"t\"}]}")
                .formatted(SECRET))
        .status(201)
        .json()
        .path("id")
        .asText();
  }

  private String user() {
    return admin
        .post(
            "/api/v1/users",
            "{\"email\":\"u-"
                + name
                + "@example.org\",\"password\":\""
                + ApiClient.PASSWORD
                + "\"}")
        .status(201)
        .json()
        .path("id")
        .asText();
  }

  private String job(String body) {
    return admin.post(path + "/jobs", body).status(201).json().path("id").asText();
  }

  /** A job that has ended, with a result, logs and an error where it has any. */
  private String ended(String outcome) {
    String id = job("{\"type\":\"t\",\"maxAttempts\":1,\"payload\":\"" + SECRET + "\"}");
    ApiClient.sql(
        ("UPDATE jobs SET state = 'running', lease_token = nextval('lease_token_seq'), attempt = 1,"
            + " worker_id = 3, started_at = now() WHERE id = "
            + id));
    ApiClient.sql(
        ("INSERT INTO job_logs (job_id, lease_token, logged_at, line, written_on, level, message)"
                + " SELECT j.id, j.lease_token, now(), 1, retention_today(), 'info', '%s' FROM jobs j"
                + " WHERE j.id = %s")
            .formatted(SECRET, id));
    ApiClient.sql(
        ("SELECT settle(3, ARRAY[j.id], ARRAY[j.lease_token], ARRAY[NULL::int], ARRAY['%s'],"
                + " ARRAY['\"%s\"'], ARRAY['boom'], ARRAY['it broke'], NULL, NULL, NULL, NULL)"
                + " FROM jobs j WHERE j.id = %s")
            .formatted(outcome, SECRET, id));
    return id;
  }

  /** The value of a path's parameter, such that the operation has something to do. */
  String id(Operations.Operation operation, String parameter) {
    String id =
        switch (operation.id() + " " + parameter) {
          case "runJobNow job" -> ids.get("scheduled job");
          case "retryJob job" -> ids.get("dead job");
          case "cancelWorkflow workflow" -> ids.get("another workflow");
          case "getWorkflowJob key" -> "a";
          case "editWorkflowJob key" -> "edit";
          case "skipWorkflowJob key" -> "skip";
          case "markWorkflowJobSucceeded key" -> "mark";
          case "decideWorkflowApproval key" -> "ask";
          case "signalWorkflow name" -> "go";
          default -> ids.get(parameter);
        };
    if (id == null) {
      throw new IllegalStateException("give " + parameter + " of " + operation + " a value here");
    }
    return id;
  }

  /** A body that the operation accepts, made from its example; null when it takes none. */
  String body(Operations.Operation operation) {
    return switch (operation.id()) {
      case "createProject" -> "{\"name\":\"n" + UUID.randomUUID() + "\"}";
      case "createUser" ->
          "{\"email\":\"n%s@example.org\",\"password\":\"%s\"}"
              .formatted(UUID.randomUUID(), ApiClient.PASSWORD);
      case "createSchedule" ->
          "{\"name\":\"n%s\",\"every\":\"PT1H\",\"job\":{\"type\":\"t\"}}"
              .formatted(UUID.randomUUID());
      case "putSchedule" -> "{\"every\":\"PT2H\",\"job\":{\"type\":\"t\"}}";
      case "patchSchedule" -> "{\"description\":\"another\"}";
      case "retryWorkflow", "skipWorkflowJob", "cancelWorkflow" -> "{}";
      case "addWorkflowJobs" ->
          "{\"jobs\":[{\"key\":\"n" + UUID.randomUUID() + "\",\"type\":\"t\"}]}";
      case "backfillSchedule" ->
          "{\"from\":\"2020-01-01T00:00:00Z\",\"to\":\"2020-01-01T02:00:00Z\"}";
      default -> operation.body();
    };
  }

  /** Calls the operation with this project's ids and a body that it accepts. */
  ApiClient.Answer call(ApiClient caller, Operations.Operation operation) {
    return caller.send(
        request(caller, operation, operation.at(p -> id(operation, p)), body(operation)));
  }

  static HttpRequest.Builder request(
      ApiClient caller, Operations.Operation operation, String path, String body) {
    HttpRequest.Builder request = caller.request(path);
    if (body == null) {
      return request.method(operation.verb(), HttpRequest.BodyPublishers.noBody());
    }
    return request
        .header("Content-Type", "application/json")
        .method(operation.verb(), HttpRequest.BodyPublishers.ofString(body));
  }

  /** The value of a kind of thing that this project has. */
  String value(String kind) {
    return ids.get(kind);
  }

  /** Words that only answers about this project can hold. */
  List<String> words() {
    return List.of(
        name,
        "\"" + ids.get("job") + "\"",
        "\"" + ids.get("dead job") + "\"",
        "\"" + ids.get("succeeded job") + "\"",
        ids.get("fingerprint"));
  }

  /** A digest of all that the project holds. */
  String snapshot() {
    return ApiClient.value(
        ("WITH p AS (SELECT id FROM projects WHERE name = '%s') SELECT md5(concat((SELECT"
                + " string_agg(t::text, '' ORDER BY t.id) FROM jobs t, p WHERE t.project_id ="
                + " p.id),(SELECT string_agg(t::text, '' ORDER BY t.id) FROM finished_jobs t, p WHERE"
                + " t.project_id = p.id),(SELECT string_agg(t::text, '' ORDER BY t.id) FROM queues t,"
                + " p WHERE t.project_id = p.id),(SELECT string_agg(t::text, '' ORDER BY t.id) FROM"
                + " schedules t, p WHERE t.project_id = p.id),(SELECT string_agg(t::text, '' ORDER BY"
                + " t.id) FROM workflows t, p WHERE t.project_id = p.id),(SELECT string_agg(t::text,"
                + " '' ORDER BY t.id) FROM bulk_actions t, p WHERE t.project_id = p.id),(SELECT"
                + " string_agg(t::text, '' ORDER BY t.id) FROM backfills t JOIN schedules s ON s.id ="
                + " t.schedule_id, p WHERE s.project_id = p.id),(SELECT string_agg(concat(t.id,"
                + " t.name, t.scopes), '' ORDER BY t.id) FROM api_keys t, p WHERE t.project_id ="
                + " p.id),(SELECT string_agg(t::text, '' ORDER BY t.user_id) FROM project_members t, p"
                + " WHERE t.project_id = p.id),(SELECT count(*) FROM audit_log t, p WHERE t.project_id"
                + " = p.id)))")
            .formatted(name));
  }
}
