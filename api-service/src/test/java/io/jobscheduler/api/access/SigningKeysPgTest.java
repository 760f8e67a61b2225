package io.jobscheduler.api.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jobscheduler.api.TestProjects;
import io.jobscheduler.api.database.JdbiProducer;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jdbi.v3.core.ConnectionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

class SigningKeysPgTest {
  @RegisterExtension final TestDatabase database = new TestDatabase();
  @TempDir Path folder;

  private record Config(
      Optional<Path> masterKeyFile,
      Duration tokenLifetime,
      Duration sessionIdle,
      Duration sessionLifetime,
      Duration keyRotation,
      int concurrentHashes)
      implements AccessConfig {}

  private AccessConfig config;
  private String first;

  @BeforeEach
  void plantOne() throws IOException {
    Path file = folder.resolve("master.key");
    Files.writeString(file, Base64.getEncoder().encodeToString(new byte[32]));
    config =
        new Config(
            Optional.of(file),
            Duration.ofMinutes(15),
            Duration.ofHours(12),
            Duration.ofDays(30),
            Duration.ofDays(90),
            1);
    SigningKeyStore store = new SigningKeyStore(TestProjects.api(database));
    store.rotate(
        NewSigningKey.generate(MasterKey.read(file)),
        Duration.ofDays(90),
        Duration.ZERO,
        Duration.ofDays(2));
    first = replica().signing().kid();
  }

  /** One that has read nothing yet. */
  private SigningKeys replica() {
    return new SigningKeys(new SigningKeyStore(TestProjects.api(database)), config);
  }

  private void letPass(String interval) {
    database.sql("UPDATE signing_keys SET signs_from = signs_from - interval '" + interval + "'");
  }

  @Test
  void theNextKeyIsPublishedBeforeItSignsAndTheOldOneKeptUntilItsTokensHaveEnded() {
    letPass("89 days");
    assertEquals(1, replica().published().size());
    letPass("2 days");
    SigningKeys published = replica();
    assertEquals(2, published.published().size());
    assertEquals(first, published.signing().kid());
    String next = String.valueOf(published.published().get(0).get("kid"));
    assertNotEquals(first, next);

    letPass("23 hours");
    assertEquals(first, replica().signing().kid());
    letPass("62 minutes");
    SigningKeys signs = replica();
    assertEquals(next, signs.signing().kid());
    assertNotNull(signs.verifying(first), "what it signed a moment ago is still good");
    assertEquals(2, signs.published().size());

    letPass("20 minutes");
    SigningKeys alone = replica();
    assertNull(alone.verifying(first));
    assertEquals(1, alone.published().size());
    assertEquals(next, alone.signing().kid());
  }

  @Test
  void whileTheDatabaseIsAwayOneWaitsAndTheKeysOfBeforeGoOn() {
    AtomicLong clock = new AtomicLong();
    AtomicBoolean away = new AtomicBoolean();
    AtomicInteger tries = new AtomicInteger();
    PGSimpleDataSource source =
        new PGSimpleDataSource() {
          @Override
          public Connection getConnection() throws SQLException {
            tries.incrementAndGet();
            if (away.get()) {
              throw new SQLException("away", "08001");
            }
            return database.connect(Role.API);
          }
        };
    SigningKeys keys =
        new SigningKeys(new SigningKeyStore(JdbiProducer.over(source)), config, clock::get);
    assertNotNull(keys.verifying(first));

    away.set(true);
    tries.set(0);
    clock.addAndGet(Duration.ofMinutes(2).toNanos());
    for (int i = 0; i < 10; i++) {
      assertNotNull(keys.verifying(first));
      assertEquals(1, keys.published().size());
      assertThrows(ConnectionException.class, () -> keys.verifying("who knows"));
    }
    assertEquals(1, tries.get(), "nobody waits for what has just failed");
    clock.addAndGet(Duration.ofSeconds(2).toNanos());
    assertNotNull(keys.verifying(first));
    assertEquals(2, tries.get(), "but soon again");
    clock.addAndGet(Duration.ofMinutes(10).toNanos());
    assertThrows(ConnectionException.class, () -> keys.verifying(first));

    away.set(false);
    clock.addAndGet(Duration.ofSeconds(2).toNanos());
    assertNotNull(keys.verifying(first));
    assertNull(keys.verifying("who knows"));
  }

  @Test
  void replicasThatFindItDueAtOnceMakeOneKey() throws Exception {
    letPass("91 days");
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<Integer>> seen = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        SigningKeys replica = replica();
        seen.add(threads.submit(() -> replica.published().size()));
      }
      for (Future<Integer> published : seen) {
        assertEquals(2, published.get());
      }
    } finally {
      threads.shutdownNow();
    }
    assertEquals("2", database.sql("SELECT count(*) FROM signing_keys"));
  }

  @Test
  void keysThatNoTokenNeedsAreTakenAwayByALaterRotation() {
    for (int i = 0; i < 3; i++) {
      letPass("92 days");
      replica().published();
    }
    assertEquals("2", database.sql("SELECT count(*) FROM signing_keys"));
  }

  @Test
  void aRetiredKeyIsReplacedAndSignsNoMore() {
    database.sql("UPDATE signing_keys SET retired_at = now()");
    assertNotEquals(first, replica().signing().kid(), "the next one signs at once");
    assertNotNull(replica().verifying(first));
  }
}
