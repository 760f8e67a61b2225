package io.jobscheduler.api.audit;

import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Whether the audit log of a project is what was sealed.
 *
 * @param whole whether the part that was checked is, and the chain's end
 * @param sealed the part that a chain holds
 * @param checked the part that was checked now
 * @param next to check the next part: what after is then; null: there is no more
 * @param broken where it is not what was sealed
 * @param unsealed what the leader has not sealed yet, and for which nothing vouches
 */
@Schema(name = "AuditVerdict")
public record Verdict(
    boolean whole,
    Sealed sealed,
    Checked checked,
    @Nullable Long next,
    @Nullable Broken broken,
    Tail unsealed) {

  /** The sealed part; its head, noted elsewhere, proves later that the chain was not made anew. */
  @Schema(name = "AuditSealed")
  public record Sealed(
      long entries,
      @Schema(description = "SHA-256 of the last link, in hexadecimal digits")
          @Nullable String head,
      @Nullable Instant sealedAt) {}

  /** The part of the sealed entries that this answer speaks of. */
  @Schema(name = "AuditChecked")
  public record Checked(
      @Schema(description = "so many entries before it were not checked again") long after,
      long entries,
      @Schema(description = "SHA-256 of the last link of this part, in hexadecimal digits")
          @Nullable String head) {}

  /** The first entry that is not what was sealed. */
  @Schema(name = "AuditBroken")
  public record Broken(
      String entry,
      @Schema(
              description =
                  "row-missing, row-changed, row-inserted, link-missing (before this entry) or"
                      + " end-missing")
          String why) {}

  /** The unsealed end. */
  @Schema(name = "AuditTail")
  public record Tail(
      @Schema(description = "counted up to 10,000") long entries, @Nullable Instant since) {}
}
