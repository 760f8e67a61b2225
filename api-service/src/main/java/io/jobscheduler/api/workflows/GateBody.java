package io.jobscheduler.api.workflows;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The bodies that open gates. */
final class GateBody {
  private GateBody() {}

  /** What a signal brings. */
  @Schema(name = "SignalRequest")
  public record Signal(
      @Schema(ref = "AnyJson", description = "becomes the result of the gates that wait for it")
          @Nullable Object payload) {
    static final Signal NONE = new Signal(null);

    static @Nullable Signal read(JsonReader in, int mostBytes) {
      if (!in.startObject()) {
        return null;
      }
      String payload = null;
      String field;
      while ((field = in.nextField()) != null) {
        if (field.equals("payload")) {
          payload = in.verbatim(mostBytes);
        } else {
          in.unknownField();
        }
      }
      return new Signal(payload);
    }
  }

  /** A decision. */
  @Schema(name = "ApprovalRequest")
  public record Decision(
      @Schema(
              required = true,
              enumeration = {"approve", "reject"})
          String decision,
      @Schema(maxLength = ActionBody.LONGEST_REASON) @Nullable String comment) {
    static @Nullable Decision read(JsonReader in) {
      if (!in.startObject()) {
        return null;
      }
      String at = in.pointer();
      String decision = null;
      String comment = null;
      String field;
      while ((field = in.nextField()) != null) {
        switch (field) {
          case "decision" -> {
            decision = in.string();
            if (decision != null && !decision.equals("approve") && !decision.equals("reject")) {
              in.reject("Expected approve or reject.");
            }
          }
          case "comment" -> comment = Fields.text(in, 1, ActionBody.LONGEST_REASON);
          default -> in.unknownField();
        }
      }
      in.violations().require(at + "/decision", decision != null);
      return decision == null ? null : new Decision(decision, comment);
    }
  }
}
