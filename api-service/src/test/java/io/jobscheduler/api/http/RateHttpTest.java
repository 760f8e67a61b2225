package io.jobscheduler.api.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(ApiDatabase.class)
@TestProfile(RateHttpTest.Few.class)
class RateHttpTest {
  /** Five requests at once, then one a second. */
  public static final class Few implements QuarkusTestProfile {
    @Override
    public Map<String, String> getConfigOverrides() {
      return Map.of("jobs.rate.requests", "1", "jobs.rate.burst", "5");
    }
  }

  @TestHTTPResource("/")
  URI base;

  @Test
  void aCallerThatAsksTooOftenIsToldWhenToComeAgain() {
    ApiClient admin = ApiClient.admin(base);
    ApiClient.Answer answer = admin.get("/api/v1/auth/me");
    for (int i = 0; i < 10_000 && answer.status() == 200; i++) {
      answer = admin.get("/api/v1/auth/me");
    }
    answer.problem(429, "too-many-requests");
    assertEquals("1", answer.header("Retry-After"));
    // Nobody else is in its way: who is not known is refused as before.
    ApiClient.anonymous(base).get("/api/v1/auth/me").problem(401, "unauthorized");
  }
}
