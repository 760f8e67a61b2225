// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const LIFETIME = 900;

function tokenOf(id: string): string {
  const exp = Math.floor(Date.now() / 1_000) + LIFETIME;
  return `x.${btoa(JSON.stringify({ exp, id }))}.y`;
}

function login(id: string) {
  return {
    accessToken: tokenOf(id),
    refreshToken: `refresh-${id}`,
    tokenType: 'Bearer',
    expiresIn: LIFETIME,
  };
}

const ME = { id: '1', email: 'ann@example.org', name: 'Ann', platformAdmin: false, projects: [] };

let calls: { path: string; body: string }[];
let refresh: () => Response;

async function open() {
  vi.resetModules();
  const session = await import('../src/app/session');
  await session.signIn('ann@example.org', 'secret');
  return session;
}

beforeEach(() => {
  vi.useFakeTimers();
  sessionStorage.clear();
  calls = [];
  refresh = () => Response.json(login('2'));
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    calls.push({ path, body: String(init.body ?? '') });
    if (path.endsWith('/auth/login')) return Response.json(login('1'));
    if (path.endsWith('/auth/refresh')) return refresh();
    return Response.json(ME);
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const asked = (path: string) => calls.filter((call) => call.path.endsWith(path));

describe('session', () => {
  it('renews its tokens before they end, again and again', async () => {
    const { phase, token } = await open();
    const first = token.peek();
    await vi.advanceTimersByTimeAsync((LIFETIME - 121) * 1_000);
    expect(asked('/auth/refresh')).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(asked('/auth/refresh')).toHaveLength(1);
    expect(asked('/auth/refresh')[0]?.body).toContain('refresh-1');
    expect(token.peek()).not.toBe(first);
    await vi.advanceTimersByTimeAsync(LIFETIME * 1_000);
    expect(asked('/auth/refresh')[1]?.body).toContain('refresh-2');
    expect(phase.peek()).toBe('signedIn');
  });

  it('ends when the server ends it', async () => {
    refresh = () => Response.json({ title: 'no' }, { status: 401 });
    const { phase, token } = await open();
    await vi.advanceTimersByTimeAsync(LIFETIME * 1_000);
    expect(phase.peek()).toBe('expired');
    expect(token.peek()).toBeNull();
    expect(sessionStorage.getItem('jobs.refresh')).toBeNull();
  });

  it('goes on once the server can be reached again', async () => {
    refresh = () => Response.json({ title: 'away' }, { status: 503 });
    const { endsAt, phase } = await open();
    await vi.advanceTimersByTimeAsync((LIFETIME - 60) * 1_000);
    expect(endsAt.peek()).not.toBeNull();
    refresh = () => Response.json(login('2'));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(endsAt.peek()).toBeNull();
    expect(phase.peek()).toBe('signedIn');
  });

  it('asks once for many requests that are refused at once', async () => {
    const { renewOrExpire, phase } = await open();
    await Promise.all([renewOrExpire(), renewOrExpire(), renewOrExpire()]);
    expect(asked('/auth/refresh')).toHaveLength(1);
    expect(phase.peek()).toBe('signedIn');
  });
});
