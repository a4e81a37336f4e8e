import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serveInspector } from '../../src/inspector/server.ts';
import { type Home, newHome, temporaryFolder } from '../support/built.ts';
import { fiatrail, startFiatrail } from '../support/in-process.ts';
import { fakeWorld } from '../support/world.ts';
import { ask, enter, session } from './asking.ts';

/** Who may see the inspector of a served sandbox, and what it says to everyone else. */

interface Served {
  readonly url: string;
  readonly apiKey: string;
  readonly inspector: string;
}

interface Inspected extends Served {
  readonly home: Home;
  readonly end: () => Promise<void>;
  readonly origin: string;
  readonly token: string;
}

async function inspected(...more: string[]): Promise<Inspected> {
  const home = newHome(onTestFinished);
  const server = startFiatrail(home, [
    'sandbox',
    'serve',
    '--port',
    '0',
    '--rate-limits',
    'off',
    '--inspect',
    ...more,
    '-o',
    'json',
  ]);
  const end = async () => {
    server.kill('SIGTERM');
    await server.end;
  };
  onTestFinished(end);
  const served = JSON.parse(await server.firstLine()) as Served;
  const { origin, hash } = new URL(served.inspector);
  return { ...served, home, end, origin, token: hash.replace('#token=', '') };
}

/** Asks until what was recorded in the background is there. */
async function until<T>(read: () => Promise<T>, isThere: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read();
    if (isThere(value)) return value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('a token is worth a session once, and its cookie is kept from scripts and other sites', async () => {
  const at = await inspected();
  const first = await enter(at);
  expect(first.status).toBe(200);
  expect(first.headers['set-cookie']?.[0]).toMatch(
    /^fiatrail-inspector-[0-9a-f]{12}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  expect(await enter(at)).toMatchObject({
    status: 401,
    headers: expect.not.objectContaining({ 'set-cookie': expect.anything() }),
  });
});

test('a wrong token is rejected, and does not use up the right one', async () => {
  const at = await inspected();
  expect((await enter({ ...at, token: `${at.token}x` })).status).toBe(401);
  expect((await ask(at.origin, '/enter', { origin: at.origin }, '{"token":1}')).status).toBe(401);
  expect((await ask(at.origin, '/enter', { origin: at.origin }, 'no json')).status).toBe(400);
  expect((await enter(at)).status).toBe(200);
});

test('without a session there is the empty page alone', async () => {
  const { origin } = await inspected();
  const paths = [
    '/',
    '/page.js',
    '/page.css',
    '/api/about',
    '/api/feed',
    '/api/lists/requests',
    '/api/documents/clock',
  ];
  const replies = await Promise.all(paths.map((path) => ask(origin, path)));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 401, 401, 401, 401]);
  for (const { headers } of replies) {
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self';");
    expect(headers['x-content-type-options']).toBe('nosniff');
  }
});

test('a foreign Host or Origin gets nothing, even with the cookie', async () => {
  const at = await inspected();
  const cookie = await session(at);
  const { host, port } = new URL(at.origin);
  expect((await ask(at.origin, '/api/about', { cookie, host })).status).toBe(200);
  expect((await ask(at.origin, '/api/about', { cookie, host: `localhost:${port}` })).status).toBe(200);
  const hosts = [
    `evil.example:${port}`,
    '127.0.0.1:1',
    '127.0.0.1',
    `127.0.0.1.evil.example:${port}`,
    `0.0.0.0:${port}`,
  ];
  for (const forged of hosts) expect((await ask(at.origin, '/', { cookie, host: forged })).status).toBe(403);
  for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1', `https://127.0.0.1:${port}`])
    expect((await ask(at.origin, '/api/about', { cookie, origin })).status).toBe(403);
});

/** Sends a request as it is, and returns its status. */
async function statusOfRaw(origin: string, head: readonly string[]): Promise<string | undefined> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  socket.end(`${head.join('\r\n')}\r\nConnection: close\r\n\r\n`);
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part as Buffer);
  return /^HTTP\/1\.1 (\d+)/.exec(Buffer.concat(parts).toString('latin1'))?.[1];
}

test.each([
  ['a foreign one after its own', (own: string) => [own, 'evil.example']],
  ['a foreign one before its own', (own: string) => ['evil.example', own]],
  ['its own twice', (own: string) => [own, own]],
  ['none', () => []],
])('a request with more or less than one Host gets nothing: %s', async (_what, hostsOf) => {
  const at = await inspected();
  const cookie = await session(at);
  const { host } = new URL(at.origin);
  const asked = (hosts: readonly string[]) =>
    statusOfRaw(at.origin, ['GET /api/about HTTP/1.1', ...hosts.map((each) => `Host: ${each}`), `Cookie: ${cookie}`]);
  expect(await asked([host])).toBe('200');
  expect(await asked(hostsOf(host))).toMatch(/^40[03]$/);
});

