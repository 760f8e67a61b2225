package io.jobscheduler.api.migrate;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Writes a secret to a file that only its owner can read, from its first byte on. */
final class PasswordFile {
  private PasswordFile() {}

  /**
   * Replaces {@code file}, on the disk when this returns.
   *
   * @throws MigrateException when it cannot be written
   */
  static void write(Path file, String password) {
    Path target = file.toAbsolutePath();
    Path fresh = target.resolveSibling(target.getFileName() + ".new");
    try {
      Files.deleteIfExists(fresh);
      try (FileChannel channel =
          FileChannel.open(
              fresh,
              Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
        ByteBuffer bytes = ByteBuffer.wrap((password + "\n").getBytes(StandardCharsets.US_ASCII));
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
        channel.force(true);
      }
      Files.move(
          fresh, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException | UnsupportedOperationException e) {
      throw new MigrateException(
          MigrateException.CONFIGURATION,
          "the admin's password cannot be written to " + target + ": " + e,
          e);
    }
  }
}
