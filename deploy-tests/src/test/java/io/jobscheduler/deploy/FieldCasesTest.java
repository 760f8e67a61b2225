package io.jobscheduler.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * What the documents name as proof exists: each test by class and method, each command by its
 * output.
 */
class FieldCasesTest {
  private static final String CASES = "docs/field-cases.md";
  private static final String GUARANTEES = "docs/guarantees.md";

  /** Failure cases from the field that must have a row. */
  private static final List<String> REQUIRED_CASES =
      List.of(
          // Retries and backoff
          "C041",
          "C042",
          "C043",
          "C045",
          "C047",
          // Crash recovery and fencing
          "C049",
          "C051",
          "C053",
          "C054",
          "C055",
          "C057",
          "C058",
          "C059",
          "C060",
          "C063",
          // Leader election and database sessions
          "C064",
          "C066",
          "C068",
          "C069",
          "C070",
          "C072",
          "C074",
          // Concurrency limits
          "C076",
          "C078",
          "C080",
          "C081",
          "C082",
          "C083",
          // Priority and fairness
          "C107",
          "C109",
          "C112",
          // Process lifecycle and shutdown
          "C134",
          "C136",
          "C138",
          "C140",
          "C141",
          // Schedules
          "C013",
          "C015",
          "C017",
          "C019",
          "C021",
          "C022",
          "C023",
          "C024",
          "C025",
          "C027",
          "C029",
          "C031",
          "C032",
          "C034",
          "C035",
          "C036",
          "C039",
          "C040");

  /** Rules of the protocols that must have a test. */
  private static final List<String> REQUIRED_RULES =
      List.of(
          "claim-batch-limit",
          "claim-first-limit",
          "claim-lost-reply",
          "settle-lost-reply",
          "zombie-after-reap",
          "fence-broken-connection",
          "fence-silence",
          "loss-sticky",
          "leader-wedged",
          "leader-stale-epoch");

  private static final List<String> MODULES =
      List.of(
          "shared-algorithms",
          "shared-schema",
          "schedule-engine",
          "api-service",
          "worker-service",
          "scheduler-service",
          "dashboard-service",
          "deploy-tests",
          "local-stack",
          "benchmarks");

  private static final Pattern ROW = Pattern.compile("(?m)^\\| ([\\w-]+) \\|(.*)\\|([^|]*)\\|$");
  private static final Pattern NAMED = Pattern.compile("`(\\w+)#(\\w+)`");
  private static final Pattern COMMAND = Pattern.compile("\\]\\(#(c\\d{3})\\)");

  @Test
  void everyCaseHasItsProof() {
    String text = Repository.read(CASES);
    Map<String, String> cases = proofs(text);
    assertEquals(List.of(), missing(REQUIRED_CASES, cases), "cases without a row in " + CASES);
    assertEquals(List.of(), unproven(cases, text), "rows without a proof in " + CASES);
    assertEquals(new TreeSet<>(), unknownTests(text), "tests that do not exist, in " + CASES);
  }

  @Test
  void everyRuleHasItsTest() {
    String text = Repository.read(GUARANTEES);
    Map<String, String> rules = proofs(text);
    assertEquals(List.of(), missing(REQUIRED_RULES, rules), "rules without a row in " + GUARANTEES);
    assertEquals(List.of(), unproven(rules, text), "rows without a test in " + GUARANTEES);
    assertEquals(new TreeSet<>(), unknownTests(text), "tests that do not exist, in " + GUARANTEES);
  }

  /** These checks can fail. */
  @Test
  void findsWhatIsMissing() {
    String text =
        """
        | C001 | a | holds | `FieldCasesTest#findsWhatIsMissing` |
        | C002 | b | holds | `FieldCasesTest#neverWritten`, `NobodyTest#atAll` |
        | C003 | c | holds | surely |
        | C004 | d | holds | [command](#c004) |
        | C005 | e | holds | [command](#c005) |

        ### C004

        ```
        $ true
        ```
        """;
    Map<String, String> rows = proofs(text);
    assertEquals(List.of("C006"), missing(List.of("C001", "C006"), rows));
    assertEquals(List.of("C003", "C005"), unproven(rows, text));
    assertEquals(
        new TreeSet<>(List.of("FieldCasesTest#neverWritten", "NobodyTest#atAll")),
        unknownTests(text));
  }

  /** The last column of each row, by its first. */
  private static Map<String, String> proofs(String text) {
    Map<String, String> rows = new TreeMap<>();
    Matcher row = ROW.matcher(text);
    while (row.find()) {
      if (!row.group(1).matches("-+|case|rule")) {
        String former = rows.put(row.group(1), row.group(3));
        assertTrue(former == null, () -> row.group(1) + " has two rows");
      }
    }
    return rows;
  }

  private static List<String> missing(List<String> required, Map<String, String> rows) {
    return required.stream().filter(id -> !rows.containsKey(id)).toList();
  }

  /** Rows that name neither a test nor a command whose output is shown. */
  private static List<String> unproven(Map<String, String> rows, String text) {
    List<String> unproven = new ArrayList<>();
    rows.forEach(
        (id, proof) -> {
          Matcher command = COMMAND.matcher(proof);
          boolean shown = command.find() && showsOutput(text, command.group(1));
          if (!shown && !NAMED.matcher(proof).find()) {
            unproven.add(id);
          }
        });
    return unproven;
  }

  private static boolean showsOutput(String text, String anchor) {
    Matcher section =
        Pattern.compile("(?ms)^### " + anchor + "\\b(.*?)(?=^#|\\z)", Pattern.CASE_INSENSITIVE)
            .matcher(text);
    return section.find() && section.group(1).contains("```\n$ ");
  }

  private static TreeSet<String> unknownTests(String text) {
    Map<String, String> sources = testSources();
    TreeSet<String> unknown = new TreeSet<>();
    Matcher named = NAMED.matcher(text);
    while (named.find()) {
      String source = sources.getOrDefault(named.group(1), "");
      // From the annotation to the name there is no statement.
      String method =
          "@(Test|ParameterizedTest|RepeatedTest)\\b[^;]*?\\bvoid " + named.group(2) + "\\(";
      if (!Pattern.compile(method).matcher(source).find()) {
        unknown.add(named.group(1) + "#" + named.group(2));
      }
    }
    return unknown;
  }

  /** Of every module, by simple class name. */
  private static Map<String, String> testSources() {
    Map<String, String> sources = new TreeMap<>();
    for (String module : MODULES) {
      for (Path file : Repository.files(module + "/src/test/java", ".java")) {
        String name = file.getFileName().toString();
        // Two modules may have a class of one name.
        sources.merge(
            name.substring(0, name.length() - ".java".length()),
            Repository.read(file),
            String::concat);
      }
    }
    return sources;
  }
}
