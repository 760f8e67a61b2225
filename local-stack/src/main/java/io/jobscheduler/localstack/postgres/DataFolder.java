package io.jobscheduler.localstack.postgres;

import io.jobscheduler.localstack.process.PidFile;
import io.jobscheduler.localstack.process.StackFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A server's files, and what they say about the server that uses them. */
record DataFolder(Path path) {
  /** The server notes its start itself, on a busy machine some time after the process began. */
  private static final Duration TOLERANCE = Duration.ofSeconds(30);

  boolean exists() {
    return Files.exists(path.resolve("PG_VERSION"));
  }

  /**
   * Makes the folder with a new cluster in it.
   *
   * @param password the superuser's
   * @param durable whether it is to survive a crash of the machine
   */
  void initialise(
      PostgresBinaries programs, List<String> prefix, String password, boolean durable) {
    try {
      Files.createDirectories(path.getParent());
      // Made aside and renamed, so that an interrupted initdb leaves nothing that looks whole.
      Path fresh = Files.createTempDirectory(path.getParent(), "postgres-new");
      List<String> command = new ArrayList<>(prefix);
      command.addAll(List.of(programs.program("initdb"), "-D", fresh.toString(), "-U", "postgres"));
      command.addAll(List.of("-A", "scram-sha-256", "--pwfile=/dev/stdin", "-E", "UTF8"));
      command.addAll(List.of("--locale=C", "--locale-provider=builtin"));
      command.add("--builtin-locale=C.UTF-8");
      command.addAll(durable ? List.of() : List.of("--no-sync"));
      Program.Outcome made = Program.run(command, password + "\n");
      if (made.exit() != 0) {
        throw new StackFailure("initdb failed: " + made.output());
      }
      Files.writeString(
          fresh.resolve("postgresql.conf"),
          "\ninclude 'local-stack.conf'\n",
          StandardOpenOption.APPEND);
      Files.move(fresh, path);
    } catch (IOException e) {
      throw new StackFailure("Cannot make the data folder " + path + ": " + e.getMessage(), e);
    }
  }

  /** Writes the settings for the next start. */
  void writeSettings(int port, Map<String, String> settings) {
    Map<String, String> all = new TreeMap<>(settings);
    all.put("port", Integer.toString(port));
    all.put("listen_addresses", "127.0.0.1");
    all.put("unix_socket_directories", "");
    all.put("log_line_prefix", "%m [%p] %q%u ");
    StringBuilder text = new StringBuilder();
    all.forEach((name, value) -> text.append(name + " = '" + value + "'\n"));
    try {
      Files.writeString(path.resolve("local-stack.conf"), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Removes the pid file of a server that is gone. PostgreSQL does so itself, except when the pid
   * has meanwhile gone to another process of this user, or its corpse was never collected.
   */
  void forgetDeadServer() {
    if (Files.exists(path.resolve("postmaster.pid")) && serverProcess().isEmpty()) {
      try {
        Files.deleteIfExists(path.resolve("postmaster.pid"));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** The server that runs on this data folder, whoever started it. */
  Optional<ProcessHandle> serverProcess() {
    try {
      List<String> lines = Files.readAllLines(path.resolve("postmaster.pid"));
      long pid = Long.parseLong(lines.get(0).strip());
      Instant startedAt = Instant.ofEpochSecond(Long.parseLong(lines.get(2).strip()));
      return PidFile.find(pid, startedAt, TOLERANCE).filter(DataFolder::isPostgres);
    } catch (IOException | IndexOutOfBoundsException | NumberFormatException noneOrHalfWritten) {
      return Optional.empty();
    }
  }

  private static boolean isPostgres(ProcessHandle process) {
    return process.info().command().map(command -> command.endsWith("postgres")).orElse(true);
  }
}
