package io.jobscheduler.api.workflows;

import io.jobscheduler.api.json.JsonReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a list of jobs that name each other by key. Keys are resolved after the last job has been
 * read; a sub-workflow is read by a reader of its own and then inlined under its node's key.
 *
 * <p>Cost: linear in jobs and edges.
 */
final class GraphReader {
  static final int MOST_JOBS = 20_000;
  static final int MOST_EDGES = 200_000;

  /** What follows a node's key in the key of the gate that opens its sub-workflow. */
  static final String START = "::start";

  private static final int LONGEST_KEY = 128;
  private static final int DEEPEST = 3;

  /** Jobs and edges over all levels of sub-workflows. */
  static final class Size {
    int jobs;
    int edges;
  }

  /** Where edges to a key lead and from where edges of it come; -1 when it was refused. */
  private record Ends(int in, int out) {
    static final Ends REFUSED = new Ends(-1, -1);
  }

  private final JsonReader in;
  private final int mostPayloadBytes;
  private final NodeReader.Mode mode;
  private final int depth;
  private final Size size;
  private final List<WorkflowRequest.Member> members = new ArrayList<>();
  private final List<WorkflowRequest.Edge> edges = new ArrayList<>();
  private final List<WorkflowRequest.Outside> outside = new ArrayList<>();
  private final Map<String, Ends> ends = new HashMap<>();
  private final List<NodeReader> nodes = new ArrayList<>();

  private GraphReader(
      JsonReader in, int mostPayloadBytes, NodeReader.Mode mode, int depth, Size size) {
    this.in = in;
    this.mostPayloadBytes = mostPayloadBytes;
    this.mode = mode;
    this.depth = depth;
    this.size = size;
  }

  /** Of the jobs at the root of a request. */
  GraphReader(JsonReader in, int mostPayloadBytes, NodeReader.Mode mode) {
    this(in, mostPayloadBytes, mode, 1, new Size());
  }

  List<WorkflowRequest.Member> members() {
    return members;
  }

  List<WorkflowRequest.Edge> edges() {
    return edges;
  }

  List<WorkflowRequest.Outside> outside() {
    return outside;
  }

  /** Reads the list, and notes what is wrong with it. */
  void read() {
    String at = in.pointer();
    if (in.startArray()) {
      while (in.nextItem()) {
        readNode();
      }
    }
    nodes.forEach(this::resolve);
    nodes.clear();
    checkSize(at);
  }

  private void checkSize(String at) {
    if (depth > 1) {
      if (ends.isEmpty()) {
        in.violations().require(at, false);
      }
      return;
    }
    if (size.jobs < 1 || size.jobs > MOST_JOBS) {
      in.violations().add(at, "Expected 1 to " + MOST_JOBS + " jobs, not " + size.jobs + ".");
    }
    if (size.edges > MOST_EDGES) {
      in.violations()
          .add(at, "Expected at most " + MOST_EDGES + " dependencies, not " + size.edges + ".");
    }
  }

  private void readNode() {
    size.jobs++;
    NodeReader node = new NodeReader(in, mostPayloadBytes, mode, this);
    if (!node.read()) {
      return;
    }
    size.edges += node.dependencies().size();
    Ends where = size.jobs > MOST_JOBS ? Ends.REFUSED : add(node);
    String key = node.key();
    if (key != null) {
      if (ends.putIfAbsent(key, where) != null) {
        in.violations().add(node.pointer() + "/key", "The key \"" + key + "\" is used twice.");
      }
      if (size.edges <= MOST_EDGES) {
        node.stands(where.in());
        nodes.add(node);
      }
    }
  }

  /** A reader of a sub-workflow's jobs; null when, noted, it lies too deep. */
  @Nullable GraphReader inner() {
    if (depth == DEEPEST) {
      in.reject("Sub-workflows nest at most " + (DEEPEST - 1) + " deep.");
      return null;
    }
    return new GraphReader(in, mostPayloadBytes, mode, depth + 1, size);
  }

