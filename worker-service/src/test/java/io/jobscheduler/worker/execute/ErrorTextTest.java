package io.jobscheduler.worker.execute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.http.HttpTimeoutException;
import org.junit.jupiter.api.Test;

class ErrorTextTest {
  private static final class IOProblemV2 extends Exception {
    private static final long serialVersionUID = 1L;
  }

  @Test
  void kindIsTheClassNameInKebabCase() {
    assertEquals("illegal-state-exception", ErrorText.kindOf(new IllegalStateException()));
    assertEquals("io-exception", ErrorText.kindOf(new IOException()));
    assertEquals("http-timeout-exception", ErrorText.kindOf(new HttpTimeoutException("")));
    assertEquals("io-problem-v2", ErrorText.kindOf(new IOProblemV2()));
    assertEquals("runtime-exception", ErrorText.kindOf(new RuntimeException() {}));
  }

  @Test
  void messageLosesWhatPostgresRefuses() {
    assertEquals("a\uFFFDb\uFFFDc\uFFFD", ErrorText.clean("a\u0000b\uD800c\uDC00"));
    assertEquals("a😀b", ErrorText.clean("a😀b"));
    assertNull(ErrorText.clean(null));
  }

  @Test
  void messageIsCutBetweenCodePoints() {
    String cut = ErrorText.clean("😀".repeat(5_000));
    assertTrue(cut.length() <= ErrorText.MESSAGE_LIMIT, () -> "" + cut.length());
    assertTrue(cut.endsWith("😀… (cut)"), cut.substring(cut.length() - 12));
  }

  @Test
  void storableTextIsNotCopied() {
    String text = "{\"a\": 1}";
    assertSame(text, ErrorText.storable(text));
    assertEquals("\"\uFFFD\"", ErrorText.storable("\"\uD800\""));
    assertEquals("\"😀\"", ErrorText.storable("\"😀\""));
  }

  @Test
  void hugeStackKeepsItsHeadAndItsTail() {
    Throwable error = new IllegalStateException("root");
    for (int i = 0; i < 30; i++) {
      error = new IllegalStateException("cause " + i + " " + "x".repeat(2_000_000), error);
    }
    String stack = ErrorText.stackOf(error);
    assertTrue(stack.length() < ErrorText.STACK_LIMIT + 100, () -> "" + stack.length());
    assertTrue(stack.startsWith("java.lang.IllegalStateException: cause 29"));
    assertTrue(stack.contains("characters cut"));
    assertTrue(stack.contains("IllegalStateException: root"));
  }
}
