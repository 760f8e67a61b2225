package io.jobscheduler.api.idempotency;

/**
 * Within what a key means the same request: a project, whoever of its members sends it; or a user,
 * where no project is named.
 *
 * @param projectId 0 for none
 * @param userId 0 for none
 */
public record Scope(int projectId, long userId) {
  /** A project's own keys. */
  public static Scope ofProject(int projectId) {
    return new Scope(projectId, 0);
  }

  /** A user's own keys. */
  public static Scope ofUser(long userId) {
    return new Scope(0, userId);
  }
}
