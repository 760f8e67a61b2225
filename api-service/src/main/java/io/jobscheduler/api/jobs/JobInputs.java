package io.jobscheduler.api.jobs;

import com.fasterxml.jackson.annotation.JsonRawValue;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * What the parents of a job left for it.
 *
 * @param items by the parents' ids, the first 1,000
 */
public record JobInputs(List<Input> items) {
  /**
   * A parent's result.
   *
   * @param job its id
   * @param key its key in the workflow of both; null when it is no member of that
   * @param outcome how it ended; null: it has not
   * @param result as it was typed; null when there is none to show
   * @param missing why there is none: none (it left none, or has not ended), gone (its retention
   *     has ended), too_large (over 256 KiB, or 4 MiB are shown already), hidden (the caller may
   *     not see payloads)
   */
  @Schema(name = "JobInput")
  public record Input(
      String job,
      @Nullable String key,
      @Schema(enumeration = {"succeeded", "dead", "cancelled", "skipped"}) @Nullable String outcome,
      @JsonRawValue @Schema(ref = "AnyJson") @Nullable String result,
      @Schema(enumeration = {"none", "gone", "too_large", "hidden"}) @Nullable String missing) {}
}
