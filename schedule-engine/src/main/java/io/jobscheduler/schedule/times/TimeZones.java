package io.jobscheduler.schedule.times;

import io.jobscheduler.schedule.cron.CronSyntaxException;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneRulesProvider;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Which time zones a schedule may have, and the version of the rules they follow. */
public final class TimeZones {
  private static final Pattern OFFSET = Pattern.compile("[+-][0-9]{2}:[0-9]{2}");
  private static final Pattern PREFIXED_OFFSET =
      Pattern.compile("(?:UTC|GMT|UT)([+-])([0-9]{1,2})(?::?([0-9]{2}))?");
  private static final Set<String> IDS = ZoneRulesProvider.getAvailableZoneIds();
  private static final int MAX_LENGTH = 64;
  private static final int LEGACY_LENGTH = 3;

  private TimeZones() {}

  /**
   * Returns the zone of an IANA id such as {@code Europe/Berlin}, of {@code UTC}, or of a fixed
   * offset such as {@code +02:00}.
   *
   * @throws CronSyntaxException if it is unknown, or an abbreviation such as EST, which several
   *     places understand differently and which knows no daylight saving
   */
  public static ZoneId parse(String id) {
    if (id.equals("UTC") || id.equals("Z")) {
      return ZoneOffset.UTC;
    }
    if (OFFSET.matcher(id).matches()) {
      return offset(id);
    }
    if (id.length() <= LEGACY_LENGTH && !id.isEmpty()) {
      String hint =
          id.equalsIgnoreCase("GMT") || id.equalsIgnoreCase("UTC") ? "UTC" : "Europe/Berlin";
      throw CronSyntaxException.ofZone(
          id, "'" + id + "' is an abbreviation, not a time zone; use a name such as " + hint, hint);
    }
    if (!IDS.contains(id)) {
      throw unknown(id);
    }
    return ZoneId.of(id);
  }

  private static ZoneId offset(String id) {
    try {
      return ZoneOffset.of(id);
    } catch (DateTimeException outOfRange) {
      throw CronSyntaxException.ofZone(
          id, "'" + id + "' is not an offset between -18:00 and +18:00", null);
    }
  }

  private static CronSyntaxException unknown(String id) {
    String shown = id.length() > MAX_LENGTH ? id.substring(0, MAX_LENGTH) + "..." : id;
    @Nullable String hint = meant(id).orElse(null);
    return CronSyntaxException.ofZone(
        shown,
        "'" + shown + "' is not a known time zone" + (hint == null ? "" : "; use " + hint),
        hint);
  }

  private static Optional<String> meant(String id) {
    var prefixed = PREFIXED_OFFSET.matcher(id);
    if (prefixed.matches()) {
      String hours = prefixed.group(2);
      @Nullable String minutes = prefixed.group(3);
      return Optional.of(
          prefixed.group(1)
              + (hours.length() == 1 ? "0" + hours : hours)
              + ":"
              + (minutes == null ? "00" : minutes));
    }
    return id.length() > MAX_LENGTH
        ? Optional.empty()
        : IDS.stream().filter(id.replace(' ', '_')::equalsIgnoreCase).findFirst();
  }

  /**
   * Returns the version of the time-zone data in use, such as {@code 2025b}. Planned times that
   * were computed with another one are to be computed again.
   */
  public static String version() {
    return ZoneRulesProvider.getVersions("Europe/Berlin").lastKey();
  }
}
