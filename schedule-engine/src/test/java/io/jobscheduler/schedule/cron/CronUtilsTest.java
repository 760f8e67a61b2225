package io.jobscheduler.schedule.cron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.cronutils.model.Cron;
import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import io.jobscheduler.schedule.RandomCron;
import io.jobscheduler.schedule.Seed;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Where cron-utils is right, in UTC and without ranges that wrap, the engine agrees with it. */
class CronUtilsTest {
  private static final CronParser PARSER =
      new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX));

  @Test
  void agreesInUtc() {
    Random random = Seed.random("CronUtilsTest");
    int compared = 0;
    for (int i = 0; i < 3000; i++) {
      String text = new RandomCron(random, false).text();
      Optional<Cron> theirs = read(text);
      if (theirs.isPresent()) {
        Instant from = Instant.ofEpochSecond(1_600_000_000L + random.nextInt(1_000_000_000));
        compare(text, theirs.get(), from);
        compared++;
      }
    }
    assertTrue(compared > 1000, "only " + compared + " compared");
  }

  private static Optional<Cron> read(String text) {
    try {
      return Optional.of(PARSER.parse(text));
    } catch (IllegalArgumentException wraps) {
      return Optional.empty();
    }
  }

  private static void compare(String text, Cron theirs, Instant from) {
    long second = from.getEpochSecond();
    long next =
        CronExpression.parse(text).wallClock().first(second + 1, second + 100L * 365 * 86_400);
    assertEquals(
        ExecutionTime.forCron(theirs)
            .nextExecution(from.atZone(ZoneOffset.UTC))
            .map(ZonedDateTime::toInstant),
        next == WallClock.NONE ? Optional.empty() : Optional.of(Instant.ofEpochSecond(next)),
        text + " from " + from);
  }
}
