package io.jobscheduler.worker.claim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The leader's notes of the smallest keys that wait for over a second: the guard of the remembered
 * heads. Each note is acted upon once, since without a leader an old one stays for ever. Confined
 * to the claimer's thread.
 */
final class HeadNotes {
  private record Lane(int queueId, int lane) {}

  private final Map<Lane, Position> seen = new HashMap<>();

  /** Those of the notes that say something new. */
  List<ReadyPlace> news(List<ReadyPlace> notes) {
    List<ReadyPlace> news = new ArrayList<>();
    Set<Lane> noted = new HashSet<>();
    for (ReadyPlace note : notes) {
      Lane lane = new Lane(note.queueId(), note.lane());
      noted.add(lane);
      if (!note.position().equals(seen.put(lane, note.position()))) {
        news.add(note);
      }
    }
    seen.keySet().retainAll(noted);
    return news;
  }
}
