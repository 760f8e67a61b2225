package io.jobscheduler.localstack.report;

import io.jobscheduler.localstack.judge.Invariant;
import io.jobscheduler.localstack.judge.Judgement;
import io.jobscheduler.localstack.judge.Verdict;
import io.jobscheduler.localstack.judge.Violation;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The report for people: one page that needs nothing else, light or dark as the reader's system.
 */
final class ReportPage {
  private static final String STYLE =
      """
      :root { color-scheme: light dark; --ink: #1d2430; --soft: #5b6675; --line: #dfe4ea;
        --ground: #f7f8fa; --card: #fff; --good: #18794e; --good-ground: #e4f5ec;
        --bad: #b42318; --bad-ground: #fdeceb; }
      @media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --soft: #9aa4b2;
        --line: #2c343f; --ground: #12161c; --card: #1a2029; --good: #5bd397;
        --good-ground: #12301f; --bad: #ff9a90; --bad-ground: #3a1715; } }
      * { box-sizing: border-box }
      body { margin: 0; padding: 2rem 1rem; background: var(--ground); color: var(--ink);
        font: 15px/1.5 system-ui, sans-serif }
      main { max-width: 62rem; margin: 0 auto }
      h1 { font-size: 1.5rem; margin: 0 } h2 { font-size: 1.1rem; margin: 2rem 0 .6rem }
      h3 { font-size: 1rem; margin: 0 0 .4rem } p { margin: .3rem 0 }
      .soft { color: var(--soft) }
      .verdict { padding: 1rem 1.2rem; border-radius: .5rem; margin: 1rem 0; font-size: 1.1rem;
        font-weight: 600 }
      .good { color: var(--good); background: var(--good-ground) }
      .bad { color: var(--bad); background: var(--bad-ground) }
      .card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem;
        padding: 1rem 1.2rem; margin: .8rem 0; overflow-x: auto }
      table { border-collapse: collapse; width: 100% }
      th, td { text-align: left; padding: .35rem .9rem .35rem 0; border-bottom: 1px solid var(--line);
        vertical-align: top }
      tr:last-child td { border-bottom: 0 }
      th { color: var(--soft); font-weight: 500 }
      .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
      .tag { padding: .05rem .5rem; border-radius: 1rem; font-weight: 600; white-space: nowrap }
      pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.5 ui-monospace, monospace;
        margin: .4rem 0 0 }
      """;

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
        .append(STYLE)
        .append("</style></head><body><main>\n<h1>Chaos report</h1>\n");
    text(
        "p",
        "soft",
        "%s, seed %d, %s".formatted(report.startedAt(), report.seed(), report.machine()));
    text("div", all.clean() ? "verdict good" : "verdict bad", summary(report, all));
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
      pre(lines);
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

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
