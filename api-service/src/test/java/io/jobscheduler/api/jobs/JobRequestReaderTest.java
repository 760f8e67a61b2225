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
}
