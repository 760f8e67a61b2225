package io.jobscheduler.dashboard.proxy;

import io.vertx.core.MultiMap;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Which headers pass through a proxy, and which it adds (RFC 9110 section 7.6). */
final class ForwardedHeaders {
  /** Meant for one connection only. */
  private static final Set<String> HOP_BY_HOP =
      Set.of(
          "connection",
          "keep-alive",
          "proxy-authenticate",
          "proxy-authorization",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  private ForwardedHeaders() {}

  /** Copies what is end-to-end; what {@code Connection} names is hop-by-hop as well. */
  static void copyEndToEnd(MultiMap from, MultiMap to, String... except) {
    Set<String> dropped = new HashSet<>(HOP_BY_HOP);
    from.getAll("Connection").stream()
        .flatMap(value -> Stream.of(value.split(",", -1)))
        .forEach(name -> dropped.add(name.strip().toLowerCase(Locale.ROOT)));
    Arrays.stream(except).forEach(name -> dropped.add(name.toLowerCase(Locale.ROOT)));
    Set<String> replaced = new HashSet<>();
    from.forEach(
        entry -> {
          String name = entry.getKey().toLowerCase(Locale.ROOT);
          if (dropped.contains(name)) {
            return;
          }
          // The first value of a name takes the place of one set before; more are added to it.
          if (replaced.add(name)) {
            to.set(entry.getKey(), entry.getValue());
          } else {
            to.add(entry.getKey(), entry.getValue());
          }
        });
  }

  /**
   * Says for whom the request is made. A chain begun by a proxy in front is continued.
   *
   * @param client the peer's address, null when it is not known
   */
  static void addForwarded(
      MultiMap headers, @Nullable String client, String scheme, @Nullable String authority) {
    if (client != null) {
      List<String> chain = headers.getAll("X-Forwarded-For");
      String before = chain.isEmpty() ? "" : String.join(", ", chain) + ", ";
      headers.set("X-Forwarded-For", before + client);
    }
    if (!headers.contains("X-Forwarded-Proto")) {
      headers.set("X-Forwarded-Proto", scheme);
    }
    if (authority != null && !headers.contains("X-Forwarded-Host")) {
      headers.set("X-Forwarded-Host", authority);
    }
  }
}
