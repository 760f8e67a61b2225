package io.jobscheduler.deploy;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What every pod of ours must be like, whichever service it runs. */
final class PodRules {
  private PodRules() {}

  static List<String> findings(Overlay overlay) {
    List<String> findings = new ArrayList<>();
    for (Workload workload : overlay.workloads()) {
      Container container = workload.container();
      Finder finder = new Finder(workload.name(), findings);
      finder.require(workload.pod().getContainers().size() == 1, "has more than one container");
      finder.require(isPinned(container.getImage()), "has an image without a fixed tag");
      checkResources(container, finder);
      checkSecurity(workload, finder);
      finder.require(
          overlay.all(NetworkPolicy.class).stream()
              .anyMatch(p -> isOwn(p.getMetadata().getLabels(), workload)),
          "has no NetworkPolicy of its own");
      if (!workload.runsOnce()) {
        finder.require(
            overlay.all(PodDisruptionBudget.class).stream()
                .anyMatch(b -> isOwn(b.getMetadata().getLabels(), workload)),
            "has no PodDisruptionBudget");
        checkProbes(workload, finder);
      }
    }
    return findings;
  }

  private record Finder(String who, List<String> findings) {
    void require(boolean holds, String finding) {
      if (!holds) {
        findings.add(who + " " + finding);
      }
    }
  }

  private static boolean isOwn(Map<String, String> labels, Workload workload) {
    return workload.name().equals(labels.get(Workload.NAME_LABEL));
  }

  static boolean isPinned(String image) {
    return image.contains("@sha256:") || image.matches(".+:[^/:]*\\d[^/:]*");
  }

  private static void checkResources(Container container, Finder finder) {
    Map<String, Quantity> requests = container.getResources().getRequests();
    Map<String, Quantity> limits = container.getResources().getLimits();
    finder.require(requests.containsKey("cpu"), "requests no CPU");
    finder.require(
        limits.containsKey("memory") && limits.get("memory").equals(requests.get("memory")),
        "has no memory limit equal to its request");
    finder.require(!limits.containsKey("cpu"), "has a CPU limit");
  }

  private static void checkProbes(Workload workload, Finder finder) {
    Container container = workload.container();
    finder.require(container.getStartupProbe() != null, "has no startup probe");
    finder.require(container.getLivenessProbe() != null, "has no liveness probe");
    finder.require(container.getReadinessProbe() != null, "has no readiness probe");
    if (workload.isOurs() && container.getLivenessProbe() != null) {
      var get = container.getLivenessProbe().getHttpGet();
      finder.require(
          get != null
              && get.getPath().equals("/q/health/live")
              && Objects.equals(get.getPort().getStrVal(), "management"),
          "asks more than liveness, or not on the management port");
    }
  }

  /** What the Pod Security Standard `restricted` asks for, and a read-only root besides. */
  private static void checkSecurity(Workload workload, Finder finder) {
    var pod = workload.pod();
    SecurityContext own = workload.container().getSecurityContext();
    finder.require(isFalse(pod.getAutomountServiceAccountToken()), "mounts a token");
    finder.require(isFalse(pod.getEnableServiceLinks()), "gets service links");
    finder.require(
        isTrue(pod.getSecurityContext().getRunAsNonRoot()) && isTrue(own.getRunAsNonRoot()),
        "may run as root");
    finder.require(pod.getSecurityContext().getRunAsUser() != null, "has no numeric user");
    finder.require(
        pod.getSecurityContext().getSeccompProfile() != null
            && "RuntimeDefault".equals(pod.getSecurityContext().getSeccompProfile().getType()),
        "has no seccomp profile");
    finder.require(isFalse(own.getAllowPrivilegeEscalation()), "may gain privileges");
    finder.require(isTrue(own.getReadOnlyRootFilesystem()), "may write to its root");
    finder.require(
        own.getCapabilities() != null && own.getCapabilities().getDrop().contains("ALL"),
        "keeps capabilities");
    finder.require(
        pod.getVolumes().stream()
            .filter(v -> v.getEmptyDir() != null)
            .allMatch(v -> v.getEmptyDir().getSizeLimit() != null),
        "has an emptyDir without a limit");
  }

  private static boolean isTrue(Boolean value) {
    return Boolean.TRUE.equals(value);
  }

  private static boolean isFalse(Boolean value) {
    return Boolean.FALSE.equals(value);
  }
}
