import { strict as assert } from 'node:assert';
import type { Schemas } from './client.js';

interface Answer<T, E> {
  data?: T;
  error?: E;
  response: Response;
}

/** The body of an answer with this status; anything else ends the run and says what came. */
export function success<T, E>(what: string, status: number, answer: Answer<T, E>): NonNullable<T> {
  const { data, error, response } = answer;
  assert.equal(response.status, status, `${what}: ${response.status} ${JSON.stringify(error)}`);
  assert.ok(data !== undefined && data !== null, `${what}: no body`);
  return data;
}

/** The problem of a refusal with this status and type. */
export function problem<T, E extends Schemas['Problem']>(
  what: string,
  status: number,
  type: E['type'],
  answer: Answer<T, E>,
): E {
  const { error, response } = answer;
  assert.equal(response.status, status, `${what}: ${response.status} ${JSON.stringify(error)}`);
  assert.match(response.headers.get('Content-Type') ?? '', /^application\/problem\+json/, what);
  assert.ok(error !== undefined, `${what}: no problem`);
  assert.equal(error.type, type, what);
  assert.equal(error.status, status, what);
  assert.notEqual(error.detail, '', what);
  return error;
}
