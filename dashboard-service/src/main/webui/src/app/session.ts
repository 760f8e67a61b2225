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

export const token = signal<string | null>(readSession('token'));
export const me = signal<Me | null>(null);
export const phase = signal<SessionPhase>(token.value ? 'loading' : 'signedOut');
export const sessionError = signal<ApiError | null>(null);
/** When the session ends, in this machine's time; set from two minutes before. */
export const endsAt = signal<number | null>(null);

let expiryTimer: number | undefined;

export const http = new Http({
  token: () => token.peek(),
  onUnauthorized: (refused) => {
    if (refused === token.peek()) expire();
  },
  onReachable: reachable,
});

/** The server no longer takes the token: the page stays, the form comes over it. */
export function expire(): void {
  window.clearTimeout(expiryTimer);
  endsAt.value = null;
  token.value = null;
  writeSession('token', null);
  phase.value = me.peek() ? 'expired' : 'signedOut';
}

export async function checkSession(): Promise<void> {
  if (!token.peek()) return;
  phase.value = me.peek() ? phase.peek() : 'loading';
  try {
    await loadMe();
  } catch (error) {
    // A page that is open stays open: its panels say themselves what fails.
    if (!token.peek() || me.peek()) return;
    sessionError.value = error instanceof ApiError ? error : null;
    phase.value = 'unreachable';
  }
}

/** Throws ApiError: 401 when email or password is wrong. */
export async function signIn(email: string, password: string): Promise<void> {
  const login = await http.post<Login>('/auth/login', { email, password });
  token.value = login.accessToken;
  writeSession('token', login.accessToken);
  await loadMe();
}

/** Forgets everything: what is in memory may not be seen by the next person. */
export function signOut(): void {
  writeSession('token', null);
  window.location.assign('/');
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

function watchExpiry(): void {
  window.clearTimeout(expiryTimer);
  endsAt.value = null;
  const current = token.peek();
  const expiry = current ? expiryOf(current) : null;
  if (expiry === null) return;
  const local = expiry - clockSkew.peek();
  // A timer longer than 24.8 days would fire at once.
  const wait = Math.min(local - WARN_MILLIS - Date.now(), 2 ** 31 - 1);
  expiryTimer = window.setTimeout(
    () => {
      endsAt.value = local;
      expiryTimer = window.setTimeout(expire, Math.max(0, local - Date.now()));
    },
    Math.max(0, wait),
  );
}
