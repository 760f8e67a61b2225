package io.jobscheduler.scheduler.leadership;

import io.jobscheduler.scheduler.database.DirectConnections;
import io.jobscheduler.scheduler.leadership.LeadershipStore.Attempt;
import io.jobscheduler.scheduler.loop.Loops;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * This process' part in leadership: stands by, leads, and gives up.
 *
 * <p>{@link #runOnce} and {@link #close} belong to one thread; everything else may be asked from
 * any.
 */
public final class Leadership implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(Leadership.class);

  /** A reply that takes longer means that the session is broken. */
  private static final Duration SILENCE = Duration.ofSeconds(3);

  /** Raising the epoch may wait for a leader transaction: 5 s, and the server gives up at 7 s. */
  private static final Duration SILENCE_AT_TAKEOVER = Duration.ofSeconds(9);

  private final DirectConnections connections;
  private final LeadershipConfig config;
  private final Loops loops;
  private final String holder;
  private final Beats beats;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private @Nullable Connection session;
  private volatile @Nullable Term term;
  private boolean stuckSaid;

  /**
   * Makes a standby.
   *
   * @param loops that must turn for the leadership to be renewed
   * @param holder written into table {@code leadership} for people to read
   */
  public Leadership(
      DirectConnections connections,
      LeadershipConfig config,
      Loops loops,
      String holder,
      LongSupplier nanoClock) {
    this.connections = connections;
    this.config = LeadershipConfig.checked(config);
    this.loops = loops;
    this.holder = holder;
    this.beats = new Beats(nanoClock, config.staleAfter().dividedBy(2));
  }

  /** The term in which this process leads; empty on a standby. */
  public Optional<Term> current() {
    return Optional.ofNullable(term);
  }

  /** Runs {@code listener} on the leadership thread after each start and end of a term. */
  public void whenChanged(Runnable listener) {
    listeners.add(listener);
  }

  /** Whether this process has reached the database in time, without a gap, for {@code span}. */
  public boolean punctualFor(Duration span) {
    return beats.punctualFor(span);
  }

  /** Whether the database answered this process within {@code span}. */
  public boolean reachedDatabaseWithin(Duration span) {
    return beats.confirmedWithin(span);
  }

  /** One beat: renews, or tries to lead. On failure the term is over and the session closed. */
  public void runOnce() throws SQLException {
    try {
      Connection open = session;
      if (open == null) {
        open = connections.open("jobs-leadership", SILENCE);
        session = open;
      }
      Term leading = term;
      if (leading == null) {
        standBy(open);
      } else {
        lead(open, leading);
      }
      beats.confirmed();
    } catch (SQLException | RuntimeException e) {
      beats.failed();
      giveUp();
      throw e;
    }
  }

  private void standBy(Connection open) throws SQLException {
    Attempt attempt = LeadershipStore.tryToLead(open, config.staleAfter());
    if (attempt.obtained()) {
      DirectConnections.setSilence(open, SILENCE_AT_TAKEOVER);
      Term taken = LeadershipStore.takeOver(open, holder);
      DirectConnections.setSilence(open, SILENCE);
      LOG.infof("This process leads: epoch=%d holder=%s", taken.epoch(), holder);
      change(taken);
    } else if (attempt.stale()) {
      List<Integer> ended = LeadershipStore.endStaleHolder(open, config.staleAfter());
      if (!ended.isEmpty()) {
        LOG.warnf("The leader has not renewed and its session was ended: pid=%s", ended);
      }
    }
  }

  private void lead(Connection open, Term leading) throws SQLException {
    List<String> stuck = loops.stuck(config.stuckAfter());
    if (!stuck.isEmpty()) {
      // Not renewed: a standby will take over. Still asks whether the lock's session lives.
      if (!stuckSaid) {
        LOG.errorf("Leadership is not renewed, restart this process: stuck_loops=%s", stuck);
        stuckSaid = true;
      }
      if (!open.isValid((int) SILENCE.toSeconds())) {
        throw new SQLException("the lock's session has ended", "08006");
      }
      return;
    }
    stuckSaid = false;
    if (!LeadershipStore.renew(open, leading, config.staleAfter().dividedBy(2))) {
      LOG.warnf("Another process leads: epoch=%d", leading.epoch());
      giveUp();
    }
  }

  /** Ends the term, if one runs, and closes the session, which frees the lock. */
  @Override
  public void close() {
    giveUp();
  }

  private void giveUp() {
    Connection open = session;
    session = null;
    Term leading = term;
    if (leading != null) {
      LOG.infof("This process stops leading: epoch=%d", leading.epoch());
      change(null);
    }
    if (open != null) {
      try {
        open.close();
      } catch (SQLException e) {
        LOG.debug("the lock's session did not close", e);
      }
    }
  }

  private void change(@Nullable Term next) {
    term = next;
    stuckSaid = false;
    listeners.forEach(Runnable::run);
  }
}