test('a body is read to 64 KiB, and no further', async () => {
  const at = await inspected();
  const body = (bytes: number) => `{"token":"${'x'.repeat(bytes - 12)}"}`;
  const entered = (bytes: number) => ask(at.origin, '/enter', { origin: at.origin }, body(bytes));
  expect((await entered(64 * 1024)).status).toBe(401);
  expect(await entered(64 * 1024 + 1)).toMatchObject({
    status: 400,
    body: '{"error":"body: expected at most 65536 bytes"}',
  });
});

/** A clock on which nobody wakes up. */
const STILL = { now: () => 0, sleep: (_ms: number, signal: AbortSignal) => once(signal, 'abort').then(() => {}) };

test('what goes wrong inside is said without what it was about', async () => {
  const fails = () => Promise.reject(new Error('the row of ADA OBI, 22212345678'));
  const documents = { clock: fails };
  const source = {
    title: '',
    zone: 'UTC',
    version: () => '1',
    find: fails,
    linksOf: fails,
    lists: {},
    documents,
    actions: {},
  };
  const { url, close } = await serveInspector({ ...fakeWorld(), clock: STILL }, source, { host: '127.0.0.1', port: 0 });
  onTestFinished(close);
  const { origin, hash } = new URL(url);
  const cookie = await session({ origin, token: hash.replace('#token=', '') });
  expect(await ask(origin, '/api/documents/clock', { cookie })).toMatchObject({
    status: 500,
    body: '{"error":"the inspector could not answer"}',
  });
});

test('a change must say where it comes from, and needs a session', async () => {
  const at = await inspected();
  const cookie = await session(at);
  const { origin } = at;
  const advance = (headers: Record<string, string>) =>
    ask(origin, '/api/actions/advance', headers, '{"durationMs":60000}');
  expect((await advance({ cookie })).status).toBe(403);
  expect((await advance({ cookie, origin: 'https://evil.example' })).status).toBe(403);
  expect((await advance({ origin })).status).toBe(401);
  const clock = async () => JSON.parse((await ask(origin, '/api/documents/clock', { cookie })).body).clockOffsetSeconds;
  expect(await clock()).toBe(0);
  expect((await advance({ cookie, origin })).status).toBe(200);
  expect(await clock()).toBe(60);
  const unknown = await ask(origin, '/api/actions/reset', { cookie, origin }, '{}');
  expect(unknown).toMatchObject({ status: 404, body: '{"error":"nothing can be changed here"}' });
  const wrong = await ask(
    origin,
    '/api/actions/fault-add',
    { cookie, origin },
    '{"endpoint":"x","kind":"slow","times":1}',
  );
  expect(wrong).toMatchObject({ status: 400, body: expect.stringContaining('endpoint: expected the id') });
});

test('two inspectors take neither cookie nor session of each other', async () => {
  const [one, other] = [await inspected(), await inspected()];
  const cookies = [await session(one), await session(other)];
  const both = cookies.join('; ');
  expect((await ask(one.origin, '/api/about', { cookie: both })).status).toBe(200);
  expect((await ask(other.origin, '/api/about', { cookie: both })).status).toBe(200);
  expect((await ask(one.origin, '/api/about', { cookie: cookies[1] ?? '' })).status).toBe(401);
  const [, secret = ''] = (cookies[1] ?? '').split('=');
  const [name = ''] = (cookies[0] ?? '').split('=');
  expect((await ask(one.origin, '/api/about', { cookie: `${name}=${secret}` })).status).toBe(401);
});

test('a browser that reads no events costs nobody else anything, and does not keep the command from ending', async () => {
  const at = await inspected();
  const cookie = await session(at);
  const { hostname, port, host } = new URL(at.origin);
  for (let count = 0; count < 5; count++) {
    const socket = connect(Number(port), hostname).pause();
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(`GET /api/feed HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n\r\n`);
  }
  expect((await ask(at.origin, '/api/about', { cookie })).status).toBe(200);
});