  private Ends add(NodeReader node) {
    GraphReader inner = node.inner();
    WorkflowRequest.Member member = node.member();
    if (member == null) {
      return Ends.REFUSED;
    }
    if (inner == null) {
      members.add(member);
      return new Ends(members.size() - 1, members.size() - 1);
    }
    int start = -1;
    if (!node.dependencies().isEmpty()) {
      size.jobs++;
      start = members.size();
      members.add(gate(member.key() + START, node.join(), member.node().pointer()));
    }
    inline(inner, member, start);
    int end = members.size() - 1;
    return new Ends(start < 0 ? end : start, end);
  }

  private static WorkflowRequest.Member gate(String key, @Nullable String join, String pointer) {
    return new WorkflowRequest.Member(
        key, NodeReader.gateJob(null), new WorkflowRequest.Node(null, join, Gate.join(), pointer));
  }

  /** Adds the jobs of a sub-workflow, and the node itself as the gate that its sinks lead to. */
  private void inline(GraphReader inner, WorkflowRequest.Member node, int start) {
    int offset = members.size();
    int end = offset + inner.members.size();
    boolean[] hasParent = new boolean[inner.members.size()];
    boolean[] hasChild = new boolean[inner.members.size()];
    for (WorkflowRequest.Edge edge : inner.edges) {
      edges.add(new WorkflowRequest.Edge(edge.parent() + offset, edge.child() + offset, edge.on()));
      hasParent[edge.child()] = true;
      hasChild[edge.parent()] = true;
    }
    for (WorkflowRequest.Outside edge : inner.outside) {
      outside.add(
          new WorkflowRequest.Outside(
              edge.child() + offset, edge.job(), edge.key(), edge.on(), edge.pointer()));
    }
    for (int i = 0; i < inner.members.size(); i++) {
      WorkflowRequest.Member member = inner.members.get(i);
      String key = node.key() + ":" + member.key();
      if (key.length() > LONGEST_KEY) {
        in.violations()
            .add(
                member.node().pointer() + "/key",
                "With the keys of the nodes around it, it has more than "
                    + LONGEST_KEY
                    + " characters.");
      }
      if (ends.putIfAbsent(key, new Ends(offset + i, offset + i)) != null) {
        in.violations()
            .add(member.node().pointer() + "/key", "The key \"" + key + "\" is used twice.");
      }
      members.add(member.withKey(key));
      if (start >= 0 && !hasParent[i]) {
        edges.add(new WorkflowRequest.Edge(start, offset + i, NodeReader.SUCCESS));
      }
      if (!hasChild[i]) {
        edges.add(new WorkflowRequest.Edge(offset + i, end, NodeReader.SUCCESS));
      }
    }
    members.add(
        new WorkflowRequest.Member(
            node.key(),
            node.job(),
            new WorkflowRequest.Node(null, null, Gate.join(), node.node().pointer())));
  }

  private void resolve(NodeReader node) {
    Map<Object, String> seen = new HashMap<>();
    for (NodeReader.Dependency dependency : node.dependencies()) {
      Object parent = dependency.job() == null ? dependency.key() : dependency.job();
      String before = parent == null ? null : seen.putIfAbsent(parent, dependency.on());
      if (before != null) {
        if (!before.equals(dependency.on())) {
          in.violations()
              .add(
                  dependency.pointer(),
                  "The job depends on \"" + parent + "\" twice, on different outcomes.");
        }
        // The same edge again counts once.
        continue;
      }
      resolve(node.position(), dependency);
    }
  }

  private void resolve(int child, NodeReader.Dependency dependency) {
    String key = dependency.key();
    Ends parent = key == null ? null : ends.get(key);
    if (parent != null) {
      if (child >= 0 && parent.out() >= 0) {
        edges.add(new WorkflowRequest.Edge(parent.out(), child, dependency.on()));
      }
    } else if (dependency.job() != null || depth == 1 && mode == NodeReader.Mode.GROWTH) {
      if (child >= 0) {
        outside.add(
            new WorkflowRequest.Outside(
                child, dependency.job(), key, dependency.on(), dependency.pointer()));
      }
    } else {
      in.violations().add(dependency.pointer(), "No job has the key \"" + key + "\".");
    }
  }
}
