package io.jobscheduler.api.jobs;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * How long to wait before the next attempt. In a policy all that its strategy uses is given; in a
 * rule only what replaces the policy's.
 *
 * @param strategy exponential, linear, fixed or list
 * @param base the first wait; absent for list
 * @param factor what each wait is multiplied with; exponential only
 * @param cap the longest wait; absent for list
 * @param delays the waits one by one, the last one repeated; list only
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RetryWaits(
    @Schema(
            enumeration = {"exponential", "linear", "fixed", "list"},
            defaultValue = "exponential")
        @Nullable String strategy,
    @Nullable Duration base,
    @Nullable Double factor,
    @Nullable Duration cap,
    @Nullable List<Duration> delays) {
  private static final BigDecimal NANOS = BigDecimal.valueOf(1_000_000_000L);

  boolean givesNothing() {
    return strategy == null && base == null && factor == null && cap == null && delays == null;
  }

  boolean usesList() {
    return "list".equals(strategy);
  }

  /** Writes the fields that jobs.retry_delay reads. */
  void store(JsonGenerator out) throws IOException {
    if (strategy != null) {
      out.writeStringField("strategy", strategy);
    }
    if (base != null) {
      out.writeNumberField("baseSeconds", seconds(base));
    }
    if (factor != null) {
      out.writeNumberField("factor", factor);
    }
    if (cap != null) {
      out.writeNumberField("capSeconds", seconds(cap));
    }
    if (delays != null) {
      out.writeArrayFieldStart("delaySeconds");
      for (Duration delay : delays) {
        out.writeNumber(seconds(delay));
      }
      out.writeEndArray();
    }
  }

  static RetryWaits ofStored(JsonNode node) {
    List<Duration> delays = null;
    if (node.has("delaySeconds")) {
      delays = new ArrayList<>();
      for (JsonNode delay : node.get("delaySeconds")) {
        delays.add(duration(delay));
      }
    }
    boolean list = node.path("strategy").asText().equals("list");
    return new RetryWaits(
        node.has("strategy") ? node.get("strategy").asText() : null,
        node.has("baseSeconds") ? duration(node.get("baseSeconds")) : null,
        node.has("factor") ? node.get("factor").asDouble() : null,
        node.has("capSeconds") && !list ? duration(node.get("capSeconds")) : null,
        delays);
  }

  static BigDecimal seconds(Duration duration) {
    return BigDecimal.valueOf(duration.getSeconds())
        .add(BigDecimal.valueOf(duration.getNano()).divide(NANOS))
        .stripTrailingZeros();
  }

  static Duration duration(JsonNode seconds) {
    return Duration.ofNanos(seconds.decimalValue().multiply(NANOS).longValue());
  }
}
