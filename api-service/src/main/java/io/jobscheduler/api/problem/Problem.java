package io.jobscheduler.api.problem;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * An RFC 9457 problem document.
 *
 * @param type URI reference of the problem type
 * @param title the type's short text
 * @param status the HTTP status
 * @param detail what went wrong this time, for the caller
 * @param instance the request's path
 * @param errors the bad fields, if any
 * @param requestId the request's id, which the server's log names too
 * @param cycle the keys of a workflow's cycle, the first again at the end
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@Schema(name = "Problem", description = "RFC 9457 problem document")
public record Problem(
    String type,
    String title,
    int status,
    String detail,
    String instance,
    @Nullable String requestId,
    @Nullable List<FieldError> errors,
    @Nullable List<String> cycle) {}
