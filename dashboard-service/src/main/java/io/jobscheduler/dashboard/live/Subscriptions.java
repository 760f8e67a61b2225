package io.jobscheduler.dashboard.live;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The sockets open now, by project. Thread-safe. */
@ApplicationScoped
class Subscriptions {
  private final Map<String, Set<Subscriber>> byProject = new ConcurrentHashMap<>();

  void add(Subscriber subscriber) {
    byProject.compute(
        subscriber.project(),
        (name, known) -> {
          Set<Subscriber> all = known == null ? ConcurrentHashMap.newKeySet() : known;
          all.add(subscriber);
          return all;
        });
  }

  void remove(Subscriber subscriber) {
    byProject.computeIfPresent(
        subscriber.project(),
        (name, known) -> {
          known.remove(subscriber);
          return known.isEmpty() ? null : known;
        });
  }

  boolean watched(String project) {
    return byProject.containsKey(project);
  }

  Set<String> projects() {
    return Set.copyOf(byProject.keySet());
  }

  void deliver(Change change) {
    byProject
        .getOrDefault(change.project(), Set.of())
        .forEach(subscriber -> subscriber.offer(change.topics()));
  }

  void forEach(Consumer<Subscriber> action) {
    byProject.values().forEach(subscribers -> subscribers.forEach(action));
  }

  int size() {
    return byProject.values().stream().mapToInt(Set::size).sum();
  }
}
