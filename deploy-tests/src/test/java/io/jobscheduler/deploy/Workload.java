package io.jobscheduler.deploy;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.util.Map;
import java.util.TreeMap;

/** A Deployment, StatefulSet or Job: what its pods are like. */
record Workload(
    HasMetadata object, int replicas, Map<String, String> selector, PodTemplateSpec template) {
  static final String NAME_LABEL = "app.kubernetes.io/name";

  /** The service it runs: `api` for the Deployment `api`, `migrate` for the Job `migrate-0-1-0`. */
  String name() {
    return labels().getOrDefault(NAME_LABEL, object.getMetadata().getName());
  }

  Map<String, String> labels() {
    return template.getMetadata().getLabels();
  }

  PodSpec pod() {
    return template.getSpec();
  }

  /** Its only container. */
  Container container() {
    return pod().getContainers().get(0);
  }

  boolean runsOnce() {
    return object instanceof Job;
  }

  /** Whether the image is one of ours. */
  boolean isOurs() {
    return container().getImage().startsWith("job-scheduler/");
  }

  /** The module whose code it runs, for example `api-service`. */
  String module() {
    return container().getImage().replaceFirst("^job-scheduler/", "").replaceFirst(":.*$", "");
  }

  /** Its environment: from ConfigMaps in their order, then its own plain values. */
  Map<String, String> environment(Overlay overlay) {
    Map<String, String> environment = new TreeMap<>();
    for (var source : container().getEnvFrom()) {
      overlay
          .named(ConfigMap.class, source.getConfigMapRef().getName())
          .ifPresent(map -> environment.putAll(map.getData()));
    }
    container().getEnv().forEach(e -> environment.put(e.getName(), e.getValue()));
    return environment;
  }
}
