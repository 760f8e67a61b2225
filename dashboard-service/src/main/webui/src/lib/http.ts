import { learnSkew } from './skew';

/** A failed request, in words for a person. */
export class ApiError extends Error {
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  readonly detail: string | null;
  readonly traceId: string | null;
  readonly retryAfterMillis: number | undefined;

  constructor(
    status: number,
    title: string,
    more: {
      detail?: string | null;
      traceId?: string | null;
      retryAfterMillis?: number | undefined;
    },
  ) {
    super(title);
    this.status = status;
    this.detail = more.detail ?? null;
    this.traceId = more.traceId ?? null;
    this.retryAfterMillis = more.retryAfterMillis;
  }
}

export type Answer<T> = { changed: false } | { changed: true; body: T; etag: string | null };

export interface HttpOptions {
  token: () => string | null;
  /** The API did not take the token that was sent. */
  onUnauthorized: (token: string) => void;
  /** Whether the last request got any answer at all. */
  onReachable: (reachable: boolean) => void;
}

const TIMEOUT_MILLIS = 30_000;

export function retryAfterOf(header: string | null, now: number): number | undefined {
  if (!header) return undefined;
  const seconds = Number(header);
  const millis = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1_000;
  return Number.isNaN(millis) ? undefined : Math.max(0, millis);
}

/** The API as the pages use it: JSON, problem+json, conditional GET, clock skew. */
export class Http {
  private readonly options: HttpOptions;

  constructor(options: HttpOptions) {
    this.options = options;
  }

  /** GET; with `etag`, an unchanged answer costs no body and no render. */
  async get<T>(path: string, etag?: string | null): Promise<Answer<T>> {
    const response = await this.send('GET', path, etag ? { 'If-None-Match': etag } : {});
    if (response.status === 304) return { changed: false };
    return {
      changed: true,
      body: (await this.readJson(response)) as T,
      etag: response.headers.get('ETag'),
    };
  }

  async post<T>(path: string, body: unknown): Promise<T> {
    const headers = { 'Content-Type': 'application/json' };
    const response = await this.send('POST', path, headers, JSON.stringify(body));
    return (await this.readJson(response)) as T;
  }

  private async send(
    method: string,
    path: string,
    extra: Record<string, string>,
    body?: string,
  ): Promise<Response> {
    const token = this.options.token();
    const headers: Record<string, string> = { Accept: 'application/json', ...extra };
    if (token) headers['Authorization'] = `Bearer ${token}`;
    const sentAt = Date.now();
    let response: Response;
    try {
      response = await fetch(`/api/v1${path}`, {
        method,
        headers,
        cache: 'no-store',
        signal: AbortSignal.timeout(TIMEOUT_MILLIS),
        ...(body === undefined ? {} : { body }),
      });
    } catch {
      this.options.onReachable(false);
      throw new ApiError(0, 'No connection to the server', {});
    }
    this.options.onReachable(true);
    learnSkew(response.headers.get('Date'), sentAt, Date.now());
    if (response.ok || response.status === 304) return response;
    if (response.status === 401 && token) this.options.onUnauthorized(token);
    throw await problemOf(response);
  }

  private async readJson(response: Response): Promise<unknown> {
    try {
      return await response.json();
    } catch {
      throw new ApiError(response.status, 'The answer could not be read', {});
    }
  }
}

async function problemOf(response: Response): Promise<ApiError> {
  let problem: { title?: string; detail?: string; traceId?: string } = {};
  try {
    problem = (await response.json()) as typeof problem;
  } catch {
    // No problem+json: the status has to do.
  }
  return new ApiError(response.status, problem.title ?? `The server answered ${response.status}`, {
    detail: problem.detail ?? null,
    traceId: problem.traceId ?? null,
    retryAfterMillis: retryAfterOf(response.headers.get('Retry-After'), Date.now()),
  });
}
