package io.jobscheduler.dashboard.site;

import java.util.regex.Pattern;

/** How long a file of the web UI may be kept. */
final class CachePolicy {
  /** The name holds a hash of the content: it can never change. */
  static final String FOREVER = "public, max-age=31536000, immutable";

  /** To be asked for each time; unchanged costs a 304. */
  static final String REVALIDATE = "no-cache";

  private static final Pattern HASHED = Pattern.compile("/assets/.+-[A-Za-z0-9_-]{8,}\\.[a-z0-9]+");

  private CachePolicy() {}

  static String of(String path) {
    return HASHED.matcher(path).matches() ? FOREVER : REVALIDATE;
  }
}
