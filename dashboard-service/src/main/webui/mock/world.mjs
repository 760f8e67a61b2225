// A make-believe project of millions of jobs. A job is a pure function of its id and the time, so
// the world needs no memory and is the same on each run.

const PERIOD = 700;
const FIRST_ID = 3_400_000;

const TYPES = [
  'webhook.deliver',
  'email.send',
  'billing.charge',
  'report.daily',
  'search.reindex',
  'invoice.render',
  'image.resize',
  'crm.sync',
];
const QUEUES = ['default', 'billing', 'email', 'reports'];
const LIMITS = { default: null, billing: 8, email: 16, reports: 2, quarantine: 0 };
const ERRORS = [
  'java.net.SocketTimeoutException: Read timed out after 30000 ms',
  'org.postgresql.util.PSQLException: ERROR: deadlock detected',
  'java.lang.IllegalStateException: invoice 88213 has no address, and a message so long that it has to be cut',
];
const HOSTS = ['worker-0', 'worker-1', 'worker-2', 'worker-3'];
const WORKFLOWS = [
  ['nightly-sales', 14, 26_000],
  ['genome-1000-chromosomes', 412, 95_000],
  ['reindex-catalogue', 1_240, 180_000],
  ['invoice-run-november', 96, 40_000],
];

const iso = (instant) => (instant === null ? null : new Date(instant).toISOString());

/** Numbers without pattern from a number: the same each time (splitmix32). */
function mix(seed) {
  let z = (seed + 0x9e3779b9) | 0;
  z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
  return (z ^ (z >>> 15)) >>> 0;
}

export class World {
  constructor(start) {
    // The newest job at the start of the world is FIRST_ID.
    this.epoch = start - FIRST_ID * PERIOD;
    this.start = start;
    this.empty = false;
  }

  newestId(now) {
    return Math.floor((now - this.epoch) / PERIOD);
  }

  job(id, now) {
    const h = mix(id);
    const created = this.epoch + id * PERIOD;
    const dice = mix(h) % 100;
    const wait = 300 + (h % 3_500);
    const run = 250 + (mix(h + 1) % 9_000);
    const started = created + wait;
    const finished = started + run;
    const job = {
      id: String(id),
      type: TYPES[h % TYPES.length],
      queue: QUEUES[(h >>> 5) % QUEUES.length],
      state: 'succeeded',
      stateReason: null,
      priority: 4,
      attempt: 1,
      maxAttempts: 20,
      createdAt: iso(created),
      runAt: iso(created),
      readyAt: iso(created),
      startedAt: iso(started),
      finishedAt: iso(finished),
      workflow: null,
      workflowKey: null,
      worker: HOSTS[(h >>> 9) % 3],
      errorSummary: null,
    };
    if (h % 3 === 0) Object.assign(job, { workflow: '9100', workflowKey: `step-${h % 40}` });
    if (dice < 3) this.waiting(job, created, 'scheduled');
    else if (dice < 6) this.waiting(job, created, 'blocked');
    else if (now < started)
      Object.assign(job, {
        state: 'ready',
        attempt: 0,
        startedAt: null,
        finishedAt: null,
        worker: null,
      });
    else if (now < finished) Object.assign(job, { state: 'running', finishedAt: null });
    else if (dice < 12) this.failed(job, h, dice, finished);
    else if (dice === 12) Object.assign(job, { state: 'cancelled', stateReason: 'by operator' });
    else if (dice === 13) Object.assign(job, { state: 'skipped', startedAt: null, attempt: 0 });
    return job;
  }

  waiting(job, created, state) {
    Object.assign(job, {
      state,
      attempt: 0,
      runAt: iso(created + 3_600_000),
      readyAt: null,
      startedAt: null,
      finishedAt: null,
      worker: null,
    });
  }

