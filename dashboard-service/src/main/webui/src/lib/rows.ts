import { batch, signal, type ReadonlySignal, type Signal } from '@preact/signals';

/** Rows by id, each its own signal, so that a change of one row renders one row. */
export class RowList<T> {
  private readonly idOf: (item: T) => string;
  private readonly rows = new Map<string, Signal<T>>();
  private readonly staleIds = signal<ReadonlySet<string>>(new Set());
  private readonly shown = signal<readonly string[]>([]);
  private readonly waiting = signal(0);
  private latest: T[] = [];

  constructor(idOf: (item: T) => string) {
    this.idOf = idOf;
  }

  /** Ids in the order shown. */
  get ids(): ReadonlySignal<readonly string[]> {
    return this.shown;
  }

  /** Shown rows that the newest answer no longer holds: their content may be old. */
  get stale(): ReadonlySignal<ReadonlySet<string>> {
    return this.staleIds;
  }

  /** How many rows of the newest answer are held back. */
  get newer(): ReadonlySignal<number> {
    return this.waiting;
  }

  row(id: string): ReadonlySignal<T> {
    const found = this.rows.get(id);
    if (!found) throw new Error(`no row ${id}`);
    return found;
  }

  /** Takes all of `items` as they are: rows may come, go and move. Shows the first `limit`. */
  replace(items: T[], limit: number): void {
    this.latest = items;
    batch(() => {
      const shown = items.slice(0, limit);
      for (const item of shown) this.put(item);
      const ids = shown.map((item) => this.idOf(item));
      if (!sameOrder(ids, this.shown.peek())) this.shown.value = ids;
      this.staleIds.value = new Set();
      this.waiting.value = 0;
      this.forget(new Set(ids));
    });
  }

  /** Patches shown rows in place; nothing moves, comes or goes. New rows are only counted. */
  patch(items: T[]): void {
    this.latest = items;
    batch(() => {
      const answered = new Set<string>();
      let newer = 0;
      let beforeFirstShown = true;
      for (const item of items) {
        const id = this.idOf(item);
        answered.add(id);
        if (this.rows.has(id)) {
          beforeFirstShown = false;
          this.put(item);
        } else if (beforeFirstShown) {
          newer += 1;
        }
      }
      this.waiting.value = newer;
      this.staleIds.value = new Set(this.shown.peek().filter((id) => !answered.has(id)));
    });
  }

  /** Shows what was held back. */
  showNewer(limit: number): void {
    this.replace(this.latest, limit);
  }

  private put(item: T): void {
    const id = this.idOf(item);
    const row = this.rows.get(id);
    if (!row) this.rows.set(id, signal(item));
    else if (JSON.stringify(row.peek()) !== JSON.stringify(item)) row.value = item;
  }

  private forget(kept: Set<string>): void {
    for (const id of this.rows.keys()) {
      if (!kept.has(id)) this.rows.delete(id);
    }
  }
}

function sameOrder(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}
