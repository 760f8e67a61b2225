package io.jobscheduler.localstack;

import io.jobscheduler.localstack.process.Ports;
import io.jobscheduler.localstack.process.StackFailure;
import io.jobscheduler.localstack.service.Service;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The ports of one stack. A service that serves only its health has http port 0. */
public record StackPorts(int postgres, Map<Service, Integer> http, Map<Service, Integer> health) {

  /**
   * The usual ones, each to be changed by a variable such as {@code JOBS_UP_API_PORT}, {@code
   * JOBS_UP_WORKER_HEALTH_PORT}, {@code JOBS_UP_POSTGRES_PORT}.
   */
  public static StackPorts configured(Map<String, String> variables) {
    Map<Service, Integer> usualHttp = Map.of(Service.API, 8080, Service.DASHBOARD, 8090);
    Map<Service, Integer> usualHealth =
        Map.of(
            Service.API, 9080,
            Service.WORKER, 9081,
            Service.SCHEDULER, 9082,
            Service.DASHBOARD, 9090);
    Map<Service, Integer> http = new EnumMap<>(Service.class);
    Map<Service, Integer> health = new EnumMap<>(Service.class);
    usualHttp.forEach((s, usual) -> http.put(s, port(variables, variable(s, "PORT"), usual)));
    usualHealth.forEach(
        (s, usual) -> health.put(s, port(variables, variable(s, "HEALTH_PORT"), usual)));
    return new StackPorts(port(variables, "JOBS_UP_POSTGRES_PORT", 15432), http, health);
  }

  /** Free ones, different from those of any other stack. */
  public static StackPorts anyFree() {
    List<Integer> free = Ports.free(7);
    return new StackPorts(
        free.get(0),
        Map.of(Service.API, free.get(1), Service.DASHBOARD, free.get(2)),
        Map.of(
            Service.API, free.get(3),
            Service.WORKER, free.get(4),
            Service.SCHEDULER, free.get(5),
            Service.DASHBOARD, free.get(6)));
  }

  int http(Service service) {
    return http.getOrDefault(service, 0);
  }

  int health(Service service) {
    return health.getOrDefault(service, 0);
  }

  /**
   * Says which port is taken and how to choose another.
   *
   * @throws StackFailure when one is taken
   */
  public void requireFree() {
    requireFree(postgres, "PostgreSQL", "JOBS_UP_POSTGRES_PORT");
    http.forEach((s, port) -> requireFree(port, s.module(), variable(s, "PORT")));
    health.forEach(
        (s, port) -> requireFree(port, s.module() + "'s health", variable(s, "HEALTH_PORT")));
  }

  private static void requireFree(int port, String user, String variable) {
    if (!Ports.isFree(port)) {
      throw new StackFailure(
          "Port %d, meant for %s, is taken by another program. End that one, or choose another port: %s=%d make up"
              .formatted(port, user, variable, port + 1));
    }
  }

  private static String variable(Service service, String what) {
    return "JOBS_UP_" + service.name().toUpperCase(Locale.ROOT) + "_" + what;
  }

  private static int port(Map<String, String> variables, String name, int usual) {
    String given = variables.getOrDefault(name, "").strip();
    if (given.isEmpty()) {
      return usual;
    }
    try {
      int port = Integer.parseInt(given);
      if (port >= 1 && port <= 65_535) {
        return port;
      }
    } catch (NumberFormatException notANumber) {
      // falls through to the message
    }
    throw new StackFailure(name + " must be a port number (1 to 65535), not " + given + ".");
  }
}
