import { afterEach, expect, it, vi } from 'vitest';
import { announcer, ANNOUNCE_MILLIS } from '../src/lib/announce';
import { fakeClock } from './fake-clock';

afterEach(() => vi.useRealTimers());

it('says at most one thing in five seconds, and the last of many', () => {
  const say = vi.fn();
  const announce = announcer(fakeClock(), say);
  announce('1 newer');
  announce('2 newer');
  announce('3 newer');
  expect(say.mock.calls).toEqual([['1 newer']]);
  vi.advanceTimersByTime(ANNOUNCE_MILLIS);
  expect(say.mock.calls).toEqual([['1 newer'], ['3 newer']]);
  vi.advanceTimersByTime(ANNOUNCE_MILLIS);
  announce('4 newer');
  expect(say).toHaveBeenLastCalledWith('4 newer');
});
