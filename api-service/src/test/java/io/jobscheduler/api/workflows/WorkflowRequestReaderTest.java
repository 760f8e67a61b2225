package io.jobscheduler.api.workflows;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.problem.FieldError;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WorkflowRequestReaderTest {
  private static WorkflowRequest read(String text) {
    return JsonBody.read(
        new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
        JsonBody.LARGE,
        in -> WorkflowRequestReader.read(in, 1000));
  }

  private static List<FieldError> wrong(String text) {
    return assertThrows(ProblemException.class, () -> read(text)).errors();
  }

  private static String chain(int jobs, String firstDependsOn) {
    return "{\"name\":\"c\",\"jobs\":["
        + IntStream.range(0, jobs)
            .mapToObj(
                i ->
                    "{\"key\":\"k%d\",\"type\":\"t\",\"dependsOn\":[%s]}"
                        .formatted(i, i == 0 ? firstDependsOn : "\"k" + (i - 1) + "\""))
            .collect(Collectors.joining(","))
        + "]}";
  }

  @Test
  void readsJobsAndEdgesThatPointForward() {
    WorkflowRequest request =
        read(
            "{\"jobs\":[{\"dependsOn\":[{\"key\":\"b\",\"on\":\"done\"}],\"key\":\"a\",\"type\":\"t\"},"
                + "{\"key\":\"b\",\"type\":\"u\",\"queue\":\"q\",\"priority\":9}],\"name\":\"w\"}");
    assertEquals("cancel", request.onFailure());
    assertEquals(List.of(new WorkflowRequest.Edge(1, 0, "done")), request.edges());
    assertEquals("q", request.jobs().get(1).job().queue());
  }

  @Test
  void namesEveryBadKeyAtOnce() {
    List<FieldError> errors =
        wrong(
            "{\"name\":\"w\",\"jobs\":[{\"key\":\"a\",\"type\":\"t\",\"dependsOn\":[\"x\",\"y\"]},"
                + "{\"key\":\"a\",\"type\":\"t\"},{\"key\":\"no/slash\",\"type\":\"t\"},"
                + "{\"key\":\"b\",\"type\":\"t\",\"dependsOn\":[\"a\",{\"key\":\"a\",\"on\":\"done\"}]}]}");
    assertEquals(
        List.of(
            "/jobs/1/key",
            "/jobs/2/key",
            "/jobs/0/dependsOn/0",
            "/jobs/0/dependsOn/1",
            "/jobs/3/dependsOn/1/key"),
        errors.stream().map(FieldError::pointer).toList());
    assertTrue(errors.get(2).detail().contains("\"x\""));
  }

  /** Symptom: the edges of the jobs behind a null pointed to their neighbours. */
  @Test
  void refusesNullAmongJobsAndDependencies() {
    assertEquals(
        List.of("/jobs/1", "/jobs/2/dependsOn/1"),
        wrong(
                "{\"name\":\"w\",\"jobs\":[{\"key\":\"a\",\"type\":\"t\"},null,"
                    + "{\"key\":\"b\",\"type\":\"t\",\"dependsOn\":[\"a\",null]}]}")
            .stream()
            .map(FieldError::pointer)
            .toList());
  }

  @Test
  void refusesSchedulesInsideAWorkflow() {
    assertEquals(
        List.of("/jobs/0/delay", "/jobs/0/runAt"),
        wrong(
                "{\"name\":\"w\",\"jobs\":[{\"key\":\"a\",\"type\":\"t\",\"delay\":\"PT1S\","
                    + "\"runAt\":\"2030-01-01T00:00:00Z\"}]}")
            .stream()
            .map(FieldError::pointer)
            .toList());
  }

  @Test
  void boundsJobsAndEdges() {
    assertEquals("/jobs", wrong("{\"name\":\"w\",\"jobs\":[]}").get(0).pointer());
    assertEquals("/jobs", wrong("{\"name\":\"w\"}").get(0).pointer());
    WorkflowRequest longest = read(chain(WorkflowRequestReader.MOST_JOBS, ""));
    assertDoesNotThrow(() -> Cycles.refuse(longest));
    assertEquals("/jobs", wrong(chain(WorkflowRequestReader.MOST_JOBS + 1, "")).get(0).pointer());
  }

  @Test
  void namesTheCycle() {
    WorkflowRequest request = read(chain(4, "\"k2\""));
    ProblemException e = assertThrows(ProblemException.class, () -> Cycles.refuse(request));
    assertEquals(ProblemType.WORKFLOW_CYCLE, e.type());
    assertEquals("k0 → k1 → k2 → k0", e.getMessage());
    WorkflowRequest self = read(chain(1, "\"k0\""));
    assertEquals(
        "k0 → k0", assertThrows(ProblemException.class, () -> Cycles.refuse(self)).getMessage());
  }

  @Test
  void namesTheBeginningOfALongCycle() {
    WorkflowRequest request = read(chain(10_000, "\"k9999\""));
    String detail = assertThrows(ProblemException.class, () -> Cycles.refuse(request)).getMessage();
    assertTrue(detail.endsWith("→ … (10000 jobs)"), detail);
    assertTrue(detail.length() < 300, detail);
  }
}