  failed(job, h, dice, finished) {
    const dead = dice < 8;
    Object.assign(job, {
      state: dead ? 'dead' : 'retrying',
      attempt: dead ? 20 : 1 + (h % 4),
      errorSummary: ERRORS[h % ERRORS.length],
      runAt: iso(finished + 30_000),
      finishedAt: dead ? job.finishedAt : null,
    });
  }

  jobs({ states, limit }, now) {
    if (this.empty) return [];
    const found = [];
    for (let id = this.newestId(now); found.length < limit && id > FIRST_ID - 20_000; id -= 1) {
      const job = this.job(id, now);
      if (states.length === 0 || states.includes(job.state)) found.push(job);
    }
    return found;
  }

  counts(now, queue) {
    const counts = { scheduled: 0, blocked: 0, ready: 0, running: 0, retrying: 0 };
    if (!this.empty) {
      const newest = this.newestId(now);
      for (let id = newest; id > newest - 600; id -= 1) {
        const job = this.job(id, now);
        if ((!queue || job.queue === queue) && job.state in counts) counts[job.state] += 1;
      }
      if (!queue || queue === 'billing') counts.ready += 1_402;
    }
    return Object.fromEntries(
      Object.entries(counts).map(([state, value]) => [state, { value, capped: false }]),
    );
  }

  stats(now) {
    const ended = (value, capped) => ({
      value: this.empty ? 0 : value,
      capped: !this.empty && capped,
    });
    return {
      counts: {
        ...this.counts(now),
        succeeded: ended(10_000, true),
        dead: ended(412, false),
        cancelled: ended(96, false),
        skipped: ended(14, false),
      },
      asOf: iso(now),
    };
  }

  queues(now) {
    const names = this.empty
      ? ['default']
      : ['billing', 'default', 'email', 'quarantine', 'reports'];
    return names.map((name) => ({
      name,
      weight: 1,
      maxConcurrency: LIMITS[name],
      createdAt: iso(this.start - 86_400_000),
      counts: this.counts(now, name),
      oldestReadyAt: name === 'billing' ? iso(this.start - 842_000) : null,
    }));
  }

  workers(now) {
    if (this.empty) return [];
    const states = ['active', 'active', 'draining', 'lost'];
    return states.map((state, index) => ({
      id: String(7_301 + index),
      host: HOSTS[index],
      version: index === 2 ? '0.0.9' : '0.1.0',
      slots: 8,
      running: state === 'lost' ? 0 : 2 + (mix(Math.floor(now / 2_000) + index) % 6),
      draining: state === 'draining',
      state,
      startedAt: iso(this.start - (index + 1) * 7_300_000),
      lastBeatAt: iso(state === 'lost' ? this.start - 95_000 : now - (now % 2_000)),
      queues: index === 2 ? ['default/reports', 'default/email'] : ['*/*'],
    }));
  }

  workflows(now) {
    if (this.empty) return [];
    return WORKFLOWS.map(([name, jobs, millis], index) => {
      const createdAt = this.start - (index + 1) * 9_000;
      // A run ends, rests a little and begins again.
      const done = Math.min(1, (now - createdAt) / millis);
      const over = done === 1;
      const failed = index === 1 ? Math.floor(jobs * done * 0.03) : 0;
      const succeeded = Math.floor(jobs * done) - failed;
      const running = over ? 0 : Math.min(jobs - succeeded - failed, 1 + (index % 3) * 3);
      return {
        id: String(9_100 - index),
        name,
        state: over ? (failed > 0 ? 'failed' : 'succeeded') : 'running',
        onFailure: 'cancel',
        createdAt: iso(createdAt),
        plannedAt: iso(createdAt + 120),
        finishedAt: over ? iso(createdAt + millis) : null,
        counts: { succeeded, dead: failed, running, blocked: jobs - succeeded - failed - running },
        jobs,
        levels: 5,
        clusters: 1,
        criticalPathLength: millis / 1_000,
      };
    });
  }
}
