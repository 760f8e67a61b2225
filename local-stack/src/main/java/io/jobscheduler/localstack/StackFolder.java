package io.jobscheduler.localstack;

import io.jobscheduler.localstack.process.LogFile;
import io.jobscheduler.localstack.process.PidFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Where a stack keeps what it writes: {@code .local} below the repository, or a test's folder. */
public record StackFolder(Path home) {

  /** The folder as an absolute path, so that processes find it from wherever they run. */
  public StackFolder {
    home = home.toAbsolutePath().normalize();
  }

  public Path postgresData() {
    return home.resolve("postgres");
  }

  public Path postgresBinaries() {
    return home.resolve("postgres-binaries");
  }

  public Secrets secrets() {
    return new Secrets(home.resolve("secrets"));
  }

  public LogFile log(String name) {
    return new LogFile(home.resolve("logs").resolve(name + ".log"));
  }

  public PidFile pidFile(String name) {
    return new PidFile(run().resolve(name + ".pid"));
  }

  /** The pid files that there are. */
  public List<PidFile> pidFiles() {
    if (!Files.isDirectory(run())) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(run())) {
      return files.filter(f -> f.toString().endsWith(".pid")).sorted().map(PidFile::new).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What belongs to running processes. */
  public Path run() {
    return home.resolve("run");
  }
}
