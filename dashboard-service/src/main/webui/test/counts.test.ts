import { describe, expect, it } from 'vitest';
import { formatCount, spokenCount, sumCounts } from '../src/lib/counts';

describe('counts', () => {
  it('says whether they are exact', () => {
    expect(formatCount({ value: 1_873, capped: false })).toBe('1,873');
    expect(formatCount({ value: 10_000, capped: true })).toBe('10,000+');
    expect(formatCount(null)).toBe('–');
    expect(spokenCount({ value: 10_000, capped: true })).toBe('at least 10,000');
    expect(spokenCount({ value: 3, capped: false })).toBeUndefined();
  });

  it('are capped in sum as soon as one part is', () => {
    const sum = sumCounts([
      { value: 5, capped: false },
      undefined,
      { value: 10_000, capped: true },
    ]);
    expect(sum).toEqual({ value: 10_005, capped: true });
    expect(sumCounts([null, undefined])).toBeNull();
  });
});
