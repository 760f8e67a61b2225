package io.jobscheduler.worker.claim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QueuePatternTest {
  @ParameterizedTest
  @CsvSource({
    "*/*, shop, mail, true",
    "shop/*, shop, mail, true",
    "shop/*, Shop, mail, false",
    "*/mail, shop, mail, true",
    "*/mail, shop, mail2, false",
    "shop/mail-*, shop, mail-eu, true",
    "shop/mail-*, shop, mail, false",
    "sh.p/mail, shop, mail, false",
  })
  void matches(String pattern, String project, String queue, boolean expected) {
    assertEquals(expected, QueuePattern.of(pattern).matches(new QueueName(project, queue)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"mail", "a/b/c", "/mail", "shop/", "shop/-x", "shop/ma il", ""})
  void refusesWhatNamesNoQueue(String pattern) {
    assertThrows(IllegalArgumentException.class, () -> QueuePattern.of(pattern));
  }

  @Test
  void showsWhatWasConfigured() {
    assertEquals("shop/*", QueuePattern.of(" shop/* ").toString());
  }
}
