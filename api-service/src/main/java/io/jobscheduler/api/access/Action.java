package io.jobscheduler.api.access;

/** What can be done in a project, and the least role that may: the one place that says so. */
public enum Action {
  PROJECT_READ("project:read", Role.VIEWER),
  JOBS_READ("jobs:read", Role.VIEWER),
  JOBS_ENQUEUE("jobs:enqueue", Role.OPERATOR),
  JOBS_CANCEL("jobs:cancel", Role.OPERATOR),
  JOBS_RETRY("jobs:retry", Role.OPERATOR),
  LEASES_READ("leases:read", Role.OPERATOR),
  QUEUES_READ("queues:read", Role.VIEWER),
  QUEUES_PAUSE("queues:pause", Role.OPERATOR),
  QUEUES_EDIT("queues:edit", Role.ADMIN),
  WORKFLOWS_READ("workflows:read", Role.VIEWER),
  WORKFLOWS_SUBMIT("workflows:submit", Role.OPERATOR),
  SCHEDULES_READ("schedules:read", Role.VIEWER),
  SCHEDULES_ACT("schedules:act", Role.OPERATOR),
  SCHEDULES_EDIT("schedules:edit", Role.ADMIN),
  WORKERS_READ("workers:read", Role.VIEWER),
  STATS_READ("stats:read", Role.VIEWER),
  MEMBERS_READ("members:read", Role.ADMIN),
  MEMBERS_EDIT("members:edit", Role.ADMIN);

  private final String label;
  private final Role least;

  Action(String label, Role least) {
    this.label = label;
    this.least = least;
  }

  /** The name in {@code GET /auth/me}. */
  public String label() {
    return label;
  }

  /** The least role that may do it. */
  public Role least() {
    return least;
  }
}
