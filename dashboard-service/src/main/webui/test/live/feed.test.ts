import { afterEach, describe, expect, it, vi } from 'vitest';
import { LiveFeed, type FeedBus, type FeedNews, type LeaderLock } from '../../src/lib/live/feed';
import { SILENCE_MILLIS } from '../../src/lib/live/socket';
import { fakeClock } from '../fake-clock';

/** The tabs of one browser: a lock with a queue, and a bus that reaches all others. */
class Tabs {
  private readonly buses = new Set<FeedBus>();
  private holder: { drop: (error?: Error) => void } | null = null;
  private readonly waiting: (() => void)[] = [];
  mute: FeedBus | null = null;

  bus(): FeedBus {
    const bus: FeedBus = {
      onNews: null,
      post: (news: FeedNews) => {
        if (bus === this.mute) return;
        for (const other of this.buses) if (other !== bus) other.onNews?.(news);
      },
      close: () => {
        this.buses.delete(bus);
      },
    };
    this.buses.add(bus);
    return bus;
  }

  lock(): LeaderLock {
    return {
      request: (steal, hold) =>
        new Promise<void>((resolve, reject) => {
          const take = () => {
            const mine = {
              drop: (error?: Error) => {
                if (this.holder === mine) this.holder = null;
                if (error) reject(error);
                else resolve();
                if (!error) this.waiting.shift()?.();
              },
            };
            this.holder = mine;
            void hold().then(() => mine.drop());
          };
          if (steal) {
            this.holder?.drop(new Error('stolen'));
            take();
          } else if (this.holder === null) {
            take();
          } else {
            this.waiting.push(take);
          }
        }),
    };
  }
}

interface Tab {
  feed: LiveFeed;
  bus: FeedBus;
  topics: string[][];
  connected: boolean[];
  source: { start: () => void; stop: () => void; wake: () => void };
  emit: (topics: string[]) => void;
  connect: (connected: boolean) => void;
}

const clock = () => fakeClock();

function openTab(tabs: Tabs): Tab {
  const bus = tabs.bus();
  const topics: string[][] = [];
  const connected: boolean[] = [];
  const source = { start: vi.fn(), stop: vi.fn(), wake: vi.fn() };
  const tab = { bus, topics, connected, source } as unknown as Tab;
  tab.feed = new LiveFeed({
    clock: {
      now: () => Date.now(),
      random: () => 0.5,
      setTimeout: (run, millis) => setTimeout(run, millis) as unknown as number,
      clearTimeout: (handle) => clearTimeout(handle),
    },
    bus,
    lock: tabs.lock(),
    source: (events) => {
      tab.emit = events.onTopics;
      tab.connect = events.onConnected;
      return source;
    },
    onTopics: (changed) => topics.push(changed),
    onConnected: (now) => connected.push(now),
  });
  tab.feed.start();
  return tab;
}

afterEach(() => vi.useRealTimers());

describe('LiveFeed', () => {
  it('opens one socket for all tabs', () => {
    clock();
    const tabs = new Tabs();
    const [first, second, third] = [openTab(tabs), openTab(tabs), openTab(tabs)];
    expect(first.source.start).toHaveBeenCalledTimes(1);
    expect(second.source.start).not.toHaveBeenCalled();
    expect(third.source.start).not.toHaveBeenCalled();
  });

  it('tells every tab what the leader hears', () => {
    clock();
    const tabs = new Tabs();
    const [first, second] = [openTab(tabs), openTab(tabs)];
    first.connect(true);
    first.emit(['jobs']);
    expect(first.topics).toEqual([['jobs']]);
    expect(second.topics).toEqual([['jobs']]);
    expect(second.connected).toEqual([true]);
    first.connect(false);
    expect(second.connected).toEqual([true, false]);
  });

  it('tells a tab that came later how things stand', () => {
    clock();
    const tabs = new Tabs();
    const first = openTab(tabs);
    first.connect(true);
    const second = openTab(tabs);
    vi.advanceTimersByTime(15_000);
    expect(second.connected).toEqual([true]);
  });

  it('hands over when the leading tab closes', async () => {
    clock();
    const tabs = new Tabs();
    const [first, second] = [openTab(tabs), openTab(tabs)];
    first.feed.stop();
    await vi.advanceTimersByTimeAsync(0);
    expect(first.source.stop).toHaveBeenCalled();
    expect(second.source.start).toHaveBeenCalledTimes(1);
    expect(second.feed.leading).toBe(true);
  });

  it('takes over from a frozen leader after 45 s of silence', async () => {
    clock();
    const tabs = new Tabs();
    const [first, second] = [openTab(tabs), openTab(tabs)];
    first.connect(true);
    tabs.mute = first.bus;
    await vi.advanceTimersByTimeAsync(SILENCE_MILLIS + 16_000);
    expect(second.connected.at(-1)).toBe(false);
    expect(second.feed.leading).toBe(true);
    expect(first.source.stop).toHaveBeenCalled();
    expect(first.feed.leading).toBe(false);
  });

  it('leaves a quiet but living leader alone', async () => {
    clock();
    const tabs = new Tabs();
    const [first, second] = [openTab(tabs), openTab(tabs)];
    first.connect(true);
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(first.feed.leading).toBe(true);
    expect(second.feed.leading).toBe(false);
    expect(second.connected).toEqual([true]);
  });
});
