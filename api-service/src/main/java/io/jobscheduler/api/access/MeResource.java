package io.jobscheduler.api.access;

import io.quarkus.security.Authenticated;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.extensions.Extension;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Who the caller is, and what it may do where: from the same matrix that every request asks. */
@Path("/api/v1/auth/me")
@Authenticated
@Produces(MediaType.APPLICATION_JSON)
public class MeResource {
  /** Projects that one answer lists. */
  static final int MOST_PROJECTS = 1_000;

  private final AccessStore store;
  private final Authorizer authorizer;

  MeResource(AccessStore store, Authorizer authorizer) {
    this.store = store;
    this.authorizer = authorizer;
  }

  /**
   * A project that the caller sees, and what may be done there.
   *
   * @param role null for an API key
   * @param actions what it may do
   * @param payloadVisible whether it sees payloads and results
   * @param queues names of the queues that a key reaches; null: all
   */
  public record ProjectAccess(
      String project,
      @Schema(enumeration = {"viewer", "operator", "admin"}) @Nullable String role,
      List<String> actions,
      boolean payloadVisible,
      @Nullable List<String> queues) {}

  /**
   * The caller.
   *
   * @param kind user or key
   * @param email of a user; null for an API key
   * @param more there are more projects than are listed; GET /projects pages through all
   */
  @Schema(name = "Me")
  public record Me(
      String id,
      @Schema(enumeration = {"user", "key"}) String kind,
      @Nullable String email,
      String name,
      boolean platformAdmin,
      List<ProjectAccess> projects,
      boolean more) {}

  @GET
  @Operation(
      operationId = "me",
      summary = "The caller, and what it may do in each project",
      extensions = @Extension(name = "x-role", value = "any"))
  public Me me() {
    KeyStore.Standing key = authorizer.currentKey();
    return key == null ? user() : key(key);
  }

  private static Me key(KeyStore.Standing key) {
    ProjectAccess access =
        new ProjectAccess(
            key.project(),
            null,
            Action.labels(Action.of(key.scopes())),
            key.payloadVisible(),
            key.queues() == null ? null : List.copyOf(new TreeSet<>(key.queues().keySet())));
    return new Me(Long.toString(key.id()), "key", null, key.name(), false, List.of(access), false);
  }

  private Me user() {
    UserRow user = authorizer.current();
    List<MappedRole> mapped = authorizer.mapped();
    List<ProjectAccess> projects = new ArrayList<>();
    for (AccessStore.ProjectRole row :
        store.listProjectRoles(ProjectsSeen.of(user, mapped), MOST_PROJECTS + 1)) {
      projects.add(access(user, row, mapped));
    }
    boolean more = projects.size() > MOST_PROJECTS;
    return new Me(
        Long.toString(user.id()),
        "user",
        user.email(),
        user.name(),
        user.platformAdmin(),
        more ? projects.subList(0, MOST_PROJECTS) : projects,
        more);
  }

  private static ProjectAccess access(
      UserRow user, AccessStore.ProjectRole row, List<MappedRole> mapped) {
    Role role =
        Authorizer.roleOf(user.platformAdmin(), row.role(), mapped, row.project()).orElseThrow();
    Set<Action> actions = Action.of(role);
    return new ProjectAccess(
        row.project(),
        role.label(),
        Action.labels(actions),
        Authorizer.seesPayloads(user.platformAdmin(), row.payloadVisible(), mapped, row.project()),
        null);
  }
}
