package io.jobscheduler.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The compose file runs the same services with the same settings as the manifests. */
class ComposeTest {
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{([A-Z_]+)(:\\?)?");

  private final Compose compose = Compose.read();

  @Test
  void hasTheDatabaseTheMigrationAndTheFourServices() {
    assertEquals(
        Set.of("postgres", "migrate", "api", "worker", "scheduler", "dashboard"),
        compose.services().keySet());
  }

  @Test
  void setsTheNamesThatTheConfigMapsSet() {
    Overlay prod = Overlay.rendered("prod");
    for (Workload workload : prod.workloads()) {
      Set<String> here = named(compose.environment(workload.name()));
      Set<String> there = named(workload.environment(prod));
      assertEquals(there, here, workload.name());
    }
  }

  /**
   * Else the API sees one address for all who log in through the dashboard, and throttles them all.
   */
  @Test
  void believesProxiesInPrivateNetworksOnly() {
    String networks = compose.environment("api").get("JOBS_LOGIN_TRUSTED_PROXIES");
    assertEquals(
        Set.of("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fd00::/8"),
        Set.of(networks.split(",")));
    for (String name : List.of("dev", "prod")) {
      Overlay overlay = Overlay.rendered(name);
      Workload api =
          overlay.workloads().stream()
              .filter(w -> w.name().equals("api"))
              .findFirst()
              .orElseThrow();
      assertEquals(networks, api.environment(overlay).get("JOBS_LOGIN_TRUSTED_PROXIES"), name);
    }
  }

  /** Without what differs by nature: a password is a file there, and nobody balances load here. */
  private static Set<String> named(Map<String, String> environment) {
    Set<String> names = new TreeSet<>();
    for (String name : environment.keySet()) {
      if (!name.equals("QUARKUS_SHUTDOWN_DELAY")) {
        names.add(name.replaceFirst("^JOBS_DB_PASSWORD_FILE$", "JOBS_DB_PASSWORD"));
      }
    }
    return names;
  }

  @Test
  void setsOnlyWhatTheServicesRead() {
    for (String service : List.of("migrate", "api", "worker", "scheduler", "dashboard")) {
      String module = (service.equals("migrate") ? "api" : service) + "-service";
      assertEquals(
          List.of(), Settings.unknown(service, module, compose.environment(service).keySet()));
    }
  }

  @Test
  void migratesOnceBeforeTheServicesStart() {
    assertEquals("no", compose.services().get("migrate").get("restart").asText());
    assertEquals("migrate", compose.services().get("migrate").get("command").get(0).asText());
    for (String service : List.of("api", "worker", "scheduler", "dashboard")) {
      assertEquals(
          "service_completed_successfully",
          compose.services().get(service).at("/depends_on/migrate/condition").asText(),
          service);
    }
  }

  @Test
  void isAsTightAsTheManifests() {
    Overlay prod = Overlay.rendered("prod");
    for (Workload workload : prod.workloads()) {
      JsonNode service = compose.services().get(workload.name());
      assertTrue(service.get("read_only").asBoolean(), workload.name() + " may write to its root");
      assertEquals("ALL", service.at("/cap_drop/0").asText(), workload.name());
      String memory = service.get("mem_limit").asText();
      assertEquals(
          workload.container().getResources().getLimits().get("memory").toString(),
          memory.replace("m", "Mi"),
          workload.name());
      if (!workload.runsOnce()) {
        assertEquals(
            workload.pod().getTerminationGracePeriodSeconds() + "s",
            service.get("stop_grace_period").asText(),
            workload.name());
      }
    }
  }

  @Test
  void listensOnLoopbackOnlyAndPinsItsImages() {
    compose
        .services()
        .forEach(
            (name, service) -> {
              assertTrue(PodRules.isPinned(service.get("image").asText()), name);
              service
                  .path("ports")
                  .forEach(port -> assertTrue(port.asText().startsWith("127.0.0.1:"), name));
            });
  }

  @Test
  void everyVariableIsRequiredAndStandsInTheExample() {
    Set<String> used = new TreeSet<>();
    Matcher variable = VARIABLE.matcher(Repository.read("docker-compose.yml"));
    while (variable.find()) {
      assertEquals(":?", variable.group(2), variable.group(1) + " may be missing silently");
      used.add(variable.group(1));
    }
    Set<String> offered = new TreeSet<>();
    for (String line : Repository.read(".env.example").split("\n")) {
      if (line.matches("[A-Z_]+=.*")) {
        offered.add(line.substring(0, line.indexOf('=')));
        assertTrue(!line.matches("\\w*PASSWORD=.+"), "a password in .env.example");
      }
    }
    assertEquals(offered, used);
  }
}
