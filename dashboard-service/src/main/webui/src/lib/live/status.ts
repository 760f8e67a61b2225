/** The five honest states of the live pill. */
export type LiveStatus =
  | { kind: 'live' }
  | { kind: 'slowed' }
  | { kind: 'polling' }
  | { kind: 'paused' }
  | { kind: 'offline'; since: number };

export interface LiveFacts {
  paused: boolean;
  /** When requests began to fail for want of a connection, or the browser said so; else null. */
  offlineSince: number | null;
  connected: boolean;
  slowed: boolean;
}

/** What a person must know first wins: paused by themselves, then offline, then how it goes. */
export function liveStatus(facts: LiveFacts): LiveStatus {
  if (facts.paused) return { kind: 'paused' };
  if (facts.offlineSince !== null) return { kind: 'offline', since: facts.offlineSince };
  if (!facts.connected) return { kind: 'polling' };
  return facts.slowed ? { kind: 'slowed' } : { kind: 'live' };
}
