package io.jobscheduler.schema.names;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AdvisoryLocksTest {
  @Test
  void noClassIsUsedTwice() throws IllegalAccessException {
    Set<Integer> seen = new HashSet<>();
    for (Field field : AdvisoryLocks.class.getFields()) {
      assertTrue(seen.add(field.getInt(null)), field.getName());
    }
  }
}
