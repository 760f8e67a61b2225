package io.jobscheduler.localstack;

import io.jobscheduler.localstack.client.ApiClient;
import io.jobscheduler.localstack.command.Commands;
import io.jobscheduler.localstack.postgres.PostgresServer;
import io.jobscheduler.localstack.postgres.Roles;
import io.jobscheduler.localstack.process.Signals;
import io.jobscheduler.localstack.process.StackFailure;
import io.jobscheduler.localstack.service.JavaCommand;
import io.jobscheduler.localstack.service.Service;
import io.jobscheduler.localstack.service.ServiceProcess;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A running system: PostgreSQL and processes of the four services, by default one of each.
 *
 * <p>{@link #close()} may be called by another thread at any time, also while {@link #start()} is
 * at work, and ends everything that was started; the rest is for one thread.
 */
public final class LocalStack implements AutoCloseable {
  public static final String ADMIN_EMAIL = "admin@localhost";
  private static final String MIGRATE = "migrate";
  private static final String SUPERUSER = "postgres";

  private final StackFolder folder;
  private final StackPorts ports;
  private final Repository repository;
  private final JavaCommand java;
  private final StackOptions options;
  private final Consumer<String> progress;
  private final @Nullable PostgresServer postgres;
  private final StackDatabase database;
  private final List<ServiceProcess> processes = new ArrayList<>();
  private boolean closed;

  LocalStack(
      StackFolder folder,
      StackPorts ports,
      Repository repository,
      StackOptions options,
      Consumer<String> progress) {
    this.folder = folder;
    this.ports = ports;
    this.repository = repository;
    this.java = new JavaCommand(repository.root(), options.quickStart());
    this.options = options;
    this.progress = progress;
    StackDatabase given = options.database();
    this.postgres = given == null ? ownServer() : null;
    this.database =
        postgres == null
            ? Objects.requireNonNull(given)
            : new EmbeddedDatabase(postgres, folder.secrets());
  }

  private PostgresServer ownServer() {
    Path data = folder.postgresData();
    if (data.toFile().exists() && !folder.secrets().hasPassword(SUPERUSER)) {
      throw new StackFailure(
          "There is a database in %s, but not its password. Put back %s, or remove %s to begin anew."
              .formatted(data, folder.home().resolve("secrets"), folder.home()));
    }
    return new PostgresServer(
        options.postgresBinaries(),
        data,
        ports.postgres(),
        folder.secrets().password(SUPERUSER),
        options.postgresSettings(),
        folder.log("postgres"),
        folder.pidFile("postgres"));
  }

  /** {@code up}, {@code demo}, {@code down} or {@code chaos}. */
  public static void main(String[] args) {
    System.exit(Commands.run(args));
  }

  /** A stack on free ports in a folder of its own, for tests and benchmarks. */
  public static StackBuilder builder(Path folder) {
    return new StackBuilder(folder);
  }

  /**
   * Starts everything and returns when it is ready.
   *
   * @throws StackFailure saying what is wrong; the caller still has to {@link #close()}
   */
  public void start() {
    repository.requirePackaged();
    startDatabase();
    if (options.migrated()) {
      migrate();
    }
    for (Service service : options.services()) {
      start(service, service.module(), ports.http(service), ports.health(service), Map.of());
    }
    if (options.migrated()) {
      awaitReady();
    }
  }

  private synchronized void startDatabase() {
    requireOpen();
    if (postgres != null) {
      progress.accept("Starting PostgreSQL on port " + ports.postgres() + " …");
      folder.log("postgres").putAside();
    }
    database.start();
  }

  /** Brings the schema up to date, as an operator does: api-service's run-once mode. */
  public void migrate() {
    progress.accept("Migrating the schema …");
    Migration.run(
        java.of(Service.API, MIGRATE),
        environment().ofMigration(ADMIN_EMAIL),
        folder.log(MIGRATE),
        folder.pidFile(MIGRATE));
  }

  /** Waits until every process is ready. */
  public void awaitReady() {
    for (ServiceProcess process : processes()) {
      process.awaitReady(options.readyLimit());
      progress.accept(process.name() + " is ready.");
    }
  }

  /** Starts one more process of a service, on free ports, and waits until it is ready. */
  public ServiceProcess startAnother(Service service, Map<String, String> environment) {
    return launch(service, environment).awaitReady(options.readyLimit());
  }

  /** Starts one more process of a service, on free ports, and does not wait. */
  public ServiceProcess launch(Service service, Map<String, String> environment) {
    StackPorts free = StackPorts.anyFree();
    long number = processes().stream().filter(p -> p.service() == service).count() + 1;
    return start(
        service,
        service.module() + "-" + number,
        service.servesHttp() ? free.http(service) : 0,
        free.health(service),
        environment);
  }

  private synchronized ServiceProcess start(
      Service service, String name, int http, int health, Map<String, String> environment) {
    requireOpen();
    Map<String, String> all = environment().of(service);
    all.putAll(options.environment(service));
    all.putAll(environment);
    folder.log(name).putAside();
    ServiceProcess process =
        new ServiceProcess(
            name,
            service,
            java.of(service),
            all,
            http,
            health,
            folder.log(name),
            folder.pidFile(name));
    processes.add(process);
    return process.start();
  }

  /** Starts a process again that has ended, and does not wait. */
  public synchronized void startAgain(ServiceProcess process) {
    requireOpen();
    process.start();
  }

  private void requireOpen() {
    if (closed) {
      throw new StackFailure("Stopped while starting.");
    }
  }

  private StackEnvironment environment() {
    return new StackEnvironment(folder.secrets(), database, apiUrl());
  }

  /** Ends all services, each by itself if it can, then PostgreSQL. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    progress.accept("Stopping …");
    folder.pidFile(MIGRATE).running().ifPresent(Signals.TERM::send);
    List<Thread> stopping = new ArrayList<>();
    for (ServiceProcess process : processes) {
      Thread thread = new Thread(() -> process.stop(options.stopLimit()), "stop-" + process.name());
      thread.start();
      stopping.add(thread);
    }
    stopping.forEach(LocalStack::join);
    database.stop();
  }

  private static void join(Thread thread) {
    try {
      thread.join(Duration.ofMinutes(2).toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** All processes of services that were started, in that order. */
  public synchronized List<ServiceProcess> processes() {
    return List.copyOf(processes);
  }

  /** The first process of a service. */
  public ServiceProcess process(Service service) {
    return processes().stream().filter(p -> p.service() == service).findFirst().orElseThrow();
  }

  /**
   * The stack's own server.
   *
   * @throws IllegalStateException when the database was given
   */
  public PostgresServer postgres() {
    if (postgres == null) {
      throw new IllegalStateException("the database was given");
    }
    return postgres;
  }

  /** Whether the server is the stack's own. */
  public boolean ownsServer() {
    return postgres != null;
  }

  public StackDatabase database() {
    return database;
  }

  public StackFolder folder() {
    return folder;
  }

  /** The address of api-service. */
  public URI apiUrl() {
    return URI.create("http://127.0.0.1:" + ports.http(Service.API));
  }

  /** The address of dashboard-service: the web UI, and the API behind the same origin. */
  public URI dashboardUrl() {
    return URI.create("http://127.0.0.1:" + ports.http(Service.DASHBOARD));
  }

  /** The first admin's password. */
  public String adminPassword() {
    return Secrets.read(folder.secrets().adminPasswordFile());
  }

  /** A client of the API that is logged in as the first admin. */
  public ApiClient admin() {
    return new ApiClient(apiUrl()).login(ADMIN_EMAIL, adminPassword());
  }

  /** A new connection of the superuser, who sees everything. */
  public Connection superuser() throws SQLException {
    return database.admin();
  }

  /** A new connection under a service's role, or {@link Roles#OWNER}. */
  public Connection connect(String role) throws SQLException {
    return DriverManager.getConnection(
        database.url(), database.user(role), folder.secrets().password(role));
  }

  /** The last lines of every log, for a failed test's report. */
  public String logTails(int lines) {
    StringBuilder tails = new StringBuilder();
    for (ServiceProcess process : processes()) {
      tails.append(process.name()).append(process.isAlive() ? " runs. " : " has ended. ");
      tails.append(process.log().shown(lines)).append('\n');
    }
    if (postgres != null) {
      tails.append("PostgreSQL: ").append(postgres.log().shown(lines));
    }
    return tails.toString();
  }
}
