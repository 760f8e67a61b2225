package io.jobscheduler.deploy;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Everything that is named exists, and every selector finds the pods it is meant for. */
final class References {
  private References() {}

  static List<String> findings(Overlay overlay) {
    List<String> findings = new ArrayList<>();
    for (Workload workload : overlay.workloads()) {
      checkWorkload(overlay, workload, findings);
    }
    for (Service service : overlay.all(Service.class)) {
      String who = "Service " + service.getMetadata().getName();
      List<Workload> found = selected(overlay, service.getSpec().getSelector());
      requireOne(who, service.getMetadata().getLabels(), found, findings);
      for (var port : service.getSpec().getPorts()) {
        found.forEach(w -> requirePort(who, port.getTargetPort(), w, findings));
      }
    }
    for (PodDisruptionBudget budget : overlay.all(PodDisruptionBudget.class)) {
      requireOne(
          "PodDisruptionBudget " + budget.getMetadata().getName(),
          budget.getMetadata().getLabels(),
          selected(overlay, budget.getSpec().getSelector().getMatchLabels()),
          findings);
    }
    for (NetworkPolicy policy : overlay.all(NetworkPolicy.class)) {
      checkPolicy(overlay, policy, findings);
    }
    return findings;
  }

  static List<Workload> selected(Overlay overlay, Map<String, String> selector) {
    return overlay.workloads().stream()
        .filter(w -> w.labels().entrySet().containsAll(selector.entrySet()))
        .toList();
  }

  private static void requireOne(
      String who, Map<String, String> labels, List<Workload> found, List<String> findings) {
    Set<String> names = found.stream().map(Workload::name).collect(Collectors.toSet());
    if (!names.equals(Set.of(labels.get(Workload.NAME_LABEL)))) {
      findings.add(who + " selects " + names);
    }
  }

  private static void checkPolicy(Overlay overlay, NetworkPolicy policy, List<String> findings) {
    String who = "NetworkPolicy " + policy.getMetadata().getName();
    List<Workload> found = selected(overlay, policy.getSpec().getPodSelector().getMatchLabels());
    if (policy.getMetadata().getLabels().containsKey(Workload.NAME_LABEL)) {
      requireOne(who, policy.getMetadata().getLabels(), found, findings);
    }
    for (var rule : policy.getSpec().getIngress()) {
      rule.getPorts().forEach(p -> found.forEach(w -> requirePort(who, p.getPort(), w, findings)));
    }
    var peers =
        Stream.concat(
            policy.getSpec().getIngress().stream().flatMap(r -> r.getFrom().stream()),
            policy.getSpec().getEgress().stream().flatMap(r -> r.getTo().stream()));
    peers
        .filter(peer -> peer.getPodSelector() != null && peer.getNamespaceSelector() == null)
        .filter(peer -> selected(overlay, peer.getPodSelector().getMatchLabels()).isEmpty())
        .forEach(peer -> findings.add(who + " lets in or out pods that do not exist"));
  }

  private static void checkWorkload(Overlay overlay, Workload workload, List<String> findings) {
    String who = workload.object().getKind() + " " + workload.object().getMetadata().getName();
    if (!workload.labels().entrySet().containsAll(workload.selector().entrySet())) {
      findings.add(who + " does not select its own pods");
    }
    if (overlay.named(ServiceAccount.class, workload.pod().getServiceAccountName()).isEmpty()) {
      findings.add(who + " names an absent ServiceAccount");
    }
    for (String map : configMaps(workload)) {
      if (overlay.named(ConfigMap.class, map).isEmpty()) {
        findings.add(who + " names an absent ConfigMap: " + map);
      }
    }
    Container container = workload.container();
    Stream.of(
            container.getStartupProbe(),
            container.getLivenessProbe(),
            container.getReadinessProbe())
        .filter(probe -> probe != null && probe.getHttpGet() != null)
        .map(Probe::getHttpGet)
        .forEach(get -> requirePort(who + "'s probe", get.getPort(), workload, findings));
    for (Volume volume : workload.pod().getVolumes()) {
      var claim = volume.getPersistentVolumeClaim();
      if (claim != null
          && overlay.named(PersistentVolumeClaim.class, claim.getClaimName()).isEmpty()) {
        findings.add(who + " names an absent claim: " + claim.getClaimName());
      }
    }
    for (VolumeMount mount : container.getVolumeMounts()) {
      if (!volumes(workload).contains(mount.getName())) {
        findings.add(who + " mounts an absent volume: " + mount.getName());
      }
    }
  }

  /** The volumes of its pods by name, those claimed for a StatefulSet included. */
  private static Set<String> volumes(Workload workload) {
    Set<String> names = new TreeSet<>();
    workload.pod().getVolumes().forEach(volume -> names.add(volume.getName()));
    if (workload.object() instanceof io.fabric8.kubernetes.api.model.apps.StatefulSet set) {
      set.getSpec().getVolumeClaimTemplates().forEach(c -> names.add(c.getMetadata().getName()));
    }
    return names;
  }

  private static Set<String> configMaps(Workload workload) {
    Set<String> names = new TreeSet<>();
    for (var source : workload.container().getEnvFrom()) {
      names.add(source.getConfigMapRef().getName());
    }
    for (Volume volume : workload.pod().getVolumes()) {
      if (volume.getConfigMap() != null) {
        names.add(volume.getConfigMap().getName());
      }
    }
    return names;
  }

  private static void requirePort(
      String who, IntOrString port, Workload workload, List<String> findings) {
    boolean exists = workload.container().getPorts().stream().anyMatch(p -> isPort(p, port));
    if (!exists) {
      findings.add(who + " names an absent port of " + workload.name() + ": " + port.getValue());
    }
  }

  private static boolean isPort(ContainerPort declared, IntOrString named) {
    return named.getStrVal() != null
        ? named.getStrVal().equals(declared.getName())
        : named.getIntVal().equals(declared.getContainerPort());
  }
}
