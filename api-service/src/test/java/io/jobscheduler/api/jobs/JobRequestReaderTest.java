package io.jobscheduler.api.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.problem.FieldError;
import io.jobscheduler.api.problem.ProblemException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobRequestReaderTest {
  private static List<JobRequest> read(String text) {
    return JsonBody.read(
        new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
        JsonBody.LARGE,
        in -> JobRequestReader.readJobs(in, 1000));
  }

  private static List<String> wrong(String text) {
    return assertThrows(ProblemException.class, () -> read(text)).errors().stream()
        .map(FieldError::pointer)
        .toList();
  }

  @Test
  void refusesNullAmongTheJobsOfABulk() {
    assertEquals(List.of("/0", "/2"), wrong("[null,{\"type\":\"t\"},null]"));
  }

  @Test
  void takesNullForAbsent() {
    assertEquals(
        read("[{\"type\":\"t\"}]"),
        read("[{\"type\":\"t\",\"queue\":null,\"priority\":null,\"runAt\":null,\"retry\":null}]"));
    assertEquals(
        read("[{\"type\":\"t\",\"retry\":{}}]"),
        read("[{\"type\":\"t\",\"retry\":{\"strategy\":null,\"delays\":null}}]"));
  }

  @Test
  void wantsTheDelaysOfAList() {
    assertEquals(
        List.of("/0/retry/delays", "/1/retry/delays", "/2/retry/delays", "/3/retry/delays/0"),
        wrong(
            "[{\"type\":\"t\",\"retry\":{\"strategy\":\"list\",\"delays\":null}},"
                + "{\"type\":\"t\",\"retry\":{\"strategy\":\"list\"}},"
                + "{\"type\":\"t\",\"retry\":{\"delays\":[\"PT1S\"]}},"
                + "{\"type\":\"t\",\"retry\":{\"strategy\":\"list\",\"delays\":[null]}}]"));
  }

  @Test
  void storesRulesAndTheDeadlineAsTheDatabaseReadsThem() {
    String stored =
        read("[{\"type\":\"t\",\"retry\":{\"base\":\"PT1S\",\"maxElapsed\":\"PT12H\",\"rules\":["
                + "{\"kinds\":[\"http-404\"],\"action\":\"dead\"},"
                + "{\"kinds\":[\"http-5*\",\"timeout\"],\"strategy\":\"list\",\"delays\":[\"PT3H\"]},"
                + "{\"kinds\":[\"*\"],\"base\":\"PT2S\"}]}}]")
            .get(0)
            .retryPolicy();
    assertEquals(
        "{\"strategy\":\"exponential\",\"baseSeconds\":1,\"factor\":2.0,\"capSeconds\":3.6E+3,"
            + "\"jitter\":\"full\",\"maxElapsedSeconds\":4.32E+4,\"rules\":["
            + "{\"kinds\":[\"http-404\"],\"action\":\"dead\"},"
            + "{\"kinds\":[\"http-5*\",\"timeout\"],\"action\":\"retry\",\"strategy\":\"list\","
            + "\"delaySeconds\":[1.08E+4],\"capSeconds\":2592000},"
            + "{\"kinds\":[\"*\"],\"action\":\"retry\",\"baseSeconds\":2}]}",
        stored);
    assertEquals(stored, RetryPolicy.ofStored(stored).stored());
  }

  @Test
  void judgesARuleTogetherWithThePolicyThatItChanges() {
    assertEquals(
        List.of(
            "/0/retry/rules/0/kinds",
            "/0/retry/rules/1/action",
            "/0/retry/rules/2",
            "/0/retry/rules/3/kinds",
            "/0/retry/rules/4/delays",
            "/0/retry/rules/5/cap",
            "/0/retry/maxElapsed"),
        wrong(
                "[{\"type\":\"t\",\"retry\":{\"rules\":[{\"action\":\"dead\"},"
                    + "{\"kinds\":[\"a\"],\"action\":\"explode\"},"
                    + "{\"kinds\":[\"a\"],\"action\":\"dead\",\"base\":\"PT1S\"},"
                    + "{\"kinds\":[]},"
                    + "{\"kinds\":[\"a\"],\"strategy\":\"list\"},"
                    + "{\"kinds\":[\"a\"],\"cap\":\"PT1S\"}],"
                    + "\"maxElapsed\":\"PT0S\"}}]")
            .stream()
            .sorted(java.util.Comparator.comparing(p -> p.endsWith("maxElapsed") ? "z" : p))
            .toList());
  }
}
