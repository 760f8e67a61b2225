package io.jobscheduler.localstack.service;

import io.jobscheduler.localstack.process.Await;
import io.jobscheduler.localstack.process.ChildProcess;
import io.jobscheduler.localstack.process.LogFile;
import io.jobscheduler.localstack.process.PidFile;
import io.jobscheduler.localstack.process.Signals;
import io.jobscheduler.localstack.process.StackFailure;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One process of a service: to start, wait for, disturb and end. It can be started again after its
 * end, with the same environment on the same ports. Not thread-safe, except {@link #stop}.
 */
public final class ServiceProcess {
  private final String name;
  private final Service service;
  private final List<String> command;
  private final Map<String, String> environment;
  private final int httpPort;
  private final int managementPort;
  private final LogFile log;
  private final PidFile pidFile;
  private volatile Map<String, String> extra = Map.of();
  private volatile @Nullable ChildProcess process;

  /**
   * @param name of this process, such as {@code worker-service-2}
   * @param command that runs it, see {@link JavaCommand}
   * @param environment besides what is inherited and the ports
   */
  public ServiceProcess(
      String name,
      Service service,
      List<String> command,
      Map<String, String> environment,
      int httpPort,
      int managementPort,
      LogFile log,
      PidFile pidFile) {
    this.name = name;
    this.service = service;
    this.command = List.copyOf(command);
    this.environment = new TreeMap<>(environment);
    this.httpPort = httpPort;
    this.managementPort = managementPort;
    this.log = log;
    this.pidFile = pidFile;
  }

  /** Variables over the others from the next start on; they replace those given before. */
  public void setExtra(Map<String, String> variables) {
    extra = Map.copyOf(variables);
  }

  /** Starts it, and does not wait. */
  public ServiceProcess start() {
    Map<String, String> variables = ServiceEnvironment.inherited(service);
    variables.putAll(ServiceEnvironment.addresses(httpPort, managementPort));
    variables.putAll(environment);
    variables.putAll(extra);
    process = ChildProcess.start(command, variables, log, pidFile);
    return this;
  }

  /**
   * Waits until it is ready.
   *
   * @throws StackFailure when it ends before, or is not ready within the limit; says which, with
   *     the last lines of its log
   */
  public ServiceProcess awaitReady(Duration limit) {
    boolean over = Await.until(limit, () -> !isAlive() || Readiness.ask(managementPort).ready());
    if (!isAlive()) {
      throw new StackFailure(
          name + " ended before it was ready (" + exitWords() + "). " + log.shown(20));
    }
    if (!over) {
      throw new StackFailure(
          "%s was not ready within %d s (it says: %s). %s"
              .formatted(name, limit.toSeconds(), readiness().body().strip(), log.shown(20)));
    }
    return this;
  }

  /** What its health address answers now. */
  public Readiness.Answer readiness() {
    return Readiness.ask(managementPort);
  }

  public boolean isAlive() {
    ChildProcess current = process;
    return current != null && current.isAlive();
  }

  public long pid() {
    return running().pid();
  }

  /** How it ended, in words. */
  public String exitWords() {
    OptionalInt exit = awaitExit(Duration.ZERO);
    if (exit.isEmpty()) {
      return "still running";
    }
    int code = exit.getAsInt();
    return code > 128 ? "by signal " + (code - 128) : "exit code " + code;
  }

  /** Its exit code, 128 + n when signal n ended it; nothing when it runs for longer. */
  public OptionalInt awaitExit(Duration limit) {
    return running().awaitExit(limit);
  }

  /** Sends a signal and does not wait. */
  public void send(Signals signal) {
    running().send(signal);
  }

  /** Kills it and waits until it is gone. */
  public void kill9() {
    running().kill();
  }

  /** Asks it to end, kills it after the limit. Does nothing when it does not run. */
  public void stop(Duration limit) {
    ChildProcess current = process;
    if (current != null) {
      current.stop(limit);
    }
  }

  private ChildProcess running() {
    ChildProcess current = process;
    if (current == null) {
      throw new IllegalStateException(name + " was not started");
    }
    return current;
  }

  public String name() {
    return name;
  }

  public Service service() {
    return service;
  }

  public int httpPort() {
    return httpPort;
  }

  public int managementPort() {
    return managementPort;
  }

  public LogFile log() {
    return log;
  }
}
