package io.jobscheduler.localstack;

import io.jobscheduler.localstack.process.StackFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Set;

/** Random passwords and keys, each in a file that only its owner reads; made when first asked. */
public final class Secrets {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int KEY_BYTES = 32;

  private final Path folder;

  Secrets(Path folder) {
    this.folder = folder;
  }

  /** The file of a database user's password; made when missing. */
  public Path passwordFile(String user) {
    return made(user + ".password", Base64.getUrlEncoder().withoutPadding());
  }

  /** A database user's password; made when missing. Letters, digits, - and _. */
  public String password(String user) {
    return read(passwordFile(user));
  }

  /** Whether that user's password was made before. */
  public boolean hasPassword(String user) {
    return Files.exists(folder.resolve(user + ".password"));
  }

  /** The file of the key under which private signing keys are encrypted; made when missing. */
  public Path masterKeyFile() {
    return made("master.key", Base64.getEncoder());
  }

  /** Where {@code migrate} writes the first admin's password. */
  public Path adminPasswordFile() {
    makeFolder();
    return folder.resolve("admin.password");
  }

  static String read(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new StackFailure("Cannot read " + file + ".", e);
    }
  }

  private Path made(String name, Base64.Encoder encoder) {
    makeFolder();
    Path file = folder.resolve(name);
    if (Files.exists(file)) {
      return file;
    }
    byte[] bytes = new byte[KEY_BYTES];
    RANDOM.nextBytes(bytes);
    try {
      Files.createFile(file, only("rw-------"));
      Files.writeString(file, encoder.encodeToString(bytes), StandardOpenOption.WRITE);
      return file;
    } catch (IOException e) {
      throw new StackFailure("Cannot write " + file + ".", e);
    }
  }

  private void makeFolder() {
    try {
      Files.createDirectories(folder.getParent());
      if (!Files.isDirectory(folder)) {
        Files.createDirectory(folder, only("rwx------"));
      }
    } catch (IOException e) {
      throw new StackFailure("Cannot make " + folder + ".", e);
    }
  }

  private static FileAttribute<Set<PosixFilePermission>> only(String permissions) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
  }
}
