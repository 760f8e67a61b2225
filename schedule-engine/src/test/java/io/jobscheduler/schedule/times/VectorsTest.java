package io.jobscheduler.schedule.times;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schedule.Csv;
import io.jobscheduler.schedule.cron.CronDialect;
import io.jobscheduler.schedule.cron.CronErrorCode;
import io.jobscheduler.schedule.cron.CronExpression;
import io.jobscheduler.schedule.cron.CronSyntaxException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The tables of expressions with their fires, and of those that must be refused. */
class VectorsTest {
  private static final Instant NOW = Instant.parse("2026-11-29T12:00:00Z");

  @TestFactory
  Stream<DynamicTest> firesAsTheVectorSays() {
    return Csv.rows("vectors.csv").stream()
        .map(row -> DynamicTest.dynamicTest(row.get(0) + " " + row.get(3), () -> check(row)));
  }

  private static void check(List<String> row) {
    CronExpression expression =
        CronExpression.parse(row.get(3), CronDialect.valueOf(row.get(2).toUpperCase(Locale.ROOT)));
    CronTimes times = CronTimes.of(expression, TimeZones.parse(row.get(4)));
    Instant from = Instant.parse(row.get(5));
    List<String> expected = row.subList(6, 9);
    assertEquals(row.get(9), expression.kind().name().toLowerCase(Locale.ROOT));
    assertEquals(expected, chain(times, from), "from " + from);
    assertEquals(expression, CronExpression.parse(expression.canonical(), expression.dialect()));
    if (expected.get(0).equals("never")) {
      return;
    }
    Instant first = Instant.parse(expected.get(0));
    assertEquals(expected.get(0), chain(times, first.minusSeconds(1)).get(0), "just before");
    List<String> after = chain(times, first.plusSeconds(1));
    boolean nextSecond = expected.get(1).equals(first.plusSeconds(1).toString());
    assertEquals(expected.get(nextSecond ? 2 : 1), after.get(0), "just after");
    countsAsItFires(times, from, expected);
  }

  private static void countsAsItFires(CronTimes times, Instant from, List<String> expected) {
    long n = 0;
    for (String each : expected) {
      if (!each.equals("never")) {
        n++;
        Instant at = Instant.parse(each);
        assertEquals(n, times.count(from, at), "count until " + at);
        assertEquals(n - 1, times.count(from, at.minusNanos(1)), "count before " + at);
        assertEquals(Optional.of(at), times.latest(from, at));
        assertEquals(Optional.of(at), times.nth(from, at.plusSeconds(1), n));
      }
    }
  }

  private static List<String> chain(CronTimes times, Instant from) {
    List<String> fires = new ArrayList<>();
    Optional<Instant> next = times.next(from);
    for (int i = 0; i < 3; i++) {
      fires.add(next.map(Instant::toString).orElse("never"));
      next = next.flatMap(times::next);
    }
    return fires;
  }

  @TestFactory
  Stream<DynamicTest> refusesWhatIsWrong() {
    return Csv.rows("invalid.csv").stream()
        .map(row -> DynamicTest.dynamicTest(row.get(1) + " " + row.get(3), () -> refuse(row)));
  }

  private static void refuse(List<String> row) {
    CronDialect dialect = CronDialect.valueOf(row.get(0).toUpperCase(Locale.ROOT));
    CronErrorCode code = CronErrorCode.valueOf(row.get(3));
    CronSyntaxException stated =
        assertThrows(CronSyntaxException.class, () -> compile(row.get(1), dialect));
    assertEquals(code, stated.code(), stated.getMessage());
    assertEquals(row.get(2), stated.field(), stated.getMessage());
    assertTrue(
        row.get(1).startsWith(stated.value().replace("...", ""), stated.position())
            || stated.position() == 0,
        stated.position() + " " + stated.value());
    CronSyntaxException found =
        assertThrows(CronSyntaxException.class, () -> compile(row.get(1), null));
    assertEquals(code, found.code(), "with the dialect found by field count");
  }

  private static void compile(String text, CronDialect dialect) {
    CronExpression expression =
        dialect == null ? CronExpression.parse(text) : CronExpression.parse(text, dialect);
    CronTimes.of(expression, TimeZones.parse("UTC")).requireFires(NOW);
  }
}
