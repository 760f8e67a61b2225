package io.jobscheduler.api.access;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.jwt.JsonWebToken;

/** Decides whether the caller of this request may do something; asks the database each time. */
@ApplicationScoped
public class Authorizer {
  private final AccessStore store;
  private final JsonWebToken token;

  Authorizer(AccessStore store, JsonWebToken token) {
    this.store = store;
    this.token = token;
  }

  /**
   * Requires a role in a project.
   *
   * @throws ProblemException 404 when there is no such project or the caller is no member, 403 when
   *     the role is too low, 401 when the user is gone
   */
  public Grant require(String project, Action action) {
    // What is no name names nothing; the database need not be asked, and a NUL never reaches it.
    if (!Fields.isName(project)) {
      throw ProblemException.notFound("project");
    }
    AccessStore.Standing standing =
        store.findStanding(userId(), project).orElseThrow(Authorizer::gone);
    if (standing.projectId() == null) {
      throw ProblemException.notFound("project");
    }
    Role role = standing.platformAdmin() ? Role.ADMIN : standing.role();
    if (role == null) {
      throw ProblemException.notFound("project");
    }
    if (!role.permits(action)) {
      throw ProblemException.of(
          ProblemType.FORBIDDEN,
          "This needs the role "
              + action.least().label()
              + " in the project; yours is "
              + role.label()
              + ".");
    }
    return new Grant(
        standing.projectId(), project, role, standing.platformAdmin() || standing.payloadVisible());
  }

  /**
   * Requires a platform admin; returns the user's id.
   *
   * @throws ProblemException 403, or 401 when the user is gone
   */
  public long requirePlatformAdmin() {
    UserRow user = current();
    if (!user.platformAdmin()) {
      throw ProblemException.of(ProblemType.FORBIDDEN, "This needs a platform admin.");
    }
    return user.id();
  }

  /**
   * The caller.
   *
   * @throws ProblemException 401 when the user is gone or disabled
   */
  public UserRow current() {
    return store.findActiveUser(userId()).orElseThrow(Authorizer::gone);
  }

  private long userId() {
    try {
      return Long.parseLong(String.valueOf(token.getSubject()));
    } catch (NumberFormatException e) {
      throw gone();
    }
  }

  private static ProblemException gone() {
    return ProblemException.of(
        ProblemType.UNAUTHORIZED, "The user of this access token does not exist any more.");
  }
}
