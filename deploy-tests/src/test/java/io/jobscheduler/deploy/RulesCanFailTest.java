package io.jobscheduler.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One thing broken in a manifest, and the rule that must object. */
class RulesCanFailTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          fields     | minReadySeconds: 10          | minReadySecond: 10            | unknown
          fields     | cpu: 250m                    | cpu: plenty                   | not a quantity
          references | targetPort: http             | targetPort: htpp              | absent port
          references | port: management             | port: manage                  | absent port
          references | port: http                   | port: web                     | absent port
          references | serviceAccountName: api      | serviceAccountName: rest      | absent ServiceAccount
          references | name: worker-config          | name: workers-config          | absent ConfigMap
          references | mountPath: /tmp\\s+name: tmp | name: temp                    | absent volume
          references | claimName: first-admin | claimName: second-admin | absent claim
          pods       | api-service:0.1.0            | api-service:latest            | fixed tag
          pods       | path: /q/health/live         | path: /q/health               | more than liveness
          pods       | runAsNonRoot: true           | runAsNonRoot: false           | run as root
          pods       | runAsUser: 10001             | supplementalGroups: []        | numeric user
          pods       | readOnlyRootFilesystem: true | readOnlyRootFilesystem: false | write to its root
          pods       | allowPrivilegeEscalation: false | privileged: false          | gain privileges
          pods       | type: RuntimeDefault         | type: Unconfined              | seccomp
          pods       | enableServiceLinks: false    | enableServiceLinks: true      | service links
          pods       | sizeLimit: 64Mi              | medium: Memory                | emptyDir
          settings   | JOBS_DB_USERNAME             | JOBS_DB_USER                  | does not read
          """)
  void brokenTextIsFound(String rule, String what, String broken, String finding) {
    String yaml = Overlay.text("prod");
    String changed = yaml.replaceFirst(what, broken);
    assertNotEquals(yaml, changed, "the manifest does not hold: " + what);
    Function<Overlay, List<String>> findings =
        switch (rule) {
          case "fields" -> StrictFields::findings;
          case "references" -> References::findings;
          case "pods" -> PodRules::findings;
          default -> Settings::findings;
        };
    assertFinds(finding, findings.apply(Overlay.parse(changed)));
  }

  @Test
  void missingProbesAndLimitsAreFound() {
    assertFinds("startup", without(w -> w.container().setStartupProbe(null)));
    assertFinds("liveness", without(w -> w.container().setLivenessProbe(null)));
    assertFinds("readiness", without(w -> w.container().setReadinessProbe(null)));
    assertFinds("memory", without(w -> w.container().getResources().getLimits().remove("memory")));
    assertFinds("CPU", without(w -> w.container().getResources().getRequests().remove("cpu")));
    assertFinds(
        "capabilities", without(w -> w.container().getSecurityContext().setCapabilities(null)));
  }

  @Test
  void workloadWithoutBudgetOrPolicyIsFound() {
    assertFinds("PodDisruptionBudget", PodRules.findings(without(PodDisruptionBudget.class)));
    assertFinds("NetworkPolicy", PodRules.findings(without(NetworkPolicy.class)));
  }

  @Test
  void selectorsThatMissTheirPodsAreFound() {
    Overlay overlay = Overlay.rendered("prod");
    overlay
        .named(PodDisruptionBudget.class, "worker")
        .orElseThrow()
        .getSpec()
        .getSelector()
        .getMatchLabels()
        .put(Workload.NAME_LABEL, "api");
    overlay
        .named(Deployment.class, "scheduler")
        .orElseThrow()
        .getSpec()
        .getTemplate()
        .getMetadata()
        .getLabels()
        .put(Workload.NAME_LABEL, "planner");
    List<String> found = References.findings(overlay);
    assertFinds("PodDisruptionBudget worker selects [api]", found);
    assertFinds("Deployment scheduler does not select its own pods", found);
    assertFinds("NetworkPolicy scheduler selects []", found);
  }

  @Test
  void morePodsOrLargerPoolsCostConnections() {
    int now = ConnectionBudget.of(Overlay.rendered("prod"));
    String more =
        Overlay.text("prod").replaceFirst("JOBS_DB_POOL_SIZE: \"16\"", "JOBS_DB_POOL_SIZE: \"20\"");
    // two pods and one that surges
    assertEquals(now + 3 * 4, ConnectionBudget.of(Overlay.parse(more)));
  }

  private static List<String> without(Consumer<Workload> change) {
    Overlay overlay = Overlay.rendered("prod");
    change.accept(
        overlay.workloads().stream()
            .filter(w -> w.name().equals("worker"))
            .findFirst()
            .orElseThrow());
    return PodRules.findings(overlay);
  }

  private static Overlay without(Class<? extends HasMetadata> type) {
    return new Overlay(
        Overlay.rendered("prod").objects().stream().filter(o -> !type.isInstance(o)).toList());
  }

  private static void assertFinds(String finding, List<String> found) {
    assertTrue(
        found.stream().anyMatch(f -> f.contains(finding)), finding + " is not among " + found);
  }
}
