package io.jobscheduler.worker.claim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class LaneHeadTest {
  private final LaneHead lane = new LaneHead();

  private static Position at(long key) {
    return new Position(key, 1);
  }

  @Test
  void scansBehindWhatWasTaken() {
    lane.takenTo(at(50));
    assertEquals(new Position(50, 2), lane.start());
  }

  @Test
  void emptyLaneIsLeftOutUntilSomethingIsReady() {
    lane.takenTo(at(50));
    lane.exhausted();
    assertEquals(Position.NOWHERE, lane.start());
    assertFalse(lane.mayHoldWork());
    lane.ready(at(60));
    assertEquals(new Position(50, 2), lane.start());
  }

  @Test
  void jobBeforeTheHeadMakesAnExtraScanWhileTheHeadStays() {
    lane.takenTo(at(50));
    lane.ready(at(10));
    assertEquals(at(10), lane.start());
    lane.takenTo(at(10));
    // Cut off before the head: the rest of [10, 50) is still to be looked at.
    assertEquals(new Position(10, 2), lane.start());
    lane.takenTo(at(70));
    assertEquals(new Position(70, 2), lane.start());
  }

  @Test
  void extraScanDoesNotMoveTheHeadBack() {
    lane.takenTo(at(50));
    lane.ready(at(10));
    lane.exhausted();
    lane.ready(at(55));
    assertEquals(new Position(50, 2), lane.start());
  }

  @Test
  void extraScanOfAnEmptyLaneIsMadeToo() {
    lane.takenTo(at(50));
    lane.exhausted();
    lane.ready(at(10));
    assertTrue(lane.mayHoldWork());
    assertEquals(at(10), lane.start());
  }

  @Test
  void keepsTheSmallestOfSeveralEarlyPlaces() {
    lane.takenTo(at(50));
    lane.ready(at(20));
    lane.ready(at(10));
    lane.ready(at(30));
    assertEquals(at(10), lane.start());
  }

  @Test
  void forgettingStartsFromTheBeginning() {
    lane.takenTo(at(50));
    lane.exhausted();
    lane.forget();
    assertEquals(Position.START, lane.probeStart());
    assertEquals(Position.NOWHERE, lane.start());
  }
}
