package io.jobscheduler.localstack.faults;

import io.jobscheduler.localstack.process.Await;
import io.jobscheduler.localstack.process.Signals;
import io.jobscheduler.localstack.service.Service;
import io.jobscheduler.localstack.service.ServiceProcess;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** kill -9 and SIGSTOP. */
final class ProcessFaults {
  private static final Duration READY_LIMIT = Duration.ofSeconds(90);

  private ProcessFaults() {}

  /** Breaks a process that is held, and says how to undo it. */
  interface Break {
    Breakage.Undo of(Member member);
  }

  static Breakage.Undo kill(Member member) {
    member.process().kill9();
    return () -> startAgain(member);
  }

  static Breakage.Undo stop(Member member) {
    member.process().send(Signals.STOP);
    return () -> member.process().send(Signals.CONT);
  }

  /** Any process of a service. */
  static Fault any(Service service, Break how) {
    return (ground, choice) ->
        ground.hold(service, choice).map(member -> broken(member, null, how));
  }

  /** A worker, one that holds jobs if there is any. */
  static Fault worker(Break how) {
    return (ground, choice) -> {
      List<Member> workers = ground.fleet().of(Service.WORKER);
      for (int i = 0; i < workers.size(); i++) {
        Member member = workers.get((int) Math.floorMod(choice + i, (long) workers.size()));
        if (member.hold()) {
          HeldJobs jobs = HeldJobs.of(ground.stack().database(), member.process().pid());
          if (!jobs.isEmpty()) {
            return Optional.of(broken(member, jobs, how));
          }
          jobs.close();
          member.release();
        }
      }
      return any(Service.WORKER, how).inject(ground, choice);
    };
  }

  /** The scheduler that leads. */
  static Fault leader(Break how) {
    return (ground, choice) -> {
      Optional<NextLeader> next = NextLeader.of(ground.stack().database());
      Optional<Member> leader =
          next.flatMap(l -> ground.fleet().byPid(l.pid())).filter(Member::hold);
      if (leader.isEmpty()) {
        next.ifPresent(NextLeader::close);
      }
      return leader.map(member -> broken(member, next.orElseThrow(), how));
    };
  }

  private static Breakage broken(Member member, @Nullable Probe recovery, Break how) {
    Breakage.Undo undo = how.of(member);
    return new Breakage(
        member.name(),
        recovery,
        () -> {
          try {
            undo.run();
          } finally {
            member.release();
          }
        });
  }

  private static void startAgain(Member member) {
    ServiceProcess process = member.process();
    process.start();
    Await.until(READY_LIMIT, () -> !process.isAlive() || process.readiness().ready());
  }
}
