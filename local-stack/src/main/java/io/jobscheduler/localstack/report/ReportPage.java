package io.jobscheduler.localstack.report;

import static java.time.temporal.ChronoUnit.SECONDS;

import io.jobscheduler.localstack.judge.Invariant;
import io.jobscheduler.localstack.judge.Judgement;
import io.jobscheduler.localstack.judge.Verdict;
import io.jobscheduler.localstack.judge.Violation;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The report for people: one page that needs nothing else, light or dark as the reader's system.
 */
final class ReportPage {
  private static final String STYLE = "style.css";
  private static final int SHOWN = 25;

  private final StringBuilder page = new StringBuilder();

  private ReportPage() {}

  static String of(ChaosReport report) {
    ReportPage made = new ReportPage();
    made.write(report);
    return made.page.toString();
  }

  private void write(ChaosReport report) {
    Judgement all = report.judgement();
    page.append("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
        .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
        .append("<title>Chaos report</title>\n<style>\n")
        .append(style())
        .append("</style></head><body><main>\n<h1>Chaos report</h1>\n");
    text(
        "p",
        "soft",
        "%s, seed %d, %s"
            .formatted(report.startedAt().truncatedTo(SECONDS), report.seed(), report.machine()));
    text("div", report.passed() ? "verdict good" : "verdict bad", summary(report, all));
    report.failures().forEach(failure -> text("p", "", "Failed: " + failure));
    heading("Invariants");
    invariants(all);
    violations(report, all);
    heading("Scenarios");
    report.scenarios().forEach(this::scenario);
    heading("Counted, and no violation");
    counts(all.counts());
    page.append("</main></body></html>\n");
  }

  private static String summary(ChaosReport report, Judgement all) {
    String size = "%,d jobs, %,d faults: ".formatted(report.jobs(), report.faultCount());
    if (all.clean() && !report.failures().isEmpty()) {
      return size + "failed, though no invariant was violated.";
    }
    if (all.clean() && !report.passed()) {
      return size + "proves too little, see the scenarios.";
    }
    if (all.clean()) {
      return size + "no invariant was violated.";
    }
    return size
        + "%,d violations, %,d answers of the API that no fault explains."
            .formatted(all.violated(), all.unexpected().size());
  }

  private void invariants(Judgement all) {
    page.append("<div class=\"card\"><table><thead><tr><th>Invariant</th><th>Promise</th>")
        .append("<th class=\"n\">Checked</th><th class=\"n\">Violated</th><th>Verdict</th>")
        .append("</tr></thead><tbody>\n");
    for (Invariant invariant : Invariant.values()) {
      Verdict verdict = all.of(invariant);
      boolean kept = verdict.violated() == 0;
      String word = !kept ? "violated" : verdict.checked() == 0 ? "not looked at" : "kept";
      page.append("<tr><td><strong>")
          .append(invariant)
          .append("</strong> ")
          .append(escaped(invariant.title()))
          .append("</td><td>")
          .append(escaped(invariant.promise()))
          .append(number(verdict.checked()))
          .append(number(verdict.violated()))
          .append("<td><span class=\"tag ")
          .append(kept ? "good" : "bad")
          .append("\">")
          .append(word)
          .append("</span></td></tr>\n");
    }
    page.append("</tbody></table></div>\n");
  }

  private static String number(long value) {
    return "</td><td class=\"n\">" + "%,d".formatted(value);
  }

  private void violations(ChaosReport report, Judgement all) {
    List<String> lines =
        Stream.concat(
                Stream.of(Invariant.values())
                    .flatMap(i -> all.of(i).first().stream())
                    .map(Violation::toString),
                all.unexpected().stream().map(what -> "API: " + what))
            .toList();
    if (!lines.isEmpty()) {
      heading("What was found");
      if (lines.size() > SHOWN) {
        text("p", "soft", "The first %d; %s has more.".formatted(SHOWN, ReportFiles.JSON));
      }
      pre(lines.subList(0, Math.min(lines.size(), SHOWN)));
    }
    report.scenarios().stream()
        .filter(scenario -> !scenario.history().isEmpty())
        .findFirst()
        .ifPresent(
            scenario -> {
              heading("History of the first violation's job");
              text(
                  "p", "soft", "Scenario %s, seed %d.".formatted(scenario.name(), scenario.seed()));
              pre(scenario.history());
            });
  }

  private void scenario(ScenarioReport scenario) {
    page.append("<section class=\"card\">");
    text("h3", "", scenario.name());
    text(
        "p",
        "soft",
        "seed %d, %s, %,d jobs, %,d faults, %,d violations"
            .formatted(
                scenario.seed(),
                seconds(scenario.took()),
                scenario.jobs(),
                scenario.faultCount(),
                scenario.judgement().violated()));
    if (!scenario.faults().isEmpty()) {
      text(
          "p",
          "",
          new TreeMap<>(scenario.faults())
              .entrySet().stream()
                  .map(fault -> fault.getValue() + " × " + fault.getKey())
                  .collect(Collectors.joining(" · ")));
    }
    if (!scenario.recoveries().isEmpty()) {
      page.append("<table><thead><tr><th>Recovery</th><th class=\"n\">Count</th>")
          .append("<th class=\"n\">p50</th><th class=\"n\">p99</th><th class=\"n\">max</th>")
          .append("</tr></thead><tbody>");
      new TreeMap<>(scenario.recoveries()).forEach(this::recovery);
      page.append("</tbody></table>");
    }
    scenario.unproved().forEach(why -> text("p", "", "Proved nothing: " + why));
    scenario.notes().forEach(note -> text("p", "soft", note));
    page.append("</section>\n");
  }

  private void recovery(String what, Recovery recovery) {
    page.append("<tr><td>").append(escaped(what)).append(number(recovery.count()));
    for (Duration time : List.of(recovery.p50(), recovery.p99(), recovery.max())) {
      page.append("</td><td class=\"n\">").append(seconds(time));
    }
    page.append("</td></tr>");
  }

  private static String seconds(Duration time) {
    return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0);
  }

  private void counts(Map<String, Long> counts) {
    page.append("<div class=\"card\"><table><tbody>");
    new TreeMap<>(counts)
        .forEach(
            (name, count) ->
                page.append("<tr><td>")
                    .append(escaped(name))
                    .append(number(count))
                    .append("</td></tr>"));
    page.append("</tbody></table></div>\n");
  }

  private void heading(String text) {
    text("h2", "", text);
  }

  private void pre(List<String> lines) {
    page.append("<div class=\"card\">");
    text("pre", "", String.join("\n", lines));
    page.append("</div>\n");
  }

  private void text(String element, String style, String text) {
    page.append('<').append(element);
    if (!style.isEmpty()) {
      page.append(" class=\"").append(style).append('"');
    }
    page.append('>').append(escaped(text)).append("</").append(element).append(">\n");
  }

  private static String style() {
    try (InputStream sheet = ReportPage.class.getResourceAsStream(STYLE)) {
      return new String(
          Objects.requireNonNull(sheet, STYLE).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
