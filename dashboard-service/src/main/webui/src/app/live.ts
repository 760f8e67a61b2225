import { computed, effect, signal } from '@preact/signals';
import { browserClock } from '../lib/clock';
import { LiveFeed } from '../lib/live/feed';
import { browserBus, browserLock, browserSocket } from '../lib/live/browser';
import { LiveSocket } from '../lib/live/socket';
import { liveStatus } from '../lib/live/status';
import type { Query } from '../lib/query';
import { offlineSince } from './connection';
import { checkSession, me, phase, renewOrExpire, token } from './session';

const connected = signal(false);
const paused = signal(false);
const watched = signal<readonly Query<unknown>[]>([]);

export const status = computed(() =>
  liveStatus({
    paused: paused.value,
    offlineSince: offlineSince.value,
    connected: connected.value,
    slowed: watched.value.some((query) => query.slowed.value),
  }),
);

export function togglePause(): void {
  paused.value = !paused.value;
}

/** Keeps a query fresh while a page shows it; the answer ends that. */
export function watch<T>(query: Query<T>): () => void {
  const entry = query as Query<unknown>;
  watched.value = [...watched.peek(), entry];
  const arranged = effect(() => {
    query.refresher.setHealthy(connected.value);
    query.refresher.setPaused(paused.value || phase.value !== 'signedIn');
  });
  query.refresher.setVisible(!document.hidden);
  query.refresher.refreshNow();
  return () => {
    arranged();
    query.refresher.dispose();
    watched.value = watched.peek().filter((other) => other !== entry);
  };
}

function topicsChanged(topics: string[]): void {
  for (const query of watched.peek()) {
    if (query.topics.some((topic) => topics.includes(topic))) query.refresher.signal();
  }
}

/** Opens the feed of one project for the person signed in; the answer closes it. */
export function openFeed(project: string): () => void {
  const user = me.peek()?.id ?? '';
  const name = `jobs.live:${user}:${project}`;
  const feed = new LiveFeed({
    clock: browserClock,
    bus: browserBus(name),
    lock: browserLock(name),
    source: ({ onTopics, onConnected }) =>
      new LiveSocket({
        connect: () => browserSocket(project, token.peek() ?? ''),
        clock: browserClock,
        onMessage: (message) => onTopics(message.topics),
        onConnected,
        onRefused: (reason) => {
          feed.stop();
          if (reason === 'expired') void renewOrExpire();
          else void checkSession();
        },
      }),
    onTopics: topicsChanged,
    onConnected: (now) => {
      connected.value = now;
    },
  });
  feed.start();
  const wake = () => {
    if (!document.hidden) feed.wake();
  };
  window.addEventListener('online', wake);
  document.addEventListener('visibilitychange', wake);
  window.addEventListener('pageshow', wake);
  return () => {
    window.removeEventListener('online', wake);
    document.removeEventListener('visibilitychange', wake);
    window.removeEventListener('pageshow', wake);
    feed.stop();
    connected.value = false;
  };
}

/** Page-wide facts that every query follows. */
export function startLive(): void {
  document.addEventListener('visibilitychange', () => {
    for (const query of watched.peek()) query.refresher.setVisible(!document.hidden);
  });
  window.addEventListener('pageshow', (event) => {
    if (event.persisted && !paused.peek()) refreshAll();
  });
  window.addEventListener('online', () => {
    if (!paused.peek()) refreshAll();
  });
  window.addEventListener('offline', () => {
    if (offlineSince.peek() === null) offlineSince.value = Date.now();
  });
}

/** Asks for everything again at once, when the person wants it or the network is back. */
export function refreshAll(): void {
  if (document.hidden) return;
  for (const query of watched.peek()) query.refresher.refreshNow();
}
