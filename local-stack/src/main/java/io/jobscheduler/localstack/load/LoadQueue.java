package io.jobscheduler.localstack.load;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A queue of the load.
 *
 * @param maxConcurrency jobs that run at once; null: no limit
 * @param perKeyConcurrency jobs of one concurrency key that run at once; null: no limit
 * @param ratePerSecond starts per second; null: no limit
 * @param elastic whether faults may edit and pause it: the load puts it right again when it drains.
 *     Queues that nobody edits are also judged by every recorded lease, not only by samples.
 */
public record LoadQueue(
    String project,
    String name,
    @Nullable Integer maxConcurrency,
    @Nullable Integer perKeyConcurrency,
    @Nullable Integer ratePerSecond,
    boolean elastic) {

  /** Its path below {@code /api/v1}. */
  public String path() {
    return "/projects/" + project + "/queues/" + name;
  }

  /** The body that makes it so: of PUT, and of PATCH after somebody changed it. */
  public Map<String, Object> settings() {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("maxConcurrency", maxConcurrency);
    settings.put("perKeyConcurrency", perKeyConcurrency);
    settings.put("weight", 1);
    settings.put(
        "rateLimit",
        ratePerSecond == null
            ? null
            : Map.of("limit", ratePerSecond, "period", "PT1S", "burst", ratePerSecond));
    return settings;
  }
}
