import { http } from '../../app/session';
import { StateIcon } from '../../components/icons';
import { allPages } from '../../lib/all-pages';
import type { Page, Queue, Stats, Worker, Workflow } from '../../lib/api-types';
import { text } from '../../lib/messages';
import { useQuery } from '../../lib/use-query';
import { LatestJobs } from './jobs';
import {
  projectPath,
  QUEUES_MILLIS,
  STATS_MILLIS,
  WORKERS_MILLIS,
  WORKFLOWS_MILLIS,
} from './queries';
import { Queues } from './queues';
import { Tiles } from './tiles';
import { verdictOf } from './verdict';
import { Workers } from './workers';
import { Workflows } from './workflows';

/** The first page of a project: what runs, what waits, who works. */
export default function Overview({ project }: { project: string }) {
  const stats = useQuery<Stats>(
    projectPath(project, 'stats'),
    { topics: ['jobs'], minIntervalMillis: STATS_MILLIS },
    project,
  );
  const queues = useQuery<Page<Queue>>(
    projectPath(project, 'queues?limit=100'),
    { topics: ['jobs', 'queues'], minIntervalMillis: QUEUES_MILLIS },
    project,
  );
  const workers = useQuery<Page<Worker>>(
    projectPath(project, 'workers?limit=200'),
    {
      topics: ['workers'],
      minIntervalMillis: WORKERS_MILLIS,
      read: (path, etag) => allPages<Worker>((at, of) => http.get(at, of), path, etag),
    },
    project,
  );
  const workflows = useQuery<Page<Workflow>>(
    projectPath(project, 'workflows?limit=50'),
    { topics: ['workflows'], minIntervalMillis: WORKFLOWS_MILLIS },
    project,
  );
  const verdict = verdictOf(workers.data.value);
  return (
    <>
      <div class="page-head">
        <h1 tabIndex={-1}>{text.overview.title}</h1>
        {verdict && (
          <p class="verdict">
            <StateIcon look={verdict.look} />
            {verdict.href ? <a href={verdict.href}>{verdict.sentence}</a> : verdict.sentence}
          </p>
        )}
      </div>
      <Tiles stats={stats} queues={queues} workers={workers} />
      <div class="columns">
        <Queues query={queues} />
        <Workflows query={workflows} />
      </div>
      <LatestJobs project={project} />
      <Workers query={workers} />
    </>
  );
}
