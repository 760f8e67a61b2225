package io.jobscheduler.localstack.faults;

import java.time.Duration;

/** What a network does to the way between a process and the database. */
final class NetworkFaults {
  private static final Duration SLOW = Duration.ofMillis(60);

  private NetworkFaults() {}

  /** Half-open: nothing arrives and nobody is told; later what was under way arrives late. */
  static Breakage.Undo cut(Ground ground, Member member) {
    member.proxy().swallow();
    return member.proxy()::resume;
  }

  /** Half-open, and what was under way is lost. */
  static Breakage.Undo cutForGood(Ground ground, Member member) {
    member.proxy().swallow();
    return () -> {
      member.proxy().reset();
      member.proxy().resume();
    };
  }

  /** All connections break, once. */
  static Breakage.Undo reset(Ground ground, Member member) {
    member.proxy().reset();
    return () -> {};
  }

  /** All connections break, and every new one. */
  static Breakage.Undo refuse(Ground ground, Member member) {
    member.proxy().refuse();
    return member.proxy()::resume;
  }

  /** A slow database: so much longer for each answer. */
  static Breakage.Undo slow(Ground ground, Member member) {
    member.proxy().delay(SLOW.dividedBy(2));
    return member.proxy()::resume;
  }
}
