package io.jobscheduler.worker.execute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class ErrorFingerprintTest {
  @Test
  void whatDiffersFromJobToJobDoesNotCount() {
    List<List<String>> alike =
        List.of(
            List.of("order 17 not found", "order 4711 not found", "order  9 not\nfound"),
            List.of("took 1.5 s, limit 2:30", "took 17.25 s, limit 12:00"),
            List.of(
                "no user 550e8400-e29b-41d4-a716-446655440000",
                "no user 6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
            List.of("at 0xDEADBEEF", "at 0x1"),
            List.of("bad value \"a b\" for 'x'", "bad value \"\" for 'long one'"),
            List.of("cannot read /var/lib/a/1.txt", "cannot read /tmp/b"),
            List.of("GET https://a.example/x?y=1 failed", "GET https://b.example:8080/z failed"));
    for (List<String> group : alike) {
      for (String message : group) {
        assertEquals(
            ErrorFingerprint.of("k", group.get(0)), ErrorFingerprint.of("k", message), message);
      }
    }
  }

  @Test
  void kindAndWordsCount() {
    String first = ErrorFingerprint.of("http-404", "order 17 not found");
    assertNotEquals(first, ErrorFingerprint.of("http-410", "order 17 not found"));
    assertNotEquals(first, ErrorFingerprint.of("http-404", "order 17 not paid"));
    assertNotEquals(first, ErrorFingerprint.of("http-404", null));
    assertNotEquals(ErrorFingerprint.of("a", "decade"), ErrorFingerprint.of("a", "facade"));
    assertTrue(first.matches("[0-9a-f]{16}"), first);
  }

  private static RuntimeException thrownHere(int number) {
    return new IllegalStateException("broken " + number);
  }

  private static RuntimeException thrownThere(int number) {
    return new IllegalStateException("broken " + number);
  }

  private static String of(Throwable error) {
    return ErrorFingerprint.of("k", error.getMessage(), error);
  }

  @Test
  void framesCountByMethodAndNotByLine() {
    String first = of(thrownHere(1));
    String other = of(thrownHere(2));
    assertEquals(first, other);
    assertNotEquals(first, of(thrownThere(1)));
  }

  @Test
  void namesThatTheCompilerMadeDoNotCount() {
    Supplier<RuntimeException> one = () -> thrownHere(1);
    Supplier<RuntimeException> two = () -> thrownHere(1);
    assertEquals(of(one.get()), of(two.get()));
  }

  @Test
  void innermostCauseCountsAndACircleOfCausesEnds() {
    String wrapped = of(new RuntimeException("outer", thrownHere(1)));
    assertEquals(wrapped, of(new RuntimeException("outer", thrownHere(7))));
    assertNotEquals(wrapped, of(new RuntimeException("outer", thrownThere(1))));
    Exception first = new Exception("a");
    Exception second = new Exception("b", first);
    first.initCause(second);
    assertTrue(of(second).matches("[0-9a-f]{16}"));
  }

  @Test
  void hugeMessageIsReadInPartOnly() {
    String huge = "x".repeat(1_000);
    assertEquals(
        ErrorFingerprint.of("k", huge + "a".repeat(5_000_000)), ErrorFingerprint.of("k", huge));
    assertTrue(ErrorFingerprint.of("k", "/".repeat(5_000)).matches("[0-9a-f]{16}"));
    assertTrue(ErrorFingerprint.of("k", "a-".repeat(5_000)).matches("[0-9a-f]{16}"));
  }
}
