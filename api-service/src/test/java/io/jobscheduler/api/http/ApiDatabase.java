package io.jobscheduler.api.http;

import io.jobscheduler.api.migrate.MigrateCommand;
import io.jobscheduler.schema.testing.Role;
import io.jobscheduler.schema.testing.TestDatabase;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** An empty database, migrated by the migrate mode itself, for the service under test. */
public final class ApiDatabase implements QuarkusTestResourceLifecycleManager {
  /** System property that holds the first admin's password. */
  static final String ADMIN_PASSWORD = "jobs-test-admin-password";

  /** System property that holds the database's URL. */
  static final String URL = "jobs-test-database-url";

  private final TestDatabase database = TestDatabase.empty();

  /** The first admin's password. */
  public static String adminPassword() {
    return System.getProperty(ADMIN_PASSWORD);
  }

  @Override
  public Map<String, String> start() {
    database.open();
    try {
      Path folder = Files.createTempDirectory("jobs-api-test");
      Path master = folder.resolve("master.key");
      Path password = folder.resolve("admin.password");
      Files.writeString(master, Base64.getEncoder().encodeToString(new byte[32]));
      Map<String, String> migrate = new HashMap<>();
      migrate.put("jobs.db.url", database.url());
      migrate.put("jobs.db.username", Role.OWNER.databaseName());
      migrate.put("jobs.db.password", Role.OWNER.password());
      migrate.put("jobs.access.master-key-file", master.toString());
      migrate.put("jobs.migrate.admin-password-file", password.toString());
      migrate.forEach(System::setProperty);
      int exitCode = MigrateCommand.run(System.out, System.err);
      migrate.keySet().forEach(System::clearProperty);
      if (exitCode != 0) {
        throw new IllegalStateException("the migrate mode failed with " + exitCode);
      }
      System.setProperty(ADMIN_PASSWORD, Files.readString(password).strip());
      System.setProperty(URL, database.url());
      TestIssuer issuer = TestIssuer.start();
      return Map.of(
          "jobs.db.url", database.url(),
          "jobs.db.username", Role.API.databaseName(),
          "jobs.db.password", Role.API.password(),
          "jobs.access.master-key-file", master.toString(),
          // The tests stand behind a proxy, so that each says from which address it calls.
          "jobs.login.trusted-proxies", "127.0.0.1,::1",
          "jobs.oidc.issuer", issuer.issuer(),
          "jobs.oidc.audience", TestIssuer.AUDIENCE,
          "jobs.oidc.roles-claim", "realm/groups",
          "jobs.oidc.roles",
              "ops=oidc-shop:operator,listers=oidc-listed:viewer,auditors=*:viewer:no-payloads,"
                  + "root=platform-admin");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void stop() {
    TestIssuer.running().stop();
    try {
      database.close(false);
    } catch (SQLException e) {
      throw new IllegalStateException(Objects.requireNonNull(database.url()), e);
    }
  }
}
