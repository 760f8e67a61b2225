import { signal } from '@preact/signals';
import type { Login, Me } from '../lib/api-types';
import { ApiError, Http } from '../lib/http';
import { expiryOf } from '../lib/jwt';
import { clockSkew } from '../lib/skew';
import { readSession, writeSession } from '../lib/storage';
import { reachable } from './connection';

/**
 * loading: a token is being checked · signedOut: full-page form · signedIn · expired: the form
 * stands over the page, which keeps its state · unreachable: the token could not be checked.
 */
export type SessionPhase = 'loading' | 'signedOut' | 'signedIn' | 'expired' | 'unreachable';

export const WARN_MILLIS = 2 * 60_000;
const RETRY_MILLIS = 5_000;

export const token = signal<string | null>(readSession('token'));
export const me = signal<Me | null>(null);
export const phase = signal<SessionPhase>(token.value ? 'loading' : 'signedOut');
export const sessionError = signal<ApiError | null>(null);
/** When the session ends, in this machine's time; set from two minutes before, if it cannot be renewed. */
export const endsAt = signal<number | null>(null);

let refreshToken = readSession('refresh');
let expiryTimer: number | undefined;
let renewing: Promise<boolean> | null = null;

export const http = new Http({
  token: () => token.peek(),
  onUnauthorized: (refused) => {
    if (refused === token.peek()) void renewOrExpire();
  },
  onReachable: reachable,
});

/** What needs no access token must not fail for one that is over. */
const anonymous = new Http({
  token: () => null,
  onUnauthorized: () => undefined,
  onReachable: reachable,
});

interface Renewed {
  from: string;
  next: Login;
}

/**
 * Windows of one session (a duplicated tab) tell each other of new tokens: a refresh token that is
 * used a second time, later than moments after the first, ends the session.
 */
const windows =
  typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('jobs.session');
if (windows) {
  windows.onmessage = ({ data }: MessageEvent<Renewed>) => {
    if (refreshToken === data.from) adopt(data.next);
  };
}

/** The server no longer takes the token: the page stays, the form comes over it. */
export function expire(): void {
  window.clearTimeout(expiryTimer);
  endsAt.value = null;
  forget();
  phase.value = me.peek() ? 'expired' : 'signedOut';
}

export async function checkSession(): Promise<void> {
  const current = token.peek();
  if (!current) return;
  phase.value = me.peek() ? phase.peek() : 'loading';
  try {
    const expiry = expiryOf(current);
    const over = expiry !== null && expiry - clockSkew.peek() <= Date.now();
    if (over && !(await renew())) {
      expire();
      return;
    }
    await loadMe();
  } catch (error) {
    // A page that is open stays open: its panels say themselves what fails.
    if (!token.peek() || me.peek()) return;
    sessionError.value = error instanceof ApiError ? error : null;
    phase.value = 'unreachable';
  }
}

/** Throws ApiError: 401 when email or password is wrong, 429 when too many were. */
export async function signIn(email: string, password: string): Promise<void> {
  adopt(await anonymous.post<Login>('/auth/login', { email, password }));
  await loadMe();
}

/** Forgets everything: what is in memory may not be seen by the next person. */
export function signOut(): void {
  const ended = refreshToken;
  forget();
  if (ended) {
    // Goes out although the page is left; without it the session ends by itself.
    void fetch('/api/v1/auth/logout', {
      method: 'POST',
      keepalive: true,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ refreshToken: ended }),
    }).catch(() => undefined);
  }
  window.location.assign('/');
}

/** Gets the next tokens, for all who ask at once; false: the session has ended. */
export function renew(): Promise<boolean> {
  renewing ??= askForNext().finally(() => {
    renewing = null;
  });
  return renewing;
}

async function askForNext(): Promise<boolean> {
  const from = refreshToken;
  if (!from) return false;
  try {
    const next = await anonymous.post<Login>('/auth/refresh', { refreshToken: from });
    adopt(next);
    windows?.postMessage({ from, next } satisfies Renewed);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    // Another window may have been first.
    return refreshToken !== null && refreshToken !== from;
  }
}

/** The server does not take the token: go on with the next one, if there is one. */
export async function renewOrExpire(): Promise<void> {
  try {
    if (!(await renew())) expire();
    else if (!me.peek()) await checkSession();
  } catch {
    // No connection: whoever asks next gets here again.
  }
}

function adopt(login: Login): void {
  token.value = login.accessToken;
  refreshToken = login.refreshToken ?? null;
  writeSession('token', login.accessToken);
  writeSession('refresh', refreshToken);
  watchExpiry();
}

function forget(): void {
  token.value = null;
  refreshToken = null;
  writeSession('token', null);
  writeSession('refresh', null);
}

async function loadMe(): Promise<void> {
  const before = me.peek();
  const answer = await http.get<Me>('/auth/me');
  if (!answer.changed) return;
  if (before && before.id !== answer.body.id) {
    // Another person: nothing of the first one's page may stay.
    window.location.reload();
    return;
  }
  me.value = answer.body;
  sessionError.value = null;
  phase.value = 'signedIn';
  watchExpiry();
}

/** Renews a while before the token ends; warns when that is near and has not been possible. */
function watchExpiry(): void {
  window.clearTimeout(expiryTimer);
  endsAt.value = null;
  const current = token.peek();
  const expiry = current ? expiryOf(current) : null;
  if (expiry === null) return;
  const local = expiry - clockSkew.peek();
  const left = local - Date.now();
  const lead = refreshToken ? Math.min(WARN_MILLIS, left / 4) : WARN_MILLIS;
  expiryTimer = window.setTimeout(
    () => (refreshToken ? void renewBefore(local) : warn(local)),
    // A timer longer than 24.8 days would fire at once.
    Math.max(0, Math.min(left - lead, 2 ** 31 - 1)),
  );
}

function warn(local: number): void {
  endsAt.value = local;
  expiryTimer = window.setTimeout(expire, Math.max(0, local - Date.now()));
}

async function renewBefore(local: number): Promise<void> {
  try {
    if (!(await renew())) expire();
  } catch {
    // No connection. The session outlives its access token, so this goes on until there is one.
    if (local > Date.now()) endsAt.value = local;
    window.clearTimeout(expiryTimer);
    expiryTimer = window.setTimeout(() => void renewBefore(local), RETRY_MILLIS);
  }
}
