package io.jobscheduler.api.access;

import static io.jobscheduler.api.access.Scope.ENQUEUE;
import static io.jobscheduler.api.access.Scope.LEASE;
import static io.jobscheduler.api.access.Scope.OPERATE;
import static io.jobscheduler.api.access.Scope.READ;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What can be done in a project, the least role of a member that may, and the scopes of a key that
 * may: the one place that says so. Without a scope it is for people only.
 */
public enum Action {
  PROJECT_READ("project:read", Role.VIEWER, ENQUEUE, READ, OPERATE, LEASE),
  JOBS_READ("jobs:read", Role.VIEWER, READ, OPERATE, LEASE),
  JOBS_ENQUEUE("jobs:enqueue", Role.OPERATOR, ENQUEUE),
  JOBS_CANCEL("jobs:cancel", Role.OPERATOR, OPERATE),
  JOBS_RETRY("jobs:retry", Role.OPERATOR, OPERATE),
  BULK_ACT("bulk:act", Role.OPERATOR, OPERATE),
  LEASES_READ("leases:read", Role.OPERATOR, LEASE),
  QUEUES_READ("queues:read", Role.VIEWER, READ, OPERATE),
  QUEUES_PAUSE("queues:pause", Role.OPERATOR, OPERATE),
  QUEUES_EDIT("queues:edit", Role.ADMIN),
  WORKFLOWS_READ("workflows:read", Role.VIEWER, READ, OPERATE),
  WORKFLOWS_SUBMIT("workflows:submit", Role.OPERATOR, ENQUEUE),
  WORKFLOWS_ACT("workflows:act", Role.OPERATOR, OPERATE),
  SCHEDULES_READ("schedules:read", Role.VIEWER, READ, OPERATE),
  SCHEDULES_ACT("schedules:act", Role.OPERATOR, OPERATE),
  SCHEDULES_EDIT("schedules:edit", Role.ADMIN),
  WORKERS_READ("workers:read", Role.VIEWER, READ, OPERATE),
  STATS_READ("stats:read", Role.VIEWER, READ, OPERATE),
  PROJECT_EDIT("project:edit", Role.ADMIN),
  MEMBERS_READ("members:read", Role.ADMIN),
  MEMBERS_EDIT("members:edit", Role.ADMIN),
  KEYS_READ("keys:read", Role.ADMIN),
  KEYS_EDIT("keys:edit", Role.ADMIN),
  AUDIT_READ("audit:read", Role.ADMIN);

  private final String label;
  private final Role least;
  private final List<Scope> scopes;

  Action(String label, Role least, Scope... scopes) {
    this.label = label;
    this.least = least;
    this.scopes = List.of(scopes);
  }

  /** The name in {@code GET /auth/me}. */
  public String label() {
    return label;
  }

  /** The least role that may do it. */
  public Role least() {
    return least;
  }

  /** The scopes that may do it, each alone; none when it is for people only. */
  public List<Scope> scopes() {
    return scopes;
  }

  /** All that a member of this role may do. */
  static Set<Action> of(Role role) {
    return Arrays.stream(values()).filter(role::permits).collect(Collectors.toUnmodifiableSet());
  }

  /** All that a key of these scopes may do. */
  static Set<Action> of(Collection<Scope> scopes) {
    return Arrays.stream(values())
        .filter(action -> action.scopes.stream().anyMatch(scopes::contains))
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Names of actions, in the order of this list. */
  static List<String> labels(Set<Action> actions) {
    return Arrays.stream(values()).filter(actions::contains).map(Action::label).toList();
  }
}
