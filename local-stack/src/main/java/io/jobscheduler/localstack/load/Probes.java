package io.jobscheduler.localstack.load;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Tries to get from one project into another: by what the other one's key may do at home, and as an
 * admin by an id in the wrong place. Only what was answered counts as tried. One thread.
 */
final class Probes {
  private static final int LISTED = 50;
  private static final int NOT_FOUND = 404;

  private final LoadClient client;
  private final Ledger ledger;
  private final Map<String, String> keys;
  private final Random random;

  /** Draws by that source; {@code keys}: the secret of one in each project. */
  Probes(LoadClient client, Ledger ledger, Map<String, String> keys, Random random) {
    this.client = client;
    this.ledger = ledger;
    this.keys = keys;
    this.random = random;
  }

  /**
   * One attempt to see or to touch a job of {@code home} from {@code foreign}.
   *
   * @param job of {@code home}
   */
  void next(long job, String home, String foreign) {
    String key = keys.getOrDefault(foreign, "");
    // A foreign key is a stranger in the job's own project; in its own one the id is a stranger.
    String path = jobs(random.nextBoolean() ? home : foreign) + "/" + job;
    String misplaced = jobs(foreign) + "/" + job;
    switch (random.nextInt(7)) {
      case 0 -> refused("GET", path, client.as(key, "GET", path, null));
      case 1 -> refused("cancel", path, act(key, path + "/cancel"));
      case 2 -> refused("retry", path, act(key, path + "/retry"));
      case 3 -> refused("list", jobs(home), client.as(key, "GET", jobs(home), null));
      case 4 -> ownOnly(foreign, key);
      case 5 -> refused("GET by an admin", misplaced, client.get(misplaced));
      default ->
          refused("cancel by an admin", misplaced, client.post(misplaced + "/cancel", Map.of()));
    }
  }

  private static String jobs(String project) {
    return "/projects/" + project + "/jobs";
  }

  private Optional<LoadClient.Answer> act(String key, String path) {
    return client.as(key, "POST", path, Map.of());
  }

  private void refused(String what, String path, Optional<LoadClient.Answer> answer) {
    LoadClient.@Nullable Answer given = answer.orElse(null);
    if (given == null) {
      return;
    }
    ledger.count(Ledger.PROBES);
    if (given.status() != NOT_FOUND) {
      ledger.crossed("%s of %s from outside answered %d".formatted(what, path, given.status()));
    }
  }

  /** What a project's list has must be its own: the judge looks each of them up. */
  private void ownOnly(String project, String key) {
    String path = jobs(project) + "?limit=" + LISTED;
    LoadClient.@Nullable Answer given = client.as(key, "GET", path, null).orElse(null);
    if (given == null) {
      return;
    }
    if (!given.ok()) {
      ledger.unexpected("a list by the project's own key answered " + given.status());
      return;
    }
    ledger.count(Ledger.PROBES);
    for (JsonNode item : given.body().path("items")) {
      ledger.listed(item.path("id").asLong(), project);
    }
  }
}
