package io.jobscheduler.api.access;

import io.jobscheduler.api.http.RequestIds;
import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.paging.Ids;
import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import io.jobscheduler.api.trail.AuditTrail;
import io.jobscheduler.api.trail.BeforeChange;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether the caller of this request may do something; asks the database each time, so a
 * user who was disabled, a session that ended and a key that was revoked are out from that commit
 * on, on every replica.
 */
@ApplicationScoped
public class Authorizer implements BeforeChange {
  private static final String EXTERNAL_USER = "jobs.external-user";

  private final AccessStore store;
  private final KeyStore keys;
  private final SecurityIdentity identity;
  private final AuditTrail trail;
  private final CallerRates rates;
  private final ClientAddress address;
  private final CurrentVertxRequest request;

  Authorizer(
      AccessStore store,
      KeyStore keys,
      SecurityIdentity identity,
      AuditTrail trail,
      CallerRates rates,
      ClientAddress address,
      CurrentVertxRequest request) {
    this.store = store;
    this.keys = keys;
    this.identity = identity;
    this.trail = trail;
    this.rates = rates;
    this.address = address;
    this.request = request;
  }

  /**
   * Requires a role in a project, or a key's scope, in all of its queues.
   *
   * @throws ProblemException 404 when there is no such project or the caller is no member, 403 when
   *     the role is too low or the key is for other things, 401 when the user or key is gone
   */
  public Grant require(String project, Action action) {
    Grant grant = requireInQueues(project, action);
    if (grant.queues() != null) {
      throw ProblemException.of(
          ProblemType.FORBIDDEN,
          "This API key is for some queues only, and what you ask for reaches beyond them.");
    }
    return grant;
  }

  /**
   * The same, of what the caller then narrows to {@link Grant#queueIds}: a key may be for some
   * queues only.
   */
  public Grant requireInQueues(String project, Action action) {
    // What is no name names nothing; the database need not be asked, and a NUL never reaches it.
    if (!Fields.isName(project)) {
      throw ProblemException.notFound("project");
    }
    Grant grant =
        caller() instanceof Caller.Key key
            ? keyGrant(key, project, action)
            : userGrant(project, action);
    trail.by(
        grant.actor().recordKind(),
        grant.actor().id(),
        grant.actor().name(),
        from(),
        grant.projectId());
    return grant;
  }

  private Grant keyGrant(Caller.Key key, String project, Action action) {
    KeyStore.Standing standing = standing(key);
    if (!standing.project().equals(project)) {
      throw ProblemException.notFound("project");
    }
    Set<Action> actions = Action.of(standing.scopes());
    if (!actions.contains(action)) {
      throw ProblemException.of(
          ProblemType.FORBIDDEN,
          action.scopes().isEmpty()
              ? "This is not for API keys; log in."
              : "This needs an API key with the scope "
                  + action.scopes().stream().map(Scope::label).collect(Collectors.joining(" or "))
                  + ".");
    }
    return new Grant(
        standing.projectId(),
        project,
        new Actor(Actor.Kind.KEY, standing.id(), standing.name()),
        actions,
        standing.payloadVisible(),
        standing.queues());
  }

