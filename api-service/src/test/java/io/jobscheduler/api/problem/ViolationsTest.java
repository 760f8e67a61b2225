package io.jobscheduler.api.problem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class ViolationsTest {
  @Test
  void namesAMissingFieldUnlessItsValueIsWrongAlready() {
    Violations violations = new Violations();
    violations.add("/type", "Expected a name.");
    violations.require("/type", false);
    violations.require("/name", false);
    violations.require("/queue", true);
    ProblemException e = assertThrows(ProblemException.class, violations::throwIfAny);
    assertEquals("2 things are wrong.", e.getMessage());
    assertEquals("/name", e.errors().get(1).pointer());
  }

  /** A million faults fit into a body; remembering all of them took hundreds of MiB. */
  @Test
  void remembersTheFirstThousandOnly() {
    Violations violations = new Violations();
    for (int i = 0; i < 5_000; i++) {
      violations.require("/" + i, false);
    }
    assertEquals(1_000, violations.remembered());
    ProblemException e = assertThrows(ProblemException.class, violations::throwIfAny);
    assertEquals("More than 1000 things are wrong; the first 1000 are listed.", e.getMessage());
    assertEquals(1_000, e.errors().size());
  }
}
