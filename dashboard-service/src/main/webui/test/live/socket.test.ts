import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  LiveSocket,
  parseMessage,
  SILENCE_MILLIS,
  type SocketLike,
} from '../../src/lib/live/socket';
import { fakeClock } from '../fake-clock';

const HELLO = '{"topics":[],"project":"default"}';
const JOBS = '{"topics":["jobs","queues"],"project":"default"}';

function socketOf(chance = 1) {
  const clock = fakeClock(chance);
  const opened: (SocketLike & { closed: boolean })[] = [];
  const events = { message: vi.fn(), connected: vi.fn(), refused: vi.fn() };
  const live = new LiveSocket({
    connect: () => {
      const socket = {
        onopen: null,
        onmessage: null,
        onclose: null,
        closed: false,
        close() {
          socket.closed = true;
        },
      };
      opened.push(socket);
      return socket;
    },
    clock,
    onMessage: events.message,
    onConnected: events.connected,
    onRefused: events.refused,
  });
  const latest = () => opened.at(-1) as SocketLike;
  const say = (data: unknown) => latest().onmessage?.({ data });
  const drop = (code = 1006) => latest().onclose?.({ code });
  return { live, opened, events, say, drop };
}

afterEach(() => vi.useRealTimers());

describe('LiveSocket', () => {
  it('counts as connected with the first message, not with the handshake', () => {
    const { live, events, opened, say } = socketOf();
    live.start();
    opened[0]?.onopen?.();
    expect(events.connected).not.toHaveBeenCalled();
    say(HELLO);
    expect(events.connected).toHaveBeenLastCalledWith(true);
  });

  it('passes topics on and keeps heartbeats to itself', () => {
    const { live, events, say } = socketOf();
    live.start();
    say(HELLO);
    say(JOBS);
    expect(events.message).toHaveBeenCalledExactlyOnceWith({
      topics: ['jobs', 'queues'],
      project: 'default',
    });
  });

  it('reconnects with exponential backoff up to 30 s', () => {
    const { live, opened, drop } = socketOf(1);
    live.start();
    const waits = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000];
    for (const wait of waits) {
      const before = opened.length;
      drop();
      vi.advanceTimersByTime(wait - 1);
      expect(opened).toHaveLength(before);
      vi.advanceTimersByTime(1);
      expect(opened).toHaveLength(before + 1);
    }
  });

  it('spreads reconnects over the whole interval', () => {
    const { live, opened, drop } = socketOf(0);
    live.start();
    drop();
    vi.advanceTimersByTime(100);
    expect(opened).toHaveLength(2);
  });

  it('starts the backoff anew after a connection that stood', () => {
    const { live, opened, drop, say } = socketOf(1);
    live.start();
    for (let n = 0; n < 4; n += 1) {
      drop();
      vi.advanceTimersByTime(30_000);
    }
    say(HELLO);
    const before = opened.length;
    drop();
    vi.advanceTimersByTime(1_000);
    expect(opened).toHaveLength(before + 1);
  });

  it('reconnects at once when woken', () => {
    const { live, opened, drop } = socketOf(1);
    live.start();
    for (let n = 0; n < 4; n += 1) {
      drop();
      vi.advanceTimersByTime(30_000);
    }
    drop();
    const before = opened.length;
    live.wake();
    expect(opened).toHaveLength(before + 1);
    live.wake();
    expect(opened).toHaveLength(before + 1);
  });

  it('gives a silent connection up after 45 s', () => {
    const { live, opened, events, say } = socketOf();
    live.start();
    say(HELLO);
    vi.advanceTimersByTime(SILENCE_MILLIS);
    expect(opened).toHaveLength(1);
    vi.advanceTimersByTime(6_000);
    expect(opened[0]?.closed).toBe(true);
    expect(opened).toHaveLength(2);
    expect(events.connected).toHaveBeenLastCalledWith(false);
  });

  it('keeps a connection that only beats', () => {
    const { live, opened, say } = socketOf();
    live.start();
    for (let n = 0; n < 20; n += 1) {
      say(HELLO);
      vi.advanceTimersByTime(20_000);
    }
    expect(opened).toHaveLength(1);
  });

  it('judges by time stamps when the timers of a background tab were late', () => {
    const { live, opened, say } = socketOf();
    live.start();
    say(HELLO);
    vi.setSystemTime(Date.now() + 10 * 60_000);
    live.wake();
    expect(opened).toHaveLength(2);
  });

  it.each([
    [4401, 'expired'],
    [4403, 'forbidden'],
  ])('does not come back after %i', (code, reason) => {
    const { live, opened, events, say, drop } = socketOf();
    live.start();
    say(HELLO);
    drop(code);
    vi.advanceTimersByTime(120_000);
    expect(opened).toHaveLength(1);
    expect(events.refused).toHaveBeenCalledExactlyOnceWith(reason);
    expect(events.connected).toHaveBeenLastCalledWith(false);
  });

  it('is quiet after stop', () => {
    const { live, opened, say } = socketOf();
    live.start();
    say(HELLO);
    live.stop();
    live.wake();
    vi.advanceTimersByTime(120_000);
    expect(opened).toHaveLength(1);
    expect(opened[0]?.closed).toBe(true);
  });

  it('takes a browser that refuses to connect for a lost connection', () => {
    const clock = fakeClock(1);
    let tries = 0;
    const live = new LiveSocket({
      connect: () => {
        tries += 1;
        throw new Error('blocked');
      },
      clock,
      onMessage: vi.fn(),
      onConnected: vi.fn(),
      onRefused: vi.fn(),
    });
    live.start();
    vi.advanceTimersByTime(3_000);
    expect(tries).toBe(3);
    live.stop();
  });
});

describe('parseMessage', () => {
  it.each([null, 42, '', 'x', '[]', '{"topics":"jobs","project":"p"}', '{"topics":[]}', 'null'])(
    'is not misled by %j',
    (data) => {
      expect(parseMessage(data)).toBeNull();
    },
  );
});
