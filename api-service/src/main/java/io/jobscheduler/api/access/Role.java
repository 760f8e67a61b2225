package io.jobscheduler.api.access;

import java.util.Arrays;
import java.util.Locale;

/** A member's role in a project; each may do what the ones before it may. */
public enum Role {
  VIEWER,
  OPERATOR,
  ADMIN;

  /** The role of that name, which must be one: see {@link #isLabel}. */
  static Role of(String label) {
    return valueOf(label.toUpperCase(Locale.ROOT));
  }

  /** Whether {@code label} names a role. */
  public static boolean isLabel(String label) {
    return Arrays.stream(values()).anyMatch(r -> r.label().equals(label));
  }

  /** The name in SQL and JSON. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether this role may do {@code action}. */
  public boolean permits(Action action) {
    return compareTo(action.least()) >= 0;
  }
}
