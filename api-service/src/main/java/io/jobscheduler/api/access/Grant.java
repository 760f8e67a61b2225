package io.jobscheduler.api.access;

import io.jobscheduler.api.problem.ProblemException;
import io.jobscheduler.api.problem.ProblemType;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * That somebody may act in a project.
 *
 * @param projectId the project, as every statement about its rows names it
 * @param project its name
 * @param actor who acts
 * @param actions all that the actor may do there; a platform admin counts as admin
 * @param payloadVisible whether the actor sees payloads and results
 * @param queues ids, by name, of the queues that a key reaches; null: all. Only {@link
 *     Authorizer#requireInQueues} gives a grant that is narrowed so
 */
public record Grant(
    int projectId,
    String project,
    Actor actor,
    Set<Action> actions,
    boolean payloadVisible,
    @Nullable Map<String, Integer> queues) {

  /** Whether the actor may do {@code action}. */
  public boolean permits(Action action) {
    return actions.contains(action);
  }

  /** The ids of the queues that it reaches; null: all. */
  public @Nullable Collection<Integer> queueIds() {
    return queues == null ? null : List.copyOf(queues.values());
  }

  /**
   * Requires that it reaches queues.
   *
   * @throws ProblemException 403, whether there is such a queue or not
   */
  public void requireQueues(Collection<String> names) {
    if (queues != null) {
      for (String name : names) {
        if (!queues.containsKey(name)) {
          throw ProblemException.of(
              ProblemType.FORBIDDEN, "This API key may not use the queue " + name + ".");
        }
      }
    }
  }
}
