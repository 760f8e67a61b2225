package io.jobscheduler.api.json;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.schema.testing.PayloadCases;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The cases that SQL is tried with as well. */
class PayloadCasesTest {
  private static final int MOST_BYTES = 256 * 1024;

  @Test
  void payloadsAreJudgedAsBySql() {
    List<String> wrong = new ArrayList<>();
    for (PayloadCases.Case it : PayloadCases.all()) {
      String body = "{\"payload\":" + it.json() + "}";
      boolean accepted;
      try {
        String read =
            JsonBody.read(body.getBytes(StandardCharsets.UTF_8), PayloadCasesTest::payload);
        accepted = true;
        assertEquals(it.json(), read);
      } catch (ProblemException e) {
        accepted = false;
      }
      if (accepted != it.accepted()) {
        wrong.add(it.name());
      }
    }
    assertEquals(List.of(), wrong);
  }

  private static String payload(JsonReader in) {
    in.startObject();
    in.nextField();
    String payload = in.verbatim(MOST_BYTES);
    if (in.nextField() != null) {
      in.unknownField();
    }
    return payload;
  }
}
