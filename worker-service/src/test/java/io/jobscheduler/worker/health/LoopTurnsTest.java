package io.jobscheduler.worker.health;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LoopTurnsTest {
  private final AtomicLong clock = new AtomicLong();
  private final LoopTurns turns = new LoopTurns(clock::get);

  @Test
  void namesTheLoopsThatDoNotTurn() {
    turns.turned("claim");
    turns.turned("settle");
    clock.addAndGet(Duration.ofSeconds(61).toNanos());
    turns.turned("settle");
    assertEquals(List.of("claim"), turns.stuck(Duration.ofSeconds(60)));
    turns.ended("claim");
    assertEquals(List.of(), turns.stuck(Duration.ofSeconds(60)));
  }
}
