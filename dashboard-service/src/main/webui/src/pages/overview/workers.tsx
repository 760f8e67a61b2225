import { StateMark } from '../../components/icons';
import { Meter } from '../../components/meter';
import { Panel } from '../../components/panel';
import { Cell, Head, Row, Table } from '../../components/table';
import { AgeAt, Time } from '../../components/time';
import { CopyBlock } from '../../components/copy';
import type { Page, Worker } from '../../lib/api-types';
import { formatNumber } from '../../lib/counts';
import { text } from '../../lib/messages';
import type { Query } from '../../lib/query';
import { clockSkew } from '../../lib/skew';
import { workerBadge } from '../../lib/states';

const START = 'java -jar worker-service/target/quarkus-app/quarkus-run.jar';

function WorkerRow({ worker, readAt, first }: { worker: Worker; readAt: number; first: boolean }) {
  const badge = worker.draining && worker.state === 'active' ? 'draining' : worker.state;
  return (
    <Row first={first}>
      <Cell area="name">
        <span class="strong">{worker.host}</span>{' '}
        <code class="meta cut worker-id" data-tip={worker.id}>
          {worker.id}
        </code>
      </Cell>
      <Cell area="state">
        <StateMark look={workerBadge(badge)} />
      </Cell>
      <Cell area="slots">
        <span class="gauge">
          <span class="gauge-text">
            {formatNumber(worker.running)}
            <span class="meta"> / {formatNumber(worker.slots)}</span>
          </span>
          <Meter segments={[{ role: 'running', value: worker.running }]} max={worker.slots} />
        </span>
      </Cell>
      <Cell area="queues" label={text.workers.queues}>
        <code class="cut" data-tip={worker.queues.join('\n')}>
          {worker.queues.join(' ')}
        </code>
      </Cell>
      <Cell area="version" label={text.workers.version}>
        {worker.version}
      </Cell>
      <Cell area="started" label={text.workers.started} number>
        <Time iso={worker.startedAt} />
      </Cell>
      <Cell area="beat" label={text.workers.beat} number>
        <AgeAt iso={worker.lastBeatAt} readAt={readAt} />
      </Cell>
    </Row>
  );
}

const ended = ({ state }: Worker) => state === 'lost' || state === 'stopped';

/** In the order of the list otherwise: the latest start first. */
export function liveFirst(workers: readonly Worker[]): Worker[] {
  return [...workers.filter((worker) => !ended(worker)), ...workers.filter(ended)];
}

/** The workers that serve this project. */
export function Workers({ query }: { query: Query<Page<Worker>> }) {
  const live = query.data.value?.items.filter(({ state }) => state === 'active').length;
  const readAt = (query.loadedAt.value ?? 0) + clockSkew.value;
  return (
    <Panel
      id="workers"
      title={text.workers.title}
      query={query}
      expectRows={2}
      hint={live ? text.workers.connected(live) : undefined}
    >
      {(page) =>
        page.items.length === 0 ? (
          <div class="empty">
            <p>{text.workers.empty}</p>
            <CopyBlock content={START} />
          </div>
        ) : (
          <Table
            labelledBy="workers-title"
            class="workers"
            head={
              <>
                <Head>{text.workers.name}</Head>
                <Head>{text.workers.state}</Head>
                <Head>{text.workers.slots}</Head>
                <Head>{text.workers.queues}</Head>
                <Head>{text.workers.version}</Head>
                <Head number>{text.workers.started}</Head>
                <Head number>{text.workers.beat}</Head>
              </>
            }
          >
            {liveFirst(page.items).map((worker, index) => (
              <WorkerRow key={worker.id} worker={worker} readAt={readAt} first={index === 0} />
            ))}
          </Table>
        )
      }
    </Panel>
  );
}