test('a browser that goes away in the middle of anything disturbs nobody', async () => {
  const at = await inspected();
  const cookie = await session(at);
  const { hostname, port, host } = new URL(at.origin);
  const starts = ['/api/feed', '/api/lists/requests', '/api/documents/book', '/page.js'].map((path) => `GET ${path}`);
  for (const start of [...starts, 'POST /enter', 'POST /api/actions/save', '']) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    await once(socket, 'connect');
    const headers = `Host: ${host}\r\nOrigin: ${at.origin}\r\nCookie: ${cookie}\r\nContent-Length: 99\r\n\r\n{"`;
    await new Promise((resolve) => socket.write(start === '' ? 'GE' : `${start} HTTP/1.1\r\n${headers}`, resolve));
    socket.resetAndDestroy();
  }
  expect((await ask(at.origin, '/api/about', { cookie })).status).toBe(200);
  expect((await fetch(`${at.url}/getfees`, { headers: { 'x-api-key': at.apiKey } })).status).toBe(200);
});

test('events say that something is new, and not again to whoever heard it', async () => {
  const at = await inspected();
  const cookie = await session(at);
  const feed = (headers: Record<string, string>, isEnough: (text: string) => boolean) =>
    new Promise<string>((resolve, reject) => {
      const sent = request(`${at.origin}/api/feed`, { headers: { cookie, ...headers }, agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part) => {
          text += part;
          if (!isEnough(text)) return;
          sent.destroy();
          resolve(text);
        });
      });
      sent.on('error', reject).end();
    });
  const first = await feed({}, (text) => text.includes('data: changed'));
  const [, id = ''] = /id: (\S+)/.exec(first) ?? [];
  const heard = feed({ 'last-event-id': id }, (text) => text.includes('data: changed'));
  await fetch(`${at.url}/getfees`, { headers: { 'x-api-key': at.apiKey } });
  const [, next = ''] = /id: (\S+)/.exec(await heard) ?? [];
  expect(next).not.toBe('');
  expect(next).not.toBe(id);
});

interface Recorded {
  readonly total: number;
  readonly rows: readonly { readonly id: string; readonly operation: string | null; readonly status: number }[];
}

test('what is recorded has neither keys nor BVNs, and long bodies are cut', async () => {
  const at = await inspected();
  const cookie = await session(at);
  const headers = { 'x-api-key': at.apiKey, 'content-type': 'application/json' };
  const send = (path: string, body: string) => fetch(`${at.url}${path}`, { method: 'POST', headers, body });
  await send('/onboarduser', '{"bvn":"22222222229"}');
  await send('/nowhere', `{"bvn":"22222222229"}`);
  await send('/onboarduser', `{"bvn":"22222222229","note":"${'x'.repeat(50_000)}"}`);
  await fetch(new URL('/_sandbox/status?values=true', at.url), { headers });
  const list = async () =>
    JSON.parse((await ask(at.origin, '/api/lists/requests?from=0&limit=10', { cookie })).body) as Recorded;
  const { rows } = await until(list, ({ total }) => total === 4);
  expect(rows.map(({ operation, status }) => [operation, status])).toEqual([
    ['users.onboard', 200],
    [null, 404],
    ['users.onboard', expect.any(Number)],
    ['sandbox.status', 200],
  ]);
  const details = await Promise.all(
    rows.map(async ({ id }) => (await ask(at.origin, `/api/lists/requests/${id}`, { cookie })).body),
  );
  for (const detail of details) {
    expect(detail).not.toContain(at.apiKey);
    expect(detail).not.toContain('22222222229');
    expect(detail.length).toBeLessThan(60_000);
  }
  expect(details[2]).toContain('… (cut; it has ');
});

test('a request that may change something is copied as a dry run, and never as curl', async () => {
  const at = await inspected();
  const cookie = await session(at);
  const headers = { 'x-api-key': at.apiKey, 'content-type': 'application/json' };
  await fetch(`${at.url}/getfees`, { headers });
  await fetch(`${at.url}/cngnonramp`, { method: 'POST', headers, body: `{"userId":"it's","amount":5000}` });
  const list = async () =>
    JSON.parse((await ask(at.origin, '/api/lists/requests?from=0&limit=10', { cookie })).body) as Recorded;
  const { rows } = await until(list, ({ total }) => total === 2);
  const copies = await Promise.all(
    rows.map(async ({ id }) => JSON.parse((await ask(at.origin, `/api/lists/requests/${id}`, { cookie })).body).copies),
  );
  expect(copies).toEqual([
    {
      fiatrail: 'fiatrail api GET /getfees',
      curl: 'curl -X GET -H "x-api-key: $FIATRAIL_API_KEY" "$FIATRAIL_BASE_URL"/getfees',
    },
    { fiatrail: `fiatrail api POST /cngnonramp -d '{"userId":"it'\\''s","amount":5000}' --dry-run` },
  ]);
});

