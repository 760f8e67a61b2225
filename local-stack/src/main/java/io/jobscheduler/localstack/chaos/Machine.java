package io.jobscheduler.localstack.chaos;

/** What a run ran on, in words. */
final class Machine {
  private Machine() {}

  static String words() {
    return "%d processors, Java %s, %s %s"
        .formatted(
            Runtime.getRuntime().availableProcessors(),
            Runtime.version(),
            System.getProperty("os.name"),
            System.getProperty("os.arch"));
  }
}
