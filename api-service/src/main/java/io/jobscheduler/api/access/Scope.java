package io.jobscheduler.api.access;

import java.util.Arrays;
import java.util.Locale;

/** What an API key is for; {@link Action} says which actions each opens. */
public enum Scope {
  ENQUEUE,
  READ,
  OPERATE,
  LEASE;

  static Scope of(String label) {
    return valueOf(label.toUpperCase(Locale.ROOT));
  }

  /** Whether {@code label} names a scope. */
  public static boolean isLabel(String label) {
    return Arrays.stream(values()).anyMatch(s -> s.label().equals(label));
  }

  /** The name in SQL and JSON. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
