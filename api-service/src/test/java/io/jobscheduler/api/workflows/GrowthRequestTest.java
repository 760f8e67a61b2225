package io.jobscheduler.api.workflows;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jobscheduler.api.json.JsonBody;
import io.jobscheduler.api.problem.FieldError;
import io.jobscheduler.api.problem.ProblemException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class GrowthRequestTest {
  private static GrowthRequest read(int dependencies) {
    String edges = "{\"from\":\"a\",\"to\":\"b\"},".repeat(dependencies);
    String text = "{\"dependencies\":[" + edges.substring(0, edges.length() - 1) + "]}";
    return JsonBody.read(
        new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
        JsonBody.GRAPH,
        in -> GrowthRequest.read(in, 1000));
  }

  @Test
  void refusesMoreDependenciesThanAWorkflowMayHave() {
    assertEquals(200_000, read(200_000).dependencies().size());
    assertEquals(
        List.of(
            new FieldError("/dependencies", "Expected at most 200000 dependencies, not 200001.")),
        assertThrows(ProblemException.class, () -> read(200_001)).errors());
  }
}
