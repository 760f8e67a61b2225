package io.jobscheduler.schema.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class JobStateTest {
  // The table of docs/architecture.md, "State diagram": lines such as `    ready --> running:
  // claim`.
  private static final Pattern ARROW = Pattern.compile("^\\s*(\\w+) --> (\\w+)(:.*)?$");

  @Test
  void everyOrderedPairIsAsTheDiagramInTheDocumentsSays() throws IOException {
    Set<String> drawn = new TreeSet<>();
    for (String line : Files.readAllLines(Path.of("../docs/architecture.md"))) {
      Matcher arrow = ARROW.matcher(line);
      if (arrow.matches() && JobState.isLabel(arrow.group(1)) && JobState.isLabel(arrow.group(2))) {
        drawn.add(arrow.group(1) + " -> " + arrow.group(2));
      }
    }
    Set<String> allowed = new TreeSet<>();
    for (JobState from : JobState.values()) {
      for (JobState to : JobState.values()) {
        if (from.canBecome(to)) {
          allowed.add(from.label() + " -> " + to.label());
        }
      }
    }
    assertEquals(drawn, allowed);
  }

  @Test
  void labelsRoundTripAndOthersAreRefused() {
    for (JobState state : JobState.values()) {
      assertEquals(state, JobState.of(state.label()));
    }
    assertThrows(IllegalArgumentException.class, () -> JobState.of("READY"));
  }

  @Test
  void onlyTheFourEndsAreTerminal() {
    Set<JobState> terminal = new TreeSet<>();
    for (JobState state : JobState.values()) {
      if (state.isTerminal()) {
        terminal.add(state);
      }
    }
    assertEquals(
        Set.of(JobState.SUCCEEDED, JobState.DEAD, JobState.CANCELLED, JobState.SKIPPED), terminal);
  }
}
