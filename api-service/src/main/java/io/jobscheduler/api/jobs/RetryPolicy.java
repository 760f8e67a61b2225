package io.jobscheduler.api.jobs;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.jobscheduler.api.json.JsonReader;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * When a failed attempt is tried again. Full jitter always: the wait is a random part of what the
 * strategy says.
 *
 * @param waits the strategy and its figures
 * @param maxElapsed no attempt starts later than this after the first one; null: no such bound
 * @param rules what errors of some kinds change; null for none
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RetryPolicy(
    @JsonUnwrapped RetryWaits waits,
    @Schema(description = "PT0.001S to P365D; then the job is dead") @Nullable Duration maxElapsed,
    @Schema(maxItems = 20) @Nullable List<RetryRule> rules) {
  static final Duration DEFAULT_BASE = Duration.ofSeconds(10);
  static final Duration DEFAULT_CAP = Duration.ofHours(1);
  static final Duration LONGEST_WAIT = Duration.ofDays(30);
  static final double DEFAULT_FACTOR = 2;
  private static final ObjectMapper STORED = new ObjectMapper();
  private static final JsonFactory TEXT = new JsonFactory();

  /** What applies when neither a job nor its queue names one. */
  static final RetryPolicy DEFAULT =
      of("exponential", DEFAULT_BASE, DEFAULT_FACTOR, DEFAULT_CAP, null);

  static RetryPolicy of(
      String strategy,
      @Nullable Duration base,
      @Nullable Double factor,
      @Nullable Duration cap,
      @Nullable List<Duration> delays) {
    return new RetryPolicy(new RetryWaits(strategy, base, factor, cap, delays), null, null);
  }

  /**
   * Reads a policy and returns it as jobs.retry_delay takes it; null when absent or, noted, wrong.
   */
  public static @Nullable String read(JsonReader in) {
    RetryPolicy policy = RetryPolicyReader.read(in);
    return policy == null ? null : policy.stored();
  }

  /** The JSON that jobs.retry_delay and jobs.retry_policy_for read. */
  String stored() {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = TEXT.createGenerator(text)) {
      out.writeStartObject();
      waits.store(out);
      out.writeStringField("jitter", "full");
      if (maxElapsed != null) {
        out.writeNumberField("maxElapsedSeconds", RetryWaits.seconds(maxElapsed));
      }
      if (rules != null) {
        out.writeArrayFieldStart("rules");
        for (RetryRule rule : rules) {
          store(rule, out);
        }
        out.writeEndArray();
      }
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  private static void store(RetryRule rule, JsonGenerator out) throws IOException {
    out.writeStartObject();
    out.writeArrayFieldStart("kinds");
    for (String kind : rule.kinds()) {
      out.writeString(kind);
    }
    out.writeEndArray();
    out.writeStringField("action", rule.action());
    if (rule.waits() != null) {
      rule.waits().store(out);
      if (rule.waits().usesList()) {
        // Else the policy's cap, which is not meant for a list, would hold.
        out.writeNumberField("capSeconds", LONGEST_WAIT.getSeconds());
      }
    }
    out.writeEndObject();
  }

  /** The policy in a stored JSON; the default for null. */
  public static RetryPolicy ofStored(@Nullable String stored) {
    if (stored == null) {
      return DEFAULT;
    }
    try {
      JsonNode node = STORED.readTree(stored);
      return new RetryPolicy(
          RetryWaits.ofStored(node),
          node.has("maxElapsedSeconds") ? RetryWaits.duration(node.get("maxElapsedSeconds")) : null,
          node.has("rules") ? rulesOf(node.get("rules")) : null);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a retry policy in the database is not JSON", e);
    }
  }

  private static List<RetryRule> rulesOf(JsonNode nodes) {
    List<RetryRule> rules = new ArrayList<>();
    for (JsonNode node : nodes) {
      List<String> kinds = new ArrayList<>();
      node.path("kinds").forEach(kind -> kinds.add(kind.asText()));
      RetryWaits waits = RetryWaits.ofStored(node);
      rules.add(
          new RetryRule(
              kinds, node.path("action").asText("retry"), waits.givesNothing() ? null : waits));
    }
    return rules;
  }
}
