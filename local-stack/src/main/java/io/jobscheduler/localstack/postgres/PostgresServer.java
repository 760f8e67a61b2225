package io.jobscheduler.localstack.postgres;

import io.jobscheduler.localstack.process.Await;
import io.jobscheduler.localstack.process.LogFile;
import io.jobscheduler.localstack.process.PidFile;
import io.jobscheduler.localstack.process.Processes;
import io.jobscheduler.localstack.process.Signals;
import io.jobscheduler.localstack.process.StackFailure;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A PostgreSQL server on the loopback address, with its data in a folder that outlives it.
 *
 * <p>{@code pg_ctl} puts it into a session of its own, so the terminal's Ctrl-C does not reach it.
 * Passwords are asked of everybody (scram), there is no Unix socket. Not thread-safe.
 */
public final class PostgresServer {
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

  private final Path binaries;
  private final Path data;
  private final int port;
  private final String password;
  private final Map<String, String> settings;
  private final LogFile log;
  private final PidFile pidFile;

  /**
   * @param binaries where the programs are unpacked
   * @param data the data folder; made when missing
   * @param password the superuser's ({@code postgres}); given to it when the data folder is made
   * @param settings of postgresql.conf, besides address and port
   */
  public PostgresServer(
      Path binaries,
      Path data,
      int port,
      String password,
      Map<String, String> settings,
      LogFile log,
      PidFile pidFile) {
    this.binaries = binaries;
    this.data = data.toAbsolutePath();
    this.port = port;
    this.password = password;
    this.settings = settings;
    this.log = log;
    this.pidFile = pidFile;
  }

  /**
   * Starts it and returns when it answers: 0.2 s, more after a crash, 5 s the first time.
   *
   * @throws StackFailure when it does not start; the message has the last lines of its log
   */
  public void start() {
    PostgresBinaries programs = PostgresBinaries.in(binaries);
    List<String> prefix = OrdinaryUser.prefix();
    if (!Files.exists(data.resolve("PG_VERSION"))) {
      initialise(programs, prefix);
    }
    writeSettings();
    // After a kill the old server's backends need a moment to notice it, and hold its memory.
    boolean started =
        Await.until(
            START_LIMIT,
            () -> {
              forgetDeadServer();
              log.mark();
              return run(startCommand(programs, prefix), "").exit() == 0 || !oldServerInTheWay();
            });
    ProcessHandle server = started ? serverProcess().orElse(null) : null;
    if (server == null) {
      throw new StackFailure("PostgreSQL did not start. " + log.shown(20));
    }
    pidFile.write(server);
  }

  private void initialise(PostgresBinaries programs, List<String> prefix) {
    try {
      Files.createDirectories(data.getParent());
      // Made aside and renamed, so that an interrupted initdb leaves nothing that looks whole.
      Path fresh = Files.createTempDirectory(data.getParent(), "postgres-new");
      List<String> command = new ArrayList<>(prefix);
      command.addAll(List.of(programs.program("initdb"), "-D", fresh.toString(), "-U", "postgres"));
      command.addAll(List.of("-A", "scram-sha-256", "--pwfile=/dev/stdin", "-E", "UTF8"));
      command.addAll(List.of("--locale=C", "--locale-provider=builtin"));
      command.addAll(List.of("--builtin-locale=C.UTF-8", "--no-sync"));
      Outcome made = run(command, password + "\n");
      if (made.exit() != 0) {
        throw new StackFailure("initdb failed: " + made.output());
      }
      Files.writeString(
          fresh.resolve("postgresql.conf"),
          "\ninclude 'local-stack.conf'\n",
          StandardOpenOption.APPEND);
      Files.move(fresh, data);
    } catch (IOException e) {
      throw new StackFailure("Cannot make the data folder " + data + ": " + e.getMessage(), e);
    }
  }

  private void writeSettings() {
    Map<String, String> all = new TreeMap<>(settings);
    all.put("port", Integer.toString(port));
    all.put("listen_addresses", "127.0.0.1");
    all.put("unix_socket_directories", "");
    all.put("log_line_prefix", "%m [%p] %q%u ");
    StringBuilder text = new StringBuilder();
    all.forEach((name, value) -> text.append(name + " = '" + value + "'\n"));
    try {
      Files.writeString(data.resolve("local-stack.conf"), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<String> startCommand(PostgresBinaries programs, List<String> prefix) {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(List.of(programs.program("pg_ctl"), "start", "-w", "-s"));
    command.addAll(List.of("-t", Long.toString(START_LIMIT.toSeconds())));
    command.addAll(List.of("-D", data.toString(), "-l", log.path().toAbsolutePath().toString()));
    return command;
  }

  /**
   * Removes the pid file of a server that is gone. PostgreSQL does so itself, except when the pid
   * has meanwhile gone to another process of this user, or its corpse was never collected.
   */
  private void forgetDeadServer() {
    if (Files.exists(data.resolve("postmaster.pid")) && serverProcess().isEmpty()) {
      try {
        Files.deleteIfExists(data.resolve("postmaster.pid"));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private boolean oldServerInTheWay() {
    return log.tail(20).stream()
        .anyMatch(
            line ->
                line.contains("pre-existing shared memory block")
                    || line.contains("lock file \"postmaster.pid\" already exists"));
  }

  /** The server that runs on this data folder, whoever started it. */
  public Optional<ProcessHandle> serverProcess() {
    try {
      List<String> lines = Files.readAllLines(data.resolve("postmaster.pid"));
      long pid = Long.parseLong(lines.get(0).strip());
      Instant startedAt = Instant.ofEpochSecond(Long.parseLong(lines.get(2).strip()));
      return PidFile.find(pid, startedAt);
    } catch (IOException | IndexOutOfBoundsException | NumberFormatException noneOrHalfWritten) {
      return Optional.empty();
    }
  }

  /** Ends it, breaking off what it does (fast shutdown); kills it when that takes too long. */
  public void stop() {
    serverProcess().ifPresent(PostgresServer::stop);
    pidFile.delete();
  }

  /** Ends a server by its process. */
  public static void stop(ProcessHandle server) {
    Signals.INT.send(server);
    if (!Processes.awaitEnd(server, STOP_LIMIT)) {
      Signals.KILL.send(server);
      Processes.awaitEnd(server, STOP_LIMIT);
    }
  }

  /** A crash: the server is gone, its data as the crash left it. {@link #start()} recovers. */
  public void kill9() {
    serverProcess()
        .ifPresent(
            server -> {
              Signals.KILL.send(server);
              Processes.awaitEnd(server, STOP_LIMIT);
            });
  }

  public int port() {
    return port;
  }

  /** The JDBC address of a database, without user and password. */
  public String url(String database) {
    return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
  }

  /** A new connection of the superuser. */
  public Connection superuser(String database) throws SQLException {
    return DriverManager.getConnection(url(database), "postgres", password);
  }

  public LogFile log() {
    return log;
  }

  private record Outcome(int exit, String output) {}

  private static Outcome run(List<String> command, String input) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      try (OutputStream in = process.getOutputStream()) {
        in.write(input.getBytes(StandardCharsets.UTF_8));
      }
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      return new Outcome(process.waitFor(), output);
    } catch (IOException e) {
      throw new StackFailure("Cannot run " + command.get(0) + ": " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StackFailure("Interrupted.", e);
    }
  }
}
