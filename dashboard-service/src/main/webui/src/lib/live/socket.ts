import type { Clock } from '../clock';

/** One message of the server: topics that changed; none at all is a heartbeat. */
export interface LiveMessage {
  topics: string[];
  project: string;
}

/** The part of a WebSocket that is used here. */
export interface SocketLike {
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
  close(): void;
}

export interface LiveSocketOptions {
  connect: () => SocketLike;
  clock: Clock;
  onMessage: (message: LiveMessage) => void;
  onConnected: (connected: boolean) => void;
  /** The server ended the session (4401) or the access (4403): no reconnect follows. */
  onRefused: (reason: 'expired' | 'forbidden') => void;
}

export const SILENCE_MILLIS = 45_000;
export const CHECK_MILLIS = 5_000;
const FIRST_BACKOFF_MILLIS = 1_000;
const MAX_BACKOFF_MILLIS = 30_000;
const CLOSE_EXPIRED = 4401;
const CLOSE_FORBIDDEN = 4403;

export function parseMessage(data: unknown): LiveMessage | null {
  if (typeof data !== 'string') return null;
  try {
    const parsed: unknown = JSON.parse(data);
    if (typeof parsed !== 'object' || parsed === null) return null;
    const { topics, project } = parsed as Partial<LiveMessage>;
    if (!Array.isArray(topics) || typeof project !== 'string') return null;
    return { topics: topics.filter((topic) => typeof topic === 'string'), project };
  } catch {
    return null;
  }
}

/**
 * Keeps one socket open: reconnects with full jitter, at once when told that the network or the
 * tab is back, and judges liveness by time stamps, because a background tab's timers tick late.
 */
export class LiveSocket {
  private readonly options: LiveSocketOptions;
  private socket: SocketLike | null = null;
  private connected = false;
  private running = false;
  private lastHeard = 0;
  private attempts = 0;
  private retryTimer: number | null = null;
  private checkTimer: number | null = null;

  constructor(options: LiveSocketOptions) {
    this.options = options;
  }

  start(): void {
    if (this.running) return;
    this.running = true;
    this.open();
    this.watch();
  }

  stop(): void {
    this.running = false;
    this.clearRetry();
    if (this.checkTimer !== null) this.options.clock.clearTimeout(this.checkTimer);
    this.checkTimer = null;
    this.drop();
  }

  /** The network is back or the tab visible again: no waiting for the backoff. */
  wake(): void {
    if (!this.running) return;
    this.checkSilence();
    if (this.socket === null) {
      this.attempts = 0;
      this.open();
    }
  }

  private open(): void {
    this.clearRetry();
    this.lastHeard = this.options.clock.now();
    let socket: SocketLike;
    try {
      socket = this.options.connect();
    } catch {
      this.retryLater();
      return;
    }
    this.socket = socket;
    socket.onopen = () => {
      if (this.socket === socket) this.lastHeard = this.options.clock.now();
    };
    socket.onmessage = (event) => {
      if (this.socket === socket) this.heard(event.data);
    };
    socket.onclose = (event) => {
      if (this.socket === socket) this.closed(event.code);
    };
  }

  private heard(data: unknown): void {
    this.lastHeard = this.options.clock.now();
    const message = parseMessage(data);
    if (message === null) return;
    // Connected only now: the server speaks first when it has authorised the subscription.
    this.attempts = 0;
    this.setConnected(true);
    if (message.topics.length > 0) this.options.onMessage(message);
  }

  private closed(code: number): void {
    this.socket = null;
    this.setConnected(false);
    if (code === CLOSE_EXPIRED || code === CLOSE_FORBIDDEN) {
      this.stop();
      this.options.onRefused(code === CLOSE_EXPIRED ? 'expired' : 'forbidden');
    } else if (this.running) {
      this.retryLater();
    }
  }

  private retryLater(): void {
    const { clock } = this.options;
    const ceiling = Math.min(MAX_BACKOFF_MILLIS, FIRST_BACKOFF_MILLIS * 2 ** this.attempts);
    this.attempts += 1;
    this.retryTimer = clock.setTimeout(
      () => {
        this.retryTimer = null;
        if (this.running) this.open();
      },
      // At least a little, so that a refusing server is not asked in a tight loop.
      Math.max(100, clock.random() * ceiling),
    );
  }

  private clearRetry(): void {
    if (this.retryTimer !== null) this.options.clock.clearTimeout(this.retryTimer);
    this.retryTimer = null;
  }

  private watch(): void {
    this.checkTimer = this.options.clock.setTimeout(() => {
      this.checkSilence();
      if (this.running) this.watch();
    }, CHECK_MILLIS);
  }

  private checkSilence(): void {
    if (this.socket === null) return;
    if (this.options.clock.now() - this.lastHeard <= SILENCE_MILLIS) return;
    this.drop();
    this.open();
  }

  private drop(): void {
    const socket = this.socket;
    this.socket = null;
    if (socket !== null) {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
    }
    this.setConnected(false);
  }

  private setConnected(connected: boolean): void {
    if (this.connected === connected) return;
    this.connected = connected;
    this.options.onConnected(connected);
  }
}
