import type { Count } from './api-types';

const whole = new Intl.NumberFormat();

/** A number with the locale's grouping. */
export function formatNumber(value: number): string {
  return whole.format(value);
}

/** `1,873`, or `10,000+` when the count stopped at its cap, or a dash when there is none. */
export function formatCount(count: Count | null | undefined): string {
  if (!count) return '–';
  return count.capped ? `${whole.format(count.value)}+` : whole.format(count.value);
}

/** The same for a screen reader; undefined when the visible text says it all. */
export function spokenCount(count: Count | null | undefined): string | undefined {
  if (!count) return 'not known';
  return count.capped ? `at least ${whole.format(count.value)}` : undefined;
}

/** The sum of several counts: capped as soon as one part is. */
export function sumCounts(counts: (Count | null | undefined)[]): Count | null {
  const known = counts.filter((count) => count !== null && count !== undefined);
  if (known.length === 0) return null;
  return {
    value: known.reduce((sum, count) => sum + count.value, 0),
    capped: known.some((count) => count.capped),
  };
}
