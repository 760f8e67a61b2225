package io.jobscheduler.localstack.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.jobscheduler.localstack.judge.Invariant;
import io.jobscheduler.localstack.judge.Judgement;
import io.jobscheduler.localstack.judge.Verdict;
import io.jobscheduler.localstack.judge.Violation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The report for programs. Ids are strings, as in the API; times are in milliseconds. */
final class ReportJson {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private ReportJson() {}

  static String of(ChaosReport report) throws IOException {
    Judgement all = report.judgement();
    Map<String, Object> root = new LinkedHashMap<>();
    root.put("seed", Long.toString(report.seed()));
    root.put("startedAt", report.startedAt().toString());
    root.put("machine", report.machine());
    root.put("clean", all.clean());
    root.put("passed", report.passed());
    root.put("failures", report.failures());
    root.put("jobs", report.jobs());
    root.put("faults", report.faultCount());
    root.put("invariants", invariants(all));
    root.put("violations", violations(all));
    root.put("unexpected", all.unexpected());
    root.put("counts", new TreeMap<>(all.counts()));
    root.put("scenarios", report.scenarios().stream().map(ReportJson::scenario).toList());
    return JSON.writeValueAsString(root);
  }

  private static Map<String, Object> invariants(Judgement judgement) {
    Map<String, Object> invariants = new LinkedHashMap<>();
    for (Invariant invariant : Invariant.values()) {
      Verdict verdict = judgement.of(invariant);
      invariants.put(
          invariant.name(), Map.of("checked", verdict.checked(), "violated", verdict.violated()));
    }
    return invariants;
  }

  private static List<Object> violations(Judgement judgement) {
    List<Object> violations = new ArrayList<>();
    for (Invariant invariant : Invariant.values()) {
      for (Violation violation : judgement.of(invariant).first()) {
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("invariant", invariant.name());
        one.put("job", violation.job() == null ? null : violation.job().toString());
        one.put("sentence", violation.sentence());
        violations.add(one);
      }
    }
    return violations;
  }

  private static Map<String, Object> scenario(ScenarioReport scenario) {
    Map<String, Object> one = new LinkedHashMap<>();
    one.put("name", scenario.name());
    one.put("seed", Long.toString(scenario.seed()));
    one.put("seconds", scenario.took().toSeconds());
    one.put("jobs", scenario.jobs());
    one.put("faults", new TreeMap<>(scenario.faults()));
    Map<String, Object> recoveries = new TreeMap<>();
    scenario.recoveries().forEach((what, recovery) -> recoveries.put(what, recovery(recovery)));
    one.put("recovery", recoveries);
    one.put("unproved", scenario.unproved());
    one.put("notes", scenario.notes());
    one.put("invariants", invariants(scenario.judgement()));
    one.put("history", scenario.history());
    return one;
  }

  private static Map<String, Object> recovery(Recovery recovery) {
    Map<String, Object> one = new LinkedHashMap<>();
    one.put("count", recovery.count());
    one.put("p50Ms", recovery.p50().toMillis());
    one.put("p99Ms", recovery.p99().toMillis());
    one.put("maxMs", recovery.max().toMillis());
    return one;
  }
}
