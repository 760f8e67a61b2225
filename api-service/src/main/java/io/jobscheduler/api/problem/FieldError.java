package io.jobscheduler.api.problem;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * One bad value.
 *
 * @param pointer a JSON pointer into the body, {@code ?name} for a query parameter, or {@code
 *     {name}} for one of the path
 * @param detail what is wrong, for the caller
 * @param code inside a text with a grammar of its own: the kind of fault
 * @param field the part of that text at fault, {@code -} for the whole
 * @param position where it begins in the text, from 0
 * @param value the part as typed
 * @param hint what to write instead
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record FieldError(
    String pointer,
    String detail,
    @Schema(description = "kind of fault inside a cron expression or time zone, e.g. OUT_OF_RANGE")
        @Nullable String code,
    @Schema(description = "part of the expression at fault, - for the whole")
        @Nullable String field,
    @Schema(description = "where it begins in the text, from 0") @Nullable Integer position,
    @Schema(description = "the part as typed") @Nullable String value,
    @Schema(description = "what to write instead") @Nullable String hint) {

  /** A value that is wrong as a whole. */
  public FieldError(String pointer, String detail) {
    this(pointer, detail, null, null, null, null, null);
  }
}
