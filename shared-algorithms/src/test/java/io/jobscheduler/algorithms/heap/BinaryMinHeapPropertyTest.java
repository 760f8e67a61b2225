package io.jobscheduler.algorithms.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jobscheduler.algorithms.Seed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Random operations against a list that is sorted, stably, after each insertion. */
class BinaryMinHeapPropertyTest {

  private record Element(int key, int number) {
    static final Comparator<Element> BY_KEY = Comparator.comparingInt(Element::key);
  }

  private record Added(Element element, BinaryMinHeap.Handle<Element> handle) {}

  private static final class Run {
    final Random random;
    final int keys;
    final BinaryMinHeap<Element> heap = new BinaryMinHeap<>(Element.BY_KEY);
    final List<Element> model = new ArrayList<>();
    final List<Added> everAdded = new ArrayList<>();

    Run(Random random) {
      this.random = random;
      this.keys = 1 + random.nextInt(50);
    }

    void step() {
      int dice = random.nextInt(100);
      if (dice < 50) {
        add();
      } else if (dice < 75) {
        assertEquals(model.isEmpty() ? null : model.remove(0), heap.poll());
      } else if (dice < 99) {
        remove();
      } else {
        heap.clear();
        model.clear();
      }
      assertEquals(model.size(), heap.size());
      assertEquals(model.isEmpty(), heap.isEmpty());
      assertEquals(model.isEmpty() ? null : model.get(0), heap.peek());
    }

    void add() {
      Element element = new Element(random.nextInt(keys), everAdded.size());
      everAdded.add(new Added(element, heap.add(element)));
      model.add(element);
      model.sort(Element.BY_KEY);
    }

    void remove() {
      if (!everAdded.isEmpty()) {
        Added any = everAdded.get(random.nextInt(everAdded.size()));
        assertEquals(model.remove(any.element), heap.remove(any.handle));
      }
    }

    void drain() {
      for (Element element : model) {
        assertEquals(element, heap.poll());
      }
      assertEquals(0, heap.size());
    }
  }

  @Test
  void behavesAsAStablySortedList() {
    Seed.check(
        200,
        random -> {
          Run run = new Run(random);
          for (int i = 0; i < 300; i++) {
            run.step();
          }
          run.drain();
        });
  }
}
