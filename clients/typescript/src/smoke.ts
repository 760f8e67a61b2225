/**
 * Uses the generated client against a running api-service: prints one line and exits with 0, or
 * ends with what was not as described. JOBS_API is its origin, JOBS_PASSWORD the password of
 * JOBS_EMAIL (admin@localhost), who must be a platform admin. It makes a project of its own.
 */
import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { problem, success } from './answer.js';
import { jobScheduler, type Schemas } from './client.js';

const QUEUE = 'smoke';

const origin = process.env['JOBS_API'] ?? 'http://localhost:8080';
const email = process.env['JOBS_EMAIL'] ?? 'admin@localhost';
const password = process.env['JOBS_PASSWORD'];
assert.ok(password, 'JOBS_PASSWORD is not set.');

let token: string | undefined;
const api = jobScheduler(origin, () => token);
const project = `smoke-${randomUUID()}`;
const here = { path: { project } };

const session = success(
  'login',
  200,
  await api.POST('/api/v1/auth/login', { body: { email, password } }),
);
token = session.accessToken;
const made = success(
  'create project',
  201,
  await api.POST('/api/v1/projects', { body: { name: project } }),
);
assert.equal(made.name, project);

await putQueue();
const jobs = [await enqueueTwiceUnderOneKey(), await enqueue(), await enqueue()];
await listByPages();
await readOne();
await readDeadLetters();
await countBeforeBulkAction();
await cancelAll();
await submitWorkflow();
await previewSchedule();
await areRefused();
await logOut();
console.log(`smoke: ${origin} answers as described (${project})`);

/** Nothing of it starts, so that what follows finds the jobs waiting. */
async function putQueue(): Promise<void> {
  const path = { project, queue: QUEUE };
  const body = { maxConcurrency: 0, searchablePaths: ['order.id'] };
  const url = '/api/v1/projects/{project}/queues/{queue}';
  const queue = success('put queue', 201, await api.PUT(url, { params: { path }, body }));
  assert.equal(queue.maxConcurrency, 0);
  assert.deepEqual(queue.searchablePaths, ['order.id']);
  success('put queue again', 200, await api.PUT(url, { params: { path }, body }));
}

async function enqueue(key: string = randomUUID()): Promise<string> {
  const job = success(
    'enqueue',
    201,
    await api.POST('/api/v1/projects/{project}/jobs', {
      params: { ...here, header: { 'Idempotency-Key': key } },
      body: { type: 'echo', queue: QUEUE, priority: 7, payload: { order: { id: 'X-17' } } },
    }),
  );
  assert.ok(!('duplicate' in job), 'enqueue: a duplicate without a unique key');
  assert.equal(job.queue, QUEUE);
  assert.match(job.id, /^[0-9]+$/);
  return job.id;
}

async function enqueueTwiceUnderOneKey(): Promise<string> {
  const key = randomUUID();
  const id = await enqueue(key);
  assert.equal(await enqueue(key), id, 'the same request under the same key made two jobs');
  return id;
}

async function listByPages(): Promise<void> {
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: 2, ...(cursor === undefined ? {} : { cursor }) };
    const page: Schemas['JobPage'] = success(
      'list jobs',
      200,
      await api.GET('/api/v1/projects/{project}/jobs', { params: { ...here, query } }),
    );
    assert.ok(page.items.length > 0 && page.items.length <= 2, 'list jobs: size of a page');
    assert.deepEqual(page.count, { value: jobs.length, capped: false });
    seen.push(...page.items.map((job) => job.id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && seen.length <= jobs.length);
  assert.deepEqual(seen, jobs.toReversed(), 'list jobs: each once, the newest first');
}

async function readOne(): Promise<void> {
  const path = { project, job: jobs[0]! };
  const job = success(
    'get job',
    200,
    await api.GET('/api/v1/projects/{project}/jobs/{job}', { params: { path } }),
  );
  assert.equal(job.id, jobs[0]);
  assert.equal(job.priority, 7);
  assert.equal(job.state, 'ready');
  assert.deepEqual(job.payload, { order: { id: 'X-17' } });
  problem(
    'get a job that is none',
    404,
    '/problems/not-found',
    await api.GET('/api/v1/projects/{project}/jobs/{job}', {
      params: { path: { project, job: '9007199254740991' } },
    }),
  );
}

