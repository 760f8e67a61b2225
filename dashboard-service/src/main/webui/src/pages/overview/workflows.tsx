import { StateMark } from '../../components/icons';
import { Meter } from '../../components/meter';
import { Panel } from '../../components/panel';
import { Cell, Head, Row, Table } from '../../components/table';
import { Span } from '../../components/time';
import type { JobState, Page, Workflow } from '../../lib/api-types';
import { formatNumber } from '../../lib/counts';
import { text } from '../../lib/messages';
import type { Query } from '../../lib/query';
import { STATES, stateLook } from '../../lib/states';

const SHOWN = 12;
const RECENT = 5;
const DONE: JobState[] = ['succeeded', 'dead', 'cancelled', 'skipped'];
/** Order of the bar's segments: what is over first, then what is under way. */
const SEGMENTS: JobState[] = ['succeeded', 'dead', 'cancelled', 'skipped', 'running', 'retrying'];

/** Those in flight, the one that began first on top; without any, the latest that ended. */
export function pickWorkflows(all: Workflow[]): { shown: Workflow[]; more: number; live: boolean } {
  const running = all.filter(({ state }) => state === 'running');
  if (running.length === 0) return { shown: all.slice(0, RECENT), more: 0, live: false };
  // The API's order is newest first.
  const oldestFirst = running.toReversed();
  return {
    shown: oldestFirst.slice(0, SHOWN),
    more: Math.max(0, running.length - SHOWN),
    live: true,
  };
}

/** Jobs of one workflow that have ended, and those of them that failed. */
export function progressOf(workflow: Workflow): { done: number; failed: number } {
  const count = (state: JobState) => workflow.counts[state] ?? 0;
  return { done: DONE.reduce((sum, state) => sum + count(state), 0), failed: count('dead') };
}

function Progress({ workflow }: { workflow: Workflow }) {
  const { done, failed } = progressOf(workflow);
  const counts = text.workflows.done(formatNumber(done), formatNumber(workflow.jobs));
  return (
    <span class="progress">
      <Meter
        max={workflow.jobs}
        segments={SEGMENTS.map((state) => ({
          role: `${STATES[state].role} part-${state}`,
          value: workflow.counts[state] ?? 0,
        }))}
      />
      <span class="progress-text" data-tip={counts}>
        <span aria-hidden="true">
          {formatNumber(done)}
          <span class="meta"> / {formatNumber(workflow.jobs)}</span>
        </span>
        <span class="only-spoken">{counts}</span>
        {failed > 0 && <>, {text.workflows.failed(formatNumber(failed))}</>}
      </span>
    </span>
  );
}

function WorkflowRow({ workflow, first }: { workflow: Workflow; first: boolean }) {
  return (
    <Row first={first}>
      <Cell area="name">
        <span class="strong cut" data-tip={workflow.name}>
          {workflow.name}
        </span>
      </Cell>
      <Cell area="state">
        <StateMark look={stateLook(workflow.state)} />
      </Cell>
      <Cell area="progress">
        <Progress workflow={workflow} />
      </Cell>
      <Cell area="took" number>
        <Span from={workflow.createdAt} to={workflow.finishedAt} />
      </Cell>
    </Row>
  );
}

export function Workflows({ query }: { query: Query<Page<Workflow>> }) {
  const page = query.data.value;
  const picked = pickWorkflows(page?.items ?? []);
  return (
    <Panel
      id="workflows"
      title={page && !picked.live ? text.workflows.titleRecent : text.workflows.title}
      query={query}
      expectRows={6}
      hint={picked.more > 0 ? text.workflows.more(picked.more) : undefined}
    >
      {() =>
        picked.shown.length === 0 ? (
          <p class="empty">{text.workflows.empty}</p>
        ) : (
          <Table
            labelledBy="workflows-title"
            class="workflows"
            head={
              <>
                <Head>{text.workflows.name}</Head>
                <Head>{text.workflows.state}</Head>
                <Head>{text.workflows.progress}</Head>
                <Head number>{text.workflows.took}</Head>
              </>
            }
          >
            {picked.shown.map((workflow, index) => (
              <WorkflowRow key={workflow.id} workflow={workflow} first={index === 0} />
            ))}
          </Table>
        )
      }
    </Panel>
  );
}
