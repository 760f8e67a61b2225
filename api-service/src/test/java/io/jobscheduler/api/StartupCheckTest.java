package io.jobscheduler.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StartupCheckTest {
  @Test
  void knowsTheFeaturesOfThisService() {
    assertEquals(
        Set.of("jobs.foo", "jobs.dbx.url"),
        StartupCheck.unknownKeys(
            List.of(
                "jobs.foo",
                "jobs.dbx.url",
                "jobs.db.url",
                "jobs.access.token-lifetime",
                "jobs.limits.payload-size",
                "jobs.migrate.roles.api",
                "quarkus.http.port",
                "JOBS_WORKER_SLOTS",
                "jobs")));
  }
}
