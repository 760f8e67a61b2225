package io.jobscheduler.api.http;

import io.jobscheduler.api.access.Action;
import io.jobscheduler.api.access.Role;
import io.jobscheduler.api.access.Scope;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The documented matrix of docs/access.md. */
final class Matrix {
  private static final Path DOCUMENT = Path.of("../docs/access.md");
  private static final Pattern NAME = Pattern.compile("`([^`]+)`");

  /** Operation to action; of those in projects. */
  final Map<String, Action> actions = new HashMap<>();

  /** Operation to who may call it; of the others. */
  final Map<String, String> others = new HashMap<>();

  /** Where document and code differ. */
  final List<String> differences = new ArrayList<>();

  Matrix() {
    List<Action> missing = new ArrayList<>(Arrays.asList(Action.values()));
    try {
      for (String line : Files.readAllLines(DOCUMENT)) {
        String[] cells = line.split("\\|", -1);
        if (cells.length == 6 && cells[1].contains("`")) {
          Action action = read(cells);
          missing.remove(action);
        } else if (cells.length == 4 && cells[2].contains("`")) {
          names(cells[2]).forEach(o -> put(others, o, cells[1].strip()));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    missing.forEach(a -> differences.add(a.label() + " has no row"));
  }

  private Action read(String[] cells) {
    String label = names(cells[1]).get(0);
    Action action =
        Arrays.stream(Action.values())
            .filter(a -> a.label().equals(label))
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("no action " + label));
    if (!Role.valueOf(cells[2].strip().toUpperCase(Locale.ROOT)).equals(action.least())) {
      differences.add(label + ": least role is " + action.least());
    }
    String scopes = String.join(", ", action.scopes().stream().map(Scope::label).toList());
    if (!cells[3].strip().equals(scopes.isEmpty() ? "-" : scopes)) {
      differences.add(label + ": scopes are " + scopes);
    }
    names(cells[4]).forEach(o -> put(actions, o, action));
    return action;
  }

  private <V> void put(Map<String, V> map, String operation, V value) {
    if (actions.containsKey(operation) || others.containsKey(operation)) {
      differences.add(operation + " has two rows");
    }
    map.put(operation, value);
  }

  private static List<String> names(String cell) {
    List<String> names = new ArrayList<>();
    Matcher matcher = NAME.matcher(cell);
    while (matcher.find()) {
      names.add(matcher.group(1));
    }
    return names;
  }
}
