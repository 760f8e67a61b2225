import type { Clock } from '../clock';
import { SILENCE_MILLIS } from './socket';

/** What the leading tab tells the others. */
export type FeedNews =
  { kind: 'topics'; topics: string[] } | { kind: 'connected'; connected: boolean };

/** A way to hear all tabs of this browser that watch the same project as the same user. */
export interface FeedBus {
  post(news: FeedNews): void;
  onNews: ((news: FeedNews) => void) | null;
  close(): void;
}

/** An exclusive lock among the tabs. `hold` resolves when leadership is lost or given up. */
export interface LeaderLock {
  request(steal: boolean, hold: () => Promise<void>): Promise<void>;
}

/** The socket of the leading tab. */
export interface FeedSource {
  start(): void;
  stop(): void;
  wake(): void;
}

export interface FeedOptions {
  clock: Clock;
  bus: FeedBus;
  lock: LeaderLock;
  /** Makes this tab's own socket; its events go to the two callbacks. */
  source: (events: {
    onTopics: (topics: string[]) => void;
    onConnected: (connected: boolean) => void;
  }) => FeedSource;
  onTopics: (topics: string[]) => void;
  onConnected: (connected: boolean) => void;
}

const REPEAT_MILLIS = 15_000;

/**
 * One socket per browser, user and project: the tab that holds the lock has it and tells the
 * others. A follower that hears nothing for 45 s (a frozen leader keeps its lock) takes the lock.
 */
export class LiveFeed {
  private readonly options: FeedOptions;
  private source: FeedSource | null = null;
  private connected = false;
  private lastHeard: number;
  private timer: number | null = null;
  private release: (() => void) | null = null;
  private stopped = false;

  constructor(options: FeedOptions) {
    this.options = options;
    this.lastHeard = options.clock.now();
  }

  get leading(): boolean {
    return this.source !== null;
  }

  start(): void {
    this.options.bus.onNews = (news) => this.heard(news);
    this.apply(false);
    this.compete(false);
    this.tick();
  }

  stop(): void {
    this.stopped = true;
    if (this.timer !== null) this.options.clock.clearTimeout(this.timer);
    this.stepDown();
    this.options.bus.onNews = null;
    this.options.bus.close();
  }

  wake(): void {
    if (this.source !== null) this.source.wake();
    else this.checkLeader();
  }

  private compete(steal: boolean): void {
    if (this.stopped) return;
    this.options.lock
      .request(steal, () => this.lead())
      .then(
        () => undefined,
        // Stolen by another tab, which judged this one frozen: follow it.
        () => {
          this.stepDown();
          if (!this.stopped) {
            this.lastHeard = this.options.clock.now();
            this.compete(false);
          }
        },
      );
  }

  private lead(): Promise<void> {
    if (this.stopped) return Promise.resolve();
    this.source = this.options.source({
      onTopics: (topics) => {
        this.options.bus.post({ kind: 'topics', topics });
        this.options.onTopics(topics);
      },
      onConnected: (connected) => {
        this.options.bus.post({ kind: 'connected', connected });
        this.apply(connected);
      },
    });
    this.source.start();
    return new Promise((resolve) => {
      this.release = resolve;
    });
  }

  private stepDown(): void {
    this.source?.stop();
    this.source = null;
    this.release?.();
    this.release = null;
  }

  private heard(news: FeedNews): void {
    if (this.source !== null) return;
    this.lastHeard = this.options.clock.now();
    if (news.kind === 'connected') {
      this.apply(news.connected);
    } else {
      this.apply(true);
      this.options.onTopics(news.topics);
    }
  }

  private tick(): void {
    this.timer = this.options.clock.setTimeout(() => {
      if (this.source !== null) {
        this.options.bus.post({ kind: 'connected', connected: this.connected });
      } else {
        this.checkLeader();
      }
      this.tick();
    }, REPEAT_MILLIS);
  }

  private checkLeader(): void {
    if (this.options.clock.now() - this.lastHeard <= SILENCE_MILLIS) return;
    this.lastHeard = this.options.clock.now();
    this.apply(false);
    this.compete(true);
  }

  private apply(connected: boolean): void {
    if (this.connected === connected) return;
    this.connected = connected;
    this.options.onConnected(connected);
  }
}
