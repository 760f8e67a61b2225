package io.jobscheduler.schedule.cron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schedule.Seed;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever is typed is compiled or refused, in no time. */
class FuzzPropertyTest {
  private static final String CHARS =
      "0123456789*/-,?LW#@ \t  555***,,MONfriJANdec|.\u0130\u0661\u00a0\n\0";
  private static final long BEGIN = 1_700_000_000L;

  /** The limit is there to end a loop without end, not to measure. */
  @Test
  @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void refusesOnlyWithACodeAndAPlace() {
    Random random = Seed.random("FuzzPropertyTest");
    int accepted = 0;
    for (int i = 0; i < 20_000; i++) {
      accepted += attempt(random.nextBoolean() ? anything(random) : nearly(random)) ? 1 : 0;
    }
    assertTrue(accepted > 1000, "only " + accepted + " were well formed");
  }

  private static boolean attempt(String text) {
    try {
      CronExpression expression = CronExpression.parse(text);
      assertEquals(expression, CronExpression.parse(expression.canonical()), text);
      assertFalse(expression.description().isBlank(), text);
      expression.warnings();
      WallClock clock = expression.wallClock();
      long next = clock.first(BEGIN, BEGIN + 101L * 366 * 86_400);
      assertEquals(
          next == WallClock.NONE ? 0 : 1,
          clock.count(BEGIN, next == WallClock.NONE ? BEGIN + 101L * 366 * 86_400 : next + 1),
          text);
      return true;
    } catch (CronSyntaxException refused) {
      assertTrue(refused.position() >= 0 && refused.position() <= text.length(), text);
      assertFalse(refused.field().isEmpty(), text);
      return false;
    }
  }

  private static String anything(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(CronExpression.MAX_LENGTH + 1); i > 0; i--) {
      text.append(CHARS.charAt(random.nextInt(CHARS.length())));
    }
    return text.toString();
  }

  /** Five or six fields of well-formed parts. */
  private static String nearly(Random random) {
    String[] parts = {
      "*",
      "*/5",
      "1",
      "1-5",
      "22-2/2",
      "3/4",
      "L",
      "LW",
      "15W",
      "2L",
      "MON#2",
      "?",
      "jan",
      "fri-mon",
      "0",
      "0007",
      "99999999999",
      "*/2147483648",
      "1-4294967297",
      "\u0661",
      "\u017fun"
    };
    StringBuilder text = new StringBuilder();
    for (int i = 5 + random.nextInt(2); i > 0; i--) {
      text.append(parts[random.nextInt(random.nextInt(4) == 0 ? parts.length : 4)]);
      while (random.nextInt(3) == 0) {
        text.append(',').append(parts[random.nextInt(6)]);
      }
      text.append(' ');
    }
    return text.toString();
  }
}
