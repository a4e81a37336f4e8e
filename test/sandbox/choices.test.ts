import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { SERVER_LIMITS, serve } from '../../src/sandbox/serve.ts';
import { countingIds, fakeClock, temporaryFolder } from '../support/sandbox.ts';
import { fakeWorld } from '../support/world.ts';

// Choices of the served and the embedded sandbox that docs/contributing/inferred.md lists and no other test is about.

/** Serves a sandbox while `work` runs. */
async function served(work: (url: string, apiKey: string) => Promise<void>, keepAliveMs = 50): Promise<void> {
  using folder = temporaryFolder();
  const limits = { ...SERVER_LIMITS, keepAliveMs };
  const options = { path: folder.file('sandbox.db'), port: 0, rateLimits: false, limits };
  const open = await serve({ clock: fakeClock(), ids: countingIds() }, options);
  await work(open.url, open.apiKey).finally(() => open.close());
}

/** Sends text on a new connection and returns all that arrives until it closes. */
async function exchange(url: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.write(text);
  await once(socket, 'close', { signal: AbortSignal.timeout(20_000) });
  return answer;
}

const asking = (apiKey: string, more: string) =>
  `GET /v1/getfees HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${apiKey}\r\n${more}\r\n`;

test('an upgrade that a request offers is ignored', async () => {
  await served(async (url, apiKey) => {
    const answer = await exchange(url, asking(apiKey, 'Connection: close, upgrade\r\nUpgrade: websocket\r\n'));
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });
});

test('a connection closes when no other request follows in time', async () => {
  await served(async (url, apiKey) => {
    expect(await exchange(url, asking(apiKey, ''))).toMatch(/^HTTP\/1\.1 200 /);
  });
  expect(SERVER_LIMITS.keepAliveMs).toBe(5_000);
});

test('an address that a proxy forwards is ignored', async () => {
  await served(async (url, apiKey) => {
    const forwarded = { 'x-forwarded-for': '203.0.113.7', 'x-real-ip': '203.0.113.7', forwarded: 'for=203.0.113.7' };
    const response = await fetch(`${url}/manageipallowlist`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json', ...forwarded },
      body: '{"action":"check"}',
    });
    expect(await response.json()).toMatchObject({ data: { yourIp: '127.0.*.*' } });
  });
});

test('the header x-mock-mode is ignored', async () => {
  await served(async (url, apiKey) => {
    const response = await fetch(`${url}/onboarduser`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'x-mock-mode': 'async' },
      body: '{"bvn":"22222222222"}',
    });
    expect(await response.json()).toMatchObject({ data: { status: 'processing' } });
  });
});

test('requests of the embedded sandbox come from this machine', async () => {
  const world = fakeWorld();
  expect(await main(['ip', 'check', '-o', 'json'], world)).toBe(0);
  expect(JSON.parse(world.stdout.text())).toMatchObject({ yourIp: '127.0.*.*', isAllowed: true });
});
