package io.jobscheduler.localstack.faults;

import io.jobscheduler.localstack.process.Signals;
import io.jobscheduler.localstack.service.Service;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
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

  /** A worker: one of which a handler has run for seconds, else one that holds jobs, else any. */
  static Fault worker(Break how) {
    return (ground, choice) -> {
      List<Member> workers = ground.fleet().of(Service.WORKER);
      Optional<Busy> best = Optional.empty();
      for (int i = 0; i < workers.size() && best.filter(Busy::lengthy).isEmpty(); i++) {
        Member member = workers.get((int) Math.floorMod(choice + i, (long) workers.size()));
        if (member.hold()) {
          Busy next = new Busy(member, HeldJobs.of(ground.stack().database(), pid(member)));
          if (next.lengthy() || (best.isEmpty() && !next.jobs().isEmpty())) {
            best.ifPresent(Busy::leave);
            best = Optional.of(next);
          } else {
            next.leave();
          }
        }
      }
      return best.isPresent()
          ? best.map(busy -> broken(ground, busy.member(), busy.jobs(), how))
          : any(Service.WORKER, how).inject(ground, choice);
    };
  }

  /** A worker that is held, and what it held. */
  private record Busy(Member member, HeldJobs jobs) {
    boolean lengthy() {
      return jobs.isLengthy();
    }

    void leave() {
      jobs.close();
      member.release();
    }
  }

  private static long pid(Member member) {
    return member.process().pid();
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
    OptionalLong pid = OptionalLong.of(pid(member));
    Breakage.Undo undo = how.of(ground, member);
    return new Breakage(
        member.name(),
        recovery,
        pid,
        () -> {
          try {
            undo.run();
          } finally {
            member.release();
          }
        });
  }
}
