package io.jobscheduler.api.jobs;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.jobscheduler.api.problem.FieldError;
import io.jobscheduler.api.problem.ProblemException;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * What became of one line.
 *
 * @param line its number, from 1
 * @param status as if it had been a request of its own
 * @param id the job's, or of the job that holds its unique key; null when the caller does not reach
 *     that
 * @param state the job's at that time
 * @param duplicate true when another job stands for it
 * @param replayed true when this is the first answer to its idempotencyKey, given again
 * @param type the kind of problem, if it was refused
 * @param detail what is wrong, for the caller
 * @param errors the bad fields
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@Schema(name = "LineAnswer")
record LineAnswer(
    int line,
    int status,
    @Nullable String id,
    @Schema(ref = "JobState") @Nullable String state,
    @Nullable Boolean duplicate,
    @Nullable Boolean replayed,
    @Nullable String type,
    @Nullable String detail,
    @Nullable List<FieldError> errors) {

  static LineAnswer of(int line, Verdict.Created created) {
    return new LineAnswer(
        line,
        201,
        Long.toString(created.job().id()),
        created.job().state(),
        null,
        null,
        null,
        null,
        null);
  }

  static LineAnswer of(int line, Verdict.Duplicate duplicate) {
    return new LineAnswer(
        line,
        200,
        Long.toString(duplicate.holder()),
        duplicate.state(),
        true,
        null,
        null,
        null,
        null);
  }

  static LineAnswer of(int line, ProblemException problem) {
    return new LineAnswer(
        line,
        problem.type().status(),
        null,
        null,
        null,
        null,
        problem.type().uri(),
        problem.getMessage(),
        problem.errors().isEmpty() ? null : problem.errors());
  }

  /** The same, but for which job holds the key. */
  LineAnswer withoutHolder() {
    return new LineAnswer(line, status, null, null, duplicate, replayed, type, detail, errors);
  }

  /** The same for another line, given again. */
  LineAnswer again(int otherLine) {
    return new LineAnswer(otherLine, status, id, state, duplicate, true, type, detail, errors);
  }
}
