package io.jobscheduler.api.problem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class ProblemPagesTest {

  @Test
  void everyTypeHasItsPageAndItsSection() throws Exception {
    Properties texts = new Properties();
    texts.load(
        new InputStreamReader(
            ProblemPagesTest.class.getResourceAsStream("/problems.properties"),
            StandardCharsets.UTF_8));
    String document = Files.readString(Path.of("../docs/problems.md"));
    for (ProblemType type : ProblemType.values()) {
      String section =
          "\n## %s\n\n%d · %s\n\n%s\n%s\n"
              .formatted(
                  type.slug(),
                  type.status(),
                  type.title(),
                  texts.getProperty(type.slug() + ".meaning"),
                  texts.getProperty(type.slug() + ".remedy"));
      assertTrue(document.contains(section), "docs/problems.md lacks:" + section);
      assertEquals(200, new ProblemPagesResource().page(type.slug()).getStatus(), type.slug());
    }
  }
}
