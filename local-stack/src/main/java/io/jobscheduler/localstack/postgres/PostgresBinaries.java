package io.jobscheduler.localstack.postgres;

import io.jobscheduler.localstack.process.StackFailure;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/** The programs initdb, pg_ctl and postgres with their libraries, unpacked once per version. */
final class PostgresBinaries {
  private final Path bin;

  private PostgresBinaries(Path bin) {
    this.bin = bin;
  }

  String program(String name) {
    return bin.resolve(name).toString();
  }

  /**
   * Unpacks them below the folder unless they are there: 75 MB, about 3 s.
   *
   * @throws StackFailure when there are none for this platform
   */
  static PostgresBinaries in(Path folder) {
    byte[] archive = archive();
    Path home = folder.toAbsolutePath().resolve(fingerprint(archive));
    try {
      if (!Files.isDirectory(home)) {
        Files.createDirectories(folder);
        Path unpacking = Files.createTempDirectory(folder, "unpacking");
        unpack(archive, unpacking);
        publish(unpacking, home);
      }
    } catch (IOException e) {
      throw new StackFailure("Cannot unpack PostgreSQL into " + folder + ": " + e.getMessage(), e);
    }
    return new PostgresBinaries(home.resolve("bin"));
  }

  private static byte[] archive() {
    String name = "postgres-" + platform() + ".txz";
    try (InputStream in = PostgresBinaries.class.getResourceAsStream("/" + name)) {
      if (in == null) {
        throw new StackFailure(
            "No PostgreSQL for this platform: " + name + " is not among the libraries.");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String platform() {
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String machine = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    return (system.contains("mac") ? "darwin" : system)
        + "-"
        + (machine.equals("aarch64") ? "arm_64" : "x86_64");
  }

  private static String fingerprint(byte[] archive) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(archive);
      return HexFormat.of().formatHex(digest, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** In one step, so that a half unpacked folder is never taken for a whole one. */
  private static void publish(Path unpacked, Path home) throws IOException {
    try {
      Files.move(unpacked, home, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileAlreadyExistsException | AtomicMoveNotSupportedException e) {
      throw e;
    } catch (IOException e) {
      // Another run was faster (a folder that is not empty cannot be replaced): its copy serves.
      if (!Files.isDirectory(home)) {
        throw e;
      }
    }
  }

  private static void unpack(byte[] archive, Path folder) throws IOException {
    try (TarArchiveInputStream tar =
        new TarArchiveInputStream(new XZCompressorInputStream(new ByteArrayInputStream(archive)))) {
      TarArchiveEntry entry = tar.getNextEntry();
      while (entry != null) {
        unpack(tar, entry, folder);
        entry = tar.getNextEntry();
      }
    }
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static void unpack(TarArchiveInputStream tar, TarArchiveEntry entry, Path folder)
      throws IOException {
    Path target = folder.resolve(entry.getName()).normalize();
    if (!target.startsWith(folder)) {
      throw new IOException(entry.getName() + " points out of the archive");
    }
    if (entry.isDirectory()) {
      Files.createDirectories(target);
      return;
    }
    Files.createDirectories(target.getParent());
    if (entry.isSymbolicLink()) {
      Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
      return;
    }
    Files.copy(tar, target);
    if (target.startsWith(folder.resolve("bin"))) {
      Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }
}
