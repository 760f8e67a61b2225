package io.jobscheduler.localstack.load;

import io.jobscheduler.localstack.process.StackFailure;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Makes what a load needs before its first job, and puts it right again at the end. */
final class LoadSetup {
  private final LoadPlan plan;
  private final LoadClient client;
  private final Map<String, String> keys = new LinkedHashMap<>();

  LoadSetup(LoadPlan plan, LoadClient client) {
    this.plan = plan;
    this.client = client;
  }

  /** Projects, their keys, queues, schedules, and the superuser's right to enqueue by SQL. */
  void make(List<LoadQueue> queues) {
    for (String project : plan.projects()) {
      expect(client.post("/projects", Map.of("name", project)), 409);
    }
    for (LoadQueue queue : queues) {
      expect(client.send("PUT", queue.path(), queue.settings()));
    }
    for (String project : plan.projects()) {
      makeKey(project);
      allowSql(project);
      schedules()
          .forEach((name, schedule) -> expect(client.send("PUT", path(project, name), schedule)));
    }
  }

  /** A key that may do in its project all that the probes try in the other one. */
  private void makeKey(String project) {
    Map<String, Object> key = Map.of("name", "probe", "scopes", List.of("read", "operate"));
    String secret =
        expect(client.post("/projects/" + project + "/api-keys", key))
            .body()
            .path("secret")
            .asText();
    if (secret.isEmpty()) {
      throw new StackFailure("The API made a key for the load and did not tell its secret.");
    }
    keys.put(project, secret);
  }

  /** A key's secret by project, once {@link #make} has returned. */
  Map<String, String> keys() {
    return Map.copyOf(keys);
  }

  private static LoadClient.Answer expect(Optional<LoadClient.Answer> answer, int... also) {
    LoadClient.Answer given =
        answer.orElseThrow(() -> new StackFailure("The API does not answer the load."));
    boolean fine =
        given.ok() || java.util.Arrays.stream(also).anyMatch(status -> status == given.status());
    if (!fine) {
      throw new StackFailure("The API refused the load: " + given.status() + " " + given.text());
    }
    return given;
  }

  private static final String ALLOW = "SELECT jobs.allow_sql_client(session_user, ?)";

  private void allowSql(String project) {
    try (Connection connection = plan.database().open();
        PreparedStatement statement = connection.prepareStatement(ALLOW)) {
      statement.setString(1, project);
      statement.execute();
    } catch (SQLException e) {
      throw new StackFailure("The load may not enqueue by SQL: " + e.getMessage(), e);
    }
  }

  private static String path(String project, String schedule) {
    return "/projects/" + project + "/schedules/" + schedule;
  }

  /** One for each rule of overlap, every few seconds; all but one by interval. */
  static Map<String, Map<String, Object>> schedules() {
    Map<String, Map<String, Object>> schedules = new LinkedHashMap<>();
    schedules.put("every-2s", schedule("every", "PT2S", "allow", 10));
    schedules.put("skipping", schedule("every", "PT3S", "skip", 4_000));
    schedules.put("queueing", schedule("every", "PT5S", "queue_one", 6_000));
    schedules.put("catching-up", schedule("every", "PT7S", "queue_all", 50));
    schedules.put("cron", schedule("cron", "*/5 * * * * ?", "allow", 10));
    return schedules;
  }

  private static Map<String, Object> schedule(
      String kind, String when, String overlap, int millis) {
    return Map.of(
        kind,
        when,
        "overlap",
        Map.of("policy", overlap),
        "misfire",
        Map.of("policy", millis == 50 ? "fire_all" : "fire_once"),
        "job",
        Map.of("type", "sleep", "queue", LoadQueues.PLAIN, "payload", Map.of("millis", millis)));
  }

  /** Every queue goes on as planned, whatever a fault did to it. */
  void mend(List<LoadQueue> queues) {
    for (LoadQueue queue : queues) {
      if (queue.elastic()) {
        expect(client.send("PUT", queue.path(), queue.settings()));
      }
      expect(client.post(queue.path() + "/resume", Map.of()), 409);
    }
  }

  /** A schedule that it has made. */
  record Place(String project, String schedule) {}

  /** The schedules that it has made. */
  List<Place> places() {
    return plan.projects().stream()
        .flatMap(project -> schedules().keySet().stream().map(name -> new Place(project, name)))
        .toList();
  }

  /** It plans nothing any more, and what waits behind its run does not start. */
  void pause(Place place) {
    expect(client.post(path(place.project(), place.schedule()) + "/pause", Map.of()), 409);
  }
}
