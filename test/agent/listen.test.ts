import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Home, newHome, sharedEnd } from '../support/built.ts';
import { fiatrail, startFiatrail } from '../support/in-process.ts';

const atEnd = sharedEnd();
let home: Home;
let url: string;
let token: string;
let tokenFile: string;

beforeAll(async () => {
  home = newHome(atEnd);
  tokenFile = join(home.path, 'agent.token');
  const running = startFiatrail(home, ['mcp', '--listen', '127.0.0.1:0', '--token-file', tokenFile]);
  atEnd(async () => {
    running.kill('SIGTERM');
    await running.end;
  });
  url = (await running.firstLine()).trim();
  token = readFileSync(tokenFile, 'utf8').trim();
});

/** Sends a request as anyone on the machine could, and returns its status and body. */
function send(headers: Record<string, string>, { method = 'POST', path = '/mcp', body = LIST } = {}) {
  const { hostname, port } = new URL(url);
  return new Promise<{ status: number; body: string; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          body: Buffer.concat(parts).toString(),
          headers: response.headers,
        }),
      );
    });
    sent.on('error', reject);
    sent.end(method === 'GET' ? undefined : body);
  });
}

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
const JSON_TYPES = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const own = () => ({ ...JSON_TYPES, authorization: `Bearer ${token}` });

describe('mcp --listen', () => {
  test('makes a token that only its owner can read', () => {
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
  });

  test.each([undefined, { mode: { pin: '2026-07-28' } } as const])('serves the official client (%j)', async (how) => {
    const client = new Client({ name: 'test', version: '1' }, how ? { versionNegotiation: how } : {});
    const headers = { authorization: `Bearer ${token}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    const { structuredContent } = await client.callTool({ name: 'status', arguments: {} });
    expect(structuredContent).toMatchObject({ data: { mode: 'embedded' } });
    await client.close();
  });

  test('answers nobody without the token', async () => {
    expect((await send(own())).status).toBe(200);
    const wrong = ['', 'Bearer', 'Bearer x', `Bearer ${token}x`, `Basic ${token}`, `Bearer ${token.slice(1)}`];
    for (const authorization of wrong)
      expect((await send({ ...JSON_TYPES, authorization })).status, authorization).toBe(401);
    expect((await send(JSON_TYPES)).status).toBe(401);
  });

  test('answers no page of a browser, and no other name', async () => {
    const { port, origin: ownOrigin } = new URL(url);
    for (const origin of [
      'http://evil.example',
      'null',
      '',
      `https://127.0.0.1:${port}`,
      'http://127.0.0.1',
      `${ownOrigin}.evil.example`,
    ])
      expect((await send({ ...own(), origin })).status, origin).toBe(403);
    for (const host of ['evil.example', `evil.example:${new URL(url).port}`, '127.0.0.1:1'])
      expect((await send({ ...own(), host })).status, host).toBe(403);
    const preflight = await send({ origin: 'http://evil.example' }, { method: 'OPTIONS' });
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([403, undefined]);
    // A form of a page: it can send no header of its own.
    const form = { 'content-type': 'text/plain', origin: 'http://evil.example' };
    expect((await send(form)).status).toBe(403);
    expect((await send({ 'content-type': 'text/plain' })).status).toBe(401);
  });

  test('answers nothing else', async () => {
    expect((await send(own(), { path: '/' })).status).toBe(404);
    expect((await send(own(), { method: 'GET' })).status).toBe(405);
    expect((await send(own(), { method: 'DELETE' })).status).toBe(405);
    expect((await send({ ...own(), 'content-type': 'text/plain' })).status).toBe(415);
    expect((await send(own(), { body: 'nonsense' })).status).toBe(400);
    expect((await send(own(), { body: JSON.stringify('x'.repeat(1_100_000)) })).status).toBe(413);
    expect((await send(own())).status).toBe(200);
  });
});

describe('a token for a group', () => {
  const own = String(process.getgid?.());
  const serve = async (path: string, group: string) => {
    const running = startFiatrail(home, [
      'mcp',
      '--listen',
      '127.0.0.1:0',
      '--token-file',
      path,
      '--token-group',
      group,
    ]);
    await running.firstLine();
    running.kill('SIGTERM');
    expect((await running.end).code).toBe(0);
  };

  test('can be read by that group, and stays the same', async () => {
    const path = join(home.path, 'group.token');
    await serve(path, own);
    const { mode, gid } = statSync(path);
    expect([mode & 0o777, gid]).toEqual([0o640, process.getgid?.()]);
    const before = readFileSync(path, 'utf8');
    await serve(path, own);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  test('is not used if anyone else can do anything with it', async () => {
    const path = join(home.path, 'open-group.token');
    writeFileSync(path, `${'a'.repeat(43)}\n`);
    const start = (group: string) =>
      fiatrail(home, ['mcp', '--listen', '127.0.0.1:0', '--token-file', path, '--token-group', group]);
    for (const [mode, group] of [
      [0o644, own],
      [0o660, own],
      [0o641, own],
      [0o640, '54321'],
    ] as const) {
      chmodSync(path, mode);
      const { code, stderr } = await start(group);
      expect([code, stderr.includes('others can read the token')], `${mode} ${group}`).toEqual([2, true]);
    }
    expect((await start('no-such-group-here')).stderr).toContain('this machine has no group "no-such-group-here"');
    expect((await start('a b')).stderr).toContain('invalid group "a b"');
    expect((await fiatrail(home, ['mcp', '--token-group', own])).stderr).toContain('--token-group is about --listen');
  });
});

describe('mcp --listen does not start', () => {
  const start = (...argv: string[]) => fiatrail(home, ['mcp', ...argv]);

  test.each(['0.0.0.0:8765', '192.0.2.1:80', 'example.com:80', '127.0.0.1', '127.0.0.1:70000', '8765'])(
    'at %s',
    async (at) => {
      const { code, stderr } = await start('--listen', at, '--token-file', join(home.path, 'other'));
      expect([code, stderr.includes('expected a loopback address and a port')]).toEqual([2, true]);
    },
  );

  test('without a token file, or with one that others can read or that has no token', async () => {
    expect((await start('--listen', '127.0.0.1:0')).stderr).toContain('--listen needs --token-file');
    expect((await start('--token-file', 'x')).stderr).toContain('--token-file is about --listen');
    const open = join(home.path, 'open.token');
    writeFileSync(open, `${'a'.repeat(43)}\n`);
    for (const mode of [0o644, 0o640, 0o604]) {
      chmodSync(open, mode);
      const { code, stderr } = await start('--listen', '127.0.0.1:0', '--token-file', open);
      expect([code, stderr.includes('others can read the token')], String(mode)).toEqual([2, true]);
    }
    chmodSync(open, 0o600);
    writeFileSync(open, 'short\n');
    expect((await start('--listen', '127.0.0.1:0', '--token-file', open)).stderr).toContain('has no token');
    expect((await start('--listen', '127.0.0.1:0', '--token-file', home.path)).code).toBe(2);
    expect((await start('--listen', '127.0.0.1:0', '--token-file', '/nowhere/at/all')).code).toBe(2);
  });
});
