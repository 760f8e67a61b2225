package io.jobscheduler.schedule.cron;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A compiled cron expression: which wall-clock times it means, in no zone yet.
 *
 * <p>Immutable. Two are equal if their dialect and canonical form are. Compiling takes some 10
 * microseconds and a few KB, at most about a millisecond for any text.
 */
public final class CronExpression {
  /** The longest text accepted, in characters. */
  public static final int MAX_LENGTH = 255;

  private static final int HOURS = 24;

  private final String text;
  private final CronDialect dialect;
  private final CronFields fields;
  private final String canonical;
  private final CronKind kind;
  private final WallClock wallClock;

  private CronExpression(String text, CronDialect dialect, CronFields fields) {
    this.text = text;
    this.dialect = dialect;
    this.fields = fields;
    this.canonical =
        dialect.fields().stream()
            .filter(field -> field != CronField.YEAR || !fields.get(field).bare())
            .map(field -> fields.get(field).canonical())
            .collect(Collectors.joining(" "));
    FieldSet hour = fields.hour();
    boolean beats = hour.wild() || fields.minute().wild() || hour.values().cardinality() == HOURS;
    this.kind = beats ? CronKind.INTERVAL : CronKind.FIXED;
    this.wallClock =
        new WallClock(
            new TimeOfDay(fields.second().mask(), fields.minute().mask(), hour.mask()),
            new DayRule(fields.dayOfMonth(), fields.dayOfWeek()),
            fields.month(),
            fields.year());
  }

  /**
   * Compiles an expression whose number of fields tells its dialect.
   *
   * @throws CronSyntaxException if it is not one
   */
  public static CronExpression parse(String text) {
    return compile(text, null);
  }

  /**
   * Compiles an expression of the given dialect.
   *
   * @throws CronSyntaxException if it is not one
   */
  public static CronExpression parse(String text, CronDialect dialect) {
    return compile(text, dialect);
  }

  private static CronExpression compile(String text, @Nullable CronDialect wanted) {
    List<CronText.Part> parts = CronText.parts(text, wanted);
    CronDialect dialect =
        CronDialect.UNIX.takes(parts.size()) ? CronDialect.UNIX : CronDialect.QUARTZ;
    Map<CronField, FieldSet> fields = new EnumMap<>(CronField.class);
    for (int i = 0; i < parts.size(); i++) {
      CronField field = dialect.fields().get(i);
      fields.put(field, read(field, dialect, parts.get(i)));
    }
    if (dialect == CronDialect.UNIX) {
      fields.put(CronField.SECOND, FieldReader.read(CronField.SECOND, dialect, "0", 0));
    }
    fields.computeIfAbsent(CronField.YEAR, year -> FieldReader.unrestricted(year, dialect, "*"));
    CronFields read = CronFields.of(fields);
    if (dialect == CronDialect.QUARTZ) {
      checkQuestionMark(text, read);
    }
    return new CronExpression(text, dialect, read);
  }

  private static FieldSet read(CronField field, CronDialect dialect, CronText.Part part) {
    boolean day = field == CronField.DAY_OF_MONTH || field == CronField.DAY_OF_WEEK;
    if (dialect == CronDialect.QUARTZ && day && part.text().equals("?")) {
      return FieldReader.unrestricted(field, dialect, "?");
    }
    return FieldReader.read(field, dialect, part.text(), part.position());
  }

  private static void checkQuestionMark(String text, CronFields fields) {
    boolean ofMonth = fields.dayOfMonth().canonical().equals("?");
    boolean ofWeek = fields.dayOfWeek().canonical().equals("?");
    if (ofMonth == ofWeek) {
      throw CronSyntaxException.ofText(
          CronErrorCode.QUESTION_MARK,
          text.strip(),
          "exactly one of day-of-month and day-of-week must be '?'",
          "`0 0 12 * * ?` or `0 0 12 ? * MON`");
    }
  }

  /** Returns the text as it was given. */
  public String text() {
    return text;
  }

  /** Returns the dialect, found or given. */
  public CronDialect dialect() {
    return dialect;
  }

  /**
   * Returns the one spelling of all expressions written alike: numbers for names and aliases,
   * ordered lists without duplicates, single blanks.
   */
  public String canonical() {
    return canonical;
  }

  /** Returns how it behaves when clocks are set. */
  public CronKind kind() {
    return kind;
  }

  /** Returns the times it means. */
  public WallClock wallClock() {
    return wallClock;
  }

  /** Returns what it means in English. */
  public String description() {
    return Description.of(fields);
  }

  /** Returns what may surprise in it whatever the zone. */
  public List<CronWarning> warnings() {
    List<CronWarning> warnings = new ArrayList<>();
    FieldSet ofMonth = fields.dayOfMonth();
    FieldSet ofWeek = fields.dayOfWeek();
    if (!ofMonth.bare() && !ofWeek.bare()) {
      warnings.add(new CronWarning(CronWarning.Code.BOTH_DAYS, DayWords.bothDays(ofMonth, ofWeek)));
    }
    UnevenSteps.of(fields).ifPresent(warnings::add);
    return warnings;
  }

  /** Returns whether all 24 hours are allowed. */
  public boolean everyHour() {
    return fields.hour().values().cardinality() == HOURS;
  }

  /** Returns the exception that says why there is no time from {@code year} on. */
  public CronSyntaxException neverFires(int year) {
    FieldSet years = fields.year();
    boolean past = !years.bare() && years.values().length() - 1 < year;
    String why =
        past ? "the years of '" + text.strip() + "' have passed" : missingDate().orElse("");
    return CronSyntaxException.ofText(
        CronErrorCode.NEVER_FIRES,
        text.strip(),
        why + (why.isEmpty() ? "" : ": ") + "this schedule would never run",
        null);
  }

  /** Names the first day of the expression if it is a plain day of a month. */
  private Optional<String> missingDate() {
    FieldSet ofMonth = fields.dayOfMonth();
    BitSet months = fields.month().values();
    if (ofMonth.values().isEmpty() || ofMonth.bare()) {
      return Optional.empty();
    }
    String date = ofMonth.values().nextSetBit(0) + " " + DayWords.month(months.nextSetBit(0));
    FieldSet years = fields.year();
    return Optional.of(date + " does not exist" + (years.bare() ? "" : " in " + years.canonical()));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CronExpression that
        && dialect == that.dialect
        && canonical.equals(that.canonical);
  }

  @Override
  public int hashCode() {
    return canonical.hashCode();
  }

  @Override
  public String toString() {
    return canonical;
  }
}
