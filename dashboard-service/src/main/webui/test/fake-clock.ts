import { vi } from 'vitest';
import type { Clock } from '../src/lib/clock';

/** The clock of vitest's fake timers, with chance fixed at `chance`. */
export function fakeClock(chance = 0.5): Clock {
  vi.useFakeTimers({ now: 1_000_000 });
  return {
    now: () => Date.now(),
    random: () => chance,
    setTimeout: (run, millis) => setTimeout(run, millis) as unknown as number,
    clearTimeout: (handle) => clearTimeout(handle),
  };
}
