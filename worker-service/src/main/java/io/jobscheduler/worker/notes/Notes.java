package io.jobscheduler.worker.notes;

import io.jobscheduler.worker.claim.ClaimedJob;
import io.jobscheduler.worker.database.Connections;
import io.jobscheduler.worker.database.SqlStates;
import io.jobscheduler.worker.execute.NoteKeeper;
import io.jobscheduler.worker.handlers.AttemptNotes;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;

/**
 * Writes the notes of one tenure's attempts: a thread that sleeps until there is a word, lets words
 * gather for a while and writes them together. While the database is away, books keep their newest.
 *
 * <p>Lock order: a flush at a time, then the list of books with words, then a book. Thread-safe.
 */
public final class Notes implements Runnable, NoteKeeper {
  /** How long words gather. */
  public static final Duration GATHER = Duration.ofSeconds(1);

  private static final Logger LOG = Logger.getLogger(Notes.class);
  private static final int BOOKS = 100;
  private static final int LINES = 2_000;

  private final long worker;
  private final NoteStore store;
  private final long gatherNanos;
  private final LongSupplier clock;
  private final ReentrantLock flushing = new ReentrantLock();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  // Guarded by lock, as closed is.
  private final Set<Book> withWords = new LinkedHashSet<>();
  private boolean closed;
  // Guarded by flushing.
  private boolean failing;

  /**
   * Makes it, not yet running.
   *
   * @param gather how long words gather before they are written
   */
  public Notes(long worker, Connections pool, Duration gather, LongSupplier clock) {
    this.worker = worker;
    this.store = new NoteStore(pool);
    this.gatherNanos = gather.toNanos();
    this.clock = clock;
  }

  @Override
  public AttemptNotes open(ClaimedJob job) {
    return new Book(job.id(), job.leaseToken(), this::hasWords, clock);
  }

  @Override
  public void close(AttemptNotes notes) {
    if (notes instanceof Book book) {
      book.close();
    }
  }

  private void hasWords(Book book) {
    lock.lock();
    try {
      if (withWords.add(book) && withWords.size() == 1) {
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void run() {
    try {
      while (awaitWords()) {
        flush();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for a word and then for others to gather; false when closed. */
  private boolean awaitWords() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!closed && withWords.isEmpty()) {
        changed.await();
      }
      long left = gatherNanos;
      while (!closed && left > 0) {
        left = changed.awaitNanos(left);
      }
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /** Writes what has gathered, now; what cannot be written stays. Never throws. */
  public void flush() {
    flushing.lock();
    try {
      List<Book> books = takeBooks();
      int from = 0;
      while (from < books.size()) {
        List<Words> batch = new ArrayList<>();
        int lines = 0;
        while (from < books.size() && batch.size() < BOOKS && lines < LINES) {
          Words words = books.get(from++).take();
          if (words != null) {
            batch.add(words);
            lines += words.lines().size();
          }
        }
        if (!batch.isEmpty() && !write(batch)) {
          books.subList(from, books.size()).forEach(this::hasWords);
          return;
        }
      }
    } finally {
      flushing.unlock();
    }
  }

  private List<Book> takeBooks() {
    lock.lock();
    try {
      List<Book> books = new ArrayList<>(withWords);
      withWords.clear();
      return books;
    } finally {
      lock.unlock();
    }
  }

  /** Whether the database took or refused the words; else they are back in their books. */
  private boolean write(List<Words> batch) {
    try {
      Set<Long> refused = store.noteAttempts(worker, batch, clock.getAsLong());
      batch.forEach(words -> words.book().stored(words));
      batch.stream()
          .map(Words::book)
          .filter(book -> refused.contains(book.leaseToken()))
          .forEach(Book::burn);
      failing = false;
      return true;
    } catch (SQLException | RuntimeException e) {
      if (e instanceof SQLException sql && SqlStates.isData(sql)) {
        LOG.warnf(
            "Notes that cannot be stored are dropped worker_id=%d jobs=%d sqlstate=%s",
            worker, batch.size(), sql.getSQLState());
        batch.forEach(words -> words.book().stored(words));
        return true;
      }
      if (!failing) {
        failing = true;
        LOG.warnf("Notes cannot be written, will retry worker_id=%d cause=%s", worker, e);
      }
      batch.forEach(words -> words.book().putBack(words));
      batch.forEach(words -> hasWords(words.book()));
      return false;
    }
  }

  /** Ends the thread; words not yet written are lost. */
  public void stop() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
