package io.jobscheduler.worker;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.worker.lease.WorkerStore;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Every statement is one that the worker's role may run on this schema. */
class StatementsPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();

  @Test
  void everyConstantPreparesUnderTheWorkersRole() throws Exception {
    int prepared = 0;
    try (Connection connection = database.connect(Role.WORKER)) {
      for (Class<?> store :
          List.of(
              WorkerStore.class,
              Class.forName("io.jobscheduler.worker.claim.ClaimStore"),
              Class.forName("io.jobscheduler.worker.notes.NoteStore"),
              Class.forName("io.jobscheduler.worker.settle.SettleStore"))) {
        for (Field field : store.getDeclaredFields()) {
          if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class) {
            field.setAccessible(true);
            try (PreparedStatement statement =
                connection.prepareStatement((String) field.get(null))) {
              // Asking for its parameters makes the server parse, resolve and check it.
              statement.getParameterMetaData();
            }
            prepared++;
          }
        }
      }
    }
    assertTrue(prepared >= 10, prepared + " statements");
  }
}
