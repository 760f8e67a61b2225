package io.jobscheduler.dashboard.packaged;

import io.jobscheduler.schema.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** One service with its neighbours for all tests that leave it as they found it. */
final class Stack {
  private static Stack shared;

  final SigningKey key = new SigningKey("first");
  final FakeApi api = new FakeApi(0);
  final TestDatabase database = new TestDatabase().open();
  final PackagedService service;

  private Stack() throws Exception {
    api.keys.add(key);
    api.access.put("mira", List.of("default", "acme.prod"));
    service =
        new PackagedService(
            database,
            api.port(),
            Map.of(
                "JOBS_DASHBOARD_IDLE_TIMEOUT", "PT3S",
                "JOBS_LIVE_HEARTBEAT", "PT1S",
                "JOBS_LIVE_RECHECK", "PT1S"));
    Runtime.getRuntime().addShutdownHook(new Thread(this::stop));
  }

  static synchronized Stack shared() throws Exception {
    if (shared == null) {
      shared = new Stack();
    }
    return shared;
  }

  String token() {
    return key.token("mira", Duration.ofMinutes(10));
  }

  private void stop() {
    service.close();
    api.close();
  }
}
