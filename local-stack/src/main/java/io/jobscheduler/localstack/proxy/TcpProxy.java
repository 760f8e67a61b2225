package io.jobscheduler.localstack.proxy;

import io.jobscheduler.localstack.process.StackFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Leads connections from a port of the loopback address to a server, and breaks them on demand.
 *
 * <p>{@link #swallow()} is a half-open network: nothing arrives any more, in either direction,
 * neither data nor a close, and new connects are accepted by the machine and never answered. After
 * {@link #resume()} what was under way arrives late, as TCP's own repetitions would have it; {@link
 * #reset()} before that makes it never arrive. Two threads for each connection. Thread-safe.
 */
public final class TcpProxy implements AutoCloseable {
  private static final int BACKLOG = 200;

  private final ServerSocket listening;
  private final InetSocketAddress target;
  private final String name;
  private final Valve valve = new Valve();
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private volatile boolean resetting;

  /** Listens at once, on a free port. */
  public TcpProxy(String name, String host, int port) {
    this.name = name;
    this.target = new InetSocketAddress(host, port);
    try {
      listening = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new StackFailure("No port for a proxy: " + e.getMessage(), e);
    }
    Thread thread = new Thread(this::accept, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket client = listening.accept();
        Link[] self = new Link[1];
        Link link = new Link(client, valve, () -> links.remove(self[0]));
        self[0] = link;
        if (resetting) {
          link.reset();
        } else {
          links.add(link);
          link.start(target, name);
        }
      } catch (IOException closed) {
        // The loop's condition says whether it was meant.
      }
    }
  }

  public int port() {
    return listening.getLocalPort();
  }

  /** How many connections lead through it. */
  public int connections() {
    return links.size();
  }

  /** From now on nothing passes, and nobody is told. */
  public void swallow() {
    valve.shut();
  }

  /** What waited goes on, in order, and all that comes after. */
  public void resume() {
    resetting = false;
    valve.delay(Duration.ZERO);
    valve.open();
  }

  /** Breaks all connections that there are; what they had under way is lost. */
  public void reset() {
    links.forEach(Link::reset);
  }

  /** Breaks all connections that there are and every new one, until {@link #resume()}. */
  public void refuse() {
    resetting = true;
    reset();
  }

  /** Each piece of data takes longer by so much, in each direction, until {@link #resume()}. */
  public void delay(Duration each) {
    valve.delay(each);
  }

  @Override
  public void close() {
    try {
      listening.close();
    } catch (IOException e) {
      throw new StackFailure("Cannot close a proxy: " + e.getMessage(), e);
    }
    reset();
    resume();
  }
}
