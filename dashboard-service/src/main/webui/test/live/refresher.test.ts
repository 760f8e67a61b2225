import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  FALLBACK_POLL_MILLIS,
  FIRST_JITTER_MILLIS,
  Refresher,
  SAFETY_POLL_MILLIS,
  type FetchReport,
} from '../../src/lib/live/refresher';
import { fakeClock } from '../fake-clock';

const MIN = 2_000;

/** A refresher whose fetches last `duration`, and the times at which they began. */
function refresherOf(duration = 0, report: FetchReport = { ok: true }, chance = 0.5) {
  const clock = fakeClock(chance);
  const starts: number[] = [];
  const state = { duration, report };
  const onSlowed = vi.fn();
  const refresher = new Refresher({
    run: () => {
      starts.push(clock.now());
      return new Promise((resolve) => {
        setTimeout(() => resolve(state.report), state.duration);
      });
    },
    minIntervalMillis: MIN,
    clock,
    onSlowed,
  });
  return { refresher, starts, state, onSlowed };
}

const pass = (millis: number) => vi.advanceTimersByTimeAsync(millis);

afterEach(() => vi.useRealTimers());

describe('Refresher', () => {
  it('fetches within the jitter after a first signal', async () => {
    const { refresher, starts } = refresherOf();
    refresher.signal();
    expect(starts).toHaveLength(0);
    await pass(FIRST_JITTER_MILLIS / 2);
    expect(starts).toHaveLength(1);
  });

  it('coalesces a storm to one fetch per interval', async () => {
    const { refresher, starts } = refresherOf();
    for (let n = 0; n < 1_000; n += 1) {
      refresher.signal();
      await pass(10);
    }
    // 10 s of signals every 10 ms at one fetch per 2 s.
    expect(starts.length).toBeGreaterThanOrEqual(5);
    expect(starts.length).toBeLessThanOrEqual(6);
    const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(MIN);
  });

  it('makes exactly one more fetch for any number of signals during one', async () => {
    const { refresher, starts } = refresherOf(400);
    refresher.refreshNow();
    for (let n = 0; n < 50; n += 1) refresher.signal();
    await pass(MIN + 500);
    expect(starts).toHaveLength(2);
    await pass(5_000);
    expect(starts).toHaveLength(2);
  });

  it('never starts a second fetch beside one', async () => {
    const { refresher, starts } = refresherOf(20_000);
    refresher.refreshNow();
    refresher.signal();
    refresher.refreshNow();
    await pass(19_000);
    expect(starts).toHaveLength(1);
    await pass(1_500);
    expect(starts).toHaveLength(2);
  });

  it('is silent while hidden and fetches once when visible again', async () => {
    const { refresher, starts } = refresherOf();
    refresher.setVisible(false);
    for (let n = 0; n < 100; n += 1) {
      refresher.signal();
      await pass(5_000);
    }
    expect(starts).toHaveLength(0);
    refresher.setVisible(true);
    await pass(100);
    expect(starts).toHaveLength(1);
  });

  it('does not poll on when it was hidden during a fetch', async () => {
    const { refresher, starts } = refresherOf(300);
    refresher.refreshNow();
    refresher.setVisible(false);
    await pass(200_000);
    expect(starts).toHaveLength(1);
  });

  it('does nothing while paused, whatever the tab does', async () => {
    const { refresher, starts } = refresherOf();
    refresher.setPaused(true);
    refresher.signal();
    refresher.setVisible(false);
    refresher.setVisible(true);
    await pass(200_000);
    expect(starts).toHaveLength(0);
    refresher.setPaused(false);
    await pass(1);
    expect(starts).toHaveLength(1);
  });

  it('polls every 10 s without signals and every 60 s with them, with jitter', async () => {
    const { refresher, starts } = refresherOf(0, { ok: true }, 0);
    refresher.refreshNow();
    await pass(FALLBACK_POLL_MILLIS * 0.8 - 1);
    expect(starts).toHaveLength(1);
    await pass(1);
    expect(starts).toHaveLength(2);
    refresher.setHealthy(true);
    await pass(MIN);
    // The one after the connection came up.
    expect(starts).toHaveLength(3);
    await pass(SAFETY_POLL_MILLIS * 0.8 - 10);
    expect(starts).toHaveLength(3);
    await pass(20);
    expect(starts).toHaveLength(4);
  });

  it('fetches again when the connection came up during a fetch', async () => {
    const { refresher, starts } = refresherOf(300);
    refresher.refreshNow();
    refresher.setHealthy(true);
    await pass(MIN);
    expect(starts).toHaveLength(2);
  });

  it('falls back to the short poll when the connection is lost', async () => {
    const { refresher, starts } = refresherOf();
    refresher.setHealthy(true);
    await pass(500);
    const before = starts.length;
    refresher.setHealthy(false);
    await pass(FALLBACK_POLL_MILLIS * 1.2);
    expect(starts.length).toBe(before + 1);
  });

  it('thins out to ten times the duration when three answers were slow, and recovers', async () => {
    const { refresher, starts, state, onSlowed } = refresherOf(800);
    for (let n = 0; n < 3; n += 1) {
      refresher.signal();
      await pass(MIN + 1_000);
    }
    expect(onSlowed).toHaveBeenLastCalledWith(true);
    expect(refresher.interval).toBe(8_000);
    const last = starts.at(-1) ?? 0;
    refresher.signal();
    await pass(9_000);
    expect((starts.at(-1) ?? 0) - last).toBeGreaterThanOrEqual(8_000);
    state.duration = 50;
    refresher.signal();
    await pass(9_000);
    expect(onSlowed).toHaveBeenLastCalledWith(false);
    expect(refresher.interval).toBe(MIN);
  });

  it('never waits longer than a minute for a slow server', async () => {
    const { refresher } = refresherOf(20_000);
    for (let n = 0; n < 3; n += 1) {
      refresher.refreshNow();
      await pass(20_000);
    }
    expect(refresher.interval).toBe(60_000);
  });

  it('respects Retry-After, even for a person', async () => {
    const { refresher, starts, state } = refresherOf(0, { ok: false, retryAfterMillis: 30_000 });
    refresher.refreshNow();
    await pass(10);
    state.report = { ok: true };
    refresher.refreshNow();
    refresher.signal();
    await pass(29_000);
    expect(starts).toHaveLength(1);
    await pass(2_000);
    expect(starts).toHaveLength(2);
  });

  it('keeps polling after an error', async () => {
    const { refresher, starts } = refresherOf(0, { ok: false });
    refresher.refreshNow();
    await pass(FALLBACK_POLL_MILLIS * 3.5);
    expect(starts).toHaveLength(4);
  });

  it('ends with dispose', async () => {
    const { refresher, starts } = refresherOf();
    refresher.signal();
    refresher.dispose();
    refresher.signal();
    refresher.refreshNow();
    await pass(100_000);
    expect(starts).toHaveLength(0);
  });
});