async function readDeadLetters(): Promise<void> {
  const page = success(
    'list dead letters',
    200,
    await api.GET('/api/v1/projects/{project}/dead-letters', { params: here }),
  );
  assert.deepEqual(page.items, []);
  assert.equal(page.nextCursor, null);
}

async function countBeforeBulkAction(): Promise<void> {
  const counted = success(
    'bulk action, dry run',
    200,
    await api.POST('/api/v1/projects/{project}/bulk-actions', {
      params: here,
      body: { action: 'cancel', filter: { queue: QUEUE }, dryRun: true },
    }),
  );
  assert.ok('dryRun' in counted, 'bulk action, dry run: it was stored');
  assert.deepEqual(counted.count, { value: jobs.length, capped: false });
  assert.deepEqual(counted.sampleIds.toSorted(), jobs.toSorted());
}

async function cancelAll(): Promise<void> {
  for (const job of jobs) {
    const ended = success(
      'cancel job',
      200,
      await api.POST('/api/v1/projects/{project}/jobs/{job}/cancel', {
        params: { path: { project, job } },
        body: { reason: 'smoke' },
      }),
    );
    assert.ok('state' in ended, 'cancel job: it was running');
    assert.equal(ended.state, 'cancelled');
  }
}

async function submitWorkflow(): Promise<void> {
  const submitted = success(
    'submit workflow',
    201,
    await api.POST('/api/v1/projects/{project}/workflows', {
      params: here,
      body: {
        name: 'import',
        jobs: [
          { key: 'fetch', type: 'echo', queue: QUEUE },
          { key: 'load', type: 'echo', queue: QUEUE, dependsOn: ['fetch'] },
          { key: 'report', type: 'echo', queue: QUEUE, dependsOn: [{ key: 'load', on: 'done' }] },
        ],
      },
    }),
  );
  const path = { project, workflow: submitted.id };
  const graph = success(
    'workflow graph',
    200,
    await api.GET('/api/v1/projects/{project}/workflows/{workflow}/graph', { params: { path } }),
  );
  assert.deepEqual(graph.nodes.map((node) => node.key).toSorted(), ['fetch', 'load', 'report']);
  assert.deepEqual(graph.edges.map((edge) => `${edge.from} ${edge.on} ${edge.to}`).toSorted(), [
    'fetch success load',
    'load done report',
  ]);
  success(
    'cancel workflow',
    200,
    await api.POST('/api/v1/projects/{project}/workflows/{workflow}/cancel', {
      params: { path },
      body: { reason: 'smoke' },
    }),
  );
}

async function previewSchedule(): Promise<void> {
  const shown = success(
    'schedule preview',
    200,
    await api.POST('/api/v1/projects/{project}/schedules/preview', {
      params: here,
      body: { every: 'PT10M', from: '2030-01-01T00:05:00Z', count: 3 },
    }),
  );
  assert.deepEqual(
    shown.fires.map((fire) => new Date(fire.plannedAt).toISOString()),
    ['2030-01-01T00:10:00.000Z', '2030-01-01T00:20:00.000Z', '2030-01-01T00:30:00.000Z'],
  );
}

async function areRefused(): Promise<void> {
  const priority = problem(
    'priority 12',
    422,
    '/problems/validation-failed',
    await api.POST('/api/v1/projects/{project}/jobs', {
      params: here,
      body: { type: 'echo', priority: 12 },
    }),
  );
  assert.deepEqual(
    priority.errors?.map((error) => error.pointer),
    ['/priority'],
  );
  const circle = problem(
    'a circle',
    422,
    '/problems/workflow-cycle',
    await api.POST('/api/v1/projects/{project}/workflows', {
      params: here,
      body: {
        name: 'circle',
        jobs: [
          { key: 'a', type: 'echo', dependsOn: ['b'] },
          { key: 'b', type: 'echo', dependsOn: ['a'] },
        ],
      },
    }),
  );
  assert.ok(circle.cycle?.includes('a') && circle.cycle.includes('b'), 'a circle: not named');
}

async function logOut(): Promise<void> {
  const body = { refreshToken: session.refreshToken };
  const { response } = await api.POST('/api/v1/auth/logout', { body });
  assert.equal(response.status, 204, 'logout');
  problem(
    'refresh after logout',
    401,
    '/problems/unauthorized',
    await api.POST('/api/v1/auth/refresh', { body }),
  );
}
