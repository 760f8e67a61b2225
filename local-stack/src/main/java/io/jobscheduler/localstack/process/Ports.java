package io.jobscheduler.localstack.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** TCP ports of the loopback address. */
public final class Ports {
  private Ports() {}

  /** Whether a server could listen there now. */
  public static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      // As servers do: a port whose old connections are still being forgotten is free.
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException taken) {
      return false;
    }
  }

  /** As many different free ports. Nothing keeps them free until they are used. */
  public static List<Integer> free(int count) {
    List<ServerSocket> held = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        held.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      }
      return held.stream().map(ServerSocket::getLocalPort).toList();
    } catch (IOException e) {
      throw new StackFailure("No free port: " + e.getMessage(), e);
    } finally {
      held.forEach(Ports::close);
    }
  }

  private static void close(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new StackFailure("Cannot let go of port " + socket.getLocalPort() + ".", e);
    }
  }
}
