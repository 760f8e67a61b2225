package io.jobscheduler.localstack.postgres;

import io.jobscheduler.localstack.process.Await;
import io.jobscheduler.localstack.process.LogFile;
import io.jobscheduler.localstack.process.PidFile;
import io.jobscheduler.localstack.process.Processes;
import io.jobscheduler.localstack.process.Signals;
import io.jobscheduler.localstack.process.StackFailure;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
  private final DataFolder data;
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
    this.data = new DataFolder(data.toAbsolutePath());
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
    if (!data.exists()) {
      data.initialise(programs, prefix, password, !"off".equals(settings.get("fsync")));
    }
    data.writeSettings(port, settings);
    // After a kill the old server's backends need a moment to notice it, and hold its memory.
    boolean started =
        Await.until(
            START_LIMIT,
            () -> {
              data.forgetDeadServer();
              log.mark();
              return Program.run(startCommand(programs, prefix), "").exit() == 0
                  || !oldServerInTheWay();
            });
    ProcessHandle server = started ? serverProcess().orElse(null) : null;
    if (server == null) {
      throw new StackFailure("PostgreSQL did not start. " + log.shown(20));
    }
    pidFile.write(server);
  }

  private List<String> startCommand(PostgresBinaries programs, List<String> prefix) {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(List.of(programs.program("pg_ctl"), "start", "-w", "-s"));
    command.addAll(List.of("-t", Long.toString(START_LIMIT.toSeconds())));
    command.addAll(
        List.of("-D", data.path().toString(), "-l", log.path().toAbsolutePath().toString()));
    return command;
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
    return data.serverProcess();
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

  /**
   * {@code pg_ctl restart -m immediate}: all sessions end without a goodbye, and the server
   * recovers as after a crash.
   */
  public void restartImmediately() {
    List<String> command = new ArrayList<>(OrdinaryUser.prefix());
    command.addAll(List.of(PostgresBinaries.in(binaries).program("pg_ctl"), "restart", "-w", "-s"));
    command.addAll(List.of("-m", "immediate", "-t", Long.toString(START_LIMIT.toSeconds())));
    command.addAll(
        List.of("-D", data.path().toString(), "-l", log.path().toAbsolutePath().toString()));
    if (Program.run(command, "").exit() != 0) {
      start();
    } else {
      serverProcess().ifPresent(pidFile::write);
    }
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
}
