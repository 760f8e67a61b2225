import { signal } from '@preact/signals';

/** The `Date` header counts whole seconds, so differences below this are noise. */
const NOISE_MILLIS = 2_000;

/** Server clock minus this machine's clock, in milliseconds; 0 while they agree. */
export const clockSkew = signal(0);

/**
 * Learns from one response: `dateHeader` was written somewhere between `sentAt` and `receivedAt`.
 * Slow exchanges say too little and are ignored.
 */
export function learnSkew(dateHeader: string | null, sentAt: number, receivedAt: number): void {
  if (dateHeader === null || receivedAt - sentAt > NOISE_MILLIS) return;
  const server = Date.parse(dateHeader);
  if (Number.isNaN(server)) return;
  // Half a second on average is cut off the header.
  const measured = server + 500 - (sentAt + receivedAt) / 2;
  const next = Math.abs(measured) < NOISE_MILLIS ? 0 : Math.round(measured);
  if (Math.abs(next - clockSkew.peek()) >= NOISE_MILLIS || next === 0) clockSkew.value = next;
}

/** Now, as the server sees it. */
export function serverNow(): number {
  return Date.now() + clockSkew.peek();
}
