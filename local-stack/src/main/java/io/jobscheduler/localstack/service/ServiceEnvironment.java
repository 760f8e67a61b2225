package io.jobscheduler.localstack.service;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** Environment variables of a service's process. */
public final class ServiceEnvironment {
  private static final String OURS = "JOBS_";

  private ServiceEnvironment() {}

  /**
   * What this JVM was given, without our own variables except those of that service ({@code
   * JOBS_WORKER_SLOTS} reaches the worker only: a service refuses settings that it does not know).
   */
  public static Map<String, String> inherited(Service service) {
    String own = OURS + service.name() + "_";
    Map<String, String> variables = new TreeMap<>(System.getenv());
    variables
        .keySet()
        .removeIf(
            name ->
                (name.startsWith(OURS) && !name.startsWith(own)) || name.startsWith("QUARKUS_"));
    return variables;
  }

  /** The database, for a role whose password is in a file. */
  public static Map<String, String> database(String url, String user, Path passwordFile) {
    return Map.of(
        "JOBS_DB_URL", url,
        "JOBS_DB_USERNAME", user,
        "JOBS_DB_PASSWORD_FILE", passwordFile.toAbsolutePath().toString());
  }

  /** Loopback addresses and ports, no delay for load balancers at the end, a log for people. */
  public static Map<String, String> addresses(int httpPort, int managementPort) {
    return Map.of(
        "QUARKUS_HTTP_HOST", "127.0.0.1",
        "QUARKUS_HTTP_PORT", Integer.toString(httpPort),
        "QUARKUS_MANAGEMENT_HOST", "127.0.0.1",
        "QUARKUS_MANAGEMENT_PORT", Integer.toString(managementPort),
        "QUARKUS_SHUTDOWN_DELAY", "0S",
        "QUARKUS_LOG_CONSOLE_JSON_ENABLED", "false");
  }
}
