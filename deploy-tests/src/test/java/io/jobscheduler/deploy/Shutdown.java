package io.jobscheduler.deploy;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** How long a service may take to end after SIGTERM, by its settings. */
final class Shutdown {
  private Shutdown() {}

  static Duration longest(String module, Map<String, String> environment) {
    ServiceKeys keys = ServiceKeys.of(module);
    Duration http =
        quarkus("quarkus.shutdown.delay", keys, environment)
            .plus(quarkus("quarkus.shutdown.timeout", keys, environment));
    return module.equals("worker-service")
        ? http.plus(ours("JOBS_WORKER_DRAIN_LIMIT", keys, environment))
            .plus(ours("JOBS_WORKER_INTERRUPT_GRACE", keys, environment))
        : http;
  }

  private static Duration ours(String variable, ServiceKeys keys, Map<String, String> environment) {
    return Optional.ofNullable(environment.get(variable))
        .or(() -> keys.defaultOf(variable))
        .map(Shutdown::duration)
        .orElseThrow(() -> new IllegalStateException("no such setting: " + variable));
  }

  private static Duration quarkus(String key, ServiceKeys keys, Map<String, String> environment) {
    String variable = key.replaceAll("[.-]", "_").toUpperCase(Locale.ROOT);
    return Optional.ofNullable(environment.get(variable))
        .or(() -> keys.property(key))
        .map(Shutdown::duration)
        .orElse(Duration.ZERO);
  }

  /** As Quarkus reads it: ISO 8601, or the same without `PT`. */
  private static Duration duration(String text) {
    return Duration.parse(text.startsWith("P") ? text : "PT" + text);
  }
}
