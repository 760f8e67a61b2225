package io.jobscheduler.localstack;

import io.jobscheduler.localstack.service.JavaCommand;
import io.jobscheduler.localstack.service.Service;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * How a stack runs.
 *
 * @param migrated whether the schema is brought up to date before the services start
 * @param quickStart whether to start sooner and run slower, see {@link JavaCommand}
 * @param environments variables for each service, besides those that every stack sets
 * @param postgresSettings of postgresql.conf
 * @param postgresBinaries where PostgreSQL's programs are unpacked
 * @param readyLimit how long a process may take to become ready
 * @param stopLimit how long a process may take to end by itself
 */
record StackOptions(
    boolean migrated,
    boolean quickStart,
    Map<Service, Map<String, String>> environments,
    Map<String, String> postgresSettings,
    Path postgresBinaries,
    Duration readyLimit,
    Duration stopLimit) {

  Map<String, String> environment(Service service) {
    return environments.getOrDefault(service, Map.of());
  }
}
