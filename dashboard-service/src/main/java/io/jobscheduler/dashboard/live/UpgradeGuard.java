package io.jobscheduler.dashboard.live;

import io.quarkus.websockets.next.HttpUpgradeCheck;
import io.smallrye.mutiny.Uni;
import io.vertx.core.net.HostAndPort;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/** Refuses an upgrade before it costs a socket: foreign origin, no project, too many sockets. */
@ApplicationScoped
class UpgradeGuard implements HttpUpgradeCheck {
  private final OriginRule origins;
  private final Subscriptions subscriptions;
  private final int maxSockets;

  UpgradeGuard(LiveConfig config, Subscriptions subscriptions) {
    this.origins = new OriginRule(config.allowedOrigins().orElse(List.of()));
    this.subscriptions = subscriptions;
    this.maxSockets = config.maxSockets();
  }

  @Override
  public Uni<CheckResult> perform(HttpUpgradeContext context) {
    HostAndPort authority = context.httpRequest().authority();
    String origin = context.httpRequest().getHeader("Origin");
    if (!origins.permits(origin, authority == null ? null : authority.toString())) {
      return CheckResult.rejectUpgrade(403);
    }
    String project = context.httpRequest().getParam("project");
    if (project == null || !Change.isProjectName(project)) {
      return CheckResult.rejectUpgrade(400);
    }
    if (subscriptions.size() >= maxSockets) {
      return CheckResult.rejectUpgrade(503);
    }
    return CheckResult.permitUpgrade();
  }
}
