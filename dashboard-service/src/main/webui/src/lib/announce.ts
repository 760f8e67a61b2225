import { signal } from '@preact/signals';
import { browserClock, type Clock } from './clock';

/** At most one announcement in this time; of several, the last is said. */
export const ANNOUNCE_MILLIS = 5_000;

/** What the page's one polite region says. */
export const announcement = signal('');

/** Makes an announcer: says things to a screen reader, never faster than it can be listened to. */
export function announcer(clock: Clock, say: (words: string) => void): (words: string) => void {
  let quietUntil = 0;
  let waiting: string | null = null;
  return (words) => {
    const wait = quietUntil - clock.now();
    if (wait <= 0) {
      quietUntil = clock.now() + ANNOUNCE_MILLIS;
      say(words);
      return;
    }
    const armed = waiting !== null;
    waiting = words;
    if (armed) return;
    clock.setTimeout(() => {
      quietUntil = clock.now() + ANNOUNCE_MILLIS;
      say(waiting ?? '');
      waiting = null;
    }, wait);
  };
}

export const announce = announcer(browserClock, (words) => {
  announcement.value = words;
});
