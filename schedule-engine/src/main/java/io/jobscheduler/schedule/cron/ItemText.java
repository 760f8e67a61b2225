package io.jobscheduler.schedule.cron;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks the shape of one item of a field and turns its names into numbers, so that what cron-utils
 * reads afterwards is well formed and cheap. The patterns have no nested repetition: matching is
 * linear.
 */
final class ItemText {
  private static final Pattern PLAIN =
      Pattern.compile("(?:\\*|[0-9A-Z]+(?:-[0-9A-Z]+)?)(?:/-?[0-9]+)?");
  private static final Pattern DAY_OF_MONTH = Pattern.compile("L(?:-[0-9]+)?|LW|[0-9]+W");
  private static final Pattern DAY_OF_WEEK =
      Pattern.compile("(?:[0-9]+|[A-Z]{3})?L|[0-9A-Z]+#[0-9]+");
  private static final Pattern WORD = Pattern.compile("[0-9A-Z]*[A-Z][0-9A-Z]*");
  private static final int MAX_DIGITS = 9;

  private final CronField field;
  private final CronDialect dialect;
  private final Refusal refusal;

  ItemText(CronField field, CronDialect dialect, Refusal refusal) {
    this.field = field;
    this.dialect = dialect;
    this.refusal = refusal;
  }

  /** Returns the item in upper case with numbers for names. */
  String numbered(String typed) {
    String item = upper(typed);
    boolean special = isSpecial(item);
    if (special && dialect == CronDialect.UNIX) {
      throw refusal.of(
          CronErrorCode.DIALECT,
          "'" + typed + "' needs the 6-field form, e.g. `" + example(item) + "`",
          "second minute hour day-of-month month day-of-week");
    }
    if (!special && !PLAIN.matcher(item).matches()) {
      throw syntax(typed);
    }
    String numbered = withoutNames(item, typed, special);
    checkDigits(numbered, typed);
    return numbered;
  }

  private boolean isSpecial(String item) {
    boolean days = field == CronField.DAY_OF_MONTH || field == CronField.DAY_OF_WEEK;
    if (!days || isName(item)) {
      return false;
    }
    if (dialect == CronDialect.UNIX) {
      return item.equals("?")
          || DAY_OF_MONTH.matcher(item).matches()
          || DAY_OF_WEEK.matcher(item).matches();
    }
    return (field == CronField.DAY_OF_MONTH ? DAY_OF_MONTH : DAY_OF_WEEK).matcher(item).matches();
  }

  private boolean isName(String word) {
    return field.names().contains(word);
  }

  private String example(String item) {
    return field == CronField.DAY_OF_MONTH
        ? "0 0 0 " + (item.equals("?") ? "? * MON" : item + " * ?")
        : "0 0 0 ? * " + (item.equals("?") ? "MON" : item);
  }

  /** Replaces each name; a last L of FRIL belongs to the item, not to the name. */
  private String withoutNames(String item, String typed, boolean special) {
    if (special && (field == CronField.DAY_OF_MONTH || item.equals("L"))) {
      return item;
    }
    boolean lastOf = special && item.endsWith("L");
    String body = lastOf ? item.substring(0, item.length() - 1) : item;
    StringBuilder numbered = new StringBuilder();
    Matcher word = WORD.matcher(body);
    while (word.find()) {
      int place = field.names().indexOf(word.group());
      if (place < 0) {
        throw unknownWord(word.group(), typed);
      }
      word.appendReplacement(numbered, Integer.toString(field.valueOfName(place, dialect)));
    }
    word.appendTail(numbered);
    return lastOf ? numbered.append('L').toString() : numbered.toString();
  }

  private CronSyntaxException unknownWord(String word, String typed) {
    @Nullable String meant = nameInside(word);
    boolean letters = word.chars().allMatch(c -> c >= 'A');
    if (!letters || meant == null && field.names().isEmpty()) {
      return syntax(typed);
    }
    String message = "'" + typed + "' is not a name here";
    if (field.names().isEmpty()) {
      return refusal.of(CronErrorCode.NAME, message + "; use numbers", null);
    }
    String use = meant != null && isName(meant) ? meant : range();
    return refusal.of(CronErrorCode.NAME, message + "; use " + use, use);
  }

  private String range() {
    return field.names().get(0) + " to " + field.names().get(field.names().size() - 1);
  }

  /** The name of any field that the word begins with. */
  private static @Nullable String nameInside(String word) {
    for (CronField each : CronField.values()) {
      for (String name : each.names()) {
        if (word.startsWith(name)) {
          return name;
        }
      }
    }
    return null;
  }

  private void checkDigits(String item, String typed) {
    int digits = 0;
    for (int i = 0; i < item.length(); i++) {
      char c = item.charAt(i);
      digits = c < '0' || c > '9' || digits == 0 && c == '0' ? 0 : digits + 1;
      if (digits > MAX_DIGITS) {
        throw item.lastIndexOf('/', i) >= 0
            ? refusal.of(CronErrorCode.STEP, "step of '" + typed + "' is too large", null)
            : refusal.of(CronErrorCode.OUT_OF_RANGE, "'" + typed + "' is too large", null);
      }
    }
  }

  private CronSyntaxException syntax(String typed) {
    return refusal.of(
        CronErrorCode.SYNTAX,
        typed.isEmpty()
            ? "an item is missing beside a comma"
            : "'" + typed + "' is not *, a, a-b, or one of them with /step",
        null);
  }

  /** Upper case for ASCII letters alone, so that no other character turns into one. */
  static String upper(String typed) {
    boolean ascii = typed.chars().allMatch(c -> c > ' ' && c < 127);
    return ascii ? typed.toUpperCase(Locale.ROOT) : typed;
  }
}
