import type { Clock } from '../clock';

/** What one fetch of a query tells the refresher. A fetch never rejects. */
export interface FetchReport {
  ok: boolean;
  /** The server asked to be left alone for so long (429, 503). */
  retryAfterMillis?: number | undefined;
}

export interface RefresherOptions {
  run: () => Promise<FetchReport>;
  /** Shortest time between the starts of two fetches. */
  minIntervalMillis: number;
  clock: Clock;
  /** Told when the adaptive slow-down begins or ends. */
  onSlowed?: (slowed: boolean) => void;
}

export const FIRST_JITTER_MILLIS = 250;
export const SAFETY_POLL_MILLIS = 60_000;
export const FALLBACK_POLL_MILLIS = 10_000;
const SLOW_RESPONSE_MILLIS = 500;
const SLOW_FACTOR = 10;
const MAX_INTERVAL_MILLIS = 60_000;
const POLL_JITTER = 0.2;
const REMEMBERED_RESPONSES = 3;

/**
 * Decides when one query is fetched again: signals are coalesced, a signal during a fetch causes
 * exactly one more, nothing is fetched while hidden or paused, and slow answers thin the fetches
 * out. Never aborts a fetch to start it again.
 */
export class Refresher {
  private readonly options: RefresherOptions;
  private timer: number | null = null;
  private timerDue = 0;
  private inFlight = false;
  private dirty = false;
  private dirtyIsUrgent = false;
  private visible = true;
  private paused = false;
  private healthy = false;
  private disposed = false;
  private startedAt = Number.NEGATIVE_INFINITY;
  private notBefore = 0;
  private durations: number[] = [];
  private slowedNow = false;

  constructor(options: RefresherOptions) {
    this.options = options;
  }

  get slowed(): boolean {
    return this.slowedNow;
  }

  /** Shortest time between two fetches as it is now, the adaptive slow-down included. */
  get interval(): number {
    if (!this.slowedNow) return this.options.minIntervalMillis;
    const mean = this.durations.reduce((sum, d) => sum + d, 0) / this.durations.length;
    return Math.max(
      this.options.minIntervalMillis,
      Math.min(MAX_INTERVAL_MILLIS, mean * SLOW_FACTOR),
    );
  }

  /** Something that this query shows has changed. */
  signal(): void {
    if (this.quiet() || this.inFlight) {
      this.dirty = true;
    } else {
      this.schedule(this.options.clock.random() * FIRST_JITTER_MILLIS);
    }
  }

  /** Fetches at once: the page opened, the person asked, the tab came back. */
  refreshNow(): void {
    if (this.disposed) return;
    if (this.inFlight) {
      this.dirty = true;
      this.dirtyIsUrgent = true;
      return;
    }
    this.start();
  }

  setVisible(visible: boolean): void {
    if (this.visible === visible) return;
    this.visible = visible;
    this.afterQuietChange();
  }

  setPaused(paused: boolean): void {
    if (this.paused === paused) return;
    this.paused = paused;
    this.afterQuietChange();
  }

  /** Whether signals arrive: decides between the safety poll and the fallback poll. */
  setHealthy(healthy: boolean): void {
    if (this.healthy === healthy) return;
    this.healthy = healthy;
    // After a reconnect signals may have been missed; after a loss the poll clock starts.
    if (healthy) this.signal();
    else if (!this.quiet() && !this.inFlight) this.schedulePoll();
  }

  dispose(): void {
    this.disposed = true;
    this.cancelTimer();
  }

  private quiet(): boolean {
    return this.disposed || !this.visible || this.paused;
  }

  private afterQuietChange(): void {
    if (this.quiet()) this.cancelTimer();
    else this.refreshNow();
  }

  private schedule(delay: number): void {
    const { clock } = this.options;
    const earliest = Math.max(clock.now() + delay, this.startedAt + this.interval, this.notBefore);
    if (this.timer !== null && this.timerDue <= earliest) return;
    this.cancelTimer();
    this.timerDue = earliest;
    this.timer = clock.setTimeout(
      () => {
        this.timer = null;
        if (!this.quiet()) this.start();
      },
      Math.max(0, earliest - clock.now()),
    );
  }

  private schedulePoll(): void {
    const base = this.healthy ? SAFETY_POLL_MILLIS : FALLBACK_POLL_MILLIS;
    const jitter = 1 + POLL_JITTER * (2 * this.options.clock.random() - 1);
    this.schedule(base * jitter);
  }

  private cancelTimer(): void {
    if (this.timer !== null) this.options.clock.clearTimeout(this.timer);
    this.timer = null;
  }

  private start(): void {
    const { clock } = this.options;
    if (this.notBefore > clock.now()) {
      this.schedule(0);
      return;
    }
    this.cancelTimer();
    this.inFlight = true;
    this.dirty = false;
    this.dirtyIsUrgent = false;
    this.startedAt = clock.now();
    void this.options.run().then((report) => this.finished(report));
  }

  private finished(report: FetchReport): void {
    if (this.disposed) return;
    const { clock } = this.options;
    this.inFlight = false;
    this.notBefore = report.retryAfterMillis ? clock.now() + report.retryAfterMillis : 0;
    if (report.ok) this.learn(clock.now() - this.startedAt);
    if (this.quiet()) return;
    if (this.dirty && this.dirtyIsUrgent) this.start();
    else if (this.dirty) this.schedule(0);
    else this.schedulePoll();
  }

  private learn(duration: number): void {
    this.durations = [...this.durations, duration].slice(-REMEMBERED_RESPONSES);
    const slowed =
      this.durations.length === REMEMBERED_RESPONSES &&
      this.durations.every((d) => d > SLOW_RESPONSE_MILLIS);
    if (slowed === this.slowedNow) return;
    this.slowedNow = slowed;
    this.options.onSlowed?.(slowed);
  }
}
