import { beforeEach, describe, expect, it } from 'vitest';
import { clockSkew, learnSkew } from '../src/lib/skew';

const AT = Date.UTC(2026, 10, 29, 12, 0, 0);
const header = (instant: number) => new Date(instant).toUTCString();

describe('learnSkew', () => {
  beforeEach(() => {
    clockSkew.value = 0;
  });

  it('takes what a whole-second header cannot tell for no difference', () => {
    for (let off = 0; off < 1_000; off += 100) {
      learnSkew(header(AT + off), AT + off, AT + off + 80);
      expect(clockSkew.value).toBe(0);
    }
  });

  it('learns that this machine is behind or ahead', () => {
    learnSkew(header(AT + 90_000), AT, AT + 100);
    expect(Math.abs(clockSkew.value - 90_000)).toBeLessThan(1_000);
    learnSkew(header(AT - 30_000), AT, AT + 100);
    expect(Math.abs(clockSkew.value + 30_000)).toBeLessThan(1_000);
  });

  it('does not jitter once it knows', () => {
    learnSkew(header(AT + 90_000), AT, AT + 100);
    const learned = clockSkew.value;
    learnSkew(header(AT + 91_000), AT + 200, AT + 900);
    expect(clockSkew.value).toBe(learned);
  });

  it('forgets it when the clock was set right', () => {
    learnSkew(header(AT + 90_000), AT, AT + 100);
    learnSkew(header(AT), AT, AT + 100);
    expect(clockSkew.value).toBe(0);
  });

  it('learns nothing from slow exchanges and bad headers', () => {
    learnSkew(header(AT + 90_000), AT, AT + 5_000);
    learnSkew(null, AT, AT);
    learnSkew('yesterday', AT, AT);
    expect(clockSkew.value).toBe(0);
  });
});
