package io.jobscheduler.localstack.faults;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** libfaketime, preloaded: a process sees another time of day. */
final class FakeTime {
  private static final List<Path> PLACES =
      List.of(
          Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"),
          Path.of("/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1"),
          Path.of("/usr/lib/faketime/libfaketime.so.1"));

  private FakeTime() {}

  static Optional<Path> library() {
    return PLACES.stream().filter(Files::exists).findFirst();
  }

  /** Variables of a process that is to live at another time. Its waits are not touched. */
  static Map<String, String> variables(String shift) {
    return Map.of(
        "LD_PRELOAD",
        library().orElseThrow().toString(),
        "FAKETIME",
        shift,
        "DONT_FAKE_MONOTONIC",
        "1",
        // Otherwise it takes the monotonic deadlines of a JVM's waits for times of day, all long
        // past.
        "FAKETIME_FORCE_MONOTONIC_FIX",
        "0");
  }
}
