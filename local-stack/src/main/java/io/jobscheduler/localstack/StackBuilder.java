package io.jobscheduler.localstack;

import io.jobscheduler.localstack.service.Service;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** How a stack is to be; {@link #start()} makes it so. */
public final class StackBuilder {
  private final StackFolder folder;
  private final Map<Service, Map<String, String>> environments = new EnumMap<>(Service.class);
  private final Map<String, String> postgresSettings = new TreeMap<>();
  private StackPorts ports = StackPorts.anyFree();
  private Path binaries;
  private @Nullable StackDatabase database;
  private List<Service> services = List.of(Service.values());
  private boolean migrated = true;
  private boolean quickStart;
  private Consumer<String> progress = line -> {};
  private Duration readyLimit = Duration.ofSeconds(90);

  StackBuilder(Path folder) {
    this.folder = new StackFolder(folder);
    this.binaries = this.folder.postgresBinaries();
    postgresSettings.put("max_connections", "200");
    postgresSettings.put("shared_buffers", "128MB");
  }

  /** An environment variable for every process of a service. */
  public StackBuilder with(Service service, String variable, String value) {
    environments.computeIfAbsent(service, s -> new HashMap<>()).put(variable, value);
    return this;
  }

  /** A setting of PostgreSQL. */
  public StackBuilder postgres(String setting, String value) {
    postgresSettings.put(setting, value);
    return this;
  }

  /** A database that is there already, in place of a server of the stack's own. */
  public StackBuilder database(StackDatabase given) {
    database = given;
    return this;
  }

  /** The services of which {@link #start()} starts one process each; all four unless set. */
  public StackBuilder services(Service... chosen) {
    services = List.of(chosen);
    return this;
  }

  /** Where PostgreSQL's programs are unpacked, when several stacks are to share them. */
  public StackBuilder postgresBinaries(Path sharedFolder) {
    binaries = sharedFolder;
    return this;
  }

  /** Leaves the schema as it is: {@link #start()} then does not wait until services are ready. */
  public StackBuilder unmigrated() {
    migrated = false;
    return this;
  }

  /**
   * Starts in half the time, at the price of speed later: for looking and testing, not measuring.
   */
  public StackBuilder quickStart() {
    quickStart = true;
    return this;
  }

  /** How long a process may take to become ready; 90 s unless set. */
  public StackBuilder readyWithin(Duration limit) {
    readyLimit = limit;
    return this;
  }

  /** Receives one line for each step. */
  public StackBuilder progress(Consumer<String> lines) {
    progress = lines;
    return this;
  }

  /** The ports; any free ones unless set. */
  public StackBuilder ports(StackPorts chosen) {
    ports = chosen;
    return this;
  }

  /** The stack, not yet started, so that it can be closed while it starts. */
  public LocalStack build() {
    StackOptions options =
        new StackOptions(
            database,
            services,
            migrated,
            quickStart,
            environments,
            postgresSettings,
            binaries,
            readyLimit,
            Duration.ofSeconds(30));
    return new LocalStack(folder, ports, Repository.find(), options, progress);
  }

  /** The stack, started and ready. Nothing runs any more when this throws. */
  public LocalStack start() {
    LocalStack stack = build();
    try {
      stack.start();
      return stack;
    } catch (RuntimeException e) {
      stack.close();
      throw e;
    }
  }
}
