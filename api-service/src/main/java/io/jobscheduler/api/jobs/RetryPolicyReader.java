package io.jobscheduler.api.jobs;

import io.jobscheduler.api.json.Fields;
import io.jobscheduler.api.json.JsonReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a retry policy. Rules are judged together with the policy that they change, at its end. */
final class RetryPolicyReader {
  private static final Set<String> STRATEGIES = Set.of("exponential", "linear", "fixed", "list");
  private static final Set<String> ACTIONS = Set.of("retry", "dead", "cancel");
  private static final Duration SHORTEST_ELAPSED = Duration.ofMillis(1);
  private static final Duration LONGEST_ELAPSED = Duration.ofDays(365);
  private static final double LARGEST_FACTOR = 100;
  private static final int MOST_DELAYS = 100;
  private static final int MOST_RULES = 20;
  private static final int MOST_KINDS = 20;
  private static final int LONGEST_KIND = 100;

  private final JsonReader in;
  private final List<RetryRule> rules = new ArrayList<>();
  private final List<String> rulePointers = new ArrayList<>();
  private int rulesGiven;

  private RetryPolicyReader(JsonReader in) {
    this.in = in;
  }

  /** A policy; null when absent or, noted, none. */
  static @Nullable RetryPolicy read(JsonReader in) {
    return new RetryPolicyReader(in).read();
  }

