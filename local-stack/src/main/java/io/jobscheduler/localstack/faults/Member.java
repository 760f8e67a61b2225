package io.jobscheduler.localstack.faults;

import io.jobscheduler.localstack.proxy.TcpProxy;
import io.jobscheduler.localstack.service.ServiceProcess;
import java.util.concurrent.atomic.AtomicBoolean;

/** A process of the fleet and its own way to the database. At most one fault holds it at a time. */
public final class Member {
  private final ServiceProcess process;
  private final TcpProxy proxy;
  private final AtomicBoolean held = new AtomicBoolean();

  Member(ServiceProcess process, TcpProxy proxy) {
    this.process = process;
    this.proxy = proxy;
  }

  public ServiceProcess process() {
    return process;
  }

  public TcpProxy proxy() {
    return proxy;
  }

  public String name() {
    return process.name();
  }

  /** False when another fault holds it, or nothing runs. */
  boolean hold() {
    return process.isAlive() && held.compareAndSet(false, true);
  }

  /** For whoever looks after those that nobody holds. */
  boolean holdEvenIfDead() {
    return held.compareAndSet(false, true);
  }

  void release() {
    held.set(false);
  }
}
