package io.jobscheduler.worker.notes;

import io.jobscheduler.worker.execute.ErrorText;
import io.jobscheduler.worker.handlers.AttemptNotes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The notes of one attempt. Holds what is not yet written, bounded, and knows how much of what is
 * written is too much. Lines are numbered as they are said, so that a gap tells how many were
 * dropped. Thread-safe; calls nobody while it holds its lock.
 */
final class Book implements AttemptNotes {
  static final int MOST_LINES = 10_000;
  static final int MOST_BYTES = 1024 * 1024;
  static final int MOST_WAITING_LINES = 1_000;
  static final int MOST_WAITING_BYTES = 256 * 1024;
  private static final int LONGEST_PROGRESS = 1_000;

  /** Lines that are written together; they are dropped together. */
  private record Written(int lastLine, int lines, int bytes) {}

  private final long jobId;
  private final long leaseToken;
  private final Consumer<Book> onWords;
  private final LongSupplier clock;
  private final ArrayDeque<Line> waiting = new ArrayDeque<>(0);
  private final ArrayDeque<Written> written = new ArrayDeque<>(0);
  private Words.@Nullable Progress progress;
  private int waitingBytes;
  private int said;
  private int writtenLines;
  private long writtenBytes;
  private int gone;
  private int goneConfirmed;
  private boolean closed;

  /**
   * Makes an empty book.
   *
   * @param onWords told after each word
   */
  Book(long jobId, long leaseToken, Consumer<Book> onWords, LongSupplier clock) {
    this.jobId = jobId;
    this.leaseToken = leaseToken;
    this.onWords = onWords;
    this.clock = clock;
  }

  long jobId() {
    return jobId;
  }

  long leaseToken() {
    return leaseToken;
  }

  @Override
  public void log(Level level, @Nullable String message) {
    String text = ErrorText.clean(String.valueOf(message), ErrorText.MESSAGE_LIMIT);
    String label = (level == null ? Level.INFO : level).name().toLowerCase(Locale.ROOT);
    int bytes = bytesOf(text);
    synchronized (this) {
      if (closed) {
        return;
      }
      said++;
      waiting.addLast(new Line(said, label, text, clock.getAsLong(), bytes));
      waitingBytes += bytes;
      dropOldestWaiting();
    }
    onWords.accept(this);
  }

  @Override
  public void progress(double fraction, @Nullable String message) {
    Words.Progress latest =
        new Words.Progress(
            Double.isNaN(fraction) ? null : Math.max(0, Math.min(1, fraction)),
            ErrorText.clean(message == null ? "" : message, LONGEST_PROGRESS));
    synchronized (this) {
      if (closed) {
        return;
      }
      progress = latest;
    }
    onWords.accept(this);
  }

  /** In UTF-8; half a surrogate pair counts as half of its four bytes. */
  private static int bytesOf(String text) {
    int bytes = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      bytes += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
    }
    return bytes;
  }

  private void dropOldestWaiting() {
    while (waiting.size() > MOST_WAITING_LINES
        || (waitingBytes > MOST_WAITING_BYTES && waiting.size() > 1)) {
      waitingBytes -= waiting.removeFirst().bytes();
    }
  }

  /** The attempt has ended, or its lease: nothing more is taken. What waits is still written. */
  synchronized void close() {
    closed = true;
  }

  /** Nothing of this book is to be written any more. */
  synchronized void burn() {
    closed = true;
    progress = null;
    waiting.clear();
    waitingBytes = 0;
  }

  /** Takes out what waits; null when nothing does. */
  synchronized @Nullable Words take() {
    if (waiting.isEmpty() && progress == null) {
      return null;
    }
    List<Line> lines = new ArrayList<>(waiting);
    Words words;
    if (!lines.isEmpty()) {
      written.addLast(new Written(said, lines.size(), waitingBytes));
      writtenLines += lines.size();
      writtenBytes += waitingBytes;
      while (written.size() > 1 && (writtenLines > MOST_LINES || writtenBytes > MOST_BYTES)) {
        Written oldest = written.removeFirst();
        writtenLines -= oldest.lines();
        writtenBytes -= oldest.bytes();
        gone = oldest.lastLine();
      }
    }
    words = new Words(this, progress, lines, gone > goneConfirmed ? gone : 0);
    waiting.clear();
    waitingBytes = 0;
    progress = null;
    return words;
  }

  /** What was taken is written. */
  synchronized void stored(Words words) {
    goneConfirmed = Math.max(goneConfirmed, words.gone());
  }

  /** What was taken could not be written; newer words have precedence. */
  synchronized void putBack(Words words) {
    if (progress == null) {
      progress = words.progress();
    }
    List<Line> lines = words.lines();
    if (lines.isEmpty()) {
      return;
    }
    Written last = written.removeLast();
    writtenLines -= last.lines();
    writtenBytes -= last.bytes();
    for (int i = lines.size() - 1; i >= 0; i--) {
      waiting.addFirst(lines.get(i));
      waitingBytes += lines.get(i).bytes();
    }
    dropOldestWaiting();
  }
}
