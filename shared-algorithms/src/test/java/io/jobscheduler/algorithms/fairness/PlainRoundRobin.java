package io.jobscheduler.algorithms.fairness;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/** Deficit Round Robin written as the paper tells it: a list, visit by visit and unit by unit. */
final class PlainRoundRobin {
  private final long quantum;
  private final List<Integer> ring = new ArrayList<>();
  private final Map<Integer, Integer> weight = new HashMap<>();
  private final Map<Integer, Long> deficit = new HashMap<>();
  private int visited;
  private boolean credited;

  PlainRoundRobin(long quantum) {
    this.quantum = quantum;
  }

  void activate(int flow, int newWeight) {
    if (weight.put(flow, newWeight) == null) {
      // The list begins with the visited flow, so that its end is the end of the round.
      List<Integer> rotated = new ArrayList<>(ring.subList(visited, ring.size()));
      rotated.addAll(ring.subList(0, visited));
      rotated.add(flow);
      ring.clear();
      ring.addAll(rotated);
      visited = 0;
      deficit.put(flow, 0L);
    }
  }

  void deactivate(int flow) {
    int at = ring.indexOf(flow);
    if (at < 0) {
      return;
    }
    if (at == visited) {
      credited = false;
    } else if (at < visited) {
      visited--;
    }
    ring.remove(at);
    weight.remove(flow);
    deficit.remove(flow);
    visited = ring.isEmpty() ? 0 : visited % ring.size();
  }

  long deficit(int flow) {
    return deficit.getOrDefault(flow, 0L);
  }

  void charge(int flow, long cost) {
    deficit.computeIfPresent(flow, (f, d) -> d - cost);
  }

  void refund(int flow, long cost) {
    deficit.computeIfPresent(
        flow, (f, d) -> Math.max(d, Math.min(d + cost, quantum * weight.get(f))));
  }

  Integer next(ToLongFunction<Integer> headCost) {
    if (ring.isEmpty()) {
      return null;
    }
    while (true) {
      int flow = ring.get(visited);
      credit(flow);
      if (headCost.applyAsLong(flow) <= deficit(flow)) {
        charge(flow, headCost.applyAsLong(flow));
        return flow;
      }
      leave();
    }
  }

  Map<Integer, Integer> plan(int slots, ToIntFunction<Integer> atMost) {
    Map<Integer, Integer> granted = new LinkedHashMap<>();
    Map<Integer, Integer> room = new HashMap<>();
    ring.forEach(flow -> room.put(flow, Math.max(0, atMost.applyAsInt(flow))));
    int left = slots;
    int start = visited;
    while (left > 0 && room.values().stream().anyMatch(r -> r > 0)) {
      int flow = ring.get(visited);
      if (room.get(flow) > 0) {
        credit(flow);
      }
      while (left > 0 && room.get(flow) > 0 && deficit(flow) > 0) {
        charge(flow, 1);
        room.merge(flow, -1, Integer::sum);
        granted.merge(flow, 1, Integer::sum);
        left--;
      }
      if (left == 0 && deficit(flow) > 0) {
        return granted;
      }
      if (room.get(flow) == 0) {
        deficit.put(flow, Math.min(0, deficit(flow)));
      }
      leave();
    }
    if (left > 0 && !ring.isEmpty()) {
      // Flows that nothing was asked of since the last unit are visited too, to complete the round.
      ring.forEach(flow -> deficit.put(flow, Math.min(0, deficit(flow))));
      visited = start;
      credited = false;
    }
    return granted;
  }

  private void credit(int flow) {
    if (!credited) {
      deficit.merge(flow, quantum * weight.get(flow), Long::sum);
      credited = true;
    }
  }

  private void leave() {
    visited = (visited + 1) % ring.size();
    credited = false;
  }
}
