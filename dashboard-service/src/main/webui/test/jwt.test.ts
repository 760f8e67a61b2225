import { describe, expect, it } from 'vitest';
import { expiryOf } from '../src/lib/jwt';

const token = (payload: unknown) =>
  `h.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.s`;

describe('expiryOf', () => {
  it('reads the end of a token', () => {
    expect(expiryOf(token({ exp: 1_800_000_000, name: 'Ærøskøbing?>' }))).toBe(1_800_000_000_000);
  });

  it('knows none in other things', () => {
    expect(expiryOf(token({}))).toBeNull();
    expect(expiryOf('opaque')).toBeNull();
    expect(expiryOf('a.!.c')).toBeNull();
  });
});
