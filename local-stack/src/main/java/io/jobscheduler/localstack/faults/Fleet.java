package io.jobscheduler.localstack.faults;

import io.jobscheduler.localstack.LocalStack;
import io.jobscheduler.localstack.StackDatabase;
import io.jobscheduler.localstack.proxy.TcpProxy;
import io.jobscheduler.localstack.service.Service;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Several processes of each service on one stack, each with a proxy of its own before the database.
 * Thread-safe once it was started.
 */
public final class Fleet implements AutoCloseable {
  private static final Duration READY_LIMIT = Duration.ofMinutes(5);

  private final LocalStack stack;
  private final List<Member> members = new CopyOnWriteArrayList<>();

  /**
   * How many processes of a service, and their environment.
   *
   * @param environments of each, besides what every stack sets
   */
  public record Part(Service service, List<Map<String, String>> environments) {
    /** So many that are all alike. */
    public static Part of(Service service, int count, Map<String, String> environment) {
      return new Part(service, java.util.Collections.nCopies(count, environment));
    }
  }

  public Fleet(LocalStack stack) {
    this.stack = stack;
  }

  /** Starts all at once and waits until each is ready. */
  public void start(List<Part> parts) {
    for (Part part : parts) {
      for (Map<String, String> environment : part.environments()) {
        members.add(launch(part.service(), environment));
      }
    }
    members.forEach(m -> m.process().awaitReady(READY_LIMIT));
  }

  private Member launch(Service service, Map<String, String> environment) {
    StackDatabase database = stack.database();
    TcpProxy proxy = new TcpProxy("proxy-" + service.role(), database.host(), database.port());
    String url = database.urlVia("127.0.0.1", proxy.port());
    Map<String, String> variables = new HashMap<>(environment);
    // Behind a pooler only the direct address is ours to lead.
    variables.putIfAbsent("JOBS_DB_URL", url);
    variables.put("JOBS_DB_DIRECT_URL", url);
    return new Member(stack.launch(service, variables), proxy);
  }

  public List<Member> of(Service service) {
    return members.stream().filter(m -> m.process().service() == service).toList();
  }

  public List<Member> all() {
    return List.copyOf(members);
  }

  /** The one that runs under this process id. */
  Optional<Member> byPid(long pid) {
    return members.stream()
        .filter(m -> m.process().isAlive() && m.process().pid() == pid)
        .findFirst();
  }

  /** Where the API is served. */
  public List<URI> apis() {
    return of(Service.API).stream()
        .map(m -> URI.create("http://127.0.0.1:" + m.process().httpPort()))
        .toList();
  }

  /**
   * Starts again what has ended without a fault, as any orchestrator would.
   *
   * @return the names, with how each had ended
   */
  public List<String> revive() {
    List<String> revived = new ArrayList<>();
    for (Member member : members) {
      if (!member.process().isAlive() && member.holdEvenIfDead()) {
        try {
          if (!member.process().isAlive()) {
            revived.add(member.name() + " (" + member.process().exitWords() + ")");
            stack.startAgain(member.process());
          }
        } finally {
          member.release();
        }
      }
    }
    return revived;
  }

  /** Waits until each is ready; those that are not, with what they say. */
  public List<String> awaitReady(Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    List<String> notReady = new ArrayList<>();
    for (Member member : members) {
      long left = Math.max(0, deadline - System.nanoTime());
      boolean ready =
          io.jobscheduler.localstack.process.Await.until(
              Duration.ofNanos(left), () -> member.process().readiness().ready());
      if (!ready) {
        notReady.add(member.name() + ": " + member.process().readiness().body().strip());
      }
    }
    return notReady;
  }

  /** Ends the proxies; the processes end with the stack. */
  @Override
  public void close() {
    members.forEach(m -> m.proxy().close());
  }
}