  private @Nullable RetryPolicy read() {
    if (!in.startObject()) {
      return null;
    }
    RetryWaits given = new RetryWaits(null, null, null, null, null);
    Duration maxElapsed = null;
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "maxElapsed" -> maxElapsed = Fields.duration(in, SHORTEST_ELAPSED, LONGEST_ELAPSED);
        case "rules" -> readRules();
        default -> given = readWait(field, given);
      }
    }
    String pointer = in.pointer();
    RetryWaits waits = resolve(given);
    check(pointer, given, waits);
    for (int i = 0; i < rules.size(); i++) {
      RetryWaits change = rules.get(i).waits();
      if (change != null) {
        check(rulePointers.get(i), change, over(change, waits));
      }
    }
    return new RetryPolicy(waits, maxElapsed, rulesGiven == 0 ? null : rules);
  }

  /** {@code before} with the value of {@code field}. */
  private RetryWaits readWait(String field, RetryWaits before) {
    switch (field) {
      case "strategy" -> {
        String given = in.string();
        if (given != null && !STRATEGIES.contains(given)) {
          in.reject("Expected exponential, linear, fixed or list.");
          given = null;
        }
        return new RetryWaits(given, before.base(), before.factor(), before.cap(), before.delays());
      }
      case "base" -> {
        Duration base = Fields.duration(in, RetryPolicy.LONGEST_WAIT);
        return new RetryWaits(
            before.strategy(), base, before.factor(), before.cap(), before.delays());
      }
      case "factor" -> {
        Double factor = in.number(1, LARGEST_FACTOR);
        return new RetryWaits(
            before.strategy(), before.base(), factor, before.cap(), before.delays());
      }
      case "cap" -> {
        Duration cap = Fields.duration(in, RetryPolicy.LONGEST_WAIT);
        return new RetryWaits(
            before.strategy(), before.base(), before.factor(), cap, before.delays());
      }
      case "delays" -> {
        List<Duration> delays = readDelays();
        return new RetryWaits(
            before.strategy(), before.base(), before.factor(), before.cap(), delays);
      }
      default -> {
        in.unknownField();
        return before;
      }
    }
  }

  private @Nullable List<Duration> readDelays() {
    if (!in.startArray()) {
      return null;
    }
    List<Duration> delays = new ArrayList<>();
    int items = 0;
    while (in.nextItem()) {
      items++;
      Duration delay = Fields.duration(in, RetryPolicy.LONGEST_WAIT);
      if (delay != null && items <= MOST_DELAYS) {
        delays.add(delay);
      }
    }
    if (items < 1 || items > MOST_DELAYS) {
      in.violations().add(in.pointer(), "Expected 1 to " + MOST_DELAYS + " delays.");
    }
    return delays;
  }

  private void readRules() {
    if (!in.startArray()) {
      return;
    }
    while (in.nextItem()) {
      rulesGiven++;
      readRule();
    }
    if (rulesGiven > MOST_RULES) {
      in.violations().add(in.pointer(), "Expected at most " + MOST_RULES + " rules.");
    }
  }

  private void readRule() {
    if (!in.startObject()) {
      return;
    }
    List<String> kinds = null;
    String action = "retry";
    RetryWaits waits = new RetryWaits(null, null, null, null, null);
    String field;
    while ((field = in.nextField()) != null) {
      switch (field) {
        case "kinds" -> kinds = readKinds();
        case "action" -> {
          String given = in.string();
          if (given != null && !ACTIONS.contains(given)) {
            in.reject("Expected retry, dead or cancel.");
          } else if (given != null) {
            action = given;
          }
        }
        default -> waits = readWait(field, waits);
      }
    }
    String pointer = in.pointer();
    in.violations().require(pointer + "/kinds", kinds != null);
    if (!action.equals("retry") && !waits.givesNothing()) {
      in.violations().add(pointer, "Only the action retry has a strategy and waits.");
    }
    if (kinds != null && rulesGiven <= MOST_RULES) {
      rules.add(new RetryRule(kinds, action, waits.givesNothing() ? null : waits));
      rulePointers.add(pointer);
    }
  }

  private @Nullable List<String> readKinds() {
    if (!in.startArray()) {
      return null;
    }
    List<String> kinds = new ArrayList<>();
    int items = 0;
    while (in.nextItem()) {
      items++;
      String kind = Fields.text(in, 1, LONGEST_KIND);
      if (kind != null && items <= MOST_KINDS) {
        kinds.add(kind);
      }
    }
    if (items < 1 || items > MOST_KINDS) {
      in.violations().add(in.pointer(), "Expected 1 to " + MOST_KINDS + " error kinds.");
    }
    return kinds;
  }

  /** All that the strategy uses, with the defaults for what is not given. */
  private static RetryWaits resolve(RetryWaits given) {
    String strategy = given.strategy() == null ? "exponential" : given.strategy();
    if (strategy.equals("list")) {
      return new RetryWaits(strategy, null, null, null, given.delays());
    }
    Duration base = given.base() == null ? RetryPolicy.DEFAULT_BASE : given.base();
    Duration cap = given.cap();
    if (cap == null) {
      cap = base.compareTo(RetryPolicy.DEFAULT_CAP) > 0 ? base : RetryPolicy.DEFAULT_CAP;
    }
    Double factor = given.factor() == null ? RetryPolicy.DEFAULT_FACTOR : given.factor();
    return new RetryWaits(
        strategy, base, strategy.equals("exponential") ? factor : null, cap, null);
  }

  /** A policy's waits as a rule changes them; a figure that neither gives is the default. */
  private static RetryWaits over(RetryWaits change, RetryWaits policy) {
    return new RetryWaits(
        or(change.strategy(), policy.strategy()),
        or(or(change.base(), policy.base()), RetryPolicy.DEFAULT_BASE),
        or(change.factor(), policy.factor()),
        or(or(change.cap(), policy.cap()), RetryPolicy.DEFAULT_CAP),
        or(change.delays(), policy.delays()));
  }

  private static <T> @Nullable T or(@Nullable T first, @Nullable T second) {
    return first == null ? second : first;
  }

  /** Notes what is given and does not go with the strategy that {@code whole} has. */
  private void check(String pointer, RetryWaits given, RetryWaits whole) {
    boolean list = whole.usesList();
    in.violations().require(pointer + "/delays", !list || whole.delays() != null);
    if (!list && given.delays() != null) {
      in.violations().add(pointer + "/delays", "Only the strategy list has delays.");
    }
    if (list && (given.base() != null || given.cap() != null)) {
      in.violations().add(pointer, "The strategy list has delays only, no base and no cap.");
    }
    if (given.factor() != null && !"exponential".equals(whole.strategy())) {
      in.violations().add(pointer + "/factor", "Only the strategy exponential has a factor.");
    }
    if (!list
        && whole.base() != null
        && whole.cap() != null
        && whole.cap().compareTo(whole.base()) < 0) {
      in.violations().add(pointer + "/cap", "The cap must not be shorter than the base.");
    }
  }
}
