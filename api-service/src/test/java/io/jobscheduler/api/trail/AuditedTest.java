package io.jobscheduler.api.trail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.api.Resources;
import java.util.List;
import org.junit.jupiter.api.Test;

class AuditedTest {

  /** A new operation that changes something has to say which of the two it is. */
  @Test
  void everyMethodThatMayChangeSomethingIsRecordedOrSaysWhyNot() {
    List<Resources.Endpoint> endpoints = Resources.all();
    assertTrue(endpoints.size() > 50, "found only " + endpoints.size());
    assertEquals(
        List.of(),
        endpoints.stream()
            .filter(Resources.Endpoint::changes)
            .filter(
                e ->
                    e.method().isAnnotationPresent(Audited.class)
                        == e.method().isAnnotationPresent(Unaudited.class))
            .map(Resources.Endpoint::id)
            .toList());
  }

  @Test
  void readingIsNotRecorded() {
    assertEquals(
        List.of(),
        Resources.all().stream()
            .filter(e -> !e.changes() && e.method().isAnnotationPresent(Audited.class))
            .map(Resources.Endpoint::id)
            .toList());
  }

  @Test
  void whatIsRecordedNamesItsKindAndItsAction() {
    assertEquals(
        List.of(),
        Resources.all().stream()
            .filter(e -> e.method().isAnnotationPresent(Audited.class))
            .filter(
                e ->
                    !e.id().matches("[a-zA-Z]+")
                        || !e.method()
                            .getAnnotation(Audited.class)
                            .value()
                            .matches("[a-z]+(-[a-z]+)*"))
            .map(Resources.Endpoint::id)
            .toList());
  }
}
