package io.jobscheduler.localstack.faults;

import io.jobscheduler.localstack.client.ApiClient;
import io.jobscheduler.localstack.process.Await;
import io.jobscheduler.localstack.process.StackFailure;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Queues that may be edited while they are in use, through whichever API answers. Thread-safe. */
public final class Knobs {
  private static final Duration UNDO_LIMIT = Duration.ofSeconds(60);

  private final List<Queue> queues;
  private final List<URI> apis;
  private final ApiClient admin;
  private final Set<String> held = ConcurrentHashMap.newKeySet();

  /**
   * A queue.
   *
   * @param path below {@code /api/v1}
   * @param settings the body of a PATCH that puts it right again
   */
  public record Queue(String path, Map<String, Object> settings) {}

  /** Edits these queues as that admin, at one of these addresses. */
  public Knobs(List<Queue> queues, List<URI> apis, ApiClient admin) {
    this.queues = List.copyOf(queues);
    this.apis = List.copyOf(apis);
    this.admin = admin;
  }

  List<Queue> queues() {
    return queues;
  }

  boolean hold(Queue queue) {
    return held.add(queue.path());
  }

  void release(Queue queue) {
    held.remove(queue.path());
  }

  /** Whether some API took it: each is asked once. */
  boolean tryCall(Function<ApiClient, ApiClient.Answer> call) {
    for (URI api : apis) {
      try {
        if (call.apply(admin.at(api)).status() / 100 == 2) {
          return true;
        }
      } catch (StackFailure noAnswer) {
        // The next one is asked.
      }
    }
    return false;
  }

  /** Asks until some API took it; a minute at most. */
  void call(Function<ApiClient, ApiClient.Answer> call) {
    if (!Await.until(UNDO_LIMIT, () -> tryCall(call))) {
      throw new StackFailure("No API took back a change of a queue.");
    }
  }
}
