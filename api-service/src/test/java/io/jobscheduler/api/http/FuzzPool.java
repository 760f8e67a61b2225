package io.jobscheduler.api.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Ids and names that exist, by the path parameter that takes them: those of two projects, and what
 * answers name since. Not thread-safe.
 */
final class FuzzPool {
  private static final int MOST = 200;
  private static final List<String> KINDS =
      List.of(
          "user",
          "key",
          "queue",
          "job",
          "scheduled job",
          "dead job",
          "another dead job",
          "succeeded job",
          "fingerprint",
          "name",
          "backfill",
          "workflow",
          "another workflow");

  private final Map<String, List<String>> known = new HashMap<>();
  final Tenant mine;
  final Tenant theirs;

  FuzzPool(Tenant mine, Tenant theirs) {
    this.mine = mine;
    this.theirs = theirs;
    for (Tenant tenant : List.of(mine, mine, theirs)) {
      for (String kind : KINDS) {
        add(kind.substring(kind.lastIndexOf(' ') + 1), tenant.value(kind));
      }
    }
    List.of("a", "b", "edit", "skip", "mark", "ask").forEach(key -> add("key", key));
    add("name", "go");
  }

  private void add(String kind, String value) {
    if (value == null || value.isEmpty()) {
      return;
    }
    List<String> values = known.computeIfAbsent(kind, k -> new ArrayList<>());
    if (values.size() < MOST) {
      values.add(value);
    } else {
      values.set(Math.floorMod(value.hashCode(), MOST), value);
    }
  }

  /** One of a kind; null when there is none. */
  String any(String kind, Random random) {
    List<String> values = known.get(kind);
    return values == null ? null : values.get(random.nextInt(values.size()));
  }

  /** A fitting value for a member of a body; null when there is none. */
  String named(String member, Random random) {
    return switch (member) {
      case "queue" -> random.nextBoolean() ? "default" : any("queue", random);
      case "job", "dependsOn" -> any("job", random);
      case "key" -> any("key", random);
      case "queues" -> random.nextBoolean() ? "*" : any("queue", random);
      case "project" -> mine.name;
      case "refreshToken" -> any("refreshToken", random);
      default -> null;
    };
  }

  /** Learns what an answer of 2xx names. */
  void learn(String operation, JsonNode answer) {
    if (answer == null) {
      return;
    }
    String id = answer.path("id").asText("");
    switch (operation) {
      case "enqueueJob", "getWorkflowJob" -> add("job", id);
      case "submitWorkflow" -> add("workflow", id);
      case "createUser" -> add("user", id);
      case "createApiKey" -> add("key", answer.path("key").path("id").asText(""));
      case "createProject" -> add("disposable", answer.path("name").asText(""));
      case "createSchedule", "putSchedule" -> add("name", answer.path("name").asText(""));
      case "putQueue" -> add("queue", answer.path("name").asText(""));
      case "backfillSchedule" -> add("backfill", id);
      case "enqueueJobs" -> answer.path("items").forEach(i -> add("job", i.path("id").asText("")));
      case "login", "refresh" -> add("refreshToken", answer.path("refreshToken").asText(""));
      default -> {}
    }
    add("cursor", answer.path("nextCursor").asText(""));
  }
}
