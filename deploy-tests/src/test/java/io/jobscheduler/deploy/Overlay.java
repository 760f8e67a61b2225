package io.jobscheduler.deploy;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesList;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** All objects of one overlay, as `kubectl kustomize` renders them. */
record Overlay(List<HasMetadata> objects) {
  private static final KubernetesSerialization YAML = new KubernetesSerialization();

  /** The committed rendering of an overlay. */
  static Overlay rendered(String name) {
    return parse(text(name));
  }

  static String text(String name) {
    return Repository.read("k8s/rendered/" + name + ".yaml");
  }

  static Overlay parse(String yaml) {
    Object parsed = YAML.unmarshal(yaml);
    List<HasMetadata> objects = new ArrayList<>();
    Collection<?> items =
        parsed instanceof KubernetesList list
            ? list.getItems()
            : parsed instanceof Collection<?> many ? many : List.of(parsed);
    items.forEach(item -> objects.add((HasMetadata) item));
    return new Overlay(objects);
  }

  <T extends HasMetadata> List<T> all(Class<T> type) {
    return objects.stream().filter(type::isInstance).map(type::cast).toList();
  }

  <T extends HasMetadata> Optional<T> named(Class<T> type, String name) {
    return all(type).stream().filter(o -> o.getMetadata().getName().equals(name)).findFirst();
  }

  /** Whatever makes pods. */
  List<Workload> workloads() {
    List<Workload> workloads = new ArrayList<>();
    for (Deployment d : all(Deployment.class)) {
      workloads.add(
          new Workload(
              d,
              d.getSpec().getReplicas(),
              d.getSpec().getSelector().getMatchLabels(),
              d.getSpec().getTemplate()));
    }
    for (StatefulSet s : all(StatefulSet.class)) {
      workloads.add(
          new Workload(
              s,
              s.getSpec().getReplicas(),
              s.getSpec().getSelector().getMatchLabels(),
              s.getSpec().getTemplate()));
    }
    for (Job j : all(Job.class)) {
      workloads.add(
          new Workload(
              j,
              1,
              j.getSpec().getTemplate().getMetadata().getLabels(),
              j.getSpec().getTemplate()));
    }
    return workloads;
  }
}
