import { once } from 'node:events';
import { Server } from 'node:http';
import { connect } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type ServedSandbox, type ServeOptions, serve } from '../../src/sandbox/serve.ts';
import { countingIds, type FakeClock, fakeClock, replyOf, temporaryFolder } from '../support/sandbox.ts';

const MEBIBYTE = 1024 * 1024;

interface Served extends AsyncDisposable {
  readonly served: ServedSandbox;
  readonly port: number;
  readonly path: string;
  readonly clock: FakeClock;
  close(): Promise<void>;
}

async function openServed(more: Partial<ServeOptions> = {}): Promise<Served> {
  const folder = temporaryFolder();
  const clock = fakeClock();
  const path = folder.file('sandbox.db');
  const served = await serve({ clock, ids: countingIds() }, { path, port: 0, rateLimits: false, ...more });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await served.close();
    isOpen = false;
  };
  return {
    served,
    port: Number(new URL(served.url).port),
    path,
    clock,
    close,
    [Symbol.asyncDispose]: async () => {
      await close();
      folder[Symbol.dispose]();
    },
  };
}

/** Sends raw text to a socket and returns everything received until the server closes it. */
async function raw(port: number, text: string): Promise<{ status: number; body: string }> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    answer += chunk;
  });
  socket.write(text);
  await once(socket, 'close');
  const [head = '', ...body] = answer.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), body: body.join('\r\n\r\n') };
}

