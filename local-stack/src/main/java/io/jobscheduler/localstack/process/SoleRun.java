package io.jobscheduler.localstack.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The only run of its kind in a folder, as long as it is open: a lock, which ends with its process
 * however that ends, and a pid file that says who holds it.
 */
public final class SoleRun implements AutoCloseable {
  private final FileChannel channel;
  private final PidFile pidFile;

  private SoleRun(FileChannel channel, PidFile pidFile) {
    this.channel = channel;
    this.pidFile = pidFile;
  }

  /**
   * Takes the folder, which is made when missing.
   *
   * @param name of the kind of run, for {@code name.lock}
   * @param pidFile of the run that has it
   * @throws StackFailure when another run has it, or the folder cannot be used
   */
  public static SoleRun take(Path folder, String name, PidFile pidFile) {
    try {
      Files.createDirectories(folder);
      FileChannel channel =
          FileChannel.open(
              folder.resolve(name + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (!locked(channel)) {
        channel.close();
        throw new StackFailure(refusal(folder, name, pidFile));
      }
      pidFile.write(ProcessHandle.current());
      return new SoleRun(channel, pidFile);
    } catch (IOException e) {
      throw new StackFailure("Cannot use " + folder + ": " + e.getMessage(), e);
    }
  }

  private static boolean locked(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException here) {
      return false;
    }
  }

  private static String refusal(Path folder, String name, PidFile pidFile) {
    String who = pidFile.running().map(process -> " (process " + process.pid() + ")").orElse("");
    return "Another run of %s%s uses %s. End it first, or name another folder."
        .formatted(name, who, folder);
  }

  @Override
  public void close() {
    pidFile.delete();
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
