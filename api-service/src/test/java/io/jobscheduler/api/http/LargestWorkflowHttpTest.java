package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.net.URI;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The largest workflow that is accepted: 20,000 jobs and 200,000 edges. Prints what it takes. */
@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
@Tag("long")
class LargestWorkflowHttpTest {
  private static final int JOBS = 20_000;
  private static final int PARENTS = 10;

  @TestHTTPResource("/")
  URI base;

  private static String body() {
    StringBuilder body = new StringBuilder("{\"name\":\"largest\",\"jobs\":[");
    for (int i = 0; i < JOBS; i++) {
      body.append(i == 0 ? "" : ",")
          .append("{\"key\":\"stage.import.customer-")
          .append(i)
          .append("\",\"type\":\"echo\",\"payload\":{\"customer\":")
          .append(i)
          .append("},\"dependsOn\":[");
      // Twenty have none; two hundred with one more make up for them.
      int parents = i < 2 * PARENTS ? 0 : i < 220 ? PARENTS + 1 : PARENTS;
      for (int p = 1; p <= Math.min(parents, i); p++) {
        body.append(p == 1 ? "" : ",").append("\"stage.import.customer-").append(i - p).append('"');
      }
      body.append("]}");
    }
    return body.append("]}").toString();
  }

  private static long peakMegabytes() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(p -> p.getType() == MemoryType.HEAP)
            .mapToLong(p -> p.getPeakUsage().getUsed())
            .sum()
        >> 20;
  }

  private static void timed(String what, Runnable request) {
    ManagementFactory.getMemoryPoolMXBeans().forEach(MemoryPoolMXBean::resetPeakUsage);
    long start = System.nanoTime();
    request.run();
    System.out.printf(
        "%s: %d ms, heap up to %d MB%n",
        what, (System.nanoTime() - start) / 1_000_000, peakMegabytes());
  }

  @Test
  void isPlannedStoredAndDrawn() {
    ApiClient admin = ApiClient.admin(base);
    String project = admin.project("w" + UUID.randomUUID());
    String body = body();
    System.out.printf("body: %d kB%n", body.length() / 1000);
    JsonNode[] answer = new JsonNode[1];
    timed(
        "plan", () -> answer[0] = admin.post(project + "/workflows/plan", body).status(200).json());
    assertEquals(200_000, answer[0].path("edges").asInt());
    timed("submit", () -> answer[0] = admin.post(project + "/workflows", body).status(201).json());
    assertEquals(JOBS, answer[0].path("jobs").asInt());
    String graph = project + "/workflows/" + answer[0].path("id").asText() + "/graph";
    timed("graph", () -> answer[0] = admin.get(graph).status(200).json());
    assertEquals(JOBS, answer[0].path("nodes").size());
    assertEquals(200_000, answer[0].path("edges").size());
    String version = answer[0].path("version").asText();
    ApiClient.sql(
        "UPDATE jobs SET state_reason = 'x' WHERE workflow_key = 'stage.import.customer-777'");
    timed(
        "graph since", () -> answer[0] = admin.get(graph + "?since=" + version).status(200).json());
    assertEquals(1, answer[0].path("nodes").size());
  }
}
