package io.jobscheduler.localstack.chaos;

import io.jobscheduler.localstack.LocalStack;
import io.jobscheduler.localstack.client.ApiClient;
import io.jobscheduler.localstack.faults.FaultKind;
import io.jobscheduler.localstack.faults.Fleet;
import io.jobscheduler.localstack.faults.Ground;
import io.jobscheduler.localstack.faults.Knobs;
import io.jobscheduler.localstack.judge.Evidence;
import io.jobscheduler.localstack.judge.JobHistory;
import io.jobscheduler.localstack.judge.Judge;
import io.jobscheduler.localstack.judge.Judgement;
import io.jobscheduler.localstack.judge.Observations;
import io.jobscheduler.localstack.judge.Observer;
import io.jobscheduler.localstack.judge.Violation;
import io.jobscheduler.localstack.load.Load;
import io.jobscheduler.localstack.load.LoadPlan;
import io.jobscheduler.localstack.load.LoadQueue;
import io.jobscheduler.localstack.report.ScenarioReport;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;

/** One scenario on a system that is ready: load, faults, quiet, judgement. */
final class ChaosRun {
  private static final Duration UNDO_LIMIT = Duration.ofMinutes(4);
  private static final Duration READY_LIMIT = Duration.ofMinutes(5);
  private static final Duration DRAIN_LIMIT = Duration.ofMinutes(6);
  private static final List<String> PROJECTS = List.of("chaos-a", "chaos-b");

  private final Scenario scenario;
  private final long seed;
  private final Duration time;
  private final ChaosFleet system;
  private final Consumer<String> out;
  private final Notes notes = new Notes();
  private List<InjectedFault> injected = List.of();

  ChaosRun(Scenario scenario, long seed, Duration time, ChaosFleet system, Consumer<String> out) {
    this.scenario = scenario;
    this.seed = seed;
    this.time = time;
    this.system = system;
    this.out = out;
  }

  /**
   * Runs it.
   *
   * @param jobsPerSecond handed in
   */
  ScenarioReport run(int jobsPerSecond) throws InterruptedException, SQLException {
    long begin = System.nanoTime();
    LocalStack stack = system.stack();
    Fleet fleet = system.fleet();
    LoadPlan plan =
        new LoadPlan(
            seed,
            fleet.apis(),
            LocalStack.ADMIN_EMAIL,
            stack.adminPassword(),
            stack.database()::admin,
            jobsPerSecond,
            PROJECTS);
    try (Load load = new Load(plan);
        Observer observer = new Observer(stack.database()::admin)) {
      observer.start();
      load.start();
      Injector injector = faults(load);
      injected = injector.injected();
      out.accept("All faults are over. No more jobs are handed in …");
      fleet.awaitReady(READY_LIMIT).forEach(late -> notes.fail("never ready again: " + late));
      load.stop();
      out.accept("Waiting for the last of %d jobs …".formatted(load.ledger().size()));
      boolean drained = load.drain(DRAIN_LIMIT);
      if (!drained) {
        notes.fail("the load has not run out in time after the last fault");
      }
      Observations observations = observer.stop();
      out.accept("Judging …");
      Evidence evidence =
          new Evidence(
              stack.database()::admin,
              system.effects(),
              load.ledger(),
              observations,
              drained,
              injector.cutOff());
      Judgement judgement = Judge.judge(evidence);
      Optional<Violation> first = judgement.firstViolation();
      List<String> history = List.of();
      if (first.isPresent() && first.get().job() != null) {
        history = JobHistory.of(evidence, first.get().job());
      }
      return new ScenarioReport(
          scenario.label(),
          seed,
          Duration.ofNanos(System.nanoTime() - begin),
          load.ledger().size(),
          injector.counts(),
          injector.recoveries(),
          notes.all(),
          judgement,
          history);
    }
  }

  /** What went wrong that is no invariant, such as what never came back. */
  List<String> failures() {
    return notes.failures();
  }

  /** The faults that came about. */
  List<InjectedFault> injected() {
    return injected;
  }

  private Injector faults(Load load) throws InterruptedException {
    LocalStack stack = system.stack();
    Ground ground = new Ground(stack, system.fleet(), knobs(load), system.pooler());
    List<PlannedFault> schedule = scenario.schedule(seed, time);
    out.accept("The schedule of seed " + seed + ":");
    schedule.forEach(fault -> out.accept(fault.toString()));
    try (Injector injector = new Injector(ground, notes, out);
        Reviver reviver = new Reviver(system.fleet(), notes)) {
      injector.start(possible(schedule, stack));
      reviver.start();
      if (!injector.finish(time.plus(UNDO_LIMIT))) {
        notes.fail("a fault was not undone within " + UNDO_LIMIT.toMinutes() + " minutes");
      }
      injector
          .missed()
          .forEach((kind, times) -> notes.add(kind + " found no target " + times + " times"));
      injector.stuck().forEach(this::stuck);
      if (scenario.size().measures()) {
        List<FaultKind> kinds = schedule.stream().map(PlannedFault::kind).toList();
        RecoveryMarks.missed(kinds, injector.recoveries()).forEach(notes::fail);
      }
      return injector;
    }
  }

  /**
   * Under a heavy load a job may wait longer than that for other reasons, such as a paused queue.
   */
  private void stuck(String kind, int times) {
    String note = "after " + kind + " something did not go on in time, " + times + " times";
    if (scenario.size().measures()) {
      notes.fail(note);
    } else {
      notes.add(note);
    }
  }

  private Knobs knobs(Load load) {
    List<Knobs.Queue> elastic =
        load.queues().stream()
            .filter(LoadQueue::elastic)
            .map(queue -> new Knobs.Queue(queue.path(), queue.settings()))
            .toList();
    LocalStack stack = system.stack();
    ApiClient admin =
        new ApiClient(system.fleet().apis().get(0))
            .login(LocalStack.ADMIN_EMAIL, stack.adminPassword());
    return new Knobs(elastic, system.fleet().apis(), admin);
  }

  private List<PlannedFault> possible(List<PlannedFault> schedule, LocalStack stack) {
    TreeSet<FaultKind> impossible = new TreeSet<>();
    for (PlannedFault fault : schedule) {
      if (!fault.kind().need().met(stack)) {
        impossible.add(fault.kind());
      }
    }
    for (FaultKind kind : impossible) {
      notes.add("left out: " + kind.label() + ", since " + kind.need().otherwise());
      out.accept("Left out: " + kind.label() + ", since " + kind.need().otherwise());
    }
    return schedule.stream().filter(fault -> !impossible.contains(fault.kind())).toList();
  }
}
