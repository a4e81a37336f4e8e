import { type EventEmitter, once } from 'node:events';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { fiatrail, newHome, requireBuilt } from '../support/built.ts';
import { selfSigned } from '../support/certificate.ts';
import { httpServer, httpsServer, tcpServer } from '../support/loopback.ts';
import { must } from '../support/rotations.ts';

beforeAll(requireBuilt);

const LIVE = 'a-live-key-nobody-may-see';
const SANDBOX = 'sandbox_key_nobody_may_see';
const ANSWER = JSON.stringify({
  status: 'Success',
  response_code: '00',
  message: '',
  data: { publicKey: 'ab'.repeat(32) },
});

/** A TLS server that nobody trusts, with the keys that it received. */
async function untrusted() {
  const keys: unknown[] = [];
  const certificate = selfSigned(onTestFinished);
  const { baseUrl } = await httpsServer(certificate, (request, response) => {
    keys.push(request.headers['x-api-key']);
    response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER);
  });
  return { baseUrl, keys, certificate };
}

describe('NODE_TLS_REJECT_UNAUTHORIZED=0', () => {
  const OFF = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  const COMMANDS = [
    ['keys', 'platform', 'show'],
    ['api', 'POST', '/cngnonramp', '-f', 'userId=u', '-f', 'amount=500', '--yes'],
    ['keys', 'rotate', '--yes', '--no-input', '--print-key'],
    ['keys', 'sandbox', 'add', '--base-url', 'https://localhost:1/v1', '--print-key'],
  ];

  test('is rejected with a live key of the environment, which is not sent', async () => {
    const { baseUrl, keys } = await untrusted();
    for (const argv of COMMANDS) {
      const env = { ...OFF, FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: LIVE };
      const ran = await fiatrail(newHome(onTestFinished), [...argv, '-q'], { env });
      expect(ran.code).toBe(2);
      expect(ran.stderr).toContain(
        'NODE_TLS_REJECT_UNAUTHORIZED=0 turns off certificate checks, so a live key is not sent',
      );
      expect(ran.stderr).toContain('export NODE_EXTRA_CA_CERTS=FILE');
    }
    expect(keys).toEqual([]);
  });

  test('is rejected with a live profile, also by profiles add --check and doctor', async () => {
    const { baseUrl, keys } = await untrusted();
    const home = newHome(onTestFinished);
    const add = ['profiles', 'add', 'main', '--base-url', baseUrl, '--key-stdin'];
    expect((await fiatrail(home, [...add, '--check'], { stdin: LIVE, env: OFF })).code).toBe(2);
    await must(home, add, LIVE);
    for (const argv of [['balances', 'account'], ['doctor']]) {
      const ran = await fiatrail(home, [...argv, '--profile', 'main'], { env: OFF });
      expect([2, 5]).toContain(ran.code);
    }
    expect(keys).toEqual([]);
  });

  test('is not needed for a certificate of the organization', async () => {
    const { baseUrl, keys, certificate } = await untrusted();
    const env = { FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: LIVE };
    const home = newHome(onTestFinished);
    expect((await fiatrail(home, ['keys', 'platform', 'show'], { env })).code).toBe(5);
    expect(
      (await fiatrail(home, ['keys', 'platform', 'show'], { env: { ...env, NODE_EXTRA_CA_CERTS: certificate.path } }))
        .code,
    ).toBe(0);
    expect(keys).toEqual([LIVE]);
  });
});

describe('doctor', () => {
  test.each([{}, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }])(
    'sends no key after a handshake that it does not trust: %j',
    async (more) => {
      const { baseUrl, keys } = await untrusted();
      for (const key of [LIVE, SANDBOX]) {
        const env = { ...more, FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: key };
        const ran = await fiatrail(newHome(onTestFinished), ['doctor', '-o', 'json'], { env });
        const { checks } = JSON.parse(ran.stdout) as { checks: { check: string; state: string }[] };
        expect(checks.find(({ check }) => check === 'tls')).toMatchObject({ state: 'problem' });
        expect(checks.find(({ check }) => check === 'reachability')).toMatchObject({
          state: 'skipped',
          detail: 'see tls',
        });
        expect(ran.code).toBe(5);
      }
      expect(keys).toEqual([]);
    },
  );

  /** Measures how long the program keeps connections; how long its own start takes depends on what else the machine does. */
  function holding() {
    const all: Promise<number>[] = [];
    const hold = (connection: EventEmitter) => {
      const sinceMs = performance.now();
      all.push(once(connection, 'close').then(() => performance.now() - sinceMs));
    };
    const longestMs = async () => {
      expect(all.length).toBeGreaterThan(0);
      return Math.max(...(await Promise.all(all)));
    };
    return { hold, longestMs };
  }

  test('ends with its time limit when a proxy hangs', async () => {
    const held = holding();
    const proxy = await tcpServer((socket) => held.hold(socket.resume()));
    const env = {
      FIATRAIL_BASE_URL: 'https://service.test/v1',
      FIATRAIL_API_KEY: LIVE,
      HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
    };
    const ran = await fiatrail(newHome(onTestFinished), ['doctor', '--timeout', '1s', '-o', 'json'], { env });
    expect(ran.code).toBe(5);
    const { checks } = JSON.parse(ran.stdout) as { checks: { check: string; detail: string }[] };
    expect(checks.find(({ check }) => check === 'tls')).toMatchObject({ detail: 'the connection timed out' });
    // Without the limit, the handshake takes 8 seconds.
    expect(await held.longestMs()).toBeLessThan(7_500);
  });

  test('ends with its time limit when the service hangs', async () => {
    const held = holding();
    const { baseUrl } = await httpServer((_request, response) => held.hold(response));
    const env = { FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: SANDBOX };
    expect((await fiatrail(newHome(onTestFinished), ['doctor', '--timeout', '1s'], { env })).code).toBe(5);
    // Without the limit, a read is abandoned after 20 seconds.
    expect(await held.longestMs()).toBeLessThan(19_000);
  });
});
