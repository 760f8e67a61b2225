package io.jobscheduler.algorithms.heap;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A priority queue that also removes any element by the handle its insertion gave.
 *
 * <p>Elements come out smallest first; equal ones in the order they were added. An element's place
 * in the order must not change while it is in the heap, and the comparator must not throw.
 *
 * <p>Source: J. W. J. Williams, "Algorithm 232: Heapsort", Communications of the ACM 7(6), 1964;
 * Cormen, Leiserson, Rivest and Stein, "Introduction to Algorithms", chapter 6 (handles: 6.5).
 *
 * <p>Cost: {@code add}, {@code poll} and {@code remove} O(log n) comparisons, {@code peek} and
 * {@code size} O(1), {@code clear} O(n). One object and one array slot per element; the array does
 * not shrink before {@code clear}.
 *
 * <p>Not thread-safe: the caller guards it.
 *
 * @param <E> the elements, never null
 */
public final class BinaryMinHeap<E> {

  /**
   * Names one insertion, for its removal. It dies when its element leaves the heap.
   *
   * @param <E> the heap's elements
   */
  public static final class Handle<E> {
    private static final int DEAD = -1;

    private final BinaryMinHeap<E> heap;
    private final E element;
    private final long sequence;
    private int index = DEAD;

    private Handle(BinaryMinHeap<E> heap, E element, long sequence) {
      this.heap = heap;
      this.element = element;
      this.sequence = sequence;
    }
  }

  private static final int INITIAL_CAPACITY = 16;

  private final Comparator<? super E> order;
  private Handle<E>[] places = newPlaces();
  private int size;
  private long nextSequence;

  /** Makes an empty heap whose head is the smallest element by {@code order}. */
  public BinaryMinHeap(Comparator<? super E> order) {
    this.order = Objects.requireNonNull(order);
  }

  /** Adds an element and returns the handle that can remove it. */
  public Handle<E> add(E element) {
    Objects.requireNonNull(element);
    if (size == places.length) {
      places = Arrays.copyOf(places, size * 2);
    }
    Handle<E> added = new Handle<>(this, element, nextSequence++);
    siftUp(size++, added);
    return added;
  }

  /** Returns the smallest element and leaves it in the heap, or null when the heap is empty. */
  public @Nullable E peek() {
    return size == 0 ? null : places[0].element;
  }

  /** Removes and returns the smallest element, or null when the heap is empty. */
  public @Nullable E poll() {
    if (size == 0) {
      return null;
    }
    Handle<E> head = places[0];
    removeAt(0);
    return head.element;
  }

  /**
   * Removes the element that {@code handle} was given for.
   *
   * @return whether it was still in the heap
   * @throws IllegalArgumentException when another heap gave the handle
   */
  public boolean remove(Handle<E> handle) {
    if (handle.heap != this) {
      throw new IllegalArgumentException("the handle belongs to another heap");
    }
    if (handle.index == Handle.DEAD) {
      return false;
    }
    removeAt(handle.index);
    return true;
  }

  /** Returns how many elements the heap holds. */
  public int size() {
    return size;
  }

  /** Returns whether the heap holds no element. */
  public boolean isEmpty() {
    return size == 0;
  }

  /** Removes all elements, their handles die, and gives the memory back. */
  public void clear() {
    for (int i = 0; i < size; i++) {
      places[i].index = Handle.DEAD;
    }
    places = newPlaces();
    size = 0;
  }

  private void removeAt(int index) {
    places[index].index = Handle.DEAD;
    Handle<E> last = places[--size];
    places[size] = null;
    if (index == size) {
      return;
    }
    // The last leaf takes the gap. It may come from another subtree, so it may belong above it.
    siftDown(index, last);
    if (last.index == index) {
      siftUp(index, last);
    }
  }

  private void siftUp(int gap, Handle<E> moving) {
    while (gap > 0) {
      int parent = (gap - 1) >>> 1;
      if (!before(moving, places[parent])) {
        break;
      }
      put(gap, places[parent]);
      gap = parent;
    }
    put(gap, moving);
  }

  private void siftDown(int gap, Handle<E> moving) {
    int child;
    while ((child = 2 * gap + 1) < size) {
      if (child + 1 < size && before(places[child + 1], places[child])) {
        child++;
      }
      if (!before(places[child], moving)) {
        break;
      }
      put(gap, places[child]);
      gap = child;
    }
    put(gap, moving);
  }

  private void put(int index, Handle<E> handle) {
    places[index] = handle;
    handle.index = index;
  }

  private boolean before(Handle<E> a, Handle<E> b) {
    int byOrder = order.compare(a.element, b.element);
    return byOrder != 0 ? byOrder < 0 : a.sequence < b.sequence;
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // Only Handle<E> is ever stored.
  private static <E> Handle<E>[] newPlaces() {
    return new Handle[INITIAL_CAPACITY];
  }
}
