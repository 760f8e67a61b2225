package io.jobscheduler.dashboard.live;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which pages may open a socket: those of the service itself, and an allow-list. Compares as RFC
 * 6454 says, scheme and host in lower case, default ports left out.
 */
final class OriginRule {
  private final Set<String> allowed;

  OriginRule(Collection<String> allowed) {
    this.allowed =
        allowed.stream().map(o -> o.strip().toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
  }

  /**
   * @param origin the Origin header, null when there is none: browsers always send one
   * @param authority the Host header or :authority that the request was sent to
   */
  boolean permits(@Nullable String origin, @Nullable String authority) {
    if (origin == null || authority == null) {
      return false;
    }
    String wanted = origin.toLowerCase(Locale.ROOT);
    if (allowed.contains(wanted)) {
      return true;
    }
    try {
      URI uri = new URI(wanted);
      boolean web = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      return web
          && uri.getRawAuthority() != null
          && withoutDefaultPort(uri.getScheme(), uri.getRawAuthority())
              .equals(withoutDefaultPort(uri.getScheme(), authority.toLowerCase(Locale.ROOT)));
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private static String withoutDefaultPort(String scheme, String authority) {
    String port = scheme.equals("https") ? ":443" : ":80";
    return authority.endsWith(port)
        ? authority.substring(0, authority.length() - port.length())
        : authority;
  }
}
