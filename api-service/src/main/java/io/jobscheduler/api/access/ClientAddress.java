package io.jobscheduler.api.access;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a request comes from: the peer, or, behind proxies that are trusted, the last address of
 * {@code X-Forwarded-For} that is not one of theirs. What stands before it, the client may have
 * written itself. Thread-safe.
 */
@ApplicationScoped
public class ClientAddress {
  private static final int MOST_HOPS = 20;

  private final List<Network> trusted;

  ClientAddress(LoginConfig config) {
    this.trusted = trusted(config);
  }

  private static List<Network> trusted(LoginConfig config) {
    return config.trustedProxies().orElse(List.of()).stream().map(Network::of).toList();
  }

  /**
   * Reads the configuration.
   *
   * @throws IllegalArgumentException naming what is no address or network
   */
  public static void check(LoginConfig config) {
    trusted(config);
  }

  /** The address of a request. */
  public String of(HttpServerRequest request) {
    SocketAddress peer = request.remoteAddress();
    return of(
        peer == null || peer.hostAddress() == null ? "unknown" : peer.hostAddress(),
        request.headers().getAll("X-Forwarded-For"));
  }

  String of(String peer, List<String> forwardedFor) {
    List<String> hops = new ArrayList<>();
    forwardedFor.forEach(header -> hops.addAll(List.of(header.split(",", -1))));
    String address = peer;
    for (int i = hops.size() - 1; i >= 0 && hops.size() - i <= MOST_HOPS; i--) {
      String hop = hops.get(i).strip();
      if (!isTrusted(address) || Network.parse(hop) == null) {
        return address;
      }
      address = hop;
    }
    return address;
  }

  private boolean isTrusted(String address) {
    byte[] bytes = Network.parse(address);
    return bytes != null && trusted.stream().anyMatch(network -> network.contains(bytes));
  }
}
