package io.jobscheduler.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The documents say what the code says. */
class DocumentsTest {
  private static final Pattern SETTING =
      Pattern.compile("^\\| `(JOBS_[A-Z_]+)` \\| ([^|]*) \\|", Pattern.MULTILINE);
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)(#[^)]*)?\\)");
  private static final Pattern GRANTED = Pattern.compile("(\\w+)\\([^()]*\\)(?=[,\\s])");

  @ParameterizedTest
  @ValueSource(strings = {"api", "worker", "scheduler", "dashboard"})
  void operationsListsEverySettingWithItsDefault(String service) {
    Map<String, String> documented = new TreeMap<>(settings("Every service"));
    documented.putAll(settings(service + "-service"));
    assertEquals(ServiceKeys.of(service + "-service").defaults(), documented);
  }

  /** Of the table below a heading: name to default, an empty text where there is none. */
  private static Map<String, String> settings(String heading) {
    String text = Repository.read("docs/operations.md");
    int from = text.indexOf("\n### " + heading + "\n");
    assertTrue(from >= 0, "no section " + heading);
    int to = text.indexOf("\n#", from + 2);
    Map<String, String> settings = new TreeMap<>();
    Matcher row = SETTING.matcher(text.substring(from, to));
    while (row.find()) {
      settings.put(row.group(1), row.group(2).replace("`", "").replace("–", "").strip());
    }
    return settings;
  }

  @Test
  void architectureNamesEveryGrantedFunction() {
    String grants =
        Repository.read("shared-schema/src/main/resources/db/migration/R__90_grants.sql");
    TreeSet<String> missing = new TreeSet<>();
    String text = Repository.read("docs/architecture.md");
    for (String statement : grants.split(";")) {
      if (statement.contains("GRANT EXECUTE")) {
        Matcher function = GRANTED.matcher(statement);
        while (function.find()) {
          if (!text.contains("`" + function.group(1) + "`")) {
            missing.add(function.group(1));
          }
        }
      }
    }
    assertEquals(new TreeSet<>(), missing);
  }

  @Test
  void everyLinkLeadsToAFile() {
    List<String> broken = new ArrayList<>();
    List<Path> documents = new ArrayList<>(Repository.files("docs", ".md"));
    for (String name : List.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md")) {
      documents.add(Repository.path(name));
    }
    for (Path document : documents) {
      Matcher link = LINK.matcher(Repository.read(document));
      while (link.find()) {
        if (!Files.exists(document.resolveSibling(link.group(1)))) {
          broken.add(document + " → " + link.group(1));
        }
      }
    }
    assertEquals(List.of(), broken);
  }
}
