package io.jobscheduler.localstack.chaos;

import io.jobscheduler.localstack.Repository;
import io.jobscheduler.localstack.StackFolder;
import io.jobscheduler.localstack.command.Leftovers;
import io.jobscheduler.localstack.process.PidFile;
import io.jobscheduler.localstack.process.SoleRun;
import io.jobscheduler.localstack.process.StackFailure;
import io.jobscheduler.localstack.report.ChaosReport;
import io.jobscheduler.localstack.report.ReportFiles;
import io.jobscheduler.localstack.report.ScenarioReport;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * {@code make chaos}: every scenario asked for on a system of its own, one after the other. One run
 * at a time in a folder; it begins with ending what an earlier one left there that was killed.
 */
public final class ChaosCommand {
  /** Of its pid file in the folder. */
  public static final String NAME = "chaos";

  private final ChaosSettings settings;
  private final Path binaries;
  private final PrintStream out;
  private final Map<String, List<InjectedFault>> faults = new LinkedHashMap<>();
  private final long begin = System.nanoTime();

  private ChaosCommand(ChaosSettings settings, Path binaries, PrintStream out) {
    this.settings = settings;
    this.binaries = binaries;
    this.out = out;
  }

  /** Reads {@code CHAOS_*}. */
  public static ChaosCommand of(
      Map<String, String> variables, Repository repository, PrintStream out) {
    Path root = repository.root();
    return new ChaosCommand(
        ChaosSettings.of(variables, root),
        new StackFolder(root.resolve(".local")).postgresBinaries(),
        out);
  }

  /** The pid file of the process that runs in this folder. */
  public static PidFile supervisor(Path folder) {
    return new StackFolder(folder).pidFile(NAME);
  }

  /**
   * Returns the exit code: 0 when every invariant held and everything came back.
   *
   * @throws StackFailure when another run uses its folder
   */
  public int run() {
    Path folder = settings.folder();
    SoleRun sole = SoleRun.take(folder, NAME, supervisor(folder));
    try {
      Leftovers.endAll(folder, this::say);
      return runAlone();
    } finally {
      sole.close();
    }
  }

  private int runAlone() {
    Instant startedAt = Instant.now();
    say(
        "Seed %d, %s of faults in each of: %s"
            .formatted(
                settings.seed(),
                words(settings.time()),
                String.join(", ", settings.scenarios().stream().map(Scenario::label).toList())));
    List<ScenarioReport> reports = new ArrayList<>();
    List<String> failures = new ArrayList<>();
    for (Scenario scenario : settings.scenarios()) {
      try {
        run(scenario, reports, failures);
      } catch (StackFailure e) {
        // The others are run, and what was found so far is written, all the same.
        failures.add(scenario.label() + ": " + e.getMessage());
        say("FAILED: " + scenario.label() + ": " + e.getMessage());
      }
    }
    ChaosReport report =
        new ChaosReport(settings.seed(), startedAt, Machine.words(), reports, failures);
    Path page = ReportFiles.write(settings.reports(), report);
    FaultLog.write(settings.reports(), faults);
    reports.forEach(one -> Summary.lines(one).forEach(out::println));
    failures.forEach(failure -> out.println("FAILED: " + failure));
    out.println("Report: " + page + " (chaos-report.json and chaos-faults.json beside it)");
    out.println("Again, with the same schedule: CHAOS_SEED=" + settings.seed());
    return report.passed() ? 0 : 1;
  }

  private void run(Scenario scenario, List<ScenarioReport> reports, List<String> failures) {
    Path home = settings.folder().resolve(scenario.label());
    delete(home);
    say("Scenario " + scenario.label() + ": starting …");
    try (ChaosFleet system =
        ChaosFleet.start(scenario.size(), home, binaries, settings.databaseUrl(), this::say)) {
      ChaosRun run = new ChaosRun(scenario, settings.seed(), settings.time(), system, this::say);
      int rate = settings.jobsPerSecond();
      try {
        reports.add(run.run(rate == 0 ? scenario.size().jobsPerSecond() : rate));
      } finally {
        faults.put(scenario.label(), run.injected());
        run.failures().forEach(failure -> failures.add(scenario.label() + ": " + failure));
      }
    } catch (SQLException e) {
      throw new StackFailure("The record cannot be read: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StackFailure("Interrupted.", e);
    }
  }

  private void say(String line) {
    out.printf("%7.1f  %s%n", (System.nanoTime() - begin) / 1e9, line);
  }

  private static String words(Duration time) {
    return time.toSecondsPart() == 0 ? time.toMinutes() + " min" : time.toSeconds() + " s";
  }

  private static void delete(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
