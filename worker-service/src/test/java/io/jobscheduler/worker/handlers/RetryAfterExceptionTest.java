package io.jobscheduler.worker.handlers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RetryAfterExceptionTest {
  private static RetryAfterException of(String header) {
    return RetryAfterException.ofHeader("http-429", "slow down", header);
  }

  @Test
  void readsSecondsAndDates() {
    assertEquals(Duration.ofSeconds(120), of(" 120 ").after());
    assertEquals(Duration.ofSeconds(Integer.MAX_VALUE), of("99999999999999999999").after());
    assertEquals(
        Instant.parse("1994-11-06T08:49:37Z"), of("Sun, 06 Nov 1994 08:49:37 GMT").until());
  }

  @Test
  void leavesWhatItCannotReadToThePolicy() {
    for (String header : new String[] {null, "", "soon", "-5", "1.5", "٣", "Sun, 99 Nov 1994"}) {
      assertNull(of(header).after(), header);
      assertNull(of(header).until(), header);
    }
  }
}
