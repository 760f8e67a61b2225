package io.jobscheduler.worker.notes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.worker.handlers.AttemptNotes.Level;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BookTest {
  private final List<Book> told = new ArrayList<>();
  private final Book book = new Book(1, 2, told::add, () -> 7);

  private void say(int lines, String text) {
    for (int i = 0; i < lines; i++) {
      book.log(Level.INFO, text);
    }
  }

  private static List<Integer> ends(Words words) {
    List<Line> lines = words.lines();
    return List.of(lines.get(0).number(), lines.get(lines.size() - 1).number());
  }

  @Test
  void keepsTheNewestOfWhatWaits() {
    say(1_500, "x");
    assertEquals(List.of(501, 1_500), ends(book.take()));
    say(10, "x".repeat(4_096));
    say(90, "y".repeat(4_096));
    Words words = book.take();
    assertEquals(1_600, words.lines().get(words.lines().size() - 1).number());
    int bytes = words.lines().stream().mapToInt(Line::bytes).sum();
    assertEquals(Book.MOST_WAITING_BYTES, bytes);
    assertTrue(words.lines().stream().allMatch(line -> line.text().startsWith("y")));
    assertNull(book.take());
  }

  @Test
  void tellsWhichWrittenLinesAreTooMany() {
    for (int round = 1; round <= 10; round++) {
      say(1_000, "x");
      Words words = book.take();
      assertEquals(0, words.gone());
      book.stored(words);
    }
    say(1, "x");
    Words words = book.take();
    assertEquals(1_000, words.gone());
    book.putBack(words);
    words = book.take();
    assertEquals(1_000, words.gone(), "told again until it is done");
    book.stored(words);
    say(1, "x");
    assertEquals(0, book.take().gone());
  }

  @Test
  void boundsTheTextThatIsWritten() {
    int gone = 0;
    for (int round = 1; round <= 10; round++) {
      say(50, "é€😀".repeat(350) + "x".repeat(350));
      Words words = book.take();
      book.stored(words);
      gone = Math.max(gone, words.gone());
    }
    // 175,000 bytes a round: five rounds fit into a mebibyte.
    assertEquals(5 * 50, gone);
  }

  @Test
  void wordsThatCouldNotBeWrittenComeBackInOrderBehindNoNewerProgress() {
    say(2, "old");
    book.progress(0.1, "old");
    Words first = book.take();
    say(1, "new");
    book.progress(0.2, "new");
    book.putBack(first);
    Words again = book.take();
    assertEquals(List.of(1, 2, 3), again.lines().stream().map(Line::number).toList());
    assertEquals(new Words.Progress(0.2, "new"), again.progress());
  }

  @Test
  void takesNothingOnceClosedAndForgetsAllOnceBurnt() {
    say(1, "last");
    book.close();
    say(1, "zombie");
    book.progress(1, "zombie");
    Words words = book.take();
    assertEquals(1, words.lines().size());
    assertNull(words.progress());
    assertEquals(1, told.size());
    say(1, "x");
    assertNull(book.take());
    Book other = new Book(1, 2, told::add, () -> 7);
    other.log(Level.INFO, "x");
    other.burn();
    assertNull(other.take());
  }

  @Test
  void makesAnythingStorable() {
    book.log(null, null);
    book.log(Level.ERROR, "a\u0000b\ud800");
    book.log(Level.WARN, "x".repeat(10_000));
    book.progress(Double.NaN, null);
    Words words = book.take();
    assertEquals("null", words.lines().get(0).text());
    assertEquals("info", words.lines().get(0).level());
    assertEquals("a\ufffdb\ufffd", words.lines().get(1).text());
    assertEquals("error", words.lines().get(1).level());
    assertTrue(words.lines().get(2).text().length() <= 4_096);
    assertEquals(new Words.Progress(null, ""), words.progress());
    book.progress(17, "y".repeat(2_000));
    Words.Progress progress = book.take().progress();
    assertEquals(1.0, progress.fraction());
    assertTrue(progress.message().length() <= 1_000);
  }
}