test('every posting set that is shown sums to zero, and says what it left', async () => {
  const at = await inspected();
  const cookie = await session(at);
  const read = async (path: string) => JSON.parse((await ask(at.origin, path, { cookie })).body);
  const { total } = await read('/api/lists/ledger?limit=0');
  const { postings, sums } = await read(`/api/lists/ledger/${total}`);
  expect(postings.length).toBeGreaterThan(1);
  for (const { isZero } of sums) expect(isZero).toBe(true);
  const balances = await read('/api/documents/balances');
  expect(balances.map(({ isZero }: { isZero: boolean }) => isZero)).toEqual(balances.map(() => true));
});

test('a session is saved when asked, and at the end; a sum that is not true is not shown', async () => {
  const path = join(temporaryFolder(onTestFinished), 'session.json');
  const at = await inspected('--inspect-save', path);
  const cookie = await session(at);
  await fetch(`${at.url}/getfees`, { headers: { 'x-api-key': at.apiKey } });
  expect((await ask(at.origin, '/api/actions/save', { cookie, origin: at.origin }, '{}')).status).toBe(200);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const linesOf = () => readFileSync(path, 'utf8').split('\n');
  await at.end();
  const [, body = ''] = linesOf();
  expect(body).toContain('"operation":"fees.get"');
  expect(body).not.toContain(at.apiKey);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  // Whoever edits a file can compute its digest too.
  const [, minor = ''] = /"minor":"(-?\d+)"/.exec(body) ?? [];
  const edited = body.replace(`"minor":"${minor}"`, `"minor":"${minor}0"`);
  const sha256 = createHash('sha256').update(edited).digest('hex');
  writeFileSync(path, `${JSON.stringify({ format: 'fiatrail inspector session', version: 2, sha256 })}\n${edited}\n`);
  expect(await fiatrail(at.home, ['inspect', path])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('has something that no session has'),
  });
});

test('a file to save to is new, and about the page', async () => {
  const home = newHome(onTestFinished);
  const taken = join(home.path, 'taken');
  writeFileSync(taken, 'mine');
  const serve = ['sandbox', 'serve', '--port', '0'];
  const ran = await fiatrail(home, [...serve, '--inspect', '--inspect-save', taken]);
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(`${taken} cannot be created`) });
  expect(readFileSync(taken, 'utf8')).toBe('mine');
  for (const words of [
    ['--inspect-save', 'x'],
    ['--inspect', '--with-personal-data'],
  ])
    expect((await fiatrail(home, [...serve, ...words])).code).toBe(2);
});

test('110 connections that say nothing keep nobody from the page, nor end an open one', async () => {
  const at = await inspected();
  const cookie = await session(at);
  const feed = request(`${at.origin}/api/feed`, { headers: { cookie }, agent: false }).end();
  const [events] = (await once(feed, 'response')) as [IncomingMessage];
  let isOpen = true;
  events.resume().once('close', () => {
    isOpen = false;
  });
  const port = Number(new URL(at.origin).port);
  const idle = Array.from({ length: 110 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  onTestFinished(() => {
    for (const socket of idle) socket.destroy();
  });
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  for (const path of ['/', '/api/about', '/api/lists/requests?limit=1'])
    expect((await ask(at.origin, path, { cookie })).status, path).toBe(200);
  // The oldest of those gave way.
  expect(idle.filter((socket) => !socket.destroyed).length).toBeLessThan(100);
  expect(isOpen).toBe(true);
});

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', "' OR 1=1 --", 'x'.repeat(3_000)])(
  'a list with the state %s is empty, and not an error',
  async (state) => {
    const at = await inspected();
    const cookie = await session(at);
    await fetch(`${at.url}/getbalance`, { headers: { authorization: `Bearer ${at.apiKey}` } });
    const { lists } = JSON.parse((await ask(at.origin, '/api/about', { cookie })).body) as { lists: string[] };
    expect(lists).toContain('requests');
    for (const list of lists)
      for (const more of ['', '&text=a', '&from=newest']) {
        const path = `/api/lists/${list}?limit=9&state=${encodeURIComponent(state)}${more}`;
        const { status, body } = await ask(at.origin, path, { cookie });
        expect(status, path).toBe(200);
        // Others have no states.
        if (['requests', 'events'].includes(list)) expect((JSON.parse(body) as { rows: unknown[] }).rows).toEqual([]);
      }
    for (const path of [`/api/lists/${state}`, `/api/documents/${state}`])
      expect((await ask(at.origin, encodeURI(path), { cookie })).status, path).toBe(404);
  },
);
