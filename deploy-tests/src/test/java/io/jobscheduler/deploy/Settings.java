package io.jobscheduler.deploy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Every variable that is set is one that the service reads. */
final class Settings {
  /** Quarkus' own keys that the deployment files may set; ours come from the sources. */
  private static final Set<String> QUARKUS =
      Set.of("JAVA_TOOL_OPTIONS", "QUARKUS_SHUTDOWN_DELAY", "QUARKUS_SHUTDOWN_TIMEOUT");

  private Settings() {}

  static List<String> findings(Overlay overlay) {
    List<String> findings = new ArrayList<>();
    for (Workload workload : overlay.workloads()) {
      if (workload.isOurs()) {
        findings.addAll(
            unknown(workload.name(), workload.module(), workload.environment(overlay).keySet()));
      }
    }
    return findings;
  }

  static List<String> unknown(String who, String module, Set<String> variables) {
    ServiceKeys keys = ServiceKeys.of(module);
    return variables.stream()
        .filter(variable -> !QUARKUS.contains(variable) && !keys.reads(variable))
        .map(variable -> who + " sets what " + module + " does not read: " + variable)
        .toList();
  }
}
