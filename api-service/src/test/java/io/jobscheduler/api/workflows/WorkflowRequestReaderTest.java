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
import java.time.Duration;
import java.time.Instant;
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

  private static List<String> pointers(String jobs) {
    return wrong("{\"name\":\"w\",\"jobs\":[" + jobs + "]}").stream()
        .map(FieldError::pointer)
        .toList();
  }

  private static List<String> edges(WorkflowRequest request) {
    return request.edges().stream()
        .map(e -> request.jobs().get(e.parent()).key() + ">" + request.jobs().get(e.child()).key())
        .sorted()
        .toList();
  }

  @Test
  void countsADependencyNamedTwiceOnce() {
    WorkflowRequest request =
        read(
            "{\"name\":\"w\",\"jobs\":[{\"key\":\"a\",\"type\":\"t\"},{\"key\":\"b\",\"type\":\"t\","
                + "\"dependsOn\":[\"a\",{\"key\":\"a\",\"on\":\"success\"},{\"job\":\"7\"},{\"job\":\"7\"}]}]}");
    assertEquals(List.of("a>b"), edges(request));
    assertEquals(
        List.of(new WorkflowRequest.Outside(1, 7L, null, "success", "/jobs/1/dependsOn/2/job")),
        request.outside());
  }

  @Test
  void readsWhatTheGraphNeedsMore() {
    WorkflowRequest request =
        read(
            "{\"name\":\"w\",\"deadline\":\"PT2H\",\"callbacks\":{\"onCompletion\":{\"type\":\"tell\"}},"
                + "\"jobs\":[{\"key\":\"a\",\"type\":\"t\",\"expectedDuration\":\"PT1.5S\"},"
                + "{\"key\":\"b\",\"type\":\"t\",\"join\":\"any_success\",\"dependsOn\":[\"a\"]},"
                + "{\"key\":\"g\",\"gate\":{\"signal\":{\"name\":\"go\"}},\"dependsOn\":[\"b\"]}]}");
    assertEquals(Duration.ofHours(2), request.extras().deadlineIn());
    assertEquals("completion", request.extras().callbacks().get(0).event());
    assertEquals(Duration.ofMillis(1500), request.jobs().get(0).node().expected());
    assertEquals("any_success", request.jobs().get(1).node().join());
    assertEquals("go", request.jobs().get(2).node().gate().signal());
    assertEquals(
        Instant.parse("2030-01-31T08:00:00Z"),
        read("{\"name\":\"w\",\"deadline\":\"2030-01-31T09:00:00+01:00\",\"jobs\":[{\"key\":\"a\",\"type\":\"t\"}]}")
            .extras()
            .deadlineAt());
  }

  @Test
  void namesEachContradiction() {
    assertEquals(
        List.of("/jobs/1/dependsOn/0/on"),
        pointers(
            "{\"key\":\"a\",\"type\":\"t\"},{\"key\":\"b\",\"type\":\"t\",\"join\":\"all_done\","
                + "\"dependsOn\":[{\"key\":\"a\",\"on\":\"done\"}]}"));
    assertEquals(
        List.of("/jobs/0/priority", "/jobs/0/expectedDuration", "/jobs/1/gate"),
        pointers(
            "{\"key\":\"a\",\"gate\":{\"for\":\"PT1S\"},\"priority\":3,\"expectedDuration\":\"PT1S\"},"
                + "{\"key\":\"b\",\"gate\":{\"for\":\"PT1S\",\"approval\":{}}}"));
    assertEquals(
        List.of("/jobs/0/type", "/jobs/1/dependsOn/0/job", "/jobs/2/dependsOn/0/job"),
        pointers(
            "{\"key\":\"a\"},{\"key\":\"b\",\"type\":\"t\",\"dependsOn\":[{\"job\":\"x\"}]},"
                + "{\"key\":\"c\",\"type\":\"t\",\"dependsOn\":[{\"job\":\"1\",\"key\":\"a\"}]}"));
    assertEquals(
        List.of("/kind"),
        wrong(
                "{\"name\":\"w\",\"kind\":\"batch\",\"jobs\":[{\"key\":\"a\",\"type\":\"t\"},"
                    + "{\"key\":\"b\",\"type\":\"t\",\"dependsOn\":[\"a\"]}]}")
            .stream()
            .map(FieldError::pointer)
            .toList());
  }

  @Test
  void inlinesASubWorkflow() {
    WorkflowRequest request =
        read(
            "{\"name\":\"w\",\"jobs\":[{\"key\":\"a\",\"type\":\"t\"},"
                + "{\"key\":\"s\",\"dependsOn\":[\"a\"],\"join\":\"all_done\",\"workflow\":{\"jobs\":["
                + "{\"key\":\"x\",\"type\":\"t\"},{\"key\":\"y\",\"type\":\"t\",\"dependsOn\":[\"x\"]},"
                + "{\"key\":\"z\",\"type\":\"t\",\"dependsOn\":[{\"job\":\"9\"}]}]}},"
                + "{\"key\":\"b\",\"type\":\"t\",\"dependsOn\":[\"s\"]}]}");
    assertEquals(
        List.of("a", "s::start", "s:x", "s:y", "s:z", "s", "b"),
        request.jobs().stream().map(WorkflowRequest.Member::key).toList());
    assertEquals(
        List.of("a>s::start", "s::start>s:x", "s::start>s:z", "s:x>s:y", "s:y>s", "s:z>s", "s>b"),
        edges(request));
    assertEquals("all_done", request.jobs().get(1).node().join());
    assertEquals(Gate.JOIN, request.jobs().get(5).node().gate().kind());
    assertEquals(4, request.outside().get(0).child());
    assertEquals("/jobs/1/workflow/jobs/0", request.jobs().get(2).node().pointer());
  }

  @Test
  void namesWhatIsWrongInsideASubWorkflow() {
    String inner = "{\"key\":\"x\",\"type\":\"t\",\"dependsOn\":[\"a\"]}";
    assertEquals(
        List.of("/jobs/1/workflow/jobs/0/dependsOn/0", "/jobs/2/key"),
        pointers(
            "{\"key\":\"a\",\"type\":\"t\"},{\"key\":\"s\",\"workflow\":{\"jobs\":["
                + inner
                + "]}},{\"key\":\"s:x\",\"type\":\"t\"}"));
    assertEquals(
        List.of("/jobs/0/workflow/jobs"), pointers("{\"key\":\"s\",\"workflow\":{\"jobs\":[]}}"));
    String deep = "{\"key\":\"s\",\"workflow\":{\"jobs\":[%s]}}";
    assertEquals(
        "/jobs/0/workflow/jobs/0/workflow/jobs/0/workflow/jobs",
        pointers(deep.formatted(deep.formatted(deep.formatted("{\"key\":\"x\",\"type\":\"t\"}"))))
            .get(0));
  }
}
