package io.jobscheduler.api.schedules;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.jobscheduler.api.jobs.JobExtras;
import io.jobscheduler.api.jobs.JobRequest;
import io.jobscheduler.api.jobs.RetryPolicy;
import io.jobscheduler.api.json.JsonReader;
import io.jobscheduler.api.problem.Violations;
import io.jobscheduler.api.workflows.WorkflowRequest;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The form in which a workflow template is stored (schedules.workflow): queues by id, so that the
 * leader need not know names; payloads as typed.
 */
final class WorkflowJson {
  static final int DEFAULT_ATTEMPTS = 20;

  private static final JsonFactory TEXT = new JsonFactory();

  private WorkflowJson() {}

  static String write(WorkflowRequest workflow, Map<String, Integer> queues) {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = TEXT.createGenerator(text)) {
      out.writeStartObject();
      out.writeStringField("name", workflow.name());
      out.writeStringField("onFailure", workflow.onFailure());
      out.writeArrayFieldStart("jobs");
      for (WorkflowRequest.Member member : workflow.jobs()) {
        write(out, member, queues);
      }
      out.writeEndArray();
      out.writeArrayFieldStart("edges");
      for (WorkflowRequest.Edge edge : workflow.edges()) {
        out.writeStartObject();
        out.writeStringField("parent", workflow.jobs().get(edge.parent()).key());
        out.writeStringField("child", workflow.jobs().get(edge.child()).key());
        out.writeStringField("on", edge.on());
        out.writeEndObject();
      }
      out.writeEndArray();
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  private static void write(
      JsonGenerator out, WorkflowRequest.Member member, Map<String, Integer> queues)
      throws IOException {
    JobRequest job = member.job();
    out.writeStartObject();
    out.writeStringField("key", member.key());
    out.writeStringField("type", job.type());
    out.writeNumberField("queueId", Objects.requireNonNull(queues.get(job.queue())));
    if (job.payload() != null) {
      out.writeFieldName("payload");
      out.writeRawValue(job.payload());
    }
    out.writeNumberField("priority", job.priority());
    out.writeNumberField("maxAttempts", job.maxAttempts());
    if (job.retryPolicy() != null) {
      out.writeFieldName("retryPolicy");
      out.writeRawValue(job.retryPolicy());
    }
    Long timeout = job.options().timeoutMillis();
    if (timeout != null) {
      out.writeNumberField("timeoutMs", timeout);
    }
    out.writeNumberField("cost", job.options().cost());
    if (job.options().concurrencyKey() != null) {
      out.writeStringField("concurrencyKey", job.options().concurrencyKey());
    }
    job.extras().write(out);
    out.writeEndObject();
  }

  /** What was stored, as the API shows it; digits of payloads are kept. */
  static WorkflowTemplate read(String stored, Map<Integer, String> queues) {
    JsonReader in = new JsonReader(stored.getBytes(StandardCharsets.UTF_8), new Violations());
    String name = "";
    String onFailure = "";
    List<Member> members = new ArrayList<>();
    Map<String, List<WorkflowTemplate.Need>> needs = new HashMap<>();
    in.startObject();
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "name" -> name = Objects.requireNonNull(in.string());
        case "onFailure" -> onFailure = Objects.requireNonNull(in.string());
        case "jobs" -> {
          in.startArray();
          while (in.nextItem()) {
            members.add(Member.read(in));
          }
        }
        case "edges" -> {
          in.startArray();
          while (in.nextItem()) {
            readEdge(in, needs);
          }
        }
        default -> in.unknownField();
      }
    }
    return new WorkflowTemplate(
        name,
        onFailure,
        members.stream().map(m -> m.shown(queues, needs.getOrDefault(m.key, List.of()))).toList());
  }

  private static void readEdge(JsonReader in, Map<String, List<WorkflowTemplate.Need>> needs) {
    Map<String, String> edge = new HashMap<>();
    in.startObject();
    String field;
    while ((field = in.nextField()) != null) {
      edge.put(field, Objects.requireNonNull(in.string()));
    }
    needs
        .computeIfAbsent(Objects.requireNonNull(edge.get("child")), k -> new ArrayList<>())
        .add(
            new WorkflowTemplate.Need(
                Objects.requireNonNull(edge.get("parent")),
                Objects.requireNonNull(edge.get("on"))));
  }

  /** A stored job, while its fields come in. */
  private static final class Member {
    private String key = "";
    private String type = "";
    private int queue;
    private @Nullable String payload;
    private int priority;
    private int maxAttempts;
    private @Nullable String retryPolicy;
    private @Nullable Duration timeout;
    private int cost;
    private @Nullable String concurrencyKey;
    private JobExtras extras = JobExtras.NONE;

    static Member read(JsonReader in) {
      Member member = new Member();
      in.startObject();
      String field;
      while ((field = in.nextField()) != null) {
        switch (field) {
          case "key" -> member.key = Objects.requireNonNull(in.string());
          case "type" -> member.type = Objects.requireNonNull(in.string());
          case "queueId" -> member.queue = number(in);
          case "payload" -> member.payload = in.verbatim(Integer.MAX_VALUE);
          case "priority" -> member.priority = number(in);
          case "maxAttempts" -> member.maxAttempts = number(in);
          case "retryPolicy" -> member.retryPolicy = in.verbatim(Integer.MAX_VALUE);
          case "timeoutMs" ->
              member.timeout = Duration.ofMillis(Long.parseLong(in.verbatim(Integer.MAX_VALUE)));
          case "cost" -> member.cost = number(in);
          case "concurrencyKey" -> member.concurrencyKey = in.string();
          default -> {
            JobExtras more = JobExtras.take(in, field, member.extras);
            if (more == null) {
              in.unknownField();
            } else {
              member.extras = more;
            }
          }
        }
      }
      return member;
    }

    private static int number(JsonReader in) {
      return Objects.requireNonNull(in.integer(0, Integer.MAX_VALUE));
    }

    WorkflowTemplate.Member shown(Map<Integer, String> queues, List<WorkflowTemplate.Need> needs) {
      return new WorkflowTemplate.Member(
          key,
          type,
          queues.getOrDefault(queue, ""),
          payload,
          priority,
          maxAttempts,
          retryPolicy == null ? null : RetryPolicy.ofStored(retryPolicy),
          timeout,
          cost,
          concurrencyKey,
          extras.tags(),
          extras.metadata(),
          needs);
    }
  }
}
