package io.jobscheduler.algorithms.fairness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DeficitRoundRobinTest {
  private final DeficitRoundRobin<String> flows = new DeficitRoundRobin<>(1);

  @Test
  void servesNobodyWhenNoFlowIsActive() {
    assertNull(flows.next(flow -> 1));
    assertEquals(Map.of(), flows.plan(10, flow -> 10));
    assertFalse(flows.isActive("a"));
    assertEquals(0, flows.deficit("a"));
  }

  @Test
  void servesInProportionToTheWeights() {
    flows.activate("a", 1);
    flows.activate("b", 3);
    assertEquals(List.of("a", "b", "b", "b", "a", "b", "b", "b", "a"), serve(9, 1));
  }

  @Test
  void followsTheExampleOfThePaper() {
    // Figures 2 and 3 of the paper: quantum 500, the first queue's heads are 200, 750, 20.
    DeficitRoundRobin<Integer> router = new DeficitRoundRobin<>(500);
    router.activate(1, 1);
    router.activate(2, 1);
    assertEquals(1, router.next(flow -> 200));
    assertEquals(300, router.deficit(1));
    assertEquals(2, router.next(flow -> flow == 1 ? 750 : 500));
    assertEquals(300, router.deficit(1), "the packet of 750 waits, the deficit stays");
    assertEquals(0, router.deficit(2));
    assertEquals(1, router.next(flow -> flow == 1 ? 750 : 500));
    assertEquals(50, router.deficit(1));
  }

  @Test
  void chargesTheCostAndSkipsFruitlessRounds() {
    flows.activate("cheap", 1);
    flows.activate("dear", 2);
    long huge = DeficitRoundRobin.LARGEST;
    assertEquals("dear", flows.next(flow -> flow.equals("dear") ? huge - 1 : huge));
    assertEquals(1, flows.deficit("dear"));
    assertEquals(huge / 2, flows.deficit("cheap"), "as many rounds as the other one had");
  }

  @Test
  void doesNotSkipTheRoundThatServes() {
    flows.activate("a", 2);
    flows.activate("b", 3);
    assertEquals("b", flows.next(flow -> 3));
    assertEquals(2, flows.deficit("a"));
    assertEquals(0, flows.deficit("b"));
    assertEquals("a", flows.next(flow -> 3));
  }

  @Test
  void dropsTheDeficitOfAFlowThatEmpties() {
    flows.activate("a", 5);
    flows.next(flow -> 1);
    assertEquals(4, flows.deficit("a"));
    flows.deactivate("a");
    assertFalse(flows.isActive("a"));
    assertEquals(0, flows.deficit("a"));
    flows.deactivate("a");
    flows.activate("a", 5);
    assertTrue(flows.isActive("a"));
    assertEquals(0, flows.deficit("a"));
  }

  @Test
  void putsANewFlowAtTheEndOfTheRound() {
    flows.activate("a", 2);
    flows.activate("b", 1);
    assertEquals(List.of("a"), serve(1, 1));
    flows.activate("c", 1);
    assertEquals(List.of("a", "b", "c", "a", "a", "b", "c"), serve(7, 1));
  }

  @Test
  void activatingAgainChangesTheWeightOnly() {
    flows.activate("a", 1);
    flows.activate("b", 1);
    serve(1, 1);
    flows.activate("a", 3);
    assertEquals(List.of("b", "a", "a", "a", "b"), serve(5, 1));
  }

  @Test
  void goesOnWithTheNextFlowWhenTheVisitedOneLeaves() {
    flows.activate("a", 5);
    flows.activate("b", 2);
    flows.activate("c", 1);
    serve(1, 1);
    flows.deactivate("a");
    assertEquals(List.of("b", "b", "c", "b", "b"), serve(5, 1));
    flows.deactivate("c");
    assertEquals(List.of("b"), serve(1, 1));
  }

  @Test
  void plansByWeightAndGoesOnWhereItStopped() {
    flows.activate("a", 2);
    flows.activate("b", 4);
    flows.activate("c", 1);
    assertEquals("{a=2, b=2}", plan(4, 100));
    assertEquals(2, flows.deficit("b"));
    assertEquals("{b=2, c=1, a=1}", plan(4, 100));
    assertEquals("{a=1, b=4, c=1}", plan(6, 100));
    assertEquals("{a=2}", plan(2, 100), "a full visit ends there");
    assertEquals("{b=1}", plan(1, 100));
  }

  @Test
  void plansNoMoreThanAFlowCanTake() {
    flows.activate("a", 10);
    flows.activate("b", 1);
    Map<String, Integer> plan = flows.plan(20, flow -> flow.equals("a") ? 3 : 100);
    assertEquals("{a=3, b=17}", plan.toString());
    assertEquals(0, flows.deficit("a"), "it saves nothing up");
  }

  @Test
  void endsWhenNoFlowCanTakeMore() {
    flows.activate("a", 1);
    flows.activate("b", 1);
    flows.activate("none", 1);
    Map<String, Integer> atMost = Map.of("a", 5, "b", 2, "none", -1);
    assertEquals("{a=5, b=2}", flows.plan(Integer.MAX_VALUE, atMost::get).toString());
    assertEquals("{a=1}", plan(1, 1), "it begins where that plan began");
    assertEquals(Map.of(), flows.plan(0, flow -> 1));
    assertEquals("{b=1, none=1, a=1}", plan(3, 9));
  }

  @Test
  void asksForNoMoreFlowsThanItNeeds() {
    DeficitRoundRobin<Integer> many = new DeficitRoundRobin<>(1);
    for (int i = 0; i < 10_000; i++) {
      many.activate(i, 1 + i % 7);
    }
    List<Integer> asked = new ArrayList<>();
    many.plan(
        8,
        flow -> {
          asked.add(flow);
          return 100;
        });
    assertEquals(List.of(0, 1, 2, 3), asked);
  }

  @Test
  void asksForTwoHeadsPerServiceAtMostWhenTheQuantumCoversTheCost() {
    DeficitRoundRobin<Integer> many = new DeficitRoundRobin<>(5);
    for (int i = 0; i < 1_000; i++) {
      many.activate(i, 1);
    }
    int[] asked = {0};
    for (int i = 0; i < 5_000; i++) {
      many.next(
          flow -> {
            asked[0]++;
            return 5;
          });
    }
    assertTrue(asked[0] <= 2 * 5_000, () -> asked[0] + " heads asked for");
  }

  @Test
  void plansManySlotsForManyFlowsWithoutAStepPerUnit() {
    DeficitRoundRobin<Integer> many = new DeficitRoundRobin<>(1);
    for (int i = 0; i < 10_000; i++) {
      many.activate(i, 1 + i % 2);
      many.charge(i, i % 3 * 1_000_000_000L);
    }
    int[] asked = {0};
    Map<Integer, Integer> plan =
        many.plan(
            Integer.MAX_VALUE,
            flow -> {
              asked[0]++;
              return Integer.MAX_VALUE;
            });
    assertEquals(10_000, asked[0]);
    assertEquals(Integer.MAX_VALUE, plan.values().stream().mapToLong(i -> i).sum());
    long light = plan.get(0);
    long heavy = plan.get(3);
    assertTrue(Math.abs(heavy - 2 * light) <= 2, () -> light + " and " + heavy);
  }

  @Test
  void skipsTheRoundsThatADebtTakes() {
    flows.activate("a", 1);
    flows.charge("a", DeficitRoundRobin.LARGEST);
    flows.charge("a", DeficitRoundRobin.LARGEST);
    assertEquals(-DeficitRoundRobin.LARGEST, flows.deficit("a"), "a debt has a bound");
    assertEquals("{a=7}", plan(7, 100));
    assertEquals(0, flows.deficit("a"));
  }

  @Test
  void passesAFlowInDebtOverUntilItHasPaid() {
    flows.activate("a", 2);
    flows.activate("b", 1);
    assertEquals("{a=2}", plan(2, 100));
    flows.charge("a", 3);
    assertEquals(-3, flows.deficit("a"));
    assertEquals("{b=2, a=1}", plan(3, 100), "its first visit pays, its second leaves one");
  }

  @Test
  void keepsTheDebtOfAFlowThatCanTakeNothingNow() {
    flows.activate("a", 1);
    flows.charge("a", 5);
    assertEquals(Map.of(), flows.plan(3, flow -> 0));
    assertEquals(-5, flows.deficit("a"));
  }

  @Test
  void listsFlowsInTheOrderOfTheirFirstUnit() {
    flows.activate("indebted", 1);
    flows.activate("a", 1);
    flows.activate("b", 1);
    flows.charge("indebted", 5);
    assertEquals("{a=7, b=7, indebted=2}", plan(16, 100));
    flows.charge("a", 9);
    flows.charge("b", 4);
    assertEquals("{indebted=11, b=6, a=1}", plan(18, 100));
  }

  @Test
  void refundsUpToOneVisitsCredit() {
    flows.activate("a", 4);
    flows.activate("b", 4);
    plan(4, 100);
    flows.refund("a", 3);
    assertEquals(3, flows.deficit("a"));
    flows.refund("a", 3);
    assertEquals(4, flows.deficit("a"));
    flows.charge("a", 10);
    flows.refund("a", 1);
    assertEquals(-5, flows.deficit("a"));
  }

  @Test
  void refundTakesNothingAwayWhenTheWeightHasFallen() {
    flows.activate("a", 8);
    plan(1, 100);
    flows.activate("a", 2);
    flows.refund("a", 1);
    assertEquals(7, flows.deficit("a"));
  }

  @Test
  void chargesAndRefundsOfAnInactiveFlowHaveNoEffect() {
    flows.charge("a", 5);
    flows.refund("a", 5);
    assertFalse(flows.isActive("a"));
    assertEquals(0, flows.deficit("a"));
  }

  @Test
  void refusesValuesOutOfRange() {
    long tooLarge = DeficitRoundRobin.LARGEST + 1;
    flows.activate("a", 1);
    refuses(() -> new DeficitRoundRobin<String>(0));
    refuses(() -> new DeficitRoundRobin<String>(tooLarge));
    refuses(() -> flows.activate("b", 0));
    refuses(() -> new DeficitRoundRobin<String>(DeficitRoundRobin.LARGEST / 2).activate("b", 3));
    refuses(() -> flows.plan(-1, flow -> 1));
    refuses(() -> flows.next(flow -> 0));
    refuses(() -> flows.next(flow -> tooLarge));
    refuses(() -> flows.charge("a", -1));
    refuses(() -> flows.charge("a", tooLarge));
    refuses(() -> flows.refund("a", -1));
    refuses(() -> flows.refund("a", tooLarge));
    assertThrows(NullPointerException.class, () -> flows.activate(null, 1));
    assertFalse(flows.isActive("b"));
  }

  @Test
  void acceptsTheLimitsThemselves() {
    new DeficitRoundRobin<String>(DeficitRoundRobin.LARGEST / 2).activate("a", 2);
    flows.activate("a", 1);
    flows.charge("a", 0);
    flows.refund("a", 0);
    flows.charge("a", DeficitRoundRobin.LARGEST);
    flows.refund("a", DeficitRoundRobin.LARGEST);
    assertEquals(0, flows.deficit("a"));
    assertEquals("a", flows.next(flow -> DeficitRoundRobin.LARGEST));
    assertEquals(0, flows.deficit("a"));
  }

  private static void refuses(Runnable call) {
    assertThrows(IllegalArgumentException.class, call::run);
  }

  private List<String> serve(int times, long cost) {
    List<String> served = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      served.add(flows.next(flow -> cost));
    }
    return served;
  }

  private String plan(int slots, int atMost) {
    return flows.plan(slots, flow -> atMost).toString();
  }
}
