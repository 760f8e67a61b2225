package io.jobscheduler.api.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.api.TestProjects;
import io.jobscheduler.schema.testing.TestDatabase;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class KeyStorePgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();

  /** Two replicas, each with its own store and connections: nothing is remembered in between. */
  @Test
  void aKeyRevokedOnOneReplicaIsRefusedByTheOtherFromThatCommitOn() {
    int project = TestProjects.create(database, "shop");
    KeyStore one = new KeyStore(TestProjects.api(database));
    KeyStore other = new KeyStore(TestProjects.api(database));
    Grant grant =
        new Grant(project, "shop", new Actor(Actor.Kind.USER, 1, "ann"), Set.of(), true, null);
    String secret = ApiKey.make();
    KeyStore.Row row =
        one.insertKey(
            grant,
            new KeyRequest("k", List.of("read"), null, false, null),
            ApiKey.hint(secret),
            ApiKey.hash(secret));
    for (int i = 0; i < 3; i++) {
      assertEquals(row.id(), other.findKey(ApiKey.hexHash(secret)).orElseThrow().id());
    }
    assertTrue(one.deleteKey(project, row.id()));
    assertTrue(other.findKey(ApiKey.hexHash(secret)).isEmpty());
    assertTrue(one.findKey(ApiKey.hexHash(secret)).isEmpty());
  }
}
