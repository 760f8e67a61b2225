import { describe, expect, it } from 'vitest';
import { liveStatus } from '../../src/lib/live/status';

const calm = { paused: false, offlineSince: null, connected: true, slowed: false };

describe('liveStatus', () => {
  it.each([
    [calm, 'live'],
    [{ ...calm, slowed: true }, 'slowed'],
    [{ ...calm, connected: false }, 'polling'],
    [{ ...calm, connected: false, slowed: true }, 'polling'],
    [{ ...calm, offlineSince: 5 }, 'offline'],
    [{ ...calm, offlineSince: 5, paused: true }, 'paused'],
  ])('says of %j: %s', (facts, kind) => {
    expect(liveStatus(facts).kind).toBe(kind);
  });
});
