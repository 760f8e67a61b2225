package io.jobscheduler.api.jobs;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The {@code traceparent} header of W3C Trace Context, version 00. */
public final class Traceparent {
  private static final Pattern VALID =
      Pattern.compile("00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

  private Traceparent() {}

  /** The header if it is valid; else null, as the standard has it: the trace begins anew. */
  public static @Nullable String of(@Nullable String header) {
    return header != null && VALID.matcher(header).matches() ? header : null;
  }
}
