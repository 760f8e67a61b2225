package io.jobscheduler.api.schedules;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.jobscheduler.api.jobs.JobLimits;
import io.jobscheduler.api.json.JsonBody;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;

/**
 * Turns a merge patch into the schedule that it asks for, which is then read like any other: what
 * is wrong is named by the same pointers.
 */
@ApplicationScoped
class Patcher {
  /** What people set; all else of a schedule is the system's. */
  private static final Set<String> SETTABLE =
      Set.of(
          "name",
          "description",
          "cron",
          "dialect",
          "every",
          "anchor",
          "timeZone",
          "startAt",
          "endAt",
          "exclusions",
          "jitter",
          "maxRuns",
          "misfire",
          "overlap",
          "autoPauseAfter",
          "job",
          "workflow");

  private static final Set<String> MERGED_INSIDE = Set.of("misfire", "overlap", "job");
  private static final int MOST_BYTES = 2 * JsonBody.LARGE;

  private final ObjectMapper json;
  private final int mostPayloadBytes;

  Patcher(ObjectMapper json, JobLimits limits) {
    this.json = json.copy().setSerializationInclusion(JsonInclude.Include.NON_NULL);
    this.mostPayloadBytes = JobLimits.payloadBytes(limits);
  }

  /**
   * The schedule that {@code patch} makes of {@code row}.
   *
   * @throws io.jobscheduler.api.problem.ProblemException 400, 413, 422
   */
  ScheduleRequest apply(ScheduleRow row, Map<String, String> patch) {
    Map<String, String> target = MergePatch.members(text(row.shown()));
    target.keySet().retainAll(SETTABLE);
    String merged = MergePatch.text(MergePatch.apply(target, patch, MERGED_INSIDE));
    return JsonBody.read(
        new ByteArrayInputStream(merged.getBytes(StandardCharsets.UTF_8)),
        MOST_BYTES,
        in -> ScheduleRequestReader.read(in, mostPayloadBytes));
  }

  private String text(Schedule schedule) {
    try {
      return json.writeValueAsString(schedule);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
