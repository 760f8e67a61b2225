import type { ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { query as urlQuery, withQuery } from '../../app/router';
import { followNewest, setFollow } from '../../app/settings';
import { CopyBlock } from '../../components/copy';
import { StateMark } from '../../components/icons';
import { Panel } from '../../components/panel';
import { Cell, Head, Row, Table } from '../../components/table';
import { Span, Time } from '../../components/time';
import type { Job, Page } from '../../lib/api-types';
import { announce } from '../../lib/announce';
import { formatNumber } from '../../lib/counts';
import { text } from '../../lib/messages';
import { RowList } from '../../lib/rows';
import { isJobState, stateLook } from '../../lib/states';
import { useQuery } from '../../lib/use-query';
import { useHold } from './hold';
import { JOBS_MILLIS, projectPath } from './queries';

const SHOWN = 20;
/** While rows are held in place, more are asked for, so that those on screen stay known. */
const HELD_LIMIT = 100;

function JobRow({
  row,
  first,
  stale,
}: {
  row: ReadonlySignal<Job>;
  first: boolean;
  stale: boolean;
}) {
  const job = row.value;
  const look = stateLook(job.state);
  return (
    <Row first={first} class={stale ? 'stale' : ''}>
      <Cell area="state">
        <span class="flash" key={job.state} data-tip={stale ? text.jobs.stale : undefined}>
          <StateMark look={look} />
        </span>
      </Cell>
      <Cell area="type">
        <span class="cut">
          <span class="strong">{job.type}</span>
          {job.workflowKey && <span class="meta"> {job.workflowKey}</span>}
        </span>
      </Cell>
      <Cell area="id">
        <code>{job.id}</code>
      </Cell>
      <Cell area="queue" label={text.jobs.queue}>
        <span class="cut">{job.queue}</span>
      </Cell>
      <Cell area="attempt" label={text.jobs.attempt} number>
        {job.attempt}/{job.maxAttempts}
      </Cell>
      <Cell area="wait" label={text.jobs.wait} number>
        {job.state === 'ready' || job.startedAt ? (
          <Span from={job.readyAt} to={job.state === 'ready' ? null : job.startedAt} />
        ) : (
          <span class="zero">{text.none}</span>
        )}
      </Cell>
      <Cell area="duration" label={text.jobs.duration} number>
        {job.state === 'running' || job.finishedAt ? (
          <Span from={job.startedAt} to={job.finishedAt} />
        ) : (
          <span class="zero">{text.none}</span>
        )}
      </Cell>
      <Cell area="created" number>
        <Time iso={job.createdAt} />
      </Cell>
      <Cell area="error">
        {job.errorSummary && (
          <code class="cut" data-tip={job.errorSummary}>
            {job.errorSummary}
          </code>
        )}
      </Cell>
    </Row>
  );
}

/** The `state` filter of the address: known states only, in words. */
function stateFilter(): { states: string[]; label: string } {
  const states = (urlQuery.value.get('state') ?? '').split(',').filter((name) => isJobState(name));
  return { states, label: states.map((state) => stateLook(state).label.toLowerCase()).join(', ') };
}

function enqueueExample(project: string): string {
  return `curl -X POST ${window.location.origin}/api/v1${projectPath(project, 'jobs')} \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"type": "echo", "payload": {"hello": "world"}}'`;
}

/** The newest jobs. Rows are patched in place; new ones wait while somebody is at the table. */
export function LatestJobs({ project }: { project: string }) {
  const { states, label } = stateFilter();
  const filter = states.join(',');
  const rows = useMemo(() => new RowList<Job>((job) => job.id), [project]);
  const box = useRef<HTMLDivElement>(null);
  const hold = useHold(box);
  const held = () => hold.peek() || !followNewest.peek();
  const replaceNext = useRef(true);

  const key = `${project}?${filter}`;
  const query = useQuery<Page<Job>>(
    () => {
      const parameters = new URLSearchParams({ limit: String(held() ? HELD_LIMIT : SHOWN) });
      if (filter) parameters.set('state', filter);
      return projectPath(project, `jobs?${parameters}`);
    },
    {
      topics: ['jobs'],
      minIntervalMillis: JOBS_MILLIS,
      onData: (page) => {
        if (held() && !replaceNext.current) rows.patch(page.items);
        else rows.replace(page.items, SHOWN);
        replaceNext.current = false;
      },
    },
    key,
  );
  // Another question: its first answer replaces the rows, wherever the pointer is.
  useMemo(() => {
    replaceNext.current = true;
  }, [key]);
  useEffect(
    () =>
      hold.subscribe((holding) => {
        if (!holding && followNewest.peek() && rows.newer.peek() > 0) rows.showNewer(SHOWN);
      }),
    [rows, hold],
  );

  useEffect(
    () =>
      rows.newer.subscribe((newer) => {
        if (newer > 0) announce(text.jobs.newerSpoken(newer));
      }),
    [rows],
  );

  const last = useRef<Page<Job> | null>(null);
  if (query.data.value) last.current = query.data.value;

  return (
    <div ref={box}>
      <Panel
        id="jobs"
        title={label ? text.jobs.titleState(label) : text.jobs.title}
        query={query}
        previous={last.current}
        expectRows={SHOWN + 1}
        hint={
          filter && (
            <a class="link" href={withQuery('state', null)}>
              {text.jobs.clear}
            </a>
          )
        }
        tools={<JobTools rows={rows} />}
      >
        {(page) =>
          page.items.length === 0 ? (
            <NoJobs project={project} label={label} />
          ) : (
            <JobTable rows={rows} />
          )
        }
      </Panel>
    </div>
  );
}

function JobTools({ rows }: { rows: RowList<Job> }) {
  const newer = rows.newer.value;
  const count = newer >= HELD_LIMIT ? `${formatNumber(HELD_LIMIT)}+` : formatNumber(newer);
  const gone = rows.stale.value.size > 0;
  return (
    <>
      {(newer > 0 || gone) && (
        <button type="button" class="button small" onClick={() => rows.showNewer(SHOWN)}>
          {newer > 0 ? text.jobs.newer(count) : text.jobs.refresh}
        </button>
      )}
      <label class="switch">
        <input
          type="checkbox"
          checked={followNewest.value}
          onChange={(event) => {
            setFollow(event.currentTarget.checked);
            if (event.currentTarget.checked) rows.showNewer(SHOWN);
          }}
        />
        {text.jobs.follow}
      </label>
    </>
  );
}

function JobTable({ rows }: { rows: RowList<Job> }) {
  const stale = rows.stale.value;
  return (
    <Table
      labelledBy="jobs-title"
      class="jobs"
      openEnded
      head={
        <>
          <Head>{text.jobs.state}</Head>
          <Head>{text.jobs.type}</Head>
          <Head>{text.jobs.id}</Head>
          <Head>{text.jobs.queue}</Head>
          <Head number>{text.jobs.attempt}</Head>
          <Head number>{text.jobs.wait}</Head>
          <Head number>{text.jobs.duration}</Head>
          <Head number>{text.jobs.created}</Head>
          <Head>{text.jobs.error}</Head>
        </>
      }
    >
      {rows.ids.value.map((id, index) => (
        <JobRow key={id} row={rows.row(id)} first={index === 0} stale={stale.has(id)} />
      ))}
    </Table>
  );
}

function NoJobs({ project, label }: { project: string; label: string }) {
  if (label) {
    return (
      <div class="empty">
        <p>{text.jobs.noMatch(label)}</p>
        <a class="link" href={withQuery('state', null)}>
          {text.jobs.clear}
        </a>
      </div>
    );
  }
  return (
    <div class="empty">
      <p class="strong">{text.jobs.emptyTitle}</p>
      <p>{text.jobs.empty}</p>
      <CopyBlock content={enqueueExample(project)} />
    </div>
  );
}
