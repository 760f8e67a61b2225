package io.jobscheduler.scheduler.cron;

import io.jobscheduler.schema.testing.TestDatabase;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** No planned time is lost or doubled, whenever its leader is killed. */
class FireKillsPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();

  @Test
  void leaderKilledTwentyTimesLosesAndDoublesNoFire() throws Exception {
    FireKills kills = new FireKills(database);
    for (int i = 0; i < 20; i++) {
      kills.killOne();
    }
    kills.assertEachTimeHasOneFire();
  }

  @Test
  @Tag("long")
  void leaderKilledAHundredTimesAndTheServerCrashedFourLosesAndDoublesNoFire() throws Exception {
    FireKills kills = new FireKills(database);
    for (int i = 1; i <= 100; i++) {
      if (i % 25 == 0) {
        kills.killOneWithTheServer();
      } else {
        kills.killOne();
      }
    }
    kills.assertEachTimeHasOneFire();
  }
}