  private Grant userGrant(String project, Action action) {
    AccessStore.Standing standing =
        store.findStanding(userId(), session(), project).orElseThrow(Authorizer::gone);
    if (standing.projectId() == null) {
      throw ProblemException.notFound("project");
    }
    List<MappedRole> mapped = mapped();
    boolean platformAdmin = isPlatformAdmin(standing.platformAdmin(), mapped);
    Role role =
        roleOf(platformAdmin, standing.role(), mapped, project)
            .orElseThrow(() -> ProblemException.notFound("project"));
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
        standing.projectId(),
        project,
        new Actor(Actor.Kind.USER, standing.userId(), standing.email()),
        Action.of(role),
        seesPayloads(platformAdmin, standing.payloadVisible(), mapped, project),
        null);
  }

  private static boolean isPlatformAdmin(boolean stored, List<MappedRole> mapped) {
    return stored || mapped.stream().anyMatch(MappedRole::isPlatformAdmin);
  }

  /**
   * The highest of a user's roles in a project: as platform admin, as member, by a token's claims.
   */
  static Optional<Role> roleOf(
      boolean platformAdmin, @Nullable Role member, List<MappedRole> mapped, String project) {
    return platformAdmin
        ? Optional.of(Role.ADMIN)
        : Stream.concat(
                Stream.ofNullable(member),
                mapped.stream()
                    .filter(m -> m.covers(project))
                    .flatMap(m -> Stream.ofNullable(m.role())))
            .max(Role::compareTo);
  }

  /** Whether any of them shows payloads. */
  static boolean seesPayloads(
      boolean platformAdmin, boolean member, List<MappedRole> mapped, String project) {
    return platformAdmin
        || member
        || mapped.stream().anyMatch(m -> m.covers(project) && m.payloadVisible());
  }

  /**
   * The id of a job that a grant reaches.
   *
   * @throws ProblemException 404 when {@code text} is no id, or the job is not in the queues that a
   *     key is for
   */
  public long job(Grant grant, String text) {
    long id = Ids.number(text, "job");
    Collection<Integer> queues = grant.queueIds();
    if (queues != null && !store.isJobIn(grant.projectId(), id, queues)) {
      throw ProblemException.notFound("job");
    }
    return id;
  }

  /**
   * Requires a platform admin.
   *
   * @throws ProblemException 403, or 401 when the user is gone
   */
  public Actor requirePlatformAdmin() {
    UserRow user = current();
    if (!user.platformAdmin()) {
      throw ProblemException.of(ProblemType.FORBIDDEN, "This needs a platform admin.");
    }
    return Actor.user(user);
  }

  /**
   * The person who calls; a platform admin also by what another issuer's token says.
   *
   * @throws ProblemException 401 when the user is gone or disabled, 403 when it is an API key
   */
  public UserRow current() {
    if (caller() instanceof Caller.Key key) {
      standing(key);
      throw ProblemException.of(ProblemType.FORBIDDEN, "This is not for API keys; log in.");
    }
    UserRow user = store.findActiveUser(userId(), session()).orElseThrow(Authorizer::gone);
    Actor actor = Actor.user(user);
    trail.by(actor.recordKind(), actor.id(), actor.name(), from());
    return isPlatformAdmin(user.platformAdmin(), mapped()) ? user.asPlatformAdmin() : user;
  }

  /**
   * The projects in which the person who calls has any role.
   *
   * @throws ProblemException 401 when the user is gone or disabled, 403 when it is an API key
   */
  public ProjectsSeen projectsSeen() {
    return ProjectsSeen.of(current(), mapped());
  }

  /** What the key of this request opens; null when a person calls. */
  KeyStore.@Nullable Standing currentKey() {
    return caller() instanceof Caller.Key key ? standing(key) : null;
  }

  /** What the token of another issuer gives. */
  List<MappedRole> mapped() {
    return caller() instanceof Caller.External external ? external.roles() : List.of();
  }

  private KeyStore.Standing standing(Caller.Key key) {
    KeyStore.Standing standing =
        keys.findKey(key.hash())
            .orElseThrow(
                () ->
                    ProblemException.of(
                        ProblemType.UNAUTHORIZED,
                        "There is no such API key; it may have been revoked or have expired."));
    if (standing.noteUse()) {
      keys.noteUse(standing.id());
    }
    return standing;
  }

  private Caller caller() {
    if (identity.getPrincipal() instanceof CallerPrincipal principal) {
      Caller caller = principal.caller();
      rates.takeOnce(request.getCurrent(), caller.rateKey());
      return caller;
    }
    throw gone();
  }

  private long userId() {
    Caller caller = caller();
    if (caller instanceof Caller.Login login) {
      return login.user();
    }
    if (caller instanceof Caller.External external) {
      return externalUser(external);
    }
    throw gone();
  }

  /** Makes the user of another issuer known, which is not what the request is recorded for. */
  @Override
  public void beforeChange() {
    if (caller() instanceof Caller.External external) {
      externalUser(external);
    }
  }

  private long externalUser(Caller.External external) {
    RoutingContext current = request.getCurrent();
    Long known = current == null ? null : current.get(EXTERNAL_USER);
    if (known != null) {
      return known;
    }
    long user =
        store.externalUser(external, from(), current == null ? null : RequestIds.of(current));
    if (current != null) {
      current.put(EXTERNAL_USER, user);
    }
    return user;
  }

  private @Nullable Long session() {
    return caller() instanceof Caller.Login login ? login.session() : null;
  }

  private @Nullable String from() {
    RoutingContext current = request.getCurrent();
    return current == null ? null : address.of(current.request());
  }

  private static ProblemException gone() {
    return ProblemException.of(
        ProblemType.UNAUTHORIZED,
        "The session of this access token has ended, or its user is gone. Log in again.");
  }
}
