package io.jobscheduler.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ServiceKeysTest {

  @Test
  void readsNamesDefaultsAndGroupsOfAMapping() {
    String source =
        """
        @ConfigMapping(prefix = "jobs.some-part")
        public interface SomeConfig {
          /** Without a default. */
          Optional<Path> masterKeyFile();

          @WithDefault("PT2S")
          @DurationMin(millis = 100)
          Duration beat();

          @WithName("x-y")
          @WithDefault("3")
          int renamed();

          Roles roles();

          interface Roles {
            @WithDefault("jobs_api")
            String api();
          }

          default Duration notAKey() {
            return beat();
          }
        }
        """;
    Map<String, String> keys = new TreeMap<>();
    ServiceKeys.addMapping(source, keys);
    assertEquals(
        Map.of(
            "JOBS_SOME_PART_MASTER_KEY_FILE", "",
            "JOBS_SOME_PART_BEAT", "PT2S",
            "JOBS_SOME_PART_X_Y", "3",
            "JOBS_SOME_PART_ROLES_API", "jobs_api"),
        keys);
  }
}