function request(line: string, headers: readonly string[], body = ''): string {
  return [`${line} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, '', body].join('\r\n');
}

async function post({ served }: Served, path: string, body: string): Promise<{ status: number; body: string }> {
  const headers = { 'x-api-key': served.apiKey, 'content-type': 'application/json' };
  const response = await fetch(served.url + path, { method: 'POST', headers, body });
  return { status: response.status, body: await response.text() };
}

async function get({ served }: Served, path: string): Promise<{ status: number; body: string }> {
  const response = await fetch(served.url + path, { headers: { 'x-api-key': served.apiKey } });
  return { status: response.status, body: await response.text() };
}

/** Header lines with the right key, with different spellings of the name. */
const spellings: [what: string, lines: (key: string) => string[], status: number][] = [
  ['x-api-key', (key) => [`x-api-key: ${key}`], 200],
  ['x-api-key without a space', (key) => [`x-api-key:${key}`], 200],
  ['X-Api-Key', (key) => [`X-Api-Key: ${key}`], 401],
  ['X-API-KEY', (key) => [`X-API-KEY: ${key}`], 401],
  ['x-Api-key', (key) => [`x-Api-key: ${key}`], 401],
  ['x_api_key', (key) => [`x_api_key: ${key}`], 401],
  ['Authorization', (key) => [`Authorization: Bearer ${key}`], 401],
  ['no header', () => [], 401],
  ['both spellings, with the right key in the right one', (key) => ['X-Api-Key: x', `x-api-key: ${key}`], 401],
  ['both spellings, with the right key in both', (key) => [`x-api-key: ${key}`, `X-API-KEY: ${key}`], 401],
  ['an underscore in a second one', (key) => [`x-api-key: ${key}`, `x_api_key: ${key}`], 401],
  ['the right one twice', (key) => [`x-api-key: ${key}`, `x-api-key: ${key}`], 401],
  ['both spellings, with the right key in the wrong one', (key) => [`X-Api-Key: ${key}`, 'x-api-key: x'], 401],
  ['the name as a value and the key as a name', (key) => ['a: x-api-key', `${key}: b`], 401],
];

describe('an API key in the header', () => {
  test.each(spellings)('%s', async (_what, lines, status) => {
    await using open = await openServed();
    const reply = await raw(open.port, request('GET /v1/getfees', lines(open.served.apiKey)));
    const { envelope } = replyOf(reply);
    expect({ status: reply.status, response_code: envelope.response_code }).toEqual({
      status,
      response_code: status === 200 ? '00' : '03',
    });
  });

  test.each(spellings)('%s, at a control', async (_what, lines, status) => {
    await using open = await openServed();
    const reply = await raw(open.port, request('GET /_sandbox/clock', lines(open.served.apiKey)));
    expect(reply.status).toBe(status);
  });
});

test('the Date header is the time of the sandbox', async () => {
  await using opened = await openServed();
  await post(opened, '/../_sandbox/advance', '{"durationMs":3600000}');
  const { headers } = await fetch(`${opened.served.url}/getfees`, { headers: { 'x-api-key': opened.served.apiKey } });
  expect(headers.get('date')).toBe(new Date(opened.clock.now() + 3_600_000).toUTCString());
});

describe('the address', () => {
  test('ends in /v1, with the controls next to it', async () => {
    await using open = await openServed();
    expect(open.served.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect((await get(open, '/getfees')).status).toBe(200);
    expect((await get(open, '/_sandbox/clock')).status).toBe(404);
    expect((await get(open, '/../_sandbox/clock')).status).toBe(200);
  });

  test('is the loopback address only', async () => {
    await using open = await openServed();
    const socket = connect(open.port, '127.0.0.2');
    await expect(once(socket, 'connect')).rejects.toMatchObject({ code: expect.stringMatching(/^E/) });
  });

  test("in use rejects with the system's error and releases the state file", async () => {
    await using open = await openServed();
    using folder = temporaryFolder();
    const path = folder.file('other.db');
    const second = serve({ clock: fakeClock(), ids: countingIds(2) }, { path, port: open.port });
    await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' });
    const connection = new DatabaseSync(path);
    // In this mode, opening fails if anyone else has the file open.
    connection.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT');
    connection.close();
  });
});

describe('a body', () => {
  const padded = (size: number) => '{}'.padEnd(size, ' ');

  test.each([
    [MEBIBYTE, 200],
    [MEBIBYTE + 1, 400],
    [3 * MEBIBYTE, 400],
  ])('of %d bytes', async (size, status) => {
    await using open = await openServed();
    const reply = await post(open, '/getbankscode', padded(size));
    expect(reply.status).toBe(status);
    if (status === 400) expect(replyOf(reply).envelope).toMatchObject({ response_code: '01', status: 'Error' });
    expect((await get(open, '/getfees')).status).toBe(200);
  });

  test('in chunks, without a length, has the same limit', async () => {
    await using open = await openServed();
    const chunk = `${MEBIBYTE.toString(16)}\r\n${' '.repeat(MEBIBYTE)}\r\n`;
    const headers = [`x-api-key: ${open.served.apiKey}`, 'Transfer-Encoding: chunked'];
    const reply = await raw(open.port, request('POST /v1/getbankscode', headers, `${chunk}2\r\n{}\r\n0\r\n\r\n`));
    expect(reply.status).toBe(400);
  });

  test('with characters beyond ASCII is returned unchanged', async () => {
    await using open = await openServed();
    const account = { accountNumber: '1234567890', bankCode: '000013', label: 'Ọ̀wó ₦ 🙂' };
    expect((await post(open, '/addbankaccount', JSON.stringify(account))).status).toBe(200);
    const { body } = await get(open, '/listbankaccounts');
    expect(body).toContain('"label":"Ọ̀wó ₦ 🙂"');
  });

  test('of GET is ignored, and the connection stays usable', async () => {
    await using open = await openServed();
    const headers = [`x-api-key: ${open.served.apiKey}`];
    const withBody = request('GET /v1/getfees', [...headers, 'Content-Length: 4'], 'junk');
    const first = withBody.replace('Connection: close', 'Connection: keep-alive');
    const { body } = await raw(open.port, first + request('GET /v1/getfees', headers));
    expect(body.match(/"response_code":"00"/g)).toHaveLength(2);
  });
});

describe('concurrent requests', () => {
  test('all get a response, and a rejected one does not affect the others', async () => {
    await using open = await openServed();
    const bvns = Array.from({ length: 50 }, (_each, index) => String(60_000_000_000 + index));
    bvns[13] = 'wrong';
    bvns[26] = '00000000001';
    bvns[39] = bvns[0] ?? '';
    const replies = await Promise.all(bvns.map((bvn) => post(open, '/onboarduser', JSON.stringify({ bvn }))));
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(47);
    expect([statuses[13], statuses[26]]).toEqual([400, 500]);
    // Of the two with one BVN, the first to arrive succeeds.
    expect([statuses[0], statuses[39]].sort()).toEqual([200, 400]);
    open.clock.pass(1000);
    const users = JSON.parse((await post(open, '/listfintechusers', '{"limit":100}')).body);
    expect(users.data.pagination.total).toBe(47);
  });

  test('for money are each posted once, and the ledger balances', async () => {
    await using open = await openServed();
    await post(open, '/onboarduser', '{"bvn":"22222222222"}');
    open.clock.pass(1000);
    const list = JSON.parse((await post(open, '/listfintechusers', '{}')).body);
    const { accountNumber, accountName } = list.data.users[0].virtualAccount;
    const payment = JSON.stringify({ accountNumber, amount: 100, senderName: accountName });
    await Promise.all(Array.from({ length: 50 }, () => post(open, '/../_sandbox/pay', payment)));
    open.clock.pass(1000);
    const status = JSON.parse((await get(open, '/../_sandbox/status')).body);
    expect(status.data).toMatchObject({ pending: 0, ledger: { balanced: true } });
    const { data } = JSON.parse((await get(open, `/balance/user/${list.data.users[0].userId}`)).body);
    // 100 less 1.70 and 0.50, fifty times.
    expect(data.totalBalance).toBe('4890.000000');
  });
});

describe('an internal error', () => {
  test('returns code 05 without details, and the next request works', async () => {
    await using open = await openServed();
    const connection = new DatabaseSync(open.path);
    connection.exec('ALTER TABLE fee_setting RENAME TO gone');
    connection.close();
    const reply = await get(open, '/getfees');
    expect({ status: reply.status, response_code: replyOf(reply).envelope.response_code }).toEqual({
      status: 500,
      response_code: '05',
    });
    expect(reply.body).not.toMatch(/fee_setting|SQLITE|no such/i);
    expect((await get(open, '/listbankaccounts')).status).toBe(200);
  });
});

describe('the options', () => {
  test('set pace and rate limits; without them, the file keeps its own', async () => {
    using folder = temporaryFolder();
    const path = folder.file('shared.db');
    const shown = async (more: Partial<ServeOptions>) => {
      await using open = await openServed({ path, rateLimits: undefined, ...more });
      const { data } = JSON.parse((await get(open, '/../_sandbox/status')).body);
      return [data.pace, data.rateLimits];
    };
    expect(await shown({ pace: 'real', rateLimits: false })).toEqual(['real', 'off']);
    expect(await shown({})).toEqual(['real', 'off']);
    expect(await shown({ rateLimits: true })).toEqual(['real', 'on']);
  });
});

describe('closing', () => {
  test('responds to open requests first', async () => {
    await using open = await openServed();
    const body = '{"bvn":"22222222222"}';
    const headers = [`x-api-key: ${open.served.apiKey}`, `Content-Length: ${body.length}`, 'Expect: 100-continue'];
    const socket = connect(open.port, '127.0.0.1').setEncoding('utf8');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.write(request('POST /v1/onboarduser', headers));
    // The server has started the request once it says "continue".
    await once(socket, 'data');
    expect(answer).toMatch(/^HTTP\/1\.1 100 /);
    const closing = open.close();
    socket.write(body);
    await once(socket, 'close');
    expect(answer).toMatch(/HTTP\/1\.1 200 [\s\S]*"response_code":"00"/);
    await closing;
  });

  test('saves the request counts', async () => {
    using folder = temporaryFolder();
    const path = folder.file('shared.db');
    const statuses: number[] = [];
    for (let round = 0; round < 2; round++) {
      await using open = await openServed({ path, rateLimits: true });
      for (let count = 0; count < 31; count++) statuses.push((await get(open, '/getfees')).status);
    }
    expect(statuses).toEqual([...Array(60).fill(200), 429, 429]);
  });

  test.each([
    ['sends nothing', ''],
    ['stops in the middle of its headers', 'GET /v1/getfees HTTP/1.1\r\nHost: localhost\r\n'],
    [
      'stops in the middle of its body',
      'POST /v1/onboarduser HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{',
    ],
  ])('waits a second, and no longer, for a connection that %s', async (_what, text) => {
    const graces: { readonly ms: number; readonly over: AbortController }[] = [];
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const over = new AbortController();
      graces.push({ ms, over });
      return over.signal;
    });
    // Servers of other tests may still have a grace of their own.
    const closing = vi.spyOn(Server.prototype, 'close');
    const cutOff = vi.spyOn(Server.prototype, 'closeAllConnections');
    const isCutOff = () => cutOff.mock.contexts.includes(closing.mock.contexts[0]);
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const open = await openServed();
    const socket = connect(open.port, '127.0.0.1');
    // A connection that the server cuts off in the middle of a request may be reset.
    socket.on('error', () => {});
    let closed: Promise<void> | undefined;
    try {
      await once(socket, 'connect');
      socket.write(text);
      // A complete response on another connection proves that the server has accepted this one.
      await get(open, '/getfees');
      const gone = once(socket, 'close');
      closed = open.close();
      expect({ graces: graces.map(({ ms }) => ms), isCutOff: isCutOff() }).toEqual({
        graces: [1_000],
        isCutOff: false,
      });
      graces[0]?.over.abort();
      expect(isCutOff()).toBe(true);
      await Promise.all([gone, closed]);
      expect(socket.destroyed).toBe(true);
    } finally {
      socket.destroy();
      await closed;
      await open[Symbol.asyncDispose]();
    }
  });
});
