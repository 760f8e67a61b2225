package io.jobscheduler.dashboard.live;

import io.jobscheduler.dashboard.live.AccessCheck.Access;
import io.quarkus.security.Authenticated;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.websockets.next.CloseReason;
import io.quarkus.websockets.next.OnClose;
import io.quarkus.websockets.next.OnOpen;
import io.quarkus.websockets.next.UserData.TypedKey;
import io.quarkus.websockets.next.WebSocket;
import io.quarkus.websockets.next.WebSocketConnection;
import io.smallrye.mutiny.Uni;
import org.eclipse.microprofile.jwt.JsonWebToken;

/**
 * {@code /live?project=name}: the socket of a signed-in browser. The token is verified at the
 * upgrade; the project is authorised before the first message, which says that the subscription
 * stands. The socket ends with the token.
 */
@Authenticated
@WebSocket(path = "/live")
class LiveSocket {
  /** The token has ended: sign in again. */
  static final int TOKEN_ENDED = 4401;

  /** The project is not one of the caller's. */
  static final int NO_ACCESS = 4403;

  /** Asked again later, the answer may differ (RFC 6455 registry: try again later). */
  static final int TRY_AGAIN = 1013;

  private static final TypedKey<Session> SESSION = new TypedKey<>("session");

  private final Sessions sessions;
  private final AccessCheck access;
  private final SecurityIdentity identity;

  LiveSocket(Sessions sessions, AccessCheck access, SecurityIdentity identity) {
    this.sessions = sessions;
    this.access = access;
    this.identity = identity;
  }

  @OnOpen
  Uni<Void> opened(WebSocketConnection connection) {
    if (!(identity.getPrincipal() instanceof JsonWebToken token)) {
      return connection.close(new CloseReason(TOKEN_ENDED, "no token"));
    }
    String project = project(connection);
    String raw = token.getRawToken();
    long expiresAt = token.getExpirationTime() * 1_000;
    return access
        .check(raw, project)
        .chain(
            answer -> {
              if (answer != Access.GRANTED) {
                return connection.close(reasonOf(answer));
              }
              Session session = sessions.open(connection, project, raw, expiresAt);
              connection.userData().put(SESSION, session);
              if (connection.isClosed()) {
                // It went while its access was asked for, and its close found no session.
                session.end();
              }
              return Uni.createFrom().voidItem();
            });
  }

  @OnClose
  void closed(WebSocketConnection connection) {
    Session session = connection.userData().get(SESSION);
    if (session != null) {
      session.end();
    }
  }

  static CloseReason reasonOf(Access answer) {
    return switch (answer) {
      case DENIED -> new CloseReason(NO_ACCESS, "no access to the project");
      case TOKEN_REFUSED -> new CloseReason(TOKEN_ENDED, "the token is not accepted");
      case GRANTED, UNKNOWN -> new CloseReason(TRY_AGAIN, "access could not be checked");
    };
  }

  private static String project(WebSocketConnection connection) {
    // The guard let only one well-formed name through.
    String query = connection.handshakeRequest().query();
    return QueryParameters.first(query, "project");
  }
}
