package io.jobscheduler.localstack.faults;

import io.jobscheduler.localstack.LocalStack;
import io.jobscheduler.localstack.StackDatabase;
import io.jobscheduler.localstack.postgres.OrdinaryUser;
import io.jobscheduler.localstack.process.Await;
import io.jobscheduler.localstack.process.ChildProcess;
import io.jobscheduler.localstack.process.Ports;
import io.jobscheduler.localstack.process.StackFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** PgBouncer in transaction mode before the stack's database. For one thread. */
public final class Pooler implements AutoCloseable {
  private static final List<String> ROLES = List.of("api", "worker", "scheduler");
  private static final Duration START_LIMIT = Duration.ofSeconds(20);

  private final LocalStack stack;
  private final String program;
  private final int port = Ports.free(1).get(0);
  private @Nullable ChildProcess process;

  private Pooler(LocalStack stack, String program) {
    this.stack = stack;
    this.program = program;
  }

  /** The one that is installed, not yet started; nothing when none is. */
  public static Optional<Pooler> find(LocalStack stack) {
    String path = System.getenv().getOrDefault("PATH", "");
    return Stream.concat(Stream.of(path.split(":", -1)), Stream.of("/usr/sbin"))
        .map(folder -> Path.of(folder, "pgbouncer"))
        .filter(Files::isExecutable)
        .findFirst()
        .map(found -> new Pooler(stack, found.toString()));
  }

  /** Starts it and returns when it listens. */
  public void start() {
    Path folder = stack.folder().home().resolve("pgbouncer");
    List<String> command = new ArrayList<>(OrdinaryUser.prefix());
    command.addAll(List.of(program, "-q", folder.resolve("pgbouncer.ini").toString()));
    writeSettings(folder);
    process =
        ChildProcess.start(
            command,
            Map.of("PATH", System.getenv().getOrDefault("PATH", "")),
            stack.folder().log("pgbouncer"),
            stack.folder().pidFile("pgbouncer"));
    if (!Await.until(START_LIMIT, () -> !Ports.isFree(port))) {
      throw new StackFailure(
          "PgBouncer did not start. " + stack.folder().log("pgbouncer").shown(20));
    }
  }

  private void writeSettings(Path folder) {
    StackDatabase database = stack.database();
    String name = database.name();
    StringBuilder users = new StringBuilder();
    for (String role : ROLES) {
      users.append(
          "\"%s\" \"%s\"\n"
              .formatted(database.user(role), stack.folder().secrets().password(role)));
    }
    String settings =
        """
        [databases]
        %s = host=%s port=%d
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = %d
        unix_socket_dir =
        auth_type = scram-sha-256
        auth_file = %s
        pool_mode = transaction
        max_client_conn = 500
        default_pool_size = 10
        ignore_startup_parameters = extra_float_digits
        """
            .formatted(name, database.host(), database.port(), port, folder.resolve("users.txt"));
    try {
      Files.createDirectories(folder);
      Files.writeString(folder.resolve("pgbouncer.ini"), settings);
      Files.writeString(folder.resolve("users.txt"), users);
      Files.setPosixFilePermissions(
          folder.resolve("users.txt"), PosixFilePermissions.fromString("rw-------"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What a process is told that uses it; its direct address is another. */
  public Map<String, String> variables() {
    return Map.of(
        "JOBS_DB_URL", stack.database().urlVia("127.0.0.1", port), "JOBS_DB_POOLER", "transaction");
  }

  void kill9() {
    ChildProcess running = process;
    if (running != null) {
      running.kill();
    }
  }

  @Override
  public void close() {
    kill9();
  }
}
