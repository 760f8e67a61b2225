package io.jobscheduler.api.workflows;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A node that no worker runs: it lets its children go when something outside the graph has
 * happened.
 *
 * @param kind join, time, signal or approval
 * @param until of a time gate: the instant
 * @param delay of a time gate: the time after its dependencies are met
 * @param signal of a signal gate: the signal's name
 * @param expiresIn of an approval: the time after which it counts as refused; null: never
 */
public record Gate(
    String kind,
    @Nullable Instant until,
    @Nullable Duration delay,
    @Nullable String signal,
    @Nullable Duration expiresIn) {
  static final String JOIN = "join";
  static final String TIME = "time";
  static final String SIGNAL = "signal";
  static final String APPROVAL = "approval";

  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofDays(3650);

  /** A gate that only brings edges together. */
  static Gate join() {
    return new Gate(JOIN, null, null, null, null);
  }

  /**
   * Its job's payload, which the functions that open it read; null when there is nothing to say.
   */
  @Nullable String json() {
    if (signal != null) {
      return "{\"signal\":\"" + signal + "\"}";
    }
    if (delay != null) {
      return "{\"waitMs\":" + delay.toMillis() + "}";
    }
    return expiresIn == null ? null : "{\"expiresInMs\":" + expiresIn.toMillis() + "}";
  }

  /** A gate; null when, noted, it is none. */
  static @Nullable Gate read(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    String at = in.pointer();
    Gate gate = null;
    int kinds = 0;
    String field;
    while ((field = in.nextField()) != null) {
      Gate read = null;
      switch (field) {
        case "until" -> {
          Instant until = Fields.instant(in);
          read = until == null ? null : new Gate(TIME, until, null, null, null);
        }
        case "for" -> {
          Duration delay = Fields.duration(in, SHORTEST, LONGEST);
          read = delay == null ? null : new Gate(TIME, null, delay, null, null);
        }
        case "signal" -> read = readSignal(in);
        case "approval" -> read = readApproval(in);
        default -> {
          in.unknownField();
          continue;
        }
      }
      kinds++;
      gate = read == null ? gate : read;
    }
    if (kinds != 1) {
      in.violations().add(at, "Give one of until, for, signal and approval.");
    }
    return gate;
  }

  private static @Nullable Gate readSignal(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    String at = in.pointer();
    String name = null;
    String field;
    while ((field = in.nextField()) != null) {
      if (field.equals("name")) {
        name = Fields.name(in);
      } else {
        in.unknownField();
      }
    }
    in.violations().require(at + "/name", name != null);
    return name == null ? null : new Gate(SIGNAL, null, null, name, null);
  }

  private static @Nullable Gate readApproval(JsonReader in) {
    if (!in.startObject()) {
      return null;
    }
    Duration expiresIn = null;
    String field;
    while ((field = in.nextField()) != null) {
      if (field.equals("expiresIn")) {
        expiresIn = Fields.duration(in, SHORTEST, LONGEST);
      } else {
        in.unknownField();
      }
    }
    return new Gate(APPROVAL, null, null, null, expiresIn);
  }
}
