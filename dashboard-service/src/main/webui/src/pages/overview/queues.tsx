import { Count } from '../../components/count';
import { StateIcon } from '../../components/icons';
import { Meter } from '../../components/meter';
import { Panel } from '../../components/panel';
import { Cell, Head, Row, Table } from '../../components/table';
import type { JobState, Page, Queue } from '../../lib/api-types';
import { formatCount, formatNumber } from '../../lib/counts';
import { text } from '../../lib/messages';
import { now } from '../../lib/now';
import type { Query } from '../../lib/query';
import { STATES } from '../../lib/states';
import { formatElapsed, instantOf } from '../../lib/time';

const WAITING: JobState[] = ['ready', 'retrying', 'scheduled', 'blocked'];

function Age({ iso }: { iso: string | null }) {
  const instant = instantOf(iso);
  if (instant === null) return <span class="zero">{text.none}</span>;
  return <>{formatElapsed(now.value - instant)}</>;
}

function Slots({ queue }: { queue: Queue }) {
  const limit = queue.maxConcurrency;
  const running = queue.counts.running ?? { value: 0, capped: false };
  if (limit === 0) {
    return (
      <span data-tip={text.queues.closedHint}>
        {formatCount(running)} <span class="meta">/ {text.queues.closed}</span>
      </span>
    );
  }
  return (
    <span class="gauge">
      <span class="gauge-text">
        {formatCount(running)}
        <span class="meta"> / {limit === null ? text.queues.noLimit : formatNumber(limit)}</span>
      </span>
      {limit !== null && (
        <Meter segments={[{ role: 'running', value: running.value }]} max={limit} />
      )}
    </span>
  );
}

function QueueRow({ queue, first }: { queue: Queue; first: boolean }) {
  return (
    <Row first={first}>
      <Cell area="name">
        <span class="strong">{queue.name}</span>
      </Cell>
      <Cell area="slots">
        <Slots queue={queue} />
      </Cell>
      {WAITING.map((state) => (
        <Cell key={state} area={state} label={STATES[state].label} number>
          <Count count={queue.counts[state]} quiet />
        </Cell>
      ))}
      <Cell area="oldest" label={text.queues.oldest} number>
        <Age iso={queue.oldestReadyAt} />
      </Cell>
    </Row>
  );
}

/** Each queue with its counts per state and its limit. */
export function Queues({ query }: { query: Query<Page<Queue>> }) {
  return (
    <Panel id="queues" title={text.queues.title} query={query} expectRows={6}>
      {(page) =>
        page.items.length === 0 ? (
          <p class="empty">{text.queues.empty}</p>
        ) : (
          <Table
            labelledBy="queues-title"
            class="queues"
            head={
              <>
                <Head>{text.queues.name}</Head>
                <Head>{text.queues.slots}</Head>
                {WAITING.map((state) => (
                  <Head key={state} number>
                    <span class="mark">
                      <StateIcon look={STATES[state]} />
                      {STATES[state].label}
                    </span>
                  </Head>
                ))}
                <Head number>
                  <span data-tip={text.queues.oldestHint}>{text.queues.oldest}</span>
                </Head>
              </>
            }
          >
            {page.items.map((queue, index) => (
              <QueueRow key={queue.name} queue={queue} first={index === 0} />
            ))}
          </Table>
        )
      }
    </Panel>
  );
}
