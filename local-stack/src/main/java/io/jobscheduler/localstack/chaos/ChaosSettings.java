package io.jobscheduler.localstack.chaos;

import io.jobscheduler.localstack.process.StackFailure;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What a run was asked for.
 *
 * @param seed of schedule and load
 * @param time for which faults come, in each scenario
 * @param databaseUrl of a given server; null: one of its own
 * @param folder for what it needs while it runs
 * @param reports for what it leaves behind
 */
record ChaosSettings(
    long seed,
    Duration time,
    List<Scenario> scenarios,
    int jobsPerSecond,
    @Nullable String databaseUrl,
    Path folder,
    Path reports) {
  private static final long LONGEST_MINUTES = 24 * 60;
  private static final int MOST_SEEDS = 1_000_000_000;

  /**
   * Reads {@code CHAOS_*}; a seed that is not given is drawn.
   *
   * @throws StackFailure saying which variable cannot be used
   */
  static ChaosSettings of(Map<String, String> variables, Path root) {
    long drawn = RandomGenerator.getDefault().nextInt(MOST_SEEDS);
    double minutes = number(variables, "CHAOS_MINUTES", 3, LONGEST_MINUTES);
    return new ChaosSettings(
        (long) number(variables, "CHAOS_SEED", drawn, Long.MAX_VALUE),
        Duration.ofMillis((long) (minutes * 60_000)),
        scenarios(text(variables, "CHAOS_SCENARIO").orElse(Scenario.MIX.label())),
        (int) number(variables, "CHAOS_JOBS_PER_SECOND", 0, 10_000),
        text(variables, "CHAOS_DATABASE_URL").orElse(null),
        Path.of(text(variables, "CHAOS_FOLDER").orElse(root.resolve(".local/chaos").toString())),
        Path.of(text(variables, "CHAOS_REPORTS").orElse(root.resolve("target/chaos").toString())));
  }

  private static List<Scenario> scenarios(String words) {
    if (words.equals("all")) {
      return List.of(Scenario.values());
    }
    return Arrays.stream(words.split(",", -1))
        .map(String::strip)
        .map(
            word ->
                Scenario.of(word)
                    .orElseThrow(
                        () ->
                            new StackFailure(
                                "CHAOS_SCENARIO must be of %s, or all; not %s."
                                    .formatted(Scenario.labels(), word))))
        .toList();
  }

  private static Optional<String> text(Map<String, String> variables, String name) {
    return Optional.of(variables.getOrDefault(name, "").strip()).filter(text -> !text.isEmpty());
  }

  private static double number(
      Map<String, String> variables, String name, double usual, double most) {
    Optional<String> given = text(variables, name);
    try {
      double number = given.map(Double::parseDouble).orElse(usual);
      if (number >= 0 && number <= most) {
        return number;
      }
    } catch (NumberFormatException notANumber) {
      // falls through to the message
    }
    throw new StackFailure(
        name + " must be a number from 0 to " + (long) most + ", not " + given.orElse("") + ".");
  }
}
