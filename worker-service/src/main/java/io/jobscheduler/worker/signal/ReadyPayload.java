package io.jobscheduler.worker.signal;

import io.jobscheduler.worker.claim.Position;
import io.jobscheduler.worker.claim.ReadyPlace;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The payload on channel {@code jobs_ready}: {@code queueId:lane:dispatchKey:jobId}, the smallest
 * new place; several, separated by spaces, when several lanes of a queue have news. A {@code
 * queueId} alone: a job of that limited queue has ended, and whoever ended it asks for no other.
 */
public final class ReadyPayload {
  private ReadyPayload() {}

  /** Writes places of one queue, the smallest of each lane. */
  static String write(Collection<ReadyPlace> places) {
    Map<Integer, ReadyPlace> smallest = new TreeMap<>();
    for (ReadyPlace place : places) {
      smallest.merge(
          place.lane(), place, (a, b) -> a.position().compareTo(b.position()) <= 0 ? a : b);
    }
    return smallest.values().stream()
        .map(
            place ->
                place.queueId()
                    + ":"
                    + place.lane()
                    + ":"
                    + place.position().key()
                    + ":"
                    + place.position().jobId())
        .collect(Collectors.joining(" "));
  }

  /** Two payloads of one queue as one. */
  static String merge(String waiting, String added) {
    List<ReadyPlace> both = new ArrayList<>(read(waiting));
    both.addAll(read(added));
    return write(both);
  }

  /** Reads the queues with room. */
  static Set<Integer> rooms(String payload) {
    Set<Integer> queues = new HashSet<>();
    for (String entry : payload.split(" ")) {
      if (entry.indexOf(':') < 0) {
        try {
          queues.add(Integer.parseInt(entry));
        } catch (NumberFormatException e) {
          continue;
        }
      }
    }
    return queues;
  }

  /**
   * Reads the places in a payload; what cannot be read is left out, since the poll finds it too.
   */
  static List<ReadyPlace> read(String payload) {
    List<ReadyPlace> places = new ArrayList<>();
    for (String entry : payload.split(" ")) {
      String[] parts = entry.split(":");
      if (parts.length != 4) {
        continue;
      }
      try {
        int lane = Integer.parseInt(parts[1]);
        if (lane >= 0 && lane <= 9) {
          places.add(
              new ReadyPlace(
                  Integer.parseInt(parts[0]),
                  lane,
                  new Position(Long.parseLong(parts[2]), Long.parseLong(parts[3]))));
        }
      } catch (NumberFormatException e) {
        continue;
      }
    }
    return places;
  }
}
