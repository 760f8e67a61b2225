package io.jobscheduler.api.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.problem.Violations;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonReaderTest {
  private static final int PLENTY = 1 << 20;

  private static JsonReader reader(String text) {
    return new JsonReader(text.getBytes(StandardCharsets.UTF_8), new Violations());
  }

  private static String verbatim(String text) {
    JsonReader in = reader(text);
    String value = in.verbatim(PLENTY);
    in.end();
    return value;
  }

  private static ProblemException refused(byte[] body) {
    return assertThrows(
        ProblemException.class,
        () -> {
          JsonReader in = new JsonReader(body, new Violations());
          in.verbatim(PLENTY);
          in.end();
        });
  }

  private static ProblemException refused(String text) {
    return refused(text.getBytes(StandardCharsets.UTF_8));
  }

  private static void refusedAt(String pointer, String text) {
    ProblemException e = refused(text);
    assertEquals(ProblemType.MALFORMED_JSON, e.type());
    assertEquals(pointer, e.errors().get(0).pointer(), text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "true",
        "0",
        "-0",
        "1e2",
        "1E-3",
        "1E+400",
        "-1.50",
        "0.000100",
        "\"\"",
        "\"\\u00e9 \\ud83d\\ude00 😀 é \\/ \\n\"",
        "[]",
        "{}",
        "[1 , 2,\n\t3 ]",
        "{ \"a\" : { \"b\" : [ { } , \"x\" ] } , \"\" : 1.0 }",
        "{\"a\":{\"a\":1},\"b\":[{\"a\":2},{\"a\":3}]}"
      })
  void givesBackWhatWasTyped(String text) {
    assertEquals(text, verbatim(text));
    assertEquals(text, verbatim("  " + text + " \n"));
    JsonReader in = reader("{\"p\": " + text + " ,\"q\":" + text + "}");
    assertTrue(in.startObject());
    assertEquals("p", in.nextField());
    assertEquals(text, in.verbatim(PLENTY));
    assertEquals("q", in.nextField());
    assertEquals(text, in.verbatim(PLENTY));
    assertNull(in.nextField());
    in.end();
  }

  @Test
  void givesBackAHundredDigits() {
    String digits = "1234567890".repeat(10);
    assertEquals(digits, verbatim(digits));
    assertEquals("-0." + digits + "e-400", verbatim("-0." + digits + "e-400"));
    assertEquals("0." + "0".repeat(400) + "1", verbatim("0." + "0".repeat(400) + "1"));
  }

  @Test
  void refusesNumbersBeyondTheLimits() {
    refusedAt("", "1" + "234567890".repeat(12));
    refusedAt("/0", "[1e401]");
    refusedAt("/a/1", "{\"a\":[0,-1E-401]}");
    refusedAt("", "1e99999999999999999999");
    refusedAt("", "0." + "0".repeat(401) + "1");
    refusedAt("", "1".repeat(100_000));
  }

  @Test
  void refusesWhatIsNoText() {
    refusedAt("/a", "{\"a\":\"\\u0000\"}");
    refusedAt("/1", "[\"\",\"\\ud83d\"]");
    refusedAt("", "\"\\ude00\\ud83d\"");
    refused("{\"x\\ud83d\":1}");
  }

  @Test
  void refusesTheSameNameTwiceAndSaysWhere() {
    refusedAt("/a", "{\"a\":1,\"a\":2}");
    refusedAt("/o/1/a~1b~0", "{\"o\":[0,{\"a/b~\":1,\"c\":{},\"\\u0061/b~\":2}]}");
  }

  @Test
  void acceptsDepth64AndNoMore() {
    String deep = "[".repeat(64) + "]".repeat(64);
    assertEquals(deep, verbatim(deep));
    refused("[".repeat(65) + "]".repeat(65));
    refused("[".repeat(100_000));
    JsonReader in = reader("[[{\"p\":" + deep + "}]]");
    assertTrue(in.startArray());
    assertTrue(in.nextItem());
    assertTrue(in.startArray());
    assertTrue(in.nextItem());
    assertTrue(in.startObject());
    assertEquals("p", in.nextField());
    assertEquals(deep, in.verbatim(PLENTY), "what surrounds a payload does not count");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "[1,]",
        "{\"a\":1,}",
        "{a:1}",
        "{'a':1}",
        "01",
        "1.",
        ".5",
        "+1",
        "NaN",
        "Infinity",
        "tru",
        "nulll",
        "\"a",
        "\"\t\"",
        "\"\\x\"",
        "1 2",
        "{} {}",
        "[] x",
        "// c\n1",
        "[1 2]",
        "{\"a\" 1}"
      })
  void refusesWhatIsNotJson(String text) {
    assertEquals(ProblemType.MALFORMED_JSON, refused(text).type());
  }

  @Test
  void refusesWhatIsNotUtf8() {
    refused(new byte[] {'"', (byte) 0xC0, (byte) 0x80, '"'});
    refused(new byte[] {'"', (byte) 0xC3, '"'});
    // An overlong a, and a pair of surrogates encoded one by one.
    refused(new byte[] {'"', (byte) 0xC1, (byte) 0xA1, '"'});
    byte[] pair = {'"', -0x13, -0x60, -0x43, -0x13, -0x48, -0x80, '"'};
    refused(pair);
    refused(new byte[] {'"', (byte) 0xED, (byte) 0xA0, (byte) 0x80, '"'});
    refused(new byte[] {'"', (byte) 0xFF, '"'});
    refused(new byte[] {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF, '1'});
    refused("{}".getBytes(StandardCharsets.UTF_16LE));
    refused("{}".getBytes(StandardCharsets.UTF_16));
    byte[] longText = ("\"" + "é".repeat(20_000) + "x\"").getBytes(StandardCharsets.UTF_8);
    assertEquals(
        longText.length,
        verbatim(new String(longText, StandardCharsets.UTF_8))
            .getBytes(StandardCharsets.UTF_8)
            .length);
    longText[longText.length - 3] = 'x';
    refused(longText);
  }

  @Test
  void refusesALargePayloadWithItsPointer() {
    JsonReader in = reader("[0,{\"p\":\"" + "x".repeat(100) + "\"}]");
    in.startArray();
    in.nextItem();
    in.integer(0, 9);
    in.nextItem();
    in.startObject();
    in.nextField();
    ProblemException e = assertThrows(ProblemException.class, () -> in.verbatim(101));
    assertEquals(ProblemType.PAYLOAD_TOO_LARGE, e.type());
    assertEquals("/1/p", e.errors().get(0).pointer());
  }

  @Test
  void notesWrongKindsAndReadsOn() {
    Violations violations = new Violations();
    JsonReader in =
        new JsonReader(
            "{\"s\":[1,{\"x\":2}],\"i\":1.5,\"j\":11,\"b\":\"true\",\"u\":{\"v\":[]},\"l\":3,\"n\":null}"
                .getBytes(StandardCharsets.UTF_8),
            violations);
    assertTrue(in.startObject());
    List<String> fields = new ArrayList<>();
    String field;
    while ((field = in.nextField()) != null) {
      fields.add(field);
      switch (field) {
        case "s", "n" -> assertNull(in.string());
        case "i", "j" -> assertNull(in.integer(0, 10));
        case "b" -> assertNull(in.bool());
        case "l" -> assertFalse(in.startArray());
        default -> in.unknownField();
      }
    }
    in.end();
    assertEquals(List.of("s", "i", "j", "b", "u", "l", "n"), fields);
    ProblemException e = assertThrows(ProblemException.class, violations::throwIfAny);
    assertEquals(ProblemType.UNKNOWN_FIELD, e.type());
    assertEquals(
        List.of("/s", "/i", "/j", "/b", "/u", "/l"),
        e.errors().stream().map(f -> f.pointer()).toList());
  }
}
