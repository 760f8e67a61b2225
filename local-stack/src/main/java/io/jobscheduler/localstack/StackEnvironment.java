package io.jobscheduler.localstack;

import io.jobscheduler.localstack.postgres.Roles;
import io.jobscheduler.localstack.service.Service;
import io.jobscheduler.localstack.service.ServiceEnvironment;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;

/**
 * What a stack's processes are told, by environment variables, as in a deployment.
 *
 * @param apiUrl where the dashboard finds api-service
 */
record StackEnvironment(Secrets secrets, StackDatabase database, URI apiUrl) {

  /** For a normal start of a service. */
  Map<String, String> of(Service service) {
    Map<String, String> variables = database(service.role());
    if (service == Service.API) {
      variables.putAll(masterKey());
    }
    if (service == Service.DASHBOARD) {
      variables.put("JOBS_DASHBOARD_API_URL", apiUrl.toString());
    }
    return variables;
  }

  /** For the run-once mode of api-service that migrates the schema. */
  Map<String, String> ofMigration(String adminEmail) {
    Map<String, String> variables = database(Roles.OWNER);
    variables.putAll(masterKey());
    variables.put("JOBS_MIGRATE_ADMIN_EMAIL", adminEmail);
    variables.put("JOBS_MIGRATE_ADMIN_PASSWORD_FILE", secrets.adminPasswordFile().toString());
    for (Service service : Service.values()) {
      variables.put("JOBS_MIGRATE_ROLES_" + service.name(), database.user(service.role()));
    }
    return variables;
  }

  private Map<String, String> database(String role) {
    return new HashMap<>(
        ServiceEnvironment.database(
            database.url(), database.user(role), secrets.passwordFile(role)));
  }

  private Map<String, String> masterKey() {
    return Map.of("JOBS_ACCESS_MASTER_KEY_FILE", secrets.masterKeyFile().toString());
  }
}
