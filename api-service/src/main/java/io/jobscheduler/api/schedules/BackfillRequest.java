package io.jobscheduler.api.schedules;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Planned times of the past to run now.
 *
 * @param from inclusive
 * @param to exclusive
 * @param dryRun only say what it would do
 */
record BackfillRequest(
    Instant from, Instant to, Overlap overlap, Reprocess reprocess, int priority, boolean dryRun) {
  /** The most planned times of one backfill. */
  static final int MOST_TIMES = 1_000;

  private static final int HIGHEST_PRIORITY = 9;

  /** What becomes of a time while a job of the schedule lives. */
  enum Overlap {
    /** It runs beside it. */
    ALLOW,
    /** It waits until no other lives. */
    QUEUE_ALL,
    /** It is skipped. */
    SKIP
  }

  /** Which times are run. */
  enum Reprocess {
    /** Those of which no run was made. */
    MISSING,
    /** Also those whose newest run ended without success. */
    FAILED,
    /** All but those whose run still waits or lives. */
    ALL
  }

  /** Reads a backfill; null when, noted, it is none. */
  static @Nullable BackfillRequest read(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    Instant from = null;
    Instant to = null;
    Overlap overlap = Overlap.QUEUE_ALL;
    Reprocess reprocess = Reprocess.MISSING;
    int priority = 0;
    boolean dryRun = false;
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "from" -> from = Fields.instant(in);
        case "to" -> to = Fields.instant(in);
        case "overlap" -> overlap = or(Words.read(in, Overlap.class), overlap);
        case "reprocess" -> reprocess = or(Words.read(in, Reprocess.class), reprocess);
        case "priority" -> priority = or(in.integer(0, HIGHEST_PRIORITY), priority);
        case "dryRun" -> dryRun = or(in.bool(), dryRun);
        default -> in.unknownField();
      }
    }
    String at = in.pointer();
    in.violations().require(at + "/from", from != null);
    in.violations().require(at + "/to", to != null);
    if (from != null && to != null && !to.isAfter(from)) {
      in.violations().add(at + "/to", "It must lie after from.");
    }
    return from == null || to == null
        ? null
        : new BackfillRequest(from, to, overlap, reprocess, priority, dryRun);
  }

  private static <T> T or(@Nullable T given, T otherwise) {
    return given == null ? otherwise : given;
  }
}
