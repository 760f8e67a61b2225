package io.jobscheduler.schedule.times;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schedule.cron.CronErrorCode;
import io.jobscheduler.schedule.cron.CronSyntaxException;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TimeZonesTest {

  @Test
  void takesIanaIdsAndOffsets() {
    for (String id : List.of("Europe/Berlin", "America/Argentina/Ushuaia", "Etc/GMT+12", "Japan")) {
      assertEquals(id, TimeZones.parse(id).getId());
    }
    assertEquals(ZoneOffset.UTC, TimeZones.parse("UTC"));
    assertEquals(ZoneOffset.ofHoursMinutes(-5, -30), TimeZones.parse("-05:30"));
  }

  @Test
  void refusesAbbreviationsAndTheUnknown() {
    for (String id :
        List.of(
            "EST",
            "CST",
            "CET",
            "GMT",
            "",
            " ",
            "Europe/Nowhere",
            "UTC+2",
            "europe/london",
            "+25:00",
            "+19:00",
            "Europe/Berlin ",
            "x".repeat(5000))) {
      CronSyntaxException refused =
          assertThrows(CronSyntaxException.class, () -> TimeZones.parse(id));
      assertEquals(CronErrorCode.ZONE, refused.code());
      assertEquals("-", refused.field());
      assertTrue(refused.getMessage().length() < 200);
    }
  }

  @Test
  void hintsAtWhatWasMeant() {
    assertEquals(Optional.of("Europe/London"), hint("europe/london"));
    assertEquals(Optional.of("America/New_York"), hint("america/new york"));
    assertEquals(Optional.of("+02:00"), hint("UTC+2"));
    assertEquals(Optional.of("-05:30"), hint("GMT-5:30"));
  }

  private static Optional<String> hint(String id) {
    return assertThrows(CronSyntaxException.class, () -> TimeZones.parse(id)).hint();
  }

  @Test
  void knowsTheVersionOfItsRules() {
    assertTrue(TimeZones.version().matches("20[0-9]{2}[a-z]+"), TimeZones.version());
  }
}
