package io.jobscheduler.localstack;

import io.jobscheduler.localstack.service.JavaCommand;
import io.jobscheduler.localstack.service.Service;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a stack runs.
 *
 * @param database the given one; absent: one on a server of the stack's own
 * @param services of which {@code start()} starts one process each
 * @param migrated whether the schema is brought up to date before the services start
 * @param quickStart whether to start sooner and run slower, see {@link JavaCommand}
 * @param environments variables for each service, besides those that every stack sets
 * @param postgresSettings of postgresql.conf
 * @param postgresBinaries where PostgreSQL's programs are unpacked
 * @param readyLimit how long a process may take to become ready
 * @param stopLimit how long a process may take to end by itself
 */
record StackOptions(
    @Nullable StackDatabase database,
    List<Service> services,
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
