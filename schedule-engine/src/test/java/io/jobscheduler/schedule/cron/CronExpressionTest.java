package io.jobscheduler.schedule.cron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class CronExpressionTest {

  @TestFactory
  Stream<DynamicTest> describesWhatRuns() {
    return Stream.of(
            "* * * * *|every minute",
            "*/5 * * * *|every 5 minutes",
            "*/7 * * * *|at minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every hour",
            "0 * * * *|at minute 0 of every hour",
            "*/15 9-17 * * 1-5|every 15 minutes in hours 9 to 17 on Monday to Friday",
            "0 9 * * 1-5|at 09:00 on Monday to Friday",
            "0 9 * * *|at 09:00 every day",
            "0,30 2 * * *|at 02:00 and 02:30 every day",
            "0 22-2 * * *|at 00:00, 01:00, 02:00, 22:00 and 23:00 every day",
            "0 9 * * sat-mon|at 09:00 on Saturday to Monday",
            "0 0 13 * 5|at 00:00 on day 13 of the month and also on Friday",
            "0 0 1,15 jan-mar *|at 00:00 on days 1 and 15 of the month in January to March",
            "@weekly|at 00:00 on Sunday",
            "*/20 * * * * ?|every 20 seconds",
            "*/20 5 * * * ?|every 20 seconds of minute 5 of every hour",
            "15 30 2 * * ?|at 02:30:15 every day",
            "0 0 0 L * ?|at 00:00 on the last day of the month",
            "0 0 0 L-3,15W,LW * ?|at 00:00 on the weekday nearest to day 15 of the month,"
                + " 3 days before the last day of the month and the last weekday of the month",
            "0 0 0 ? * L|at 00:00 on Saturday",
            "0 0 0 ? * FRIL|at 00:00 on the last Friday of the month",
            "0 0 0 ? 11 5#4|at 00:00 on the 4th Thursday of the month in November",
            "0 0 0 1 1 ? 2027-2029|at 00:00 on day 1 of the month in January in 2027 to 2029")
        .map(line -> line.split("\\|"))
        .map(
            pair ->
                DynamicTest.dynamicTest(
                    pair[0],
                    () -> assertEquals(pair[1], CronExpression.parse(pair[0]).description())));
  }

  @TestFactory
  Stream<DynamicTest> saysWhatIsWrong() {
    return Stream.of(
            "* * * *|expected 5 fields (minute hour day-of-month month day-of-week)"
                + " or 6-7 (second first), found 4",
            "* 24 * * *|hour: 24 is not between 0 and 23",
            "*/60 * * * *|minute: step 60 is larger than 59; use `0 * * * *` for hourly",
            "0 0 * * monday|day-of-week: 'monday' is not a name here; use MON",
            "0 0 L * *|day-of-month: 'L' needs the 6-field form, e.g. `0 0 0 L * ?`",
            "0 0 * * 5#3|day-of-week: '5#3' needs the 6-field form, e.g. `0 0 0 ? * 5#3`",
            "@reboot|'@reboot' is not supported; allowed: @annually, @daily, @hourly, @midnight,"
                + " @monthly, @weekly, @yearly",
            "0 0 12 1 * 2|exactly one of day-of-month and day-of-week must be '?'",
            "5,,7 * * * *|minute: an item is missing beside a comma",
            "99999999999 * * * *|minute: '99999999999' is too large",
            "*/99999999999 * * * *|minute: step of '*/99999999999' is too large",
            "1e1 * * * *|minute: '1e1' is not *, a, a-b, or one of them with /step",
            "\u0661 * * * *|minute: '\u0661' is not *, a, a-b, or one of them with /step",
            "0 0 * * \u017fun|day-of-week: '\u017fun' is not *, a, a-b, or one of them with /step",
            "0 0 0 1 1 ? 2028-2026|year: 2028 is after 2026")
        .map(line -> line.split("\\|"))
        .map(
            pair ->
                DynamicTest.dynamicTest(
                    pair[0], () -> assertEquals(pair[1], refusal(pair[0]).getMessage())));
  }

  private static CronSyntaxException refusal(String text) {
    return assertThrows(CronSyntaxException.class, () -> CronExpression.parse(text));
  }

  @Test
  void saysWhereItIsWrong() {
    CronSyntaxException refused = refusal("  0\t 1,5,24,3  * * *");
    assertEquals("hour", refused.field());
    assertEquals("24", refused.value());
    assertEquals(9, refused.position());
    assertEquals(Optional.of("an interval schedule: every: PT5M"), refusal("@every 5m").hint());
  }

  @Test
  void refusesWhatIsTooLong() {
    String longest = "0" + ",0".repeat(123) + " * * * *";
    assertEquals(255, longest.length());
    assertEquals("0 * * * *", CronExpression.parse(longest).canonical());
    assertEquals(CronErrorCode.TOO_LONG, refusal(longest + " ").code());
    assertEquals(CronErrorCode.TOO_LONG, refusal("*".repeat(1_000_000)).code());
  }

  @Test
  void isEqualWhenWrittenAlike() {
    CronExpression expression = CronExpression.parse(" 5,05,1  */1 1-31 JAN,jul SUN ");
    assertEquals("1,5 * 1-31 1,7 0", expression.canonical());
    assertEquals(expression, CronExpression.parse("1,5 * 1-31 7,1 7"));
    assertEquals(expression.hashCode(), CronExpression.parse("1,5 * 1-31 7,1 7").hashCode());
    assertNotEquals(expression, CronExpression.parse("1,6 * 1-31 7,1 7"));
    assertEquals("0 0 0 ? * 2#1,7", CronExpression.parse("0 0 0 ? * mon#1,L *").canonical());
    assertEquals(" 5,05,1  */1 1-31 JAN,jul SUN ", expression.text());
  }

  @Test
  void countsFieldsForTheDialectThatIsStated() {
    assertEquals(CronDialect.UNIX, CronExpression.parse("0 0 * * 1").dialect());
    assertEquals(CronDialect.QUARTZ, CronExpression.parse("0 0 0 ? * 1").dialect());
    assertEquals(
        CronErrorCode.FIELD_COUNT,
        assertThrows(
                CronSyntaxException.class,
                () -> CronExpression.parse("0 0 * * 1", CronDialect.QUARTZ))
            .code());
    assertEquals(
        CronErrorCode.FIELD_COUNT,
        assertThrows(
                CronSyntaxException.class,
                () -> CronExpression.parse("0 0 0 ? * 1", CronDialect.UNIX))
            .code());
    assertEquals(
        CronErrorCode.ALIAS,
        assertThrows(
                CronSyntaxException.class, () -> CronExpression.parse("@daily", CronDialect.QUARTZ))
            .code());
  }
}
