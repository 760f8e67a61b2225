package io.jobscheduler.worker.claim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class HeadNotesTest {
  private final HeadNotes notes = new HeadNotes();
  private final ReadyPlace first = new ReadyPlace(1, 4, new Position(10, 1));
  private final ReadyPlace other = new ReadyPlace(1, 4, new Position(9, 2));

  @Test
  void actsOnANoteOnceSinceADeadLeadersStaysForEver() {
    assertEquals(List.of(first), notes.news(List.of(first)));
    assertEquals(List.of(), notes.news(List.of(first)));
    assertEquals(List.of(other), notes.news(List.of(other)));
  }

  @Test
  void noteThatWentAndCameBackIsNews() {
    notes.news(List.of(first));
    notes.news(List.of());
    assertEquals(List.of(first), notes.news(List.of(first)));
  }
}
