import { describe, expect, it } from 'vitest';
import {
  formatAbsolute,
  formatAge,
  formatDuration,
  formatElapsed,
  formatRelative,
  instantOf,
} from '../src/lib/time';

const S = 1_000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;

describe('formatDuration', () => {
  it.each([
    [0, '0 ms'],
    [823, '823 ms'],
    [999.9, '999 ms'],
    [2_449, '2.4 s'],
    [9_999, '9.9 s'],
    [48 * S, '48 s'],
    [14 * M + 2 * S, '14 m 02 s'],
    [59 * M + 59 * S + 999, '59 m 59 s'],
    [3 * H + 5 * M, '3 h 05 m'],
    [3 * D + 4 * H, '3 d 4 h'],
    [-5, '0 ms'],
  ])('prints %d ms as %s', (millis, printed) => {
    expect(formatDuration(millis)).toBe(printed);
  });
});

describe('formatElapsed', () => {
  it('counts whole seconds', () => {
    expect(formatElapsed(-1)).toBe('0 s');
    expect(formatElapsed(1_999)).toBe('1 s');
    expect(formatElapsed(14 * M + 2 * S)).toBe('14 m 02 s');
  });
});

describe('formatAge', () => {
  it.each([
    [-3 * S, 'now'],
    [4_999, 'now'],
    [9_900, '5 s'],
    [59 * S, '55 s'],
    [14 * M, '14 m'],
    [47 * H, '47 h'],
    [3 * D, '3 d'],
  ])('prints %d ms as %s', (millis, printed) => {
    expect(formatAge(millis)).toBe(printed);
  });
});

describe('formatRelative', () => {
  it('says ago, in, and now', () => {
    expect(formatRelative(0, 14 * M)).toBe('14 m ago');
    expect(formatRelative(2 * H, 0)).toBe('in 2 h');
    expect(formatRelative(2 * S, 0)).toBe('now');
  });
});

describe('formatAbsolute', () => {
  it('prints the zone that was chosen', () => {
    const instant = Date.UTC(2026, 10, 29, 12, 0, 0);
    expect(formatAbsolute(instant, 'UTC')).toMatch(/12:00:00.*UTC/);
    expect(formatAbsolute(instant, 'Asia/Kolkata')).toMatch(/5:30:00/);
  });
});

describe('instantOf', () => {
  it('knows no instant in nothing', () => {
    expect(instantOf(null)).toBeNull();
    expect(instantOf('soon')).toBeNull();
    expect(instantOf('2026-11-29T12:00:00.123Z')).toBe(Date.UTC(2026, 10, 29, 12, 0, 0, 123));
  });
});
