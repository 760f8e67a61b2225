package io.jobscheduler.localstack.load;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Draws jobs and workflows. One thread; the same seed draws the same ones. */
final class JobMaker {
  /** A job: its body as the API takes it. */
  record Made(Map<String, Object> body, String queue, Expectation expectation) {}

  /** A workflow; {@code fails}: a node of it dies by its own word. */
  record Flow(Map<String, Object> body, boolean fails) {}

  private static final Map<String, Object> QUICK_RETRY =
      Map.of("strategy", "fixed", "base", "PT0.5S");

  private final Random random;
  private final int lengthy;

  /**
   * Draws by that source. Whatever the rate, one lengthy job begins in a second: a few run at any
   * time, so that who kills a worker hits some.
   */
  JobMaker(Random random, int jobsPerSecond) {
    this.random = random;
    this.lengthy = Math.min(300, Math.max(4, 1_000 / jobsPerSecond));
  }

  /** Mostly short ones that succeed, over all queues; some of each other fate. */
  Made any() {
    int drawn = random.nextInt(1000);
    if (drawn < 40) {
      return failing();
    }
    if (drawn < 70) {
      return dying();
    }
    if (drawn < 80) {
      return late();
    }
    if (drawn < 80 + lengthy) {
      return lengthy();
    }
    return brief();
  }

  private Made brief() {
    Map<String, Object> body =
        random.nextInt(3) == 0
            ? body("echo", Map.of("n", random.nextInt()))
            : body("sleep", Map.of("millis", random.nextInt(20)));
    return placed(body, Expectation.SUCCEEDS);
  }

  /** Seconds; one in ten so long that a worker without a database has to give its lease up. */
  private Made lengthy() {
    int millis =
        random.nextInt(10) == 0 ? 20_000 + random.nextInt(5_000) : 2_000 + random.nextInt(3_000);
    return slow(Map.of("millis", millis));
  }

  /**
   * Where workers die all the time one job may lose several of them. By the usual policy it would
   * then wait for longer than a load takes to run out.
   */
  private Made slow(Map<String, Object> payload) {
    Map<String, Object> body = body("sleep", payload);
    body.put("retry", QUICK_RETRY);
    return on(LoadQueues.SLOW, body, Expectation.SUCCEEDS);
  }

  /** Fails once or twice and then succeeds. */
  private Made failing() {
    Map<String, Object> body = body("fail-n-times", Map.of("times", 1 + random.nextInt(2)));
    body.put("retry", QUICK_RETRY);
    return placed(body, Expectation.SUCCEEDS);
  }

  /** Fails for good: by its last attempt, by its handler's time, or since nobody knows its type. */
  private Made dying() {
    Map<String, Object> body =
        switch (random.nextInt(3)) {
          case 0 -> body("fail-n-times", Map.of("times", 1_000));
          case 1 -> body("sleep", Map.of("millis", 60_000));
          default -> body("nobody-knows", Map.of());
        };
    body.put("maxAttempts", 1 + random.nextInt(2));
    body.put("retry", QUICK_RETRY);
    body.put("timeout", "PT0.2S");
    return on(LoadQueues.PLAIN, body, Expectation.DIES);
  }

  /** Due in a while, or not at all when it comes too late. */
  private Made late() {
    Map<String, Object> body = body("echo", Map.of("late", true));
    if (random.nextBoolean()) {
      body.put("delay", "PT" + (1 + random.nextInt(5)) + "S");
      return placed(body, Expectation.SUCCEEDS);
    }
    body.put("startBy", java.time.Instant.now().plusMillis(300).toString());
    return placed(body, Expectation.ANY);
  }

  /** One that waits for its time, or runs, for seconds: a cancel a little later finds it so. */
  Made toCancel() {
    Made made = slow(Map.of("millis", 5_000 + random.nextInt(5_000)));
    if (random.nextBoolean()) {
      made.body().put("delay", "PT20S");
    }
    return made;
  }

  private static Map<String, Object> body(String type, Map<String, ?> payload) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("type", type);
    body.put("payload", payload);
    return body;
  }

  private Made placed(Map<String, Object> body, Expectation expectation) {
    return on(LoadQueues.draw(random), body, expectation);
  }

  private Made on(String queue, Map<String, Object> body, Expectation expectation) {
    body.put("queue", queue);
    if (random.nextInt(4) == 0) {
      body.put("priority", random.nextInt(10));
    }
    if (queue.startsWith(LoadQueues.KEYED)) {
      body.put("concurrencyKey", "key-" + random.nextInt(20));
    }
    if (random.nextInt(20) == 0) {
      body.put("cost", 2);
    }
    return new Made(body, queue, expectation);
  }

  /** So many of {@link #any}. */
  List<Made> many(int count) {
    List<Made> made = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      made.add(any());
    }
    return made;
  }

  /**
   * A graph of levels; one in three has a node that dies, and what depends on it is skipped, or
   * runs because of it.
   */
  Flow workflow() {
    List<Map<String, Object>> jobs = new ArrayList<>();
    List<String> above = List.of();
    boolean fails = random.nextInt(3) == 0;
    int levels = 2 + random.nextInt(3);
    for (int level = 0; level < levels; level++) {
      List<String> keys = new ArrayList<>();
      int width = 1 + random.nextInt(4);
      for (int i = 0; i < width; i++) {
        String key = "n" + level + "." + i;
        Map<String, Object> job = body("sleep", Map.of("millis", random.nextInt(15)));
        if (fails && level == 1 && i == 0) {
          job = body("fail-n-times", Map.of("times", 1_000));
          job.put("maxAttempts", 1);
        }
        job.put("key", key);
        job.put("queue", random.nextInt(4) == 0 ? LoadQueues.LIMITED : LoadQueues.PLAIN);
        job.put("dependsOn", parents(above));
        jobs.add(job);
        keys.add(key);
      }
      above = keys;
    }
    return new Flow(Map.of("name", "load", "jobs", jobs), fails);
  }

  private List<Object> parents(List<String> above) {
    List<Object> parents = new ArrayList<>();
    for (String key : above) {
      if (random.nextInt(3) > 0 || parents.isEmpty()) {
        parents.add(random.nextInt(6) == 0 ? Map.of("key", key, "on", "done") : key);
      }
    }
    return parents;
  }
}
