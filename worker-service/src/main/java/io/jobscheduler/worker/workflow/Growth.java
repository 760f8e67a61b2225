package io.jobscheduler.worker.workflow;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.jobscheduler.algorithms.graph.CycleFinder;
import io.jobscheduler.algorithms.graph.Graph;
import io.jobscheduler.algorithms.graph.KahnPlanner;
import io.jobscheduler.worker.handlers.AddedJob;
import io.jobscheduler.worker.handlers.AddedJob.After;
import io.jobscheduler.worker.handlers.GrowthException;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Jobs to add to a workflow, checked, parents before children, as the database takes them.
 *
 * @param jobs a JSON array
 * @param parents of each edge; parallel to {@code children} and {@code conditions}
 */
record Growth(String jobs, List<String> parents, List<String> children, List<String> conditions) {
  private static final JsonFactory JSON = new JsonFactory();
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,127}");
  private static final int MOST_ATTEMPTS = 1_000;
  private static final int HIGHEST_PRIORITY = 9;
  private static final Duration LONGEST = Duration.ofDays(365);

  /**
   * Checks them.
   *
   * @throws GrowthException naming the jobs that cannot be added, or a cycle that they form
   */
  static Growth of(List<AddedJob> added) throws GrowthException {
    List<String> invalid = added.stream().filter(job -> !isValid(job)).map(AddedJob::key).toList();
    if (!invalid.isEmpty()) {
      throw new GrowthException("invalid", invalid);
    }
    Map<String, Integer> nodes = new HashMap<>();
    Set<String> twice = new LinkedHashSet<>();
    for (int node = 0; node < added.size(); node++) {
      if (nodes.put(added.get(node).key(), node) != null) {
        twice.add(added.get(node).key());
      }
    }
    if (!twice.isEmpty()) {
      throw new GrowthException("duplicate-key", List.copyOf(twice));
    }
    Graph graph = graphOf(added, nodes);
    List<String> cycle =
        CycleFinder.find(graph).stream().map(node -> added.get(node).key()).toList();
    if (!cycle.isEmpty()) {
      throw new GrowthException("cycle", cycle);
    }
    int[] order = KahnPlanner.plan(graph, new double[added.size()]).order();
    List<String> parents = new ArrayList<>();
    List<String> children = new ArrayList<>();
    List<String> conditions = new ArrayList<>();
    for (AddedJob job : added) {
      for (After after : job.after()) {
        parents.add(after.key());
        children.add(job.key());
        conditions.add(after.on().name().toLowerCase(Locale.ROOT));
      }
    }
    return new Growth(json(added, order), parents, children, conditions);
  }

  /** The edges between the added jobs; those from older members cannot close a cycle. */
  private static Graph graphOf(List<AddedJob> added, Map<String, Integer> nodes) {
    Graph.Builder graph = Graph.builder(added.size());
    for (int child = 0; child < added.size(); child++) {
      for (After after : added.get(child).after()) {
        Integer parent = nodes.get(after.key());
        if (parent != null) {
          graph.edge(parent, child);
        }
      }
    }
    return graph.build();
  }

  private static boolean isValid(AddedJob job) {
    return NAME.matcher(job.key()).matches()
        && NAME.matcher(job.type()).matches()
        && job.priority() >= 0
        && job.priority() <= HIGHEST_PRIORITY
        && job.maxAttempts() >= 1
        && job.maxAttempts() <= MOST_ATTEMPTS
        && isWithin(job.timeout(), Duration.ofMillis(1))
        && isWithin(job.expected(), Duration.ZERO)
        && PayloadCheck.isStorable(job.payload());
  }

  private static boolean isWithin(@Nullable Duration duration, Duration least) {
    return duration == null || (duration.compareTo(least) >= 0 && duration.compareTo(LONGEST) <= 0);
  }

  private static String json(List<AddedJob> added, int[] order) {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = JSON.createGenerator(text)) {
      out.writeStartArray();
      for (int node : order) {
        write(out, added.get(node));
      }
      out.writeEndArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  private static void write(JsonGenerator out, AddedJob job) throws IOException {
    out.writeStartObject();
    out.writeStringField("key", job.key());
    out.writeStringField("type", job.type());
    out.writeStringField("queue", job.queue());
    out.writeNumberField("priority", job.priority());
    out.writeNumberField("maxAttempts", job.maxAttempts());
    if (job.timeout() != null) {
      out.writeNumberField("timeoutMs", job.timeout().toMillis());
    }
    if (job.expected() != null) {
      out.writeNumberField("expectedMs", job.expected().toMillis());
    }
    if (job.payload() != null) {
      out.writeFieldName("payload");
      // As it is, digit for digit: it has been checked.
      out.writeRawValue(job.payload());
    }
    out.writeEndObject();
  }
}
