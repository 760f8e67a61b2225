// The browser's side of the live logic: sockets, channels and locks.
import type { FeedBus, FeedNews, LeaderLock } from './feed';
import type { SocketLike } from './socket';

/** The token travels in the subprotocol, because a browser's socket cannot set headers. */
export function browserSocket(project: string, token: string): SocketLike {
  const scheme = window.location.protocol === 'https:' ? 'wss' : 'ws';
  const url = `${scheme}://${window.location.host}/live?project=${encodeURIComponent(project)}`;
  const header = `quarkus-http-upgrade#Authorization#Bearer ${token}`;
  const socket = new WebSocket(url, ['bearer-token-carrier', encodeURIComponent(header)]);
  const like: SocketLike = {
    onopen: null,
    onmessage: null,
    onclose: null,
    close: () => socket.close(),
  };
  socket.addEventListener('open', () => like.onopen?.());
  socket.addEventListener('message', (event) => like.onmessage?.(event));
  socket.addEventListener('close', (event) => like.onclose?.(event));
  return like;
}

/** Other tabs, or nobody where the browser has no BroadcastChannel. */
export function browserBus(name: string): FeedBus {
  if (typeof BroadcastChannel === 'undefined') {
    return { post: () => undefined, onNews: null, close: () => undefined };
  }
  const channel = new BroadcastChannel(name);
  const bus: FeedBus = {
    post: (news) => channel.postMessage(news),
    onNews: null,
    close: () => channel.close(),
  };
  channel.addEventListener('message', (event: MessageEvent<FeedNews>) => bus.onNews?.(event.data));
  return bus;
}

/** Web Locks need a secure context; without them every tab leads for itself. */
export function browserLock(name: string): LeaderLock {
  const locks = typeof BroadcastChannel === 'undefined' ? undefined : navigator.locks;
  if (!locks) return { request: (_steal, hold) => hold() };
  return {
    request: async (steal, hold) => {
      await locks.request(name, { steal }, hold);
    },
  };
}
