package io.jobscheduler.api.schedules;

import io.jobscheduler.api.access.Grant;
import io.jobscheduler.schedule.cron.CronSyntaxException;
import io.jobscheduler.schedule.times.Preview;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import java.util.List;

/** Answers with a schedule and its tag. */
final class Answers {
  private Answers() {}

  static Response of(Response.ResponseBuilder answer, ScheduleRow row, Grant grant) {
    Schedule shown = row.shown().with(warnings(row));
    return answer
        .header(HttpHeaders.ETAG, row.etag())
        .entity(grant.payloadVisible() ? shown : shown.withoutPayloads())
        .build();
  }

  /** Of a schedule that cannot be reckoned, its state says enough. */
  private static List<Warning> warnings(ScheduleRow row) {
    try {
      return Warning.of(Preview.of(row.rule().times(), row.now(), 1));
    } catch (CronSyntaxException e) {
      return List.of();
    }
  }
}
