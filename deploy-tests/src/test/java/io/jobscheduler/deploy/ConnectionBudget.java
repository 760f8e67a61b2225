package io.jobscheduler.deploy;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.util.Map;
import java.util.Optional;

/** The connections that an overlay can open at most, while every Deployment is rolled at once. */
final class ConnectionBudget {
  /** Outside the pool: session lock and LISTEN, beats, the migration's own. */
  private static final Map<String, Integer> DIRECT =
      Map.of("worker", 2, "scheduler", 2, "api", 1, "dashboard", 1, "migrate", 2);

  private ConnectionBudget() {}

  static int of(Overlay overlay) {
    return overlay.workloads().stream()
        .filter(Workload::isOurs)
        .mapToInt(w -> mostPods(w) * perPod(overlay, w))
        .sum();
  }

  private static int perPod(Overlay overlay, Workload workload) {
    int direct = DIRECT.get(workload.name());
    return workload.runsOnce() ? direct : direct + pool(overlay, workload);
  }

  private static int pool(Overlay overlay, Workload workload) {
    ServiceKeys keys = ServiceKeys.of(workload.module());
    String variable = "JOBS_DB_POOL_SIZE";
    return Optional.ofNullable(workload.environment(overlay).get(variable))
        .or(() -> keys.defaultOf(variable))
        .or(() -> keys.property("quarkus.datasource.jdbc.max-size"))
        .map(Integer::parseInt)
        .orElse(0);
  }

  private static int mostPods(Workload workload) {
    int replicas = workload.replicas();
    if (!(workload.object() instanceof Deployment deployment)) {
      return replicas;
    }
    IntOrString surge = deployment.getSpec().getStrategy().getRollingUpdate().getMaxSurge();
    if (surge.getIntVal() != null) {
      return replicas + surge.getIntVal();
    }
    int percent = Integer.parseInt(surge.getStrVal().replace("%", ""));
    return replicas + (replicas * percent + 99) / 100;
  }
}
