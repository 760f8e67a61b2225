package io.jobscheduler.api.jobs;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.problem.Violations;
import io.jobscheduler.schema.state.JobState;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs a list shows.
 *
 * @param states never empty; all when none was asked for
 * @param schedule the name of the one that made them
 * @param error the fingerprint of the error that they died of
 * @param search what else their rows must have
 */
public record JobFilter(
    Set<JobState> states,
    @Nullable String queue,
    @Nullable String type,
    @Nullable Integer workflow,
    @Nullable String schedule,
    @Nullable String error,
    JobSearch search) {

  /**
   * Reads the query parameters; states may repeat or be separated by commas.
   *
   * @throws io.jobscheduler.api.problem.ProblemException naming all that are wrong
   */
  public static JobFilter of(
      List<String> states,
      @Nullable String queue,
      @Nullable String type,
      @Nullable String workflow) {
    Violations violations = new Violations();
    Set<JobState> wanted = EnumSet.noneOf(JobState.class);
    states.stream()
        .flatMap(s -> Arrays.stream(s.split(",", -1)))
        .forEach(
            label -> {
              if (JobState.isLabel(label)) {
                wanted.add(JobState.of(label));
              } else {
                violations.add("?state", "There is no state \"" + label + "\".");
              }
            });
    if (queue != null && !Fields.isName(queue)) {
      violations.add("?queue", "This is not a name.");
    }
    if (type != null && !Fields.isName(type)) {
      violations.add("?type", "This is not a name.");
    }
    Integer workflowId = null;
    if (workflow != null) {
      try {
        workflowId = Integer.valueOf(workflow);
      } catch (NumberFormatException e) {
        violations.add("?workflow", "Expected the id of a workflow.");
      }
    }
    violations.throwIfAny();
    return new JobFilter(
        wanted.isEmpty() ? EnumSet.allOf(JobState.class) : wanted,
        queue,
        type,
        workflowId,
        null,
        null,
        JobSearch.NONE);
  }

  /**
   * The same of one schedule's jobs only, unless {@code name} is null.
   *
   * @throws io.jobscheduler.api.problem.ProblemException when it is no name
   */
  public JobFilter ofSchedule(@Nullable String name) {
    if (name != null && !Fields.isName(name)) {
      throw ProblemException.at(ProblemType.VALIDATION_FAILED, "?schedule", "This is not a name.");
    }
    return new JobFilter(states, queue, type, workflow, name, error, search);
  }

  /**
   * The same of the jobs only that died of one error, unless {@code fingerprint} is null.
   *
   * @throws io.jobscheduler.api.problem.ProblemException when it is no fingerprint
   */
  public JobFilter ofError(@Nullable String fingerprint) {
    if (fingerprint != null && !Fields.isName(fingerprint)) {
      throw ProblemException.at(
          ProblemType.VALIDATION_FAILED, "?error", "Expected the fingerprint of an error.");
    }
    return new JobFilter(states, queue, type, workflow, schedule, fingerprint, search);
  }

  /** The same of those only in which {@code wanted} is found. */
  public JobFilter matching(JobSearch wanted) {
    return new JobFilter(states, queue, type, workflow, schedule, error, wanted);
  }

  List<String> liveStates() {
    return states.stream().filter(s -> !s.isTerminal()).map(JobState::label).toList();
  }

  List<String> terminalStates() {
    return states.stream().filter(JobState::isTerminal).map(JobState::label).toList();
  }
}
