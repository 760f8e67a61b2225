package io.jobscheduler.algorithms.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

class BinaryMinHeapTest {
  private final BinaryMinHeap<Integer> heap = new BinaryMinHeap<>(Comparator.naturalOrder());

  @Test
  void givesNothingWhenEmpty() {
    assertTrue(heap.isEmpty());
    assertEquals(0, heap.size());
    assertNull(heap.peek());
    assertNull(heap.poll());
  }

  @Test
  void givesTheSmallestFirst() {
    List.of(5, 3, 8, 1, 9, 2, 7).forEach(heap::add);
    assertEquals(1, heap.peek());
    assertEquals(7, heap.size());
    assertFalse(heap.isEmpty());
    assertEquals(List.of(1, 2, 3, 5, 7, 8, 9), drain());
  }

  @Test
  void givesEqualElementsInTheOrderTheyWereAdded() {
    BinaryMinHeap<String> jobs =
        new BinaryMinHeap<>(Comparator.comparingInt((String job) -> job.charAt(0)));
    List<String> added = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      added.add((char) ('a' + i % 3) + "-" + i);
    }
    added.forEach(jobs::add);
    List<String> drained = new ArrayList<>();
    while (!jobs.isEmpty()) {
      drained.add(jobs.poll());
    }
    added.sort(Comparator.comparingInt(job -> job.charAt(0)));
    assertEquals(added, drained);
  }

  @Test
  void removesTheHandlesElementOnly() {
    heap.add(1);
    var handle = heap.add(1);
    heap.add(2);
    assertTrue(heap.remove(handle));
    assertEquals(List.of(1, 2), drain());
  }

  @Test
  void removesTheLastLeaf() {
    heap.add(1);
    var last = heap.add(2);
    assertTrue(heap.remove(last));
    assertEquals(List.of(1), drain());
  }

  @Test
  void movesTheLeafUpWhenItFillsAGapBelowLargerElements() {
    // The gap lies in the right subtree of large elements, the last leaf comes from the small left.
    heap.add(0);
    List.of(1, 100, 2, 3).forEach(heap::add);
    var inLargeSubtree = heap.add(101);
    List.of(102, 4, 5).forEach(heap::add);
    assertTrue(heap.remove(inLargeSubtree));
    assertEquals(List.of(0, 1, 2, 3, 4, 5, 100, 102), drain());
  }

  @Test
  void refusesToRemoveTwice() {
    var removed = heap.add(1);
    var polled = heap.add(0);
    var cleared = heap.add(2);
    assertTrue(heap.remove(removed));
    heap.poll();
    assertFalse(heap.remove(removed));
    assertFalse(heap.remove(polled));
    assertEquals(1, heap.size());
    heap.clear();
    heap.add(3);
    assertFalse(heap.remove(cleared));
    assertEquals(List.of(3), drain());
  }

  @Test
  void refusesTheHandleOfAnotherHeap() {
    BinaryMinHeap<Integer> other = new BinaryMinHeap<>(Comparator.naturalOrder());
    var foreign = other.add(1);
    heap.add(1);
    assertThrows(IllegalArgumentException.class, () -> heap.remove(foreign));
    assertEquals(1, heap.size());
    assertEquals(1, other.size());
  }

  @Test
  void refusesNull() {
    assertThrows(NullPointerException.class, () -> heap.add(null));
    assertThrows(NullPointerException.class, () -> new BinaryMinHeap<Integer>(null));
    assertTrue(heap.isEmpty());
  }

  @Test
  void isUsableAfterClear() {
    for (int i = 40; i > 0; i--) {
      heap.add(i);
    }
    heap.clear();
    assertTrue(heap.isEmpty());
    assertNull(heap.peek());
    for (int i = 40; i > 0; i--) {
      heap.add(i);
    }
    assertEquals(40, drain().size());
  }

  @Test
  void comparesLogarithmically() {
    int size = 1 << 16;
    long[] compared = {0};
    BinaryMinHeap<Integer> counting =
        new BinaryMinHeap<>(
            (a, b) -> {
              compared[0]++;
              return Integer.compare(a, b);
            });
    List<BinaryMinHeap.Handle<Integer>> handles = new ArrayList<>();
    for (int i = size; i > 0; i--) {
      handles.add(counting.add(i));
    }
    assertTrue(compared[0] <= 16L * size, () -> compared[0] + " comparisons to add");
    compared[0] = 0;
    for (var handle : handles) {
      counting.remove(handle);
    }
    assertTrue(compared[0] <= 34L * size, () -> compared[0] + " comparisons to remove");
  }

  private List<Integer> drain() {
    List<Integer> drained = new ArrayList<>();
    for (Integer head = heap.poll(); head != null; head = heap.poll()) {
      drained.add(head);
    }
    return drained;
  }
}
