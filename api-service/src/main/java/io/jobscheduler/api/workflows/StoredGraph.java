package io.jobscheduler.api.workflows;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The graph of a stored workflow, as it stands: members in id order, edges by their position.
 *
 * <p>Immutable, so thread-safe. Built in O(members + edges).
 */
final class StoredGraph {
  /**
   * A member.
   *
   * @param state null once its row is gone
   * @param join all_done, any_success or none_failed; null: all_success
   * @param seconds what it is expected to run: as handed in, else as it last ran, else as its type
   *     does; null: nothing is known
   */
  record Member(
      long id,
      String key,
      @Nullable String state,
      @Nullable String reason,
      @Nullable String join,
      @Nullable Double seconds) {
    boolean ended() {
      return state != null
          && switch (state) {
            case "succeeded", "dead", "cancelled", "skipped" -> true;
            default -> false;
          };
    }

    boolean failed() {
      return "dead".equals(state) || "cancelled".equals(state);
    }

    boolean bypassed() {
      return "skipped".equals(state) && "skipped-by-hand".equals(reason);
    }

    boolean live() {
      return state != null && !ended();
    }
  }

  /** That the member at {@code child} waits for the one at {@code parent}. */
  record Edge(int parent, int child, String on) {}

  private final List<Member> members;
  private final List<Edge> edges;
  private final List<List<Edge>> from = new ArrayList<>();
  private final Map<String, Integer> positions = new HashMap<>();
  private final Map<Long, Integer> positionsById = new HashMap<>();

  StoredGraph(List<Member> members, List<Edge> edges) {
    this.members = members;
    this.edges = edges;
    for (int i = 0; i < members.size(); i++) {
      positions.put(members.get(i).key(), i);
      positionsById.put(members.get(i).id(), i);
      from.add(new ArrayList<>());
    }
    edges.forEach(edge -> from.get(edge.parent()).add(edge));
  }

  List<Member> members() {
    return members;
  }

  Member member(int position) {
    return members.get(position);
  }

  List<Edge> edges() {
    return edges;
  }

  /** The edges to the children of a member. */
  List<Edge> from(int position) {
    return from.get(position);
  }

  /** The position of a member; null when there is none of that key. */
  @Nullable Integer position(String key) {
    return positions.get(key);
  }

  /** The position of a member; null when the job of that id is none. */
  @Nullable Integer position(long id) {
    return positionsById.get(id);
  }
}
