// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest';
import type { Page, Worker, Workflow } from '../src/lib/api-types';
import { verdictOf } from '../src/pages/overview/verdict';
import { liveFirst } from '../src/pages/overview/workers';
import { pickWorkflows, progressOf } from '../src/pages/overview/workflows';

const workflow = (id: number, state: Workflow['state']): Workflow => ({
  id: String(id),
  name: `w${id}`,
  state,
  createdAt: '2026-11-29T12:00:00.000Z',
  finishedAt: null,
  counts: {},
  jobs: 10,
});

const workers = (...states: Worker['state'][]): Page<Worker> => ({
  items: states.map((state) => ({ state }) as Worker),
  nextCursor: null,
});

describe('liveFirst', () => {
  it('shows those that work before those that have ended, each as they came', () => {
    const { items } = workers('lost', 'active', 'stopped', 'draining');
    expect(liveFirst(items).map(({ state }) => state)).toEqual([
      'active',
      'draining',
      'lost',
      'stopped',
    ]);
  });
});

describe('pickWorkflows', () => {
  it('shows those in flight, the oldest first', () => {
    const all = [workflow(3, 'running'), workflow(2, 'succeeded'), workflow(1, 'running')];
    const { shown, more, live } = pickWorkflows(all);
    expect(shown.map(({ id }) => id)).toEqual(['1', '3']);
    expect(more).toBe(0);
    expect(live).toBe(true);
  });

  it('says how many more there are', () => {
    const all = Array.from({ length: 50 }, (_, n) => workflow(50 - n, 'running'));
    expect(pickWorkflows(all)).toMatchObject({ more: 38, live: true });
  });

  it('shows the latest when none is in flight', () => {
    const all = Array.from({ length: 9 }, (_, n) => workflow(9 - n, 'succeeded'));
    const { shown, live } = pickWorkflows(all);
    expect(shown.map(({ id }) => id)).toEqual(['9', '8', '7', '6', '5']);
    expect(live).toBe(false);
  });
});

describe('progressOf', () => {
  it('counts what has ended, and what of it failed', () => {
    const counts = { succeeded: 5, dead: 2, cancelled: 1, skipped: 3, running: 4, blocked: 9 };
    expect(progressOf({ ...workflow(1, 'running'), counts })).toEqual({ done: 11, failed: 2 });
  });
});

describe('verdictOf', () => {
  it('says nothing before it knows', () => {
    expect(verdictOf(null)).toBeNull();
  });

  it.each([
    [[], 'No worker is connected: jobs wait'],
    [['lost', 'stopped'], 'No worker is connected: jobs wait'],
    [['draining'], 'No worker is connected: jobs wait'],
    [['active', 'lost'], '1 worker lost'],
    [['active', 'lost', 'lost'], '2 workers lost'],
    [['active', 'draining', 'stopped'], 'Healthy'],
  ] as [Worker['state'][], string][])('says of %j: %s', (states, sentence) => {
    expect(verdictOf(workers(...states))?.sentence).toBe(sentence);
  });
});
