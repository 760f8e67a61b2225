package io.jobscheduler.localstack.process;

import java.io.IOException;

/** POSIX signals, which Java can send only in part. Sent by the shell's own {@code kill}. */
public enum Signals {
  /** Interrupt: PostgreSQL's fast shutdown. */
  INT,
  /** Terminate: a service ends by itself. */
  TERM,
  /** Ends at once, whatever it was doing. */
  KILL,
  /** Stops it from running until {@link #CONT}. */
  STOP,
  CONT;

  /** Sends this signal. A process that has already ended is no error. */
  public void send(ProcessHandle process) {
    if (!Processes.runs(process)) {
      return;
    }
    try {
      new ProcessBuilder("sh", "-c", "kill -" + name() + " " + process.pid())
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException e) {
      throw new StackFailure("Cannot send " + name() + " to process " + process.pid() + ".", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
