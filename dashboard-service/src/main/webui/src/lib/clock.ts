/** Time and chance as the live logic sees them, so that tests can steer both. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
  setTimeout(run: () => void, millis: number): number;
  clearTimeout(handle: number): void;
}

export const browserClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  setTimeout: (run, millis) => window.setTimeout(run, millis),
  clearTimeout: (handle) => window.clearTimeout(handle),
};
