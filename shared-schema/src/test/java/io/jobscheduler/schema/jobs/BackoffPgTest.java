package io.jobscheduler.schema.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Delays before the next attempt, at the edges. */
class BackoffPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();

  /** Attempts at which naive exponents overflow, each with every base, factor and cap. */
  @Test
  void delayIsNeverNegativeAboveItsCapOrAnError() {
    assertEquals(
        "0 of 324",
        database.sql(
            """
            SELECT count(*) FILTER (WHERE NOT coalesce(d.delay BETWEEN interval '0' AND d.most, false))
                   || ' of ' || count(*)
              FROM unnest(ARRAY[1, 30, 31, 32, 62, 63, 64, 100, 305, 999, 1000, 2147483647]) AS a (attempt)
             CROSS JOIN unnest(ARRAY[1, 15, 3600]) AS b (base)
             CROSS JOIN unnest(ARRAY[1, 2, 10]) AS f (factor)
             CROSS JOIN unnest(ARRAY[1, 3600, 315360000]) AS c (cap)
             CROSS JOIN LATERAL (
               SELECT retry_delay(json_build_object('baseSeconds', b.base, 'factor', f.factor,
                        'capSeconds', c.cap, 'jitter', 'none'), a.attempt) AS delay,
                      make_interval(secs => least(c.cap, 31536000)) AS most) d
            """));
  }

  /** Through the settle: due after now and within the cap, whatever the attempt's number. */
  @Test
  void jobThatFailsForTheThousandthTimeIsDueWithinItsCap() throws SQLException {
    Sql sql = new Sql(database);
    int queue = sql.queue(sql.project("acme"), "default", null);
    sql.worker(1);
    List<Long> ids = new ArrayList<>();
    for (int attempt : List.of(30, 31, 32, 62, 63, 64, 100, 305, 998)) {
      long id = sql.ready(queue, 1).get(0);
      ids.add(id);
      database.sql(
          "UPDATE jobs SET max_attempts = 1000, attempt = %d WHERE id = %d".formatted(attempt, id));
    }
    try (Connection worker = sql.asWorker()) {
      List<Sql.Claimed> claimed = sql.claim(worker, 1, 1, queue, 100);
      assertEquals(ids.size(), claimed.size());
      sql.settle(worker, 1, claimed, "failed");
    }
    assertEquals(
        ids.size() + " true",
        database.sql(
            """
            SELECT count(*) || ' ' || bool_and(run_at <= clock_timestamp() + interval '1 h'
                                               AND run_at > created_at)
              FROM jobs WHERE state = 'retrying'
            """));
  }

  @Test
  void fullJitterSpreadsEvenlyAndFixedMeansFixed() {
    String spread =
        database.sql(
            """
            SELECT string_agg(n::text, ',' ORDER BY tenth)
              FROM (SELECT width_bucket(extract(epoch FROM retry_delay('{"baseSeconds": 40, "capSeconds": 60}', 9)),
                                        0, 60, 10) AS tenth, count(*) AS n
                      FROM generate_series(1, 5000) GROUP BY 1) d
            """);
    List<Integer> tenths = List.of(spread.split(",")).stream().map(Integer::valueOf).toList();
    assertEquals(10, tenths.size(), spread);
    // 500 expected in each; 6 standard deviations are 127.
    assertTrue(tenths.stream().allMatch(n -> n > 370 && n < 630), spread);
    assertEquals(
        "1 1",
        database.sql(
            """
            SELECT count(DISTINCT d) || ' ' || max(extract(epoch FROM d))::int
              FROM (SELECT retry_delay('{"strategy": "fixed", "baseSeconds": 1}', n) AS d
                      FROM generate_series(1, 5000) n) s
            """));
  }
}
