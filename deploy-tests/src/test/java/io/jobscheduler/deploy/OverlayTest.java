package io.jobscheduler.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every rule finds nothing in either overlay. That each can find something: RulesCanFailTest. */
class OverlayTest {
  private static final Set<String> SERVICES =
      Set.of("api", "worker", "scheduler", "dashboard", "migrate");

  @ParameterizedTest
  @ValueSource(strings = {"dev", "prod"})
  void holdsAllServicesAndNoSecret(String name) {
    Overlay overlay = Overlay.rendered(name);
    assertEquals(
        SERVICES,
        overlay.workloads().stream()
            .filter(Workload::isOurs)
            .map(Workload::name)
            .collect(Collectors.toSet()));
    assertEquals(List.of(), overlay.all(Secret.class));
  }

  @ParameterizedTest
  @ValueSource(strings = {"dev", "prod"})
  void hasOnlyFieldsThatKubernetesKnows(String name) {
    assertEquals(List.of(), StrictFields.findings(Overlay.rendered(name)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"dev", "prod"})
  void refersOnlyToWhatExists(String name) {
    assertEquals(List.of(), References.findings(Overlay.rendered(name)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"dev", "prod"})
  void keepsThePodRules(String name) {
    assertEquals(List.of(), PodRules.findings(Overlay.rendered(name)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"dev", "prod"})
  void setsOnlyWhatTheServicesRead(String name) {
    assertEquals(List.of(), Settings.findings(Overlay.rendered(name)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"dev", "prod"})
  void namespaceEnforcesTheRestrictedStandardAndDeniesTrafficFirst(String name) {
    Overlay overlay = Overlay.rendered(name);
    Namespace namespace = overlay.all(Namespace.class).get(0);
    assertEquals(
        "restricted",
        namespace.getMetadata().getLabels().get("pod-security.kubernetes.io/enforce"));
    NetworkPolicy deny = overlay.named(NetworkPolicy.class, "default-deny").orElseThrow();
    assertTrue(deny.getSpec().getPodSelector().getMatchLabels().isEmpty());
    assertEquals(List.of("Ingress", "Egress"), deny.getSpec().getPolicyTypes());
    assertTrue(deny.getSpec().getIngress().isEmpty() && deny.getSpec().getEgress().isEmpty());
  }

  @ParameterizedTest
  @ValueSource(strings = {"dev", "prod"})
  void podsHaveTheTimeThatTheirShutdownMayTake(String name) {
    Overlay overlay = Overlay.rendered(name);
    for (Workload workload : overlay.workloads()) {
      if (workload.isOurs() && !workload.runsOnce()) {
        long grace = workload.pod().getTerminationGracePeriodSeconds();
        Duration shutdown = Shutdown.longest(workload.module(), workload.environment(overlay));
        assertTrue(
            Duration.ofSeconds(grace).compareTo(shutdown) > 0,
            workload.name() + " may take " + shutdown + " and is given " + grace + " s");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"dev", "prod"})
  void connectionBudgetIsAsStatedAndFits(String name) {
    Properties stated = new Properties();
    String file = "k8s/overlays/" + name + "/connection-budget.properties";
    try {
      stated.load(new StringReader(Repository.read(file)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    int atMost = number(stated, "at_most");
    assertEquals(ConnectionBudget.of(Overlay.rendered(name)), atMost, file);
    assertTrue(atMost < number(stated, "max_connections") - number(stated, "reserved"), file);
  }

  @ParameterizedTest
  @ValueSource(strings = {"dev", "prod"})
  void passwordsAndKeysComeAsFiles(String name) {
    for (ConfigMap map : Overlay.rendered(name).all(ConfigMap.class)) {
      for (Map.Entry<String, String> entry : map.getData().entrySet()) {
        boolean secret = entry.getKey().matches(".*(PASSWORD|SECRET|KEY|TOKEN)$");
        assertFalse(secret, map.getMetadata().getName() + " holds " + entry.getKey());
      }
    }
  }

  private static int number(Properties stated, String key) {
    return Integer.parseInt(stated.getProperty(key));
  }
}
