import { signal } from '@preact/signals';
import { serverNow } from './skew';

/** The server's now, moved on once a second by the one ticker of the page. */
export const now = signal(serverNow());

let timer: number | undefined;

/** Starts the ticker; a hidden page does not tick. */
export function startTicker(): void {
  const beat = () => {
    now.value = serverNow();
  };
  const arrange = () => {
    window.clearInterval(timer);
    if (document.hidden) return;
    beat();
    timer = window.setInterval(beat, 1_000);
  };
  document.addEventListener('visibilitychange', arrange);
  arrange();
}
