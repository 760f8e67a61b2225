package io.jobscheduler.localstack.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TcpProxyTest {
  /** For what must arrive; far beyond any machine's slowness. */
  private static final int LIMIT_MILLIS = 30_000;

  /** For what must not: enough to notice, on a machine that is idle, that it does. */
  private static final int SILENCE_MILLIS = 150;

  private ServerSocket listening;
  private TcpProxy proxy;
  private Socket client;
  private Socket server;

  @BeforeEach
  void connect() throws IOException {
    listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    listening.setSoTimeout(LIMIT_MILLIS);
    proxy = new TcpProxy("test", "127.0.0.1", listening.getLocalPort());
    client = open();
    server = accept();
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    server.close();
    proxy.close();
    listening.close();
  }

  private Socket open() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
    socket.setSoTimeout(LIMIT_MILLIS);
    return socket;
  }

  private Socket accept() throws IOException {
    Socket socket = listening.accept();
    socket.setSoTimeout(LIMIT_MILLIS);
    return socket;
  }

  private static void send(Socket from, String text) throws IOException {
    from.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
  }

  private static void assertReads(String expected, Socket at) throws IOException {
    byte[] read = at.getInputStream().readNBytes(expected.length());
    assertEquals(expected, new String(read, StandardCharsets.UTF_8));
  }

  private static void assertHearsNothing(Socket at) throws IOException {
    at.setSoTimeout(SILENCE_MILLIS);
    assertThrows(SocketTimeoutException.class, () -> at.getInputStream().read());
    at.setSoTimeout(LIMIT_MILLIS);
  }

  @Test
  void passesBothWaysAndTheEnd() throws IOException {
    send(client, "question");
    assertReads("question", server);
    send(server, "answer");
    assertReads("answer", client);
    client.close();
    assertEquals(-1, server.getInputStream().read());
  }

  @Test
  void swallowsBothWaysAndTellsLateAndInOrder() throws IOException {
    proxy.swallow();
    send(client, "one ");
    send(server, "back");
    assertHearsNothing(server);
    assertHearsNothing(client);
    send(client, "two");

    proxy.resume();

    assertReads("one two", server);
    assertReads("back", client);
  }

  @Test
  void swallowsAClose() throws IOException {
    proxy.swallow();
    client.close();
    assertHearsNothing(server);

    proxy.resume();

    assertEquals(-1, server.getInputStream().read());
  }

  @Test
  void swallowsAConnectWithoutRefusingIt() throws IOException {
    proxy.swallow();
    try (Socket late = open()) {
      send(late, "hello");
      assertHearsNothing(late);
      listening.setSoTimeout(SILENCE_MILLIS);
      assertThrows(SocketTimeoutException.class, listening::accept);
      listening.setSoTimeout(LIMIT_MILLIS);

      proxy.resume();

      try (Socket arrived = accept()) {
        assertReads("hello", arrived);
      }
    }
  }

  @Test
  void whatWasSwallowedNeverArrivesAfterAReset() throws IOException {
    proxy.swallow();
    send(client, "lost");
    assertHearsNothing(server);

    proxy.reset();
    proxy.resume();

    assertThrows(SocketException.class, () -> server.getInputStream().read());
    assertThrows(SocketException.class, () -> client.getInputStream().read());
  }

  @Test
  void refusesNewConnectionsUntilItResumes() throws IOException {
    proxy.refuse();
    assertThrows(SocketException.class, () -> client.getInputStream().read());
    try (Socket refused = open()) {
      assertThrows(SocketException.class, () -> refused.getInputStream().read());
    } catch (SocketException alreadyAtTheConnect) {
      assertTrue(client.isConnected());
    }

    proxy.resume();

    try (Socket again = open();
        Socket arrived = accept()) {
      send(again, "x");
      assertReads("x", arrived);
    }
  }

  @Test
  void delaysEachWay() throws IOException {
    proxy.delay(Duration.ofMillis(100));
    long begin = System.nanoTime();
    send(client, "question");
    assertReads("question", server);
    send(server, "answer");
    assertReads("answer", client);
    assertTrue(System.nanoTime() - begin >= Duration.ofMillis(200).toNanos());
  }

  @Test
  void forgetsConnectionsThatEnded() throws IOException {
    assertEquals(1, proxy.connections());
    client.close();
    assertEquals(-1, server.getInputStream().read());
    server.close();
    assertTrue(
        io.jobscheduler.localstack.process.Await.until(
            Duration.ofMillis(LIMIT_MILLIS), () -> proxy.connections() == 0));
  }
}
