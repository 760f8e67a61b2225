package io.jobscheduler.api.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.api.problem.FieldError;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.Violations;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where faults are said to be. */
class JsonReaderFaultsTest {
  private static String faultIn(String text) {
    JsonReader in = new JsonReader(text.getBytes(StandardCharsets.UTF_8), new Violations());
    ProblemException e = assertThrows(ProblemException.class, () -> in.verbatim(1_000));
    return e.errors().get(0).pointer();
  }

  @Test
  void namesTheMemberWhoseValueIsNoJson() {
    assertEquals("/b", faultIn("{\"a\":1,\"b\":NaN}"));
    assertEquals("/a/1/b", faultIn("{\"a\":[0,{\"b\":x}]}"));
    assertEquals("/a/0", faultIn("{\"a\":[1,]}"));
  }

  /** Symptom: a null among a bulk's jobs vanished, and all that followed moved up by one. */
  @Test
  void refusesNullAsAnElement() {
    Violations violations = new Violations();
    JsonReader in =
        new JsonReader("[null,null,null,null]".getBytes(StandardCharsets.UTF_8), violations);
    assertTrue(in.startArray());
    assertTrue(in.nextItem());
    assertFalse(in.startObject());
    assertTrue(in.nextItem());
    assertNull(in.string());
    assertTrue(in.nextItem());
    assertNull(in.integer(0, 1));
    assertTrue(in.nextItem());
    assertFalse(in.startArray());
    assertFalse(in.nextItem());
    in.end();
    ProblemException e = assertThrows(ProblemException.class, violations::throwIfAny);
    assertEquals(
        List.of("/0", "/1", "/2", "/3"), e.errors().stream().map(FieldError::pointer).toList());
  }
}
