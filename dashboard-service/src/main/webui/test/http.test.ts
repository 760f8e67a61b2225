import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError, Http, retryAfterOf } from '../src/lib/http';

function httpOf(answer: () => Promise<Response>) {
  const fetched = vi.fn<(path: string, init: RequestInit) => Promise<Response>>(answer);
  vi.stubGlobal('fetch', fetched);
  const events = { unauthorized: vi.fn(), reachable: vi.fn() };
  const http = new Http({
    token: () => 'secret',
    onUnauthorized: events.unauthorized,
    onReachable: events.reachable,
  });
  return { http, fetched, events };
}

const json =
  (body: unknown, init: ResponseInit = {}) =>
  async () =>
    Response.json(body, { headers: { 'Content-Type': 'application/json' }, ...init });

afterEach(() => vi.unstubAllGlobals());

describe('Http', () => {
  it('sends the token in a header and nothing in the address', async () => {
    const { http, fetched } = httpOf(json({}));
    await http.get('/auth/me');
    expect(fetched.mock.calls[0]?.[0]).toBe('/api/v1/auth/me');
    const headers = fetched.mock.calls[0]?.[1].headers as Record<string, string>;
    expect(headers['Authorization']).toBe('Bearer secret');
  });

  it('asks conditionally and reports an unchanged answer', async () => {
    const { http, fetched } = httpOf(async () => new Response(null, { status: 304 }));
    expect(await http.get('/x', '"7"')).toEqual({ changed: false });
    const headers = fetched.mock.calls[0]?.[1].headers as Record<string, string>;
    expect(headers['If-None-Match']).toBe('"7"');
  });

  it('reads problem+json', async () => {
    const problem = { title: 'Conflict', detail: 'It runs already.', traceId: 'ab' };
    const { http } = httpOf(json(problem, { status: 409 }));
    await expect(http.get('/x')).rejects.toMatchObject({
      status: 409,
      message: 'Conflict',
      detail: 'It runs already.',
      traceId: 'ab',
    });
  });

  it('says which token was refused', async () => {
    const { http, events } = httpOf(json({}, { status: 401 }));
    await expect(http.get('/x')).rejects.toBeInstanceOf(ApiError);
    expect(events.unauthorized).toHaveBeenCalledExactlyOnceWith('secret');
  });

  it('tells a lost connection from an error', async () => {
    const { http, events } = httpOf(async () => {
      throw new TypeError('failed to fetch');
    });
    await expect(http.get('/x')).rejects.toMatchObject({ status: 0 });
    expect(events.reachable).toHaveBeenLastCalledWith(false);
  });

  it('does not break on an error page of something between', async () => {
    const { http, events } = httpOf(async () => new Response('<h1>502</h1>', { status: 502 }));
    await expect(http.get('/x')).rejects.toMatchObject({ status: 502 });
    expect(events.reachable).toHaveBeenLastCalledWith(true);
  });
});

describe('retryAfterOf', () => {
  it('reads seconds and dates', () => {
    expect(retryAfterOf('2', 0)).toBe(2_000);
    expect(retryAfterOf('Thu, 01 Jan 1970 00:00:10 GMT', 4_000)).toBe(6_000);
    expect(retryAfterOf('soon', 0)).toBeUndefined();
    expect(retryAfterOf(null, 0)).toBeUndefined();
  });
});
