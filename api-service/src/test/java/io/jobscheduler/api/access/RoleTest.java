package io.jobscheduler.api.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class RoleTest {
  @Test
  void eachRoleMayDoWhatTheOnesBeforeItMay() {
    for (Action action : Action.values()) {
      for (Role role : Role.values()) {
        assertEquals(role.ordinal() >= action.least().ordinal(), role.permits(action));
      }
    }
  }

  @Test
  void aViewerOnlyReads() {
    assertEquals(
        List.of(
            "project:read",
            "jobs:read",
            "queues:read",
            "workflows:read",
            "schedules:read",
            "workers:read",
            "stats:read"),
        Action.labels(Action.of(Role.VIEWER)));
    assertTrue(Role.OPERATOR.permits(Action.JOBS_ENQUEUE));
    assertFalse(Role.OPERATOR.permits(Action.QUEUES_EDIT));
    assertFalse(Role.OPERATOR.permits(Action.MEMBERS_READ));
    assertEquals(Action.values().length, Action.of(Role.ADMIN).size());
  }
}
