package io.jobscheduler.api.json;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Where a reader stands: one level per open container. Not thread-safe. */
final class JsonPath {
  private final boolean[] array;
  private final int[] index;
  private final @Nullable String[] name;
  private final @Nullable Set<String>[] seen;
  private int level;

  @SuppressWarnings({"unchecked", "rawtypes"})
  JsonPath(int mostLevels) {
    this.array = new boolean[mostLevels + 1];
    this.index = new int[mostLevels + 1];
    this.name = new String[mostLevels + 1];
    this.seen = new Set[mostLevels + 1];
  }

  /** How many containers are open. */
  int level() {
    return level;
  }

  /** Whether the innermost open container is an object. */
  boolean inObject() {
    return level > 0 && !array[level];
  }

  void open(boolean isArray) {
    level++;
    array[level] = isArray;
    index[level] = -1;
    name[level] = null;
    seen[level] = null;
  }

  void close() {
    level--;
  }

  /** A value begins: the next element, if an array is open. */
  void value() {
    if (level > 0 && array[level]) {
      index[level]++;
    }
  }

  /** A member's name begins; false when the object has it already. */
  boolean name(String field) {
    rename(field);
    Set<String> names = seen[level];
    if (names == null) {
      names = new HashSet<>();
      seen[level] = names;
    }
    return names.add(field);
  }

  /** Another member of the object is being read. */
  void rename(String field) {
    name[level] = field;
  }

  /** The name of the member being read; only inside an object. */
  String name() {
    String current = name[level];
    if (current == null) {
      throw new IllegalStateException("no member is being read");
    }
    return current;
  }

  /** The JSON pointer (RFC 6901) of what is being read. */
  String pointer() {
    StringBuilder pointer = new StringBuilder();
    for (int i = 1; i <= level; i++) {
      if (array[i]) {
        if (index[i] >= 0) {
          pointer.append('/').append(index[i]);
        }
      } else if (name[i] != null) {
        pointer.append('/').append(name[i].replace("~", "~0").replace("/", "~1"));
      }
    }
    return pointer.toString();
  }
}
