package io.jobscheduler.worker;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.worker.database.Connections;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.DriverManager;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The network between a worker and its database, which a test can cut: a TCP proxy that loses the
 * reply to a statement that the server has executed, goes silent, or breaks and refuses.
 */
public final class Wire implements AutoCloseable {
  private final ServerSocket listening;
  private final String host;
  private final int port;
  private final String url;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final AtomicReference<String> loseReplyTo = new AtomicReference<>("");
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition resumed = lock.newCondition();
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger refusals = new AtomicInteger();
  private boolean silent;
  private volatile boolean refusing;
  private volatile long lastNanos = System.nanoTime();

  /** A wire to that database. */
  public Wire(TestDatabase database) throws IOException {
    URI server = URI.create(database.url().substring("jdbc:".length()));
    this.host = server.getHost();
    this.port = server.getPort();
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    this.url = "jdbc:postgresql://127.0.0.1:" + listening.getLocalPort() + server.getPath();
    start(this::accept);
  }

  /** The database's URL by way of this wire. */
  public String url() {
    return url;
  }

  /** How many times a client has sent something: once per statement in autocommit. */
  public int requests() {
    return requests.get();
  }

  /** For how long no client has sent anything. */
  public long quietNanos() {
    return System.nanoTime() - lastNanos;
  }

  /** How many connections were refused. */
  public int refusals() {
    return refusals.get();
  }

  /** New connections over this wire, under the worker's role. */
  public Connections connections() {
    return () ->
        DriverManager.getConnection(
            url + "?connectTimeout=1&loginTimeout=2",
            Role.WORKER.databaseName(),
            Role.WORKER.password());
  }

  /**
   * The next statement that contains this text is executed, its reply lost, its connection closed.
   */
  public void loseReplyTo(String sqlPart) {
    loseReplyTo.set(sqlPart);
  }

  /** Whether the reply has been lost. */
  public boolean hasLostReply() {
    return loseReplyTo.get().isEmpty();
  }

  /** Nothing is carried any more, and nothing is closed. */
  public void goSilent() {
    setSilent(true);
  }

  /** Carries on. */
  public void resume() {
    setSilent(false);
    refusing = false;
  }

  private void setSilent(boolean value) {
    lock.lock();
    try {
      silent = value;
      resumed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Closes every connection; new ones are closed at once until {@link #resume}. */
  public void breakAndRefuse() {
    refusing = true;
    breakAll();
  }

  /** Closes every connection; new ones work. */
  public void breakAll() {
    sockets.forEach(Wire::close);
    sockets.clear();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listening.accept();
        if (refusing) {
          refusals.incrementAndGet();
          close(client);
          continue;
        }
        Socket server = new Socket(host, port);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(server);
        AtomicReference<Boolean> lose = new AtomicReference<>(false);
        start(() -> carry(client, server, lose, true));
        start(() -> carry(server, client, lose, false));
      }
    } catch (IOException e) {
      breakAll();
    }
  }

  private void carry(Socket from, Socket to, AtomicReference<Boolean> lose, boolean request) {
    byte[] buffer = new byte[1 << 16];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      int n = in.read(buffer);
      while (n > 0) {
        awaitVoice();
        if (request) {
          requests.incrementAndGet();
          lastNanos = System.nanoTime();
          String wanted = loseReplyTo.get();
          if (!wanted.isEmpty()
              && new String(buffer, 0, n, StandardCharsets.ISO_8859_1).contains(wanted)
              && loseReplyTo.compareAndSet(wanted, "")) {
            lose.set(true);
          }
        } else if (lose.get()) {
          // The server answers after its commit: it has happened, and nobody hears of it.
          return;
        }
        out.write(buffer, 0, n);
        n = in.read(buffer);
      }
    } catch (IOException e) {
      return;
    }
  }

  private void awaitVoice() {
    lock.lock();
    try {
      while (silent) {
        resumed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void start(Runnable body) {
    Thread thread = new Thread(body, "wire");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listening.close();
    breakAll();
    resume();
  }
}
