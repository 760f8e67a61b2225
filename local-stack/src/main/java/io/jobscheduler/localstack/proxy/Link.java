package io.jobscheduler.localstack.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;

/** One client's connection with the one that it led to: a thread for each direction. */
final class Link {
  private static final int CHUNK = 16 * 1024;
  private static final int CONNECT_MILLIS = 5_000;

  private final Socket client;
  private final Socket server = new Socket();
  private final Valve valve;
  private final Runnable ended;

  Link(Socket client, Valve valve, Runnable ended) {
    this.client = client;
    this.valve = valve;
    this.ended = ended;
  }

  void start(InetSocketAddress target, String name) {
    daemon(() -> lead(target, name), name + " there");
  }

  private void lead(InetSocketAddress target, String name) {
    try {
      // A connect is swallowed like everything else: its caller hears nothing.
      valve.pass();
      server.connect(target, CONNECT_MILLIS);
      server.setTcpNoDelay(true);
      client.setTcpNoDelay(true);
      daemon(() -> pump(server, client), name + " back");
      pump(client, server);
    } catch (IOException e) {
      reset();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      reset();
    }
  }

  private void pump(Socket from, Socket to) {
    byte[] chunk = new byte[CHUNK];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      int read = in.read(chunk);
      while (read >= 0) {
        valve.pass();
        out.write(chunk, 0, read);
        read = in.read(chunk);
      }
      // Also the end is heard of only once the way is open.
      valve.pass();
      to.shutdownOutput();
      if (from.isOutputShutdown()) {
        close();
      }
    } catch (IOException e) {
      resetWhenOpen();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      reset();
    }
  }

  private void resetWhenOpen() {
    try {
      valve.pass();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    reset();
  }

  /** Both ends get a RST. */
  void reset() {
    linger(client);
    linger(server);
    close();
  }

  private static void linger(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
    } catch (IOException closed) {
      // It has ended by itself.
    }
  }

  void close() {
    close(client);
    close(server);
    ended.run();
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void daemon(Runnable work, String name) {
    Thread thread = new Thread(null, work, name, 128 * 1024);
    thread.setDaemon(true);
    thread.start();
  }
}
