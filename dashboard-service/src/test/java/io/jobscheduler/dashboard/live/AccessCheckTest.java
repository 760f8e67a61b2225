package io.jobscheduler.dashboard.live;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.dashboard.live.AccessCheck.Access;
import io.vertx.core.buffer.Buffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AccessCheckTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "200 | {\"projects\":[{\"project\":\"a\",\"role\":\"viewer\"}]} | GRANTED",
        "200 | {\"projects\":[{\"project\":\"A\",\"role\":\"admin\"}]} | DENIED",
        "200 | {\"projects\":[]} | DENIED",
        "200 | {} | DENIED",
        "200 | {\"projects\":\"a\"} | UNKNOWN",
        "200 | [] | UNKNOWN",
        "200 | not json | UNKNOWN",
        "401 | {} | TOKEN_REFUSED",
        "403 | {} | DENIED",
        "502 | {} | UNKNOWN",
        "503 | {\"projects\":[{\"project\":\"a\"}]} | UNKNOWN"
      })
  void readsTheAnswer(int status, String body, Access expected) {
    assertEquals(expected, AccessCheck.read(status, Buffer.buffer(body), "a"));
  }
}
