package io.jobscheduler.api.access;

import org.jspecify.annotations.Nullable;

/**
 * What a claim of another issuer's token gives.
 *
 * @param project null: every project
 * @param role null: platform admin
 */
record MappedRole(@Nullable String project, @Nullable Role role, boolean payloadVisible) {
  boolean isPlatformAdmin() {
    return role == null;
  }

  boolean covers(String name) {
    return project == null || project.equals(name);
  }
}
