package io.jobscheduler.benchmarks.system;

import io.jobscheduler.localstack.LocalStack;
import io.jobscheduler.localstack.service.Service;
import io.jobscheduler.schema.names.Channels;
import io.jobscheduler.schema.signal.CoalescingNotifier;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * What notifications cost 64 clients that hand in single jobs as fast as they can, while 20
 * sessions listen: none; coalesced by {@link CoalescingNotifier} outside the transactions, as the
 * services do; one in each transaction, as the SQL contract does unless told otherwise. In turn,
 * over one database without services.
 *
 * <p>Usage: {@code NotifyLoad [seconds of a turn] [rounds]}; 60 and 3 unless given.
 */
public final class NotifyLoad {
  private static final int CLIENTS = 64;
  private static final int LISTENERS = 20;
  private static final int WINDOW_MILLIS = 20;

  private enum How {
    WITHOUT,
    COALESCED,
    IN_EACH
  }

  private NotifyLoad() {}

  /** Runs it and prints the figures. */
  public static void main(String[] args) throws Exception {
    Duration turn = Duration.ofSeconds(args.length > 0 ? Long.parseLong(args[0]) : 60);
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 3;
    Path folder = Application.newFolder("notify-load");
    List<Connection> listeners = new ArrayList<>();
    try (LocalStack stack =
        LocalStack.builder(folder).services(new Service[0]).progress(System.out::println).build()) {
      stack.start();
      Application.allow(stack);
      for (int i = 0; i < LISTENERS; i++) {
        Connection listener = stack.connect("worker");
        listeners.add(listener);
        try (Statement statement = listener.createStatement()) {
          statement.execute("LISTEN " + Channels.JOBS_READY);
        }
      }
      for (How how : How.values()) {
        turn(stack, how, Duration.ofSeconds(3));
      }
      for (int round = 1; round <= rounds; round++) {
        double without = 0;
        for (How how : How.values()) {
          double rate = turn(stack, how, turn);
          without = how == How.WITHOUT ? rate : without;
          System.out.printf(
              Locale.ROOT, "round %d %-9s %.0f jobs/s, %.2f%n", round, how, rate, rate / without);
        }
      }
    }
  }

  private static double turn(LocalStack stack, How how, Duration length) throws Exception {
    try (Connection superuser = stack.superuser();
        Statement statement = superuser.createStatement()) {
      statement.execute("TRUNCATE jobs.jobs");
      statement.execute("CHECKPOINT");
    }
    AtomicLong done = new AtomicLong();
    long end = System.nanoTime() + length.toNanos();
    CoalescingNotifier notifier =
        new CoalescingNotifier(
            "notifier",
            () -> stack.connect("api"),
            (lost, cause) -> {
              throw new IllegalStateException(cause);
            });
    List<Thread> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      Thread client =
          new Thread(() -> done.addAndGet(enqueue(stack, how, notifier, end)), "client-" + i);
      clients.add(client);
      client.start();
    }
    Map<String, Integer> waits = sample(stack, end);
    for (Thread client : clients) {
      client.join();
    }
    notifier.close();
    System.out.println("  waits " + waits);
    return done.get() / (length.toMillis() / 1e3);
  }

  private static final String ENQUEUE =
      "SELECT jobs.enqueue_job(project => 'default', type => 'echo', payload => '{}', notify => ?)";

  private static long enqueue(LocalStack stack, How how, CoalescingNotifier notifier, long end) {
    long count = 0;
    try (Connection connection = Application.connect(stack);
        PreparedStatement statement = connection.prepareStatement(ENQUEUE)) {
      statement.setBoolean(1, how == How.IN_EACH);
      for (; System.nanoTime() - end < 0; count++) {
        statement.execute();
        if (how == How.COALESCED) {
          notifier.signal(Channels.JOBS_READY, "1:4", "1:4:0:0", WINDOW_MILLIS, (a, b) -> a);
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return count;
  }

  // Lock:object is the lock under which commits with a notification queue up.
  private static final String WAITS =
      """
      SELECT concat_ws(':', coalesce(a.wait_event_type, 'running'), a.wait_event), count(*)
        FROM pg_stat_activity a WHERE a.state = 'active' AND a.pid <> pg_backend_pid() GROUP BY 1
      """;

  /** Sessions at work, by what they wait for, added up over samples ten times a second. */
  private static Map<String, Integer> sample(LocalStack stack, long end) throws SQLException {
    Map<String, Integer> waits = new TreeMap<>();
    try (Connection superuser = stack.superuser();
        Statement statement = superuser.createStatement()) {
      while (System.nanoTime() - end < 0) {
        try (ResultSet rows = statement.executeQuery(WAITS)) {
          while (rows.next()) {
            waits.merge(rows.getString(1), rows.getInt(2), Integer::sum);
          }
        }
        LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
      }
    }
    return waits;
  }
}
