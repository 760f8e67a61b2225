package io.jobscheduler.api.workflows;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.jobscheduler.api.jobs.JobRequest;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/** The form in which the job of a callback is stored (workflow_callbacks.job). */
final class CallbackJson {
  private static final JsonFactory TEXT = new JsonFactory();

  private CallbackJson() {}

  /** All but the queue, which the statement that stores it adds in front. The payload as typed. */
  static String write(JobRequest job) {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = TEXT.createGenerator(text)) {
      out.writeStartObject();
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
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }
}
