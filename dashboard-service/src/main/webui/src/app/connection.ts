import { signal } from '@preact/signals';

/** Since when the server has not been reachable, in this machine's time; null = reachable. */
export const offlineSince = signal<number | null>(navigator.onLine ? null : Date.now());

/** What the last request found out. */
export function reachable(answered: boolean): void {
  if (answered) offlineSince.value = null;
  else if (offlineSince.peek() === null) offlineSince.value = Date.now();
}
