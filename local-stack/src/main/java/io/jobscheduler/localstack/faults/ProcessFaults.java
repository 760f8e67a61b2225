package io.jobscheduler.localstack.faults;

import io.jobscheduler.localstack.process.Signals;
import io.jobscheduler.localstack.service.Service;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** kill -9 and SIGSTOP. */
final class ProcessFaults {
  private ProcessFaults() {}

  /** Breaks a process that is held, and says how to undo it. */
  interface Break {
    Breakage.Undo of(Ground ground, Member member);
  }

  static Breakage.Undo kill(Ground ground, Member member) {
    member.process().kill9();
    return () -> ground.startAgain(member);
  }

  static Breakage.Undo stop(Ground ground, Member member) {
    member.process().send(Signals.STOP);
    return () -> member.process().send(Signals.CONT);
  }

  /** Any process of a service. */
  static Fault any(Service service, Break how) {
    return (ground, choice) ->
        ground.hold(service, choice).map(member -> broken(ground, member, null, how));
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
            return Optional.of(broken(ground, member, jobs, how));
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
      return leader.map(member -> broken(ground, member, next.orElseThrow(), how));
    };
  }

  private static Breakage broken(
      Ground ground, Member member, @Nullable Probe recovery, Break how) {
    Breakage.Undo undo = how.of(ground, member);
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
}
