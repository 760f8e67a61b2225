package io.jobscheduler.api.jobs;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * When a failed attempt is tried again. Full jitter always: the wait is a random part of what the
 * strategy says.
 *
 * @param strategy exponential, linear, fixed or list
 * @param base the first wait; absent for list
 * @param factor what each wait is multiplied with; exponential only
 * @param cap the longest wait; absent for list
 * @param delays the waits one by one, the last one repeated; list only
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RetryPolicy(
    String strategy,
    @Nullable Duration base,
    @Nullable Double factor,
    @Nullable Duration cap,
    @Nullable List<Duration> delays) {
  private static final Set<String> STRATEGIES = Set.of("exponential", "linear", "fixed", "list");
  private static final Duration DEFAULT_BASE = Duration.ofSeconds(10);
  private static final Duration DEFAULT_CAP = Duration.ofHours(1);
  private static final double DEFAULT_FACTOR = 2;
  private static final double LARGEST_FACTOR = 100;
  private static final Duration LONGEST = Duration.ofDays(30);
  private static final int MOST_DELAYS = 100;
  private static final BigDecimal NANOS = BigDecimal.valueOf(1_000_000_000L);
  private static final ObjectMapper STORED = new ObjectMapper();
  private static final JsonFactory TEXT = new JsonFactory();

  /** What applies when a job names none. */
  static final RetryPolicy DEFAULT =
      new RetryPolicy("exponential", DEFAULT_BASE, DEFAULT_FACTOR, DEFAULT_CAP, null);

  /**
   * Reads a policy and returns it as jobs.retry_delay takes it; null when absent or, noted, wrong.
   */
  static @Nullable String read(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    String strategy = "exponential";
    Duration base = null;
    Double factor = null;
    Duration cap = null;
    List<Duration> delays = null;
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "strategy" -> {
          String given = in.string();
          if (given != null && !STRATEGIES.contains(given)) {
            in.reject("Expected exponential, linear, fixed or list.");
          } else if (given != null) {
            strategy = given;
          }
        }
        case "base" -> base = Fields.duration(in, LONGEST);
        case "factor" -> factor = in.number(1, LARGEST_FACTOR);
        case "cap" -> cap = Fields.duration(in, LONGEST);
        case "delays" -> delays = readDelays(in);
        default -> in.unknownField();
      }
    }
    String pointer = in.pointer();
    boolean list = strategy.equals("list");
    in.violations().require(pointer + "/delays", !list || delays != null);
    if (!list && delays != null) {
      in.violations().add(pointer + "/delays", "Only the strategy list has delays.");
    }
    if (list && (base != null || cap != null)) {
      in.violations().add(pointer, "The strategy list has delays only, no base and no cap.");
    }
    if (factor != null && !strategy.equals("exponential")) {
      in.violations().add(pointer + "/factor", "Only the strategy exponential has a factor.");
    }
    Duration first = base == null ? DEFAULT_BASE : base;
    Duration longest = cap != null ? cap : first.compareTo(DEFAULT_CAP) > 0 ? first : DEFAULT_CAP;
    if (longest.compareTo(first) < 0) {
      in.violations().add(pointer + "/cap", "The cap must not be shorter than the base.");
    }
    return list
        ? new RetryPolicy(strategy, null, null, null, delays).stored()
        : new RetryPolicy(
                strategy,
                first,
                strategy.equals("exponential") ? (factor == null ? DEFAULT_FACTOR : factor) : null,
                longest,
                null)
            .stored();
  }

  private static @Nullable List<Duration> readDelays(JsonReader in) {
    if (!in.startArray()) {
      return null;
    }
    List<Duration> delays = new ArrayList<>();
    int items = 0;
    while (in.nextItem()) {
      items++;
      Duration delay = Fields.duration(in, LONGEST);
      if (delay != null && items <= MOST_DELAYS) {
        delays.add(delay);
      }
    }
    if (items < 1 || items > MOST_DELAYS) {
      in.violations().add(in.pointer(), "Expected 1 to " + MOST_DELAYS + " delays.");
    }
    return delays;
  }

  /** The JSON that jobs.retry_delay reads. */
  String stored() {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = TEXT.createGenerator(text)) {
      out.writeStartObject();
      out.writeStringField("strategy", strategy);
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
      out.writeStringField("jitter", "full");
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  private static BigDecimal seconds(Duration duration) {
    return BigDecimal.valueOf(duration.getSeconds())
        .add(BigDecimal.valueOf(duration.getNano()).divide(NANOS))
        .stripTrailingZeros();
  }

  /** The policy in a stored JSON; the default for null. */
  public static RetryPolicy ofStored(@Nullable String stored) {
    if (stored == null) {
      return DEFAULT;
    }
    try {
      JsonNode node = STORED.readTree(stored);
      List<Duration> delays = null;
      if (node.has("delaySeconds")) {
        delays = new ArrayList<>();
        for (JsonNode delay : node.get("delaySeconds")) {
          delays.add(duration(delay));
        }
      }
      return new RetryPolicy(
          node.path("strategy").asText("exponential"),
          node.has("baseSeconds") ? duration(node.get("baseSeconds")) : null,
          node.has("factor") ? node.get("factor").asDouble() : null,
          node.has("capSeconds") ? duration(node.get("capSeconds")) : null,
          delays);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a retry policy in the database is not JSON", e);
    }
  }

  private static Duration duration(JsonNode seconds) {
    return Duration.ofNanos(seconds.decimalValue().multiply(NANOS).longValue());
  }
}
