import { batch, signal } from '@preact/signals';
import { browserClock, type Clock } from './clock';
import { ApiError, type Answer } from './http';
import { Refresher, type FetchReport } from './live/refresher';

export interface QueryOptions<T> {
  fetch: (etag: string | null) => Promise<Answer<T>>;
  /** Signals that make this query worth fetching again. */
  topics: readonly string[];
  minIntervalMillis: number;
  clock?: Clock;
  /** Called with every new answer, inside a batch. */
  onData?: (data: T) => void;
}

/** One thing that a page shows: its last good answer, its error, and when it is fetched again. */
export class Query<T> {
  readonly topics: readonly string[];
  readonly data = signal<T | null>(null);
  readonly error = signal<ApiError | null>(null);
  /** This machine's time of the last good answer. */
  readonly loadedAt = signal<number | null>(null);
  readonly slowed = signal(false);
  readonly refresher: Refresher;

  private readonly options: QueryOptions<T>;
  private readonly clock: Clock;
  private etag: string | null = null;

  constructor(options: QueryOptions<T>) {
    this.options = options;
    this.topics = options.topics;
    this.clock = options.clock ?? browserClock;
    this.refresher = new Refresher({
      run: () => this.run(),
      minIntervalMillis: options.minIntervalMillis,
      clock: this.clock,
      onSlowed: (slowed) => {
        this.slowed.value = slowed;
      },
    });
  }

  private async run(): Promise<FetchReport> {
    try {
      const answer = await this.options.fetch(this.etag);
      batch(() => {
        this.error.value = null;
        this.loadedAt.value = this.clock.now();
        if (!answer.changed) return;
        this.etag = answer.etag;
        this.data.value = answer.body;
        this.options.onData?.(answer.body);
      });
      return { ok: true };
    } catch (error) {
      const known = error instanceof ApiError ? error : new ApiError(0, String(error), {});
      // The session form stands over the page already; the panels stay as they are.
      if (known.status !== 401) this.error.value = known;
      return { ok: false, retryAfterMillis: known.retryAfterMillis };
    }
  }
}
