package io.jobscheduler.api.workflows;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The bodies of what is done to a workflow; all of them may be absent. */
final class ActionBody {
  static final int LONGEST_REASON = 1_000;

  private ActionBody() {}

  /** What a retry runs again. */
  @Schema(name = "RetryWorkflowRequest")
  public record Retry(
      @Schema(
              enumeration = {"failed", "failed-and-downstream", "all"},
              defaultValue = "failed")
          @Nullable String mode,
      @Schema(defaultValue = "false", description = "only say what would happen")
          @Nullable Boolean dryRun) {
    static final Retry DEFAULT = new Retry(null, null);

    static @Nullable Retry read(JsonReader in) {
      if (!in.startObject()) {
        return null;
      }
      String mode = null;
      Boolean dryRun = null;
      String field;
      while ((field = in.nextField()) != null) {
        switch (field) {
          case "mode" -> {
            mode = in.string();
            if (mode != null && Rerun.Mode.of(mode) == null) {
              in.reject("Expected failed, failed-and-downstream or all.");
            }
          }
          case "dryRun" -> dryRun = in.bool();
          default -> in.unknownField();
        }
      }
      return new Retry(mode, dryRun);
    }

    Rerun.Mode chosen() {
      Rerun.Mode chosen = mode == null ? null : Rerun.Mode.of(mode);
      return chosen == null ? Rerun.Mode.FAILED : chosen;
    }
  }

  /** Why, and whether only to say what would happen. */
  @Schema(name = "WorkflowActionRequest")
  public record Reason(
      @Schema(maxLength = LONGEST_REASON) @Nullable String reason,
      @Schema(defaultValue = "false", description = "only say what would happen")
          @Nullable Boolean dryRun) {
    static final Reason NONE = new Reason(null, null);

    static @Nullable Reason read(JsonReader in) {
      if (!in.startObject()) {
        return null;
      }
      String reason = null;
      Boolean dryRun = null;
      String field;
      while ((field = in.nextField()) != null) {
        switch (field) {
          case "reason" -> reason = Fields.text(in, 1, LONGEST_REASON);
          case "dryRun" -> dryRun = in.bool();
          default -> in.unknownField();
        }
      }
      return new Reason(reason, dryRun);
    }

    boolean isDryRun() {
      return Boolean.TRUE.equals(dryRun);
    }
  }

  /** Why a workflow is paused. */
  @Schema(name = "PauseWorkflowRequest")
  public record Pause(@Schema(maxLength = LONGEST_REASON) @Nullable String reason) {
    static final Pause NONE = new Pause(null);

    static @Nullable Pause read(JsonReader in) {
      if (!in.startObject()) {
        return null;
      }
      String reason = null;
      String field;
      while ((field = in.nextField()) != null) {
        if (field.equals("reason")) {
          reason = Fields.text(in, 1, LONGEST_REASON);
        } else {
          in.unknownField();
        }
      }
      return new Pause(reason);
    }
  }

  /** A result in place of a job's own. */
  @Schema(name = "MarkSucceededRequest")
  public record Mark(
      @Schema(ref = "AnyJson") @Nullable Object result,
      @Schema(maxLength = LONGEST_REASON) @Nullable String reason,
      @Schema(defaultValue = "false", description = "only say what would happen")
          @Nullable Boolean dryRun) {
    static final Mark NONE = new Mark(null, null, null);

    static @Nullable Mark read(JsonReader in, int mostBytes) {
      if (!in.startObject()) {
        return null;
      }
      String result = null;
      String reason = null;
      Boolean dryRun = null;
      String field;
      while ((field = in.nextField()) != null) {
        switch (field) {
          case "result" -> result = in.verbatim(mostBytes);
          case "reason" -> reason = Fields.text(in, 1, LONGEST_REASON);
          case "dryRun" -> dryRun = in.bool();
          default -> in.unknownField();
        }
      }
      return new Mark(result, reason, dryRun);
    }
  }

  /** Another payload. */
  @Schema(name = "EditWorkflowJobRequest")
  public record Edit(@Schema(ref = "AnyJson", required = true) @Nullable Object payload) {
    static @Nullable Edit read(JsonReader in, int mostBytes) {
      if (!in.startObject()) {
        return null;
      }
      String at = in.pointer();
      String payload = null;
      String field;
      while ((field = in.nextField()) != null) {
        if (field.equals("payload")) {
          payload = in.verbatim(mostBytes);
        } else {
          in.unknownField();
        }
      }
      in.violations().require(at + "/payload", payload != null);
      return new Edit(payload);
    }
  }
}
