package io.jobscheduler.api.workflows;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.jobscheduler.api.jobs.JobRequest;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/**
 * Jobs as JSON for the database: the form in which the job of a callback is stored
 * (workflow_callbacks.job), and that of jobs which are added to a workflow (add_members).
 */
final class CallbackJson {
  private static final JsonFactory TEXT = new JsonFactory();

  private CallbackJson() {}

  /** All but the queue, which the statement that stores it adds in front. The payload as typed. */
  static String write(JobRequest job) {
    return object(out -> writeJob(out, job));
  }

  /** A member to add, with its key and queue. */
  static String writeMember(WorkflowRequest.Member member) {
    return object(
        out -> {
          JobRequest job = member.job();
          out.writeStringField("key", member.key());
          out.writeStringField("queue", job.queue());
          writeJob(out, job);
          if (job.options().startBy() != null) {
            out.writeStringField("startBy", job.options().startBy().toString());
          }
          writeNode(out, member.node());
        });
  }

  private static void writeNode(JsonGenerator out, WorkflowRequest.Node node) throws IOException {
    Gate gate = node.gate();
    if (gate != null) {
      out.writeStringField("gate", gate.kind());
      if (gate.until() != null) {
        out.writeStringField("runAt", gate.until().toString());
      }
    }
    if (node.join() != null) {
      out.writeStringField("join", node.join());
    }
    if (node.expected() != null) {
      out.writeNumberField("expectedMs", node.expected().toMillis());
    }
  }

  private interface Fields {
    void write(JsonGenerator out) throws IOException;
  }

  private static String object(Fields fields) {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = TEXT.createGenerator(text)) {
      out.writeStartObject();
      fields.write(out);
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  private static void writeJob(JsonGenerator out, JobRequest job) throws IOException {
    out.writeStringField("type", job.type());
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
  }
}
