package io.jobscheduler.api.migrate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jobscheduler.api.access.AccessConfig;
import io.jobscheduler.api.access.PasswordHash;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import io.jobscheduler.schema.version.SchemaVersion;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class MigrationPgTest {
  @RegisterExtension final TestDatabase database = TestDatabase.empty();
  @TempDir Path folder;

  private final Map<String, String> settings = new HashMap<>();
  private final List<String> report = Collections.synchronizedList(new ArrayList<>());
  private Path passwordFile;

  @BeforeEach
  void configure() throws IOException {
    passwordFile = folder.resolve("admin");
    Path master = folder.resolve("master");
    Files.writeString(master, Base64.getEncoder().encodeToString(new byte[32]));
    settings.put("jobs.access.master-key-file", master.toString());
    settings.put("jobs.migrate.admin-password-file", passwordFile.toString());
  }

  private void migrate() {
    SmallRyeConfig config =
        new SmallRyeConfigBuilder()
            .addDefaultInterceptors()
            .addDiscoveredConverters()
            .withSources(new PropertiesConfigSource(settings, "test", 100))
            .withMapping(AccessConfig.class)
            .withMapping(MigrateConfig.class)
            .build();
    new Migration(
            database.dataSource(Role.OWNER),
            config.getConfigMapping(AccessConfig.class),
            config.getConfigMapping(MigrateConfig.class))
        .run(report::add);
  }

  private MigrateException refused() {
    return assertThrows(MigrateException.class, this::migrate);
  }

  @Test
  void givesAFirstStartWhatItNeeds() throws IOException {
    migrate();
    String password = Files.readString(passwordFile).strip();
    assertEquals(
        "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(passwordFile)));
    assertEquals("admin@localhost", database.sql("SELECT email FROM users WHERE platform_admin"));
    assertTrue(PasswordHash.matches(password, database.sql("SELECT password_hash FROM users")));
    assertEquals("1", database.sql("SELECT count(*) FROM signing_keys"));
    assertEquals(
        "default/default",
        database.sql(
            "SELECT p.name || '/' || q.name FROM queues q JOIN projects p ON p.id = q.project_id"));
    assertEquals("t", database.sql("SELECT ensure_partitions() = 0"));
    assertTrue(
        report.contains("schema: schema version " + SchemaVersion.NEWEST + " fits"),
        report.toString());
  }

  @Test
  void changesNothingTheSecondTime() throws IOException {
    migrate();
    String before = state();
    String password = Files.readString(passwordFile);
    Files.delete(passwordFile);
    migrate();
    assertEquals(before, state());
    assertFalse(Files.exists(passwordFile), "an old password cannot be written again");
    assertFalse(password.isBlank());
  }

  private String state() {
    return database.sql(
        "SELECT concat((SELECT string_agg(u::text, ',') FROM users u), (SELECT string_agg(k::text,"
            + " ',') FROM signing_keys k), (SELECT string_agg(q::text, ',') FROM queues q))");
  }

  @Test
  void twoAtOnceTakeTurns() throws Exception {
    CompletableFuture<Void> other = CompletableFuture.runAsync(this::migrate);
    migrate();
    other.get(60, TimeUnit.SECONDS);
    assertEquals("1", database.sql("SELECT count(*) FROM users"));
    assertEquals("1", database.sql("SELECT count(*) FROM signing_keys"));
    assertTrue(
        PasswordHash.matches(
            Files.readString(passwordFile).strip(),
            database.sql("SELECT password_hash FROM users")));
    assertEquals(1, report.stream().filter(l -> l.startsWith("first admin made")).count());
  }

  @Test
  void waitsForAnotherMigrationAndGivesUpInTheEnd() throws Exception {
    settings.put("jobs.migrate.lock-timeout", "PT0.3S");
    try (Connection other = database.connect(Role.OWNER);
        Statement statement = other.createStatement()) {
      statement.execute("SELECT pg_advisory_lock(5, 0)");
      assertTrue(refused().getMessage().contains("another migration"));
    }
  }

  /** Killed between the file and the commit: the next run must make an admin anew. */
  @Test
  void aPasswordFileWithoutAnAdminIsReplaced() throws IOException {
    Files.writeString(passwordFile, "of a run that never committed");
    migrate();
    assertTrue(
        PasswordHash.matches(
            Files.readString(passwordFile).strip(),
            database.sql("SELECT password_hash FROM users")));
    assertEquals(
        "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(passwordFile)));
  }

  @Test
  void makesNoAdminWhosePasswordCannotBeWritten() {
    settings.put(
        "jobs.migrate.admin-password-file", folder.resolve("absent/folder/admin").toString());
    MigrateException e = refused();
    assertEquals(MigrateException.CONFIGURATION, e.exitCode());
    assertEquals("0", database.sql("SELECT count(*) FROM users"));
    settings.remove("jobs.migrate.admin-password-file");
    assertEquals(MigrateException.CONFIGURATION, refused().exitCode());
    assertEquals("0", database.sql("SELECT count(*) FROM users"));
  }

  @Test
  void refusesAMasterKeyThatDoesNotOpenTheSigningKey() throws IOException {
    migrate();
    byte[] other = new byte[32];
    other[0] = 1;
    Files.writeString(
        Path.of(settings.get("jobs.access.master-key-file")),
        Base64.getEncoder().encodeToString(other));
    MigrateException e = refused();
    assertEquals(MigrateException.CONFIGURATION, e.exitCode());
    assertTrue(e.getMessage().contains("master key"), e.getMessage());
  }

  @Test
  void grantsGoToTheRolesThatAreConfigured() {
    settings.put("jobs.migrate.roles.api", "no_such_role");
    MigrateException e = refused();
    assertEquals(MigrateException.MIGRATION, e.exitCode());
    assertTrue(e.getMessage().contains("no_such_role"), e.getMessage());
  }
}
