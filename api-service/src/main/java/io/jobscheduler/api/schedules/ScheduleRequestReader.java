package io.jobscheduler.api.schedules;

import io.jobscheduler.api.jobs.JobRequest;
import io.jobscheduler.api.jobs.JobRequestReader;
import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import io.jobscheduler.api.workflows.Cycles;
import io.jobscheduler.api.workflows.WorkflowRequest;
import io.jobscheduler.api.workflows.WorkflowRequestReader;
import io.jobscheduler.schedule.misfire.MisfirePolicy;
import io.jobscheduler.schedule.misfire.MisfireRule;
import io.jobscheduler.schedule.times.Jitter;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a schedule out of a request body. */
final class ScheduleRequestReader {
  /** Jobs of a workflow template; each fire inserts them in one short transaction. */
  static final int MOST_WORKFLOW_JOBS = 1_000;

  private static final int MOST_RUNS = Integer.MAX_VALUE;
  private static final int MOST_QUEUED = 1_000;
  private static final int MOST_FAILURES = 1_000;
  private static final int LONGEST_DESCRIPTION = 1_000;
  private static final Duration SHORTEST_START = Duration.ofSeconds(1);
  private static final Duration LONGEST_START = Duration.ofDays(365);
  // Names of resources beside the schedules.
  private static final Set<String> RESERVED = Set.of("preview", "heat-map");

  private final JsonReader in;
  private final int mostPayloadBytes;
  private final RuleReader rule;
  private @Nullable String name;
  private @Nullable String description;
  private @Nullable Integer maxRuns;
  private Duration jitter = Duration.ZERO;
  private MisfireRule misfire = MisfireRule.DEFAULT;
  private OverlapPolicy overlap = OverlapPolicy.SKIP;
  private int queueBound = 100;
  private @Nullable Integer autoPauseAfter;
  private boolean jobGiven;
  private boolean workflowGiven;
  private @Nullable JobRequest job;
  private @Nullable Duration startWithin;
  private @Nullable WorkflowRequest workflow;

  private ScheduleRequestReader(JsonReader in, int mostPayloadBytes) {
    this.in = in;
    this.mostPayloadBytes = mostPayloadBytes;
    this.rule = new RuleReader(in);
  }

  /** Whether a schedule may have this name. */
  static boolean isName(String name) {
    return Fields.isName(name) && !RESERVED.contains(name);
  }

  /** A schedule; null when, noted, it is not one. */
  static @Nullable ScheduleRequest read(JsonReader in, int mostPayloadBytes) {
    if (!in.startObject()) {
      return null;
    }
    ScheduleRequestReader schedule = new ScheduleRequestReader(in, mostPayloadBytes);
    String field;
    while ((field = in.nextField()) != null) {
      if (!schedule.rule.take(field)) {
        schedule.take(field);
      }
    }
    return schedule.finish();
  }

  private void take(String field) {
    switch (field) {
      case "name" -> name = readName();
      case "description" -> description = Fields.text(in, 0, LONGEST_DESCRIPTION);
      case "maxRuns" -> maxRuns = in.integer(1, MOST_RUNS);
      case "jitter" -> jitter = or(millis(Fields.duration(in, Jitter.LONGEST)), jitter);
      case "misfire" -> misfire = readMisfire(in, misfire);
      case "overlap" -> readOverlap();
      case "autoPauseAfter" -> autoPauseAfter = in.integer(1, MOST_FAILURES);
      case "job" -> readJob();
      case "workflow" -> readWorkflow();
      default -> in.unknownField();
    }
  }

  private @Nullable String readName() {
    String given = Fields.name(in);
    if (given != null && RESERVED.contains(given)) {
      in.reject("This name is taken by a resource beside the schedules.");
      return null;
    }
    return given;
  }

  /** Whole milliseconds, as they are stored. */
  private static @Nullable Duration millis(@Nullable Duration given) {
    return given == null ? null : Duration.ofMillis(given.toMillis());
  }

  private static MisfireRule readMisfire(JsonReader in, MisfireRule before) {
    if (!in.startObject()) {
      return before;
    }
    MisfireRule rule = before;
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "policy" ->
            rule =
                new MisfireRule(
                    or(Words.read(in, MisfirePolicy.class), rule.policy()),
                    rule.catchUpWindow(),
                    rule.maxCatchUp());
        case "maxCatchUp", "window" -> rule = take(in, field, rule);
        default -> in.unknownField();
      }
    }
    return rule;
  }

  /** {@code before} with the value of {@code field}, which is maxCatchUp or window. */
  static MisfireRule take(JsonReader in, String field, MisfireRule before) {
    return field.equals("window")
        ? new MisfireRule(
            before.policy(),
            or(millis(Fields.duration(in, MisfireRule.LONGEST_WINDOW)), before.catchUpWindow()),
            before.maxCatchUp())
        : new MisfireRule(
            before.policy(),
            before.catchUpWindow(),
            or(in.integer(1, MisfireRule.MOST_CATCH_UP), before.maxCatchUp()));
  }

  private void readOverlap() {
    if (!in.startObject()) {
      return;
    }
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "policy" -> overlap = or(Words.read(in, OverlapPolicy.class), overlap);
        case "bound" -> queueBound = or(in.integer(1, MOST_QUEUED), queueBound);
        default -> in.unknownField();
      }
    }
  }

  private void readJob() {
    if (!in.startObject()) {
      return;
    }
    jobGiven = true;
    JobRequestReader reader = JobRequestReader.inWorkflow(in, mostPayloadBytes);
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "startWithin" ->
            startWithin = millis(Fields.duration(in, SHORTEST_START, LONGEST_START));
        // An instant would be the same for every fire.
        case "startBy" -> in.unknownField();
        default -> {
          if (!reader.take(field)) {
            in.unknownField();
          }
        }
      }
    }
    job = reader.finish();
  }

  private void readWorkflow() {
    String at = in.pointer();
    int before = in.violations().count();
    WorkflowRequest read = WorkflowRequestReader.readTemplate(in, mostPayloadBytes);
    // A null is absent: the job is then the one that is missing.
    workflowGiven = read != null || in.violations().count() > before;
    if (read == null) {
      return;
    }
    if (read.jobs().size() > MOST_WORKFLOW_JOBS) {
      in.violations()
          .add(at + "/jobs", "A schedule's workflow has at most " + MOST_WORKFLOW_JOBS + " jobs.");
    }
    for (int i = 0; i < read.jobs().size(); i++) {
      if (read.jobs().get(i).job().options().startBy() != null) {
        in.violations()
            .add(
                at + "/jobs/" + i + "/startBy",
                "An instant would be the same for every fire; it has none here.");
      }
    }
    workflow = read;
  }

  private @Nullable ScheduleRequest finish() {
    String at = in.pointer();
    if (!jobGiven && !workflowGiven) {
      in.violations().require(at + "/job", false);
    } else if (jobGiven && workflowGiven) {
      in.violations().add(at + "/workflow", "Give either job or workflow, not both.");
    }
    ScheduleRule read = rule.finish();
    if (workflow != null && in.violations().isEmpty()) {
      Cycles.refuse(workflow);
    }
    return read == null || job == null && workflow == null
        ? null
        : new ScheduleRequest(
            name,
            description,
            read,
            maxRuns,
            jitter,
            misfire,
            overlap,
            queueBound,
            autoPauseAfter,
            job,
            startWithin,
            workflow);
  }

  private static <T> T or(@Nullable T given, T otherwise) {
    return given == null ? otherwise : given;
  }
}
