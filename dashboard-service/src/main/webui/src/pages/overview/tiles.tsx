import type { ComponentChildren } from 'preact';
import { query as urlQuery, withQuery } from '../../app/router';
import { Count } from '../../components/count';
import { StateIcon } from '../../components/icons';
import { Failure } from '../../components/panel';
import type { Count as CountValue, Page, Queue, Stats, Worker } from '../../lib/api-types';
import { formatCount, formatNumber, sumCounts } from '../../lib/counts';
import { text } from '../../lib/messages';
import { now } from '../../lib/now';
import type { Query } from '../../lib/query';
import { STATES, type StateLook } from '../../lib/states';
import { formatElapsed, instantOf } from '../../lib/time';

interface TileProps {
  look: StateLook;
  label?: string;
  count: CountValue | null | undefined;
  hint: ComponentChildren;
  /** Value of the `state` filter that this tile switches on. */
  filter: string;
}

function Tile({ look, label = look.label, count, hint, filter }: TileProps) {
  const active = urlQuery.value.get('state') === filter;
  return (
    <a
      class="tile"
      href={withQuery('state', active ? null : filter)}
      aria-current={active ? 'true' : undefined}
      data-tip={text.overview.filterHint(label)}
    >
      <span class="tile-label">
        <StateIcon look={look} />
        {label}
      </span>
      <span class="tile-number" key={formatCount(count)}>
        <Count count={count} />
      </span>
      <span class="tile-hint">{hint}</span>
    </a>
  );
}

function oldestReady(queues: Page<Queue> | null): string {
  const instants = (queues?.items ?? [])
    .map((queue) => instantOf(queue.oldestReadyAt))
    .filter((instant) => instant !== null);
  if (instants.length === 0) return text.overview.noneWaiting;
  return text.overview.oldest(formatElapsed(now.value - Math.min(...instants)));
}

function slotsHint(workers: Page<Worker> | null): string {
  if (!workers) return ' ';
  const live = workers.items.filter(({ state }) => state === 'active' || state === 'draining');
  if (live.length === 0) return text.overview.noWorkers;
  return text.overview.ofSlots(formatNumber(live.reduce((sum, worker) => sum + worker.slots, 0)));
}

export interface TilesProps {
  stats: Query<Stats>;
  queues: Query<Page<Queue>>;
  workers: Query<Page<Worker>>;
}

/** The project in six numbers, each a filter of the latest jobs. */
export function Tiles({ stats, queues, workers }: TilesProps) {
  const counts = stats.data.value?.counts;
  const error = stats.error.value;
  const dead = counts?.dead;
  return (
    <section aria-label={text.overview.tiles}>
      {error && (
        <div class="panel tiles-error">
          <Failure error={error} onRetry={() => stats.refresher.refreshNow()} />
        </div>
      )}
      <div class={counts ? 'tiles' : 'tiles pending'}>
        <Tile
          look={STATES.running}
          count={counts?.running}
          hint={slotsHint(workers.data.value)}
          filter="running"
        />
        <Tile
          look={STATES.ready}
          count={counts?.ready}
          hint={oldestReady(queues.data.value)}
          filter="ready"
        />
        <Tile
          look={STATES.retrying}
          count={counts?.retrying}
          hint={text.overview.retryingHint}
          filter="retrying"
        />
        <Tile
          look={STATES.scheduled}
          label={text.overview.waiting}
          count={sumCounts([counts?.scheduled, counts?.blocked])}
          hint={
            counts
              ? text.overview.waitingHint(
                  formatCount(counts.scheduled),
                  formatCount(counts.blocked),
                )
              : ' '
          }
          filter="scheduled,blocked"
        />
        <Tile
          look={STATES.dead}
          count={dead}
          hint={dead?.value === 0 ? text.overview.noneDead : text.overview.deadHint}
          filter="dead"
        />
        <Tile
          look={STATES.succeeded}
          count={counts?.succeeded}
          hint={text.overview.succeededHint}
          filter="succeeded"
        />
      </div>
    </section>
  );
}
