package io.jobscheduler.deploy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The checkout whose files are tested. */
final class Repository {
  private static final Path ROOT = Path.of("..");

  private Repository() {}

  static Path path(String name) {
    return ROOT.resolve(name);
  }

  static String read(String name) {
    return read(path(name));
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The files below a folder whose names end so, in a fixed order; none when it is absent. */
  static List<Path> files(String folder, String suffix) {
    if (!Files.isDirectory(path(folder))) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(path(folder))) {
      return files.filter(f -> f.toString().endsWith(suffix)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
