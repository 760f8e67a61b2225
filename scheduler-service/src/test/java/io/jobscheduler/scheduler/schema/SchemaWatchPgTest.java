package io.jobscheduler.scheduler.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.scheduler.testing.ManualClock;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.schema.version.SchemaGate.TooNew;
import io.jobscheduler.schema.version.SchemaGate.TooOld;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SchemaWatchPgTest {
  private static final String BREAKING =
      "INSERT INTO schema_versions (version, compat) VALUES (999, 'breaking')";

  @RegisterExtension final TestDatabase database = new TestDatabase();
  private final ManualClock clock = new ManualClock();
  private final AtomicInteger stops = new AtomicInteger();

  @Test
  void waitsForASchemaThatFits() throws Exception {
    database.sql("UPDATE schema_versions SET version = -version");
    SchemaWatch watch = watch();
    assertFalse(watch.mayWork(false));
    assertInstanceOf(TooOld.class, watch.verdict());

    database.sql("UPDATE schema_versions SET version = -version");
    assertTrue(watch.mayWork(false));
    assertEquals(0, stops.get());
  }

  @Test
  void stopsTheProcessAtASchemaThatWillNeverFit() throws Exception {
    database.sql(BREAKING);
    SchemaWatch watch = watch();

    assertFalse(watch.mayWork(false));

    assertEquals(1, stops.get());
    assertInstanceOf(TooNew.class, watch.verdict());
  }

  @Test
  void leaderAsksAgainEachMinuteAndAStandbyDoesNot() throws Exception {
    SchemaWatch watch = watch();
    assertTrue(watch.mayWork(true));
    database.sql(BREAKING);
    clock.advance(Duration.ofSeconds(59));
    assertTrue(watch.mayWork(true));

    clock.advance(Duration.ofSeconds(1));
    assertTrue(watch.mayWork(false));
    assertFalse(watch.mayWork(true));
    assertEquals(1, stops.get());
  }

  private SchemaWatch watch() {
    return new SchemaWatch(
        database.dataSource(Role.SCHEDULER), clock, () -> stops.incrementAndGet());
  }
}
