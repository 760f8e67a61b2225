// The whole back end as the UI sees it, make-believe and deterministic: node mock/server.mjs [port].
// Serves dist/ with the headers of the real service, the API of mock/world.mjs and /live.
// POST /mock/control changes its behaviour for tests; GET /mock/log tells what was asked.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { createGzip } from 'node:zlib';
import { World } from './world.mjs';

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self';" +
  " img-src 'self' data:; connect-src 'self'; worker-src 'self'; manifest-src 'self';" +
  " base-uri 'none'; frame-ancestors 'none'; form-action 'self'";
const TYPES = {
  '.html': 'text/html;charset=UTF-8',
  '.js': 'text/javascript;charset=UTF-8',
  '.css': 'text/css;charset=UTF-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const PROJECTS = [
  { project: 'acme-prod', role: 'admin', actions: ['jobs:read', 'jobs:enqueue'] },
  { project: 'default', role: 'operator', actions: ['jobs:read', 'jobs:enqueue'] },
];
const HEARTBEAT = 20_000;
const WS_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

const base64 = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

export function startMock({ port = 0, dist, lifetime = 8 * 3_600 }) {
  const world = new World(Date.now());
  const control = { delay: 0, fail: null, sockets: 'open', signals: 1, lifetime, frozenAt: null };
  const sockets = new Set();
  const log = [];
  const refused = new Set();
  const timers = [];
  const now = () => control.frozenAt ?? Date.now();

  function makeToken(email) {
    const exp = Math.floor(Date.now() / 1_000) + control.lifetime;
    return `${base64({ alg: 'none' })}.${base64({ sub: email, exp, n: log.length })}.mock`;
  }

  function tokenProblem(request) {
    const token = request.headers.authorization?.replace('Bearer ', '');
    return !token?.endsWith('.mock') || refused.has(token);
  }

  function send(response, status, body, extra = {}) {
    const type = status < 400 ? 'application/json' : 'application/problem+json';
    response.writeHead(status, { 'Content-Type': type, ...extra });
    response.end(JSON.stringify(body));
  }

  function problem(response, status, title, detail, extra) {
    send(response, status, { type: '/problems/mock', title, status, detail }, extra);
  }

  function page(items, capped = false) {
    return { items, nextCursor: null, count: { value: items.length, capped } };
  }

  function api(request, response, url, body) {
    const path = url.pathname.replace('/api/v1', '');
    if (path === '/auth/login') {
      const { email, password } = JSON.parse(body);
      if (password === 'wrong') return problem(response, 401, 'Unauthorized', 'No such login.');
      return send(response, 200, {
        accessToken: makeToken(email),
        tokenType: 'Bearer',
        expiresIn: control.lifetime,
      });
    }
    if (tokenProblem(request))
      return problem(response, 401, 'Unauthorized', 'The token is not valid.');
    if (control.fail && path.includes(control.fail.path)) {
      return problem(
        response,
        control.fail.status,
        'Service unavailable',
        'The database is away.',
        {
          'Retry-After': '1',
        },
      );
    }
    if (path === '/auth/me') {
      return send(response, 200, {
        id: '1',
        email: 'mira@example.org',
        name: 'Mira Keller',
        platformAdmin: false,
        projects: PROJECTS,
      });
    }
    const rest = /^\/projects\/[^/]+\/(.+)$/.exec(path)?.[1];
    const states = (url.searchParams.get('state') ?? '').split(',').filter(Boolean);
    const limit = Number(url.searchParams.get('limit') ?? 50);
    const answers = {
      stats: () => world.stats(now()),
      queues: () => page(world.queues(now())),
      jobs: () => ({ ...page(world.jobs({ states, limit }, now()), true), partial: false }),
      workers: () => page(world.workers(now())),
      workflows: () => page(world.workflows(now())),
    };
    const answer = answers[rest];
    if (!answer) return problem(response, 404, 'Not found', 'There is no such thing.');
    const content = answer();
    const etag = `"${createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16)}"`;
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, { ETag: etag });
      return response.end();
    }
    return send(response, 200, content, { ETag: etag });
  }

  function file(request, response, url) {
    let path = join(dist, normalize(url.pathname));
    const known = existsSync(path) && statSync(path).isFile();
    if (!known && (url.pathname.includes('.') || !request.headers.accept?.includes('text/html'))) {
      response.writeHead(404);
      return response.end();
    }
    if (!known) path = join(dist, 'index.html');
    const type = TYPES[extname(path)] ?? 'application/octet-stream';
    const gzip = type !== 'font/woff2' && request.headers['accept-encoding']?.includes('gzip');
    response.writeHead(200, {
      'Content-Type': type,
      'Content-Security-Policy': CSP,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': path.includes('assets') ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...(gzip ? { 'Content-Encoding': 'gzip' } : {}),
    });
    const content = createReadStream(path);
    return gzip ? content.pipe(createGzip()).pipe(response) : content.pipe(response);
  }

  function controlled(body) {
    const { revoke, close, empty, freeze, ...rest } = JSON.parse(body);
    Object.assign(control, rest);
    if (revoke) log.filter(({ token }) => token).forEach(({ token }) => refused.add(token));
    if (empty !== undefined) world.empty = empty;
    if (freeze !== undefined) control.frozenAt = freeze ? Date.now() : null;
    if (close) for (const socket of sockets) socket.end(frame(close));
    if (control.sockets !== 'open') for (const socket of sockets) socket.destroy();
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://mock');
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      if (url.pathname === '/mock/control') {
        controlled(body);
        return send(response, 200, {});
      }
      if (url.pathname === '/mock/log') return send(response, 200, log);
      if (!url.pathname.startsWith('/api/')) return file(request, response, url);
      const token = request.headers.authorization?.replace('Bearer ', '') ?? null;
      log.push({ at: Date.now(), path: url.pathname, token });
      return setTimeout(() => api(request, response, url, body), control.delay);
    });
  });

  /** A text frame, or a close frame when given a code. Short messages only. */
  function frame(content) {
    const close = typeof content === 'number';
    const payload = close ? Buffer.from([content >> 8, content & 255]) : Buffer.from(content);
    return Buffer.concat([Buffer.from([close ? 0x88 : 0x81, payload.length]), payload]);
  }

  function signal(topics) {
    for (const socket of sockets) {
      socket.write(frame(JSON.stringify({ topics, project: socket.project })));
    }
  }

  server.on('upgrade', (request, socket) => {
    const url = new URL(request.url, 'http://mock');
    socket.on('error', () => sockets.delete(socket));
    if (control.sockets !== 'open' || url.pathname !== '/live') {
      socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n');
      return;
    }
    const key = request.headers['sec-websocket-key'];
    const accept = createHash('sha1')
      .update(key + WS_GUID)
      .digest('base64');
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
        `Sec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: bearer-token-carrier\r\n\r\n`,
    );
    socket.project = url.searchParams.get('project');
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A browser of this UI sends nothing but its close frame.
    socket.on('data', () => socket.end(frame(1000)));
    socket.write(frame(JSON.stringify({ topics: [], project: socket.project })));
  });

  timers.push(
    setInterval(() => signal([]), HEARTBEAT),
    setInterval(() => {
      if (control.frozenAt) return;
      for (let n = 0; n < control.signals; n += 1)
        signal(['jobs', 'queues', 'workflows', 'workers']);
    }, 1_000),
  );

  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () => {
      resolve({
        url: `http://127.0.0.1:${server.address().port}`,
        log,
        sockets,
        control: (change) => controlled(JSON.stringify(change)),
        stop: () => {
          timers.forEach(clearInterval);
          for (const socket of sockets) socket.destroy();
          server.closeAllConnections();
          server.close();
        },
      });
    });
  });
}

if (process.argv[1] === import.meta.filename) {
  const port = Number(process.argv[2] ?? 8090);
  const dist = process.env.DASHBOARD_DIST ?? join(import.meta.dirname, '..', 'dist');
  const mock = await startMock({ port, dist });
  console.log(`mock dashboard at ${mock.url} (any email; the password "wrong" is refused)`);
}
