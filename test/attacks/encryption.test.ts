import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { newKeyPair } from '../../src/crypto/sealed-box.ts';
import { type Home, requireBuilt } from '../support/built.ts';
import { accountOf, fiatrail, fiatrailJson, must, serveSandbox } from '../support/in-process.ts';
import { journalRows } from '../support/journal.ts';
import { bodyOf, httpServer } from '../support/loopback.ts';
import { leftBehind, rotationRows, storedKey } from '../support/rotations.ts';
import { fiatrailOnTerminal } from '../support/terminal.ts';

beforeAll(requireBuilt);

interface Forged {
  readonly status: number;
  readonly body: string;
}

/** A man in the middle: passes requests on to a sandbox, and answers those that `forge` has an answer for itself. */
async function middle() {
  const served = await serveSandbox(onTestFinished);
  const seen: string[] = [];
  const relay = { forge: (_path: string): Forged | undefined => undefined, seen };
  const { baseUrl } = await httpServer(async (request, response) => {
    const path = (request.url ?? '').replace('/v1', '');
    const body = await bodyOf(request);
    seen.push(`${request.method} ${path}`);
    const forged = relay.forge(path);
    const real = forged
      ? undefined
      : await fetch(served.url + path, {
          method: request.method ?? 'GET',
          headers: { 'x-api-key': String(request.headers['x-api-key']), 'content-type': 'application/json' },
          ...(body ? { body } : {}),
        });
    response
      .writeHead(forged?.status ?? real?.status ?? 0, { 'content-type': 'application/json' })
      .end(forged?.body ?? (await real?.text()));
  });
  const home = await accountOf({ ...served, url: baseUrl }, onTestFinished);
  seen.length = 0;
  return { served, relay, home };
}

const FORGED = 'FORGED-8231';
const plain = (data: object, status = 200, code = '00'): Forged => ({
  status,
  body: JSON.stringify({
    status: 'x',
    response_code: code,
    message: FORGED,
    data: { ...data, requestId: FORGED, note: FORGED },
  }),
});

const READ = ['api', 'GET', '/getfees'];
const CHANGE = ['api', 'POST', '/addbankaccount', '-f', 'accountNumber=0123456789', '-f', 'bankCode=000013', '--yes'];
const MONEY = ['api', 'POST', '/cngnonramp', '-f', 'userId=u', '-f', 'amount=500', '--yes'];
const ENABLE = ['keys', 'encryption', 'enable', '--yes', '-q', '-o', 'json'];

const profileOf = (home: Home) =>
  JSON.parse(readFileSync(join(home.path, 'config', 'profiles', 'main.json'), 'utf8')) as Record<string, unknown>;

async function required() {
  const made = await middle();
  await must(made.home, ENABLE);
  expect(profileOf(made.home)).toMatchObject({ encryptionPolicy: 'require' });
  return made;
}

describe('a profile that requires encrypted responses', () => {
  const REASON = 'it is not encrypted, and this profile requires encrypted responses';

  test.each([
    ['a success', plain({ fintechId: 'f', id: 'x' })],
    ['a success without an envelope', { status: 200, body: JSON.stringify({ data: { note: FORGED } }) }],
    ['a rejection with HTTP 200', plain({}, 200, '02')],
    ['a failure', plain({}, 500, '05')],
    ['HTML', { status: 200, body: `<html>${FORGED}` }],
    ['a rejection without a code', { status: 403, body: `<html>${FORGED}` }],
    [
      'a payload beside a code',
      { status: 200, body: JSON.stringify({ response_code: '00', payload: FORGED, data: {} }) },
    ],
  ])('never believes a plain one: %s', async (_what, forged) => {
    const { relay, home } = await required();
    relay.forge = () => forged;
    for (const [argv, code] of [
      [READ, 5],
      [CHANGE, 6],
      // The read before it is forged too.
      [MONEY, 9],
    ] as const)
      for (const more of argv === READ ? [['-o', 'json'], ['-o', 'raw'], ['-v']] : [['-v']]) {
        const ran = await fiatrail(home, [...argv, ...more]);
        expect({ code: ran.code, stdout: ran.stdout }, ran.stderr).toEqual({ code, stdout: '' });
        expect(ran.stderr).toContain(REASON);
        // A trace shows what a service says when it fails, and only then.
        if (forged.status < 400) expect(ran.stderr).not.toContain(FORGED);
      }
    relay.forge = (path) => (path === '/cngnonramp' ? forged : undefined);
    expect((await must(home, MONEY, '', [6])).stderr).toContain(REASON);
    relay.forge = () => undefined;
    await must(home, READ);
  });

  test.each([
    [401, '03', 4],
    [403, '03', 4],
    [429, '04', 7],
    [400, '01', 3],
    [404, '02', 3],
  ] as const)(
    'keeps the code of a plain rejection, with a warning: HTTP %i, %s',
    async (status, responseCode, code) => {
      const { relay, home } = await required();
      // Longer than the time limit, so that nothing waits for it.
      relay.forge = () => plain({ retry_after: 90 }, status, responseCode);
      for (const argv of [READ, CHANGE, MONEY]) {
        const ran = await fiatrail(home, [...argv, '-q', '--timeout', '30s']);
        expect(ran.code, ran.stderr).toBe(code);
        expect(ran.stderr).toContain('warning: this rejection is not encrypted, although the profile requires it');
      }
    },
  );

  test('records a change with a plain success as unknown', async () => {
    const { relay, home } = await required();
    relay.forge = (path) => (path === '/cngnonramp' ? plain({}) : undefined);
    await must(home, MONEY, '', [6]);
    const { operations } = await fiatrailJson<{ operations: { state: string }[] }>(home, ['ops', 'list']);
    expect(operations.map(({ state }) => state)).toEqual(['unknown']);
  });

  test('keeps the new API key of a plain response on disk, and finishes once plain responses are accepted', async () => {
    const { served, relay, home } = await required();
    const before = storedKey(home);
    const answer = await fetch(`${served.url}/getfees`, { headers: { 'x-api-key': before } });
    expect(Object.keys((await answer.json()) as object)).toEqual(['payload']);
    const key = 'sandbox_forged_or_not_0123456789abcdef';
    relay.forge = (path) =>
      path === '/regenerateapikey' ? plain({ apiKey: key, rotatedAt: '2026-01-05T09:00:00.000Z' }) : undefined;
    const ran = await must(home, ['keys', 'rotate', '--yes', '--no-input'], '', [6]);
    expect(ran.stderr).toContain(REASON);
    expect(ran.stdout + ran.stderr).not.toContain(key);
    expect({ kept: leftBehind(home).some((name) => name.endsWith('.answer')), stored: storedKey(home) }).toEqual({
      kept: true,
      stored: before,
    });
    expect(rotationRows(home)).toMatchObject([{ stage: 'sending' }]);
    await must(home, ['profiles', 'add', 'main', '--encryption', 'accept']);
    await must(home, ['keys', 'rotate', '--resume', '--yes', '--no-input'], '', [0, 8]);
    expect(storedKey(home)).toBe(key);
  });

  test('is named by doctor', async () => {
    const { relay, home } = await required();
    relay.forge = () => plain({ publicKey: 'ab'.repeat(32) });
    const { code, stdout } = await fiatrail(home, ['doctor', '-o', 'json']);
    const { checks } = JSON.parse(stdout) as { checks: { check: string; state: string; detail: string }[] };
    expect(code).toBe(5);
    expect(checks.find(({ check }) => check === 'encryption')).toMatchObject({
      state: 'problem',
      detail: 'the response is not encrypted, and this profile requires it',
    });
    expect(checks.find(({ check }) => check === 'key accepted')).toMatchObject({ state: 'skipped' });
  });
});

describe('the policy of a profile', () => {
  test('accept takes both, and off opens nothing', async () => {
    const { relay, home } = await required();
    await must(home, ['profiles', 'add', 'main', '--encryption', 'accept']);
    await must(home, READ);
    relay.forge = () => plain({ fintechId: 'f' });
    await must(home, READ);
    relay.forge = () => undefined;
    await must(home, ['profiles', 'add', 'main', '--encryption', 'off']);
    for (const [argv, code] of [
      [READ, 2],
      [CHANGE, 6],
    ] as const)
      expect((await must(home, argv, '', [code])).stderr).toContain('encryption is off in this profile');
    const { encryptionPolicy } = await fiatrailJson<{ encryptionPolicy: string }>(home, [
      'keys',
      'encryption',
      'show',
    ]).catch(() => ({
      encryptionPolicy: 'unreadable',
    }));
    expect(encryptionPolicy).toBe('unreadable');
    expect((await fiatrailJson<{ encryptionPolicy: string }>(home, ['profiles', 'show'])).encryptionPolicy).toBe('off');
    // Turning it on again opens the encrypted responses that it needs on the way.
    await must(home, ENABLE);
    expect(profileOf(home)).toMatchObject({ encryptionPolicy: 'require' });
  });

  test('stays accept when the service does not encrypt its responses', async () => {
    const { relay, home } = await middle();
    relay.forge = (path) => (path === '/getplatformpublickey' ? plain({ publicKey: 'ab'.repeat(32) }) : undefined);
    const ran = await must(home, ENABLE);
    expect(ran.stderr).toContain('warning: responses are not encrypted');
    expect(JSON.parse(ran.stdout)).toMatchObject({ encryptionPolicy: 'accept' });
    expect(profileOf(home)).toMatchObject({ encryptionPolicy: 'accept' });
  });

  test('accepts plain responses again after the sandbox has lost the key', async () => {
    const { home } = await required();
    const args = ['--profile', 'sandbox'];
    await must(home, [...ENABLE, ...args]);
    expect(
      (await fiatrailJson<{ encryptionPolicy: string }>(home, ['profiles', 'show', 'sandbox'])).encryptionPolicy,
    ).toBe('require');
    await must(home, ['balances', 'account', ...args]);
    const { stderr } = await must(home, ['sandbox', 'reset', '--yes', ...args]);
    expect(stderr).toContain('accepts plain responses again');
    await must(home, ['balances', 'account', ...args]);
  });
});

describe('a changed platform key', () => {
  const IMPOSTOR = newKeyPair(new Uint8Array(32).fill(9)).publicKey;

  async function changed() {
    const made = await middle();
    await must(made.home, [...ENABLE, '--encrypt-requests', 'on']);
    await must(made.home, ['profiles', 'add', 'main', '--encryption', 'accept']);
    await must(made.home, CHANGE);
    made.relay.forge = (path) => (path === '/getplatformpublickey' ? plain({ publicKey: IMPOSTOR }) : undefined);
    made.relay.seen.length = 0;
    return made;
  }

  test('stops every request until it is accepted', async () => {
    const { relay, home } = await changed();
    for (const argv of [READ, CHANGE, MONEY, ['balances', 'account'], ['keys', 'rotate', '--yes', '--no-input']]) {
      const ran = await must(home, argv, '', [9]);
      expect(ran.stderr).toContain(
        'the service’s public key is not the one that profile main accepted; nothing was sent',
      );
    }
    expect([...new Set(relay.seen)]).toEqual(['GET /getplatformpublickey']);
    const { operations } = await fiatrailJson<{ operations: unknown[] }>(home, ['ops', 'list']);
    expect(operations).toEqual([]);
  });

  test('stops a profile that requires encrypted responses too, although this one is plain', async () => {
    const { relay, home } = await middle();
    await must(home, [...ENABLE, '--encrypt-requests', 'on']);
    const { encryption } = profileOf(home) as { encryption: { platformKey: string } };
    relay.forge = (path) => (path === '/getplatformpublickey' ? plain({ publicKey: IMPOSTOR }) : undefined);
    relay.seen.length = 0;
    expect((await must(home, MONEY, '', [9])).stderr).toContain('is not the one that profile main accepted');
    expect([...new Set(relay.seen)]).toEqual(['GET /getplatformpublickey']);
    relay.forge = (path) =>
      path === '/getplatformpublickey' ? plain({ publicKey: encryption.platformKey }) : undefined;
    await must(home, CHANGE);
    await must(home, ['keys', 'platform', 'show'], '', [5]);
  });

  test('is accepted without a terminal only by its fingerprint', async () => {
    const { relay, home } = await changed();
    const accept = ['keys', 'platform', 'accept', '-q', '-o', 'json'];
    for (const [more, exit, code] of [
      [[], 2, 'FINGERPRINT_NEEDED'],
      [['--yes'], 2, 'FINGERPRINT_NEEDED'],
      [['--fingerprint', 'ab12'], 2, 'VALIDATION_ERROR'],
      [['--fingerprint', 'cd'.repeat(32)], 9, 'PLATFORM_KEY_MISMATCH'],
      [['--fingerprint', 'cd'.repeat(32), '--yes'], 9, 'PLATFORM_KEY_MISMATCH'],
    ] as const) {
      const ran = await fiatrail(home, [...accept, ...more]);
      expect({ exit: ran.code, code: JSON.parse(ran.stderr).error.code }).toEqual({ exit, code });
      await must(home, CHANGE, '', [9]);
    }
    const shown = await must(home, ['keys', 'platform', 'show', '-q', '-o', 'json']);
    expect(shown.stderr).toBe('warning: this is not the key that profile main accepted\n');
    const { fingerprint } = JSON.parse(shown.stdout) as { fingerprint: string };
    expect(fingerprint).toMatch(/^SHA256:[\w+/]{43}$/);
    await must(home, [...accept, '--fingerprint', fingerprint]);
    expect(profileOf(home)).toMatchObject({ encryption: { platformKey: IMPOSTOR, requests: true } });
    expect((await must(home, ['keys', 'platform', 'show', '-q'])).stderr).toBe('');
    relay.seen.length = 0;
    await must(home, CHANGE, '', [3]);
    expect(relay.seen).toEqual(['GET /getplatformpublickey', 'POST /addbankaccount']);
  });

  test('is shown with both fingerprints on a terminal, where the default is no', async () => {
    const { home } = await changed();
    const ran = await fiatrailOnTerminal(home, ['keys', 'platform', 'accept'], [{ expect: 'Continue?', send: '\r' }]);
    expect(ran).toMatchObject({ code: 9, missed: null });
    expect(ran.screen.match(/SHA256:/g)).toHaveLength(2);
    expect((profileOf(home)['encryption'] as { platformKey: string }).platformKey).not.toBe(IMPOSTOR);
    const agreed = await fiatrailOnTerminal(
      home,
      ['keys', 'platform', 'accept'],
      [{ expect: 'Continue?', send: 'y\r' }],
    );
    expect(agreed).toMatchObject({ code: 0, missed: null });
    expect(profileOf(home)).toMatchObject({ encryption: { platformKey: IMPOSTOR } });
  });

  test.each([
    [{ status: 200, body: '<html>' }, 5],
    [plain({}, 401, '03'), 4],
    [plain({ publicKey: null }), 9],
  ])('that cannot be read stops a change before it is sent: %j', async (forged, code) => {
    const { relay, home } = await changed();
    relay.forge = (path) => (path === '/getplatformpublickey' ? forged : undefined);
    await must(home, MONEY, '', [code]);
    expect([...new Set(relay.seen)]).toEqual(['GET /getplatformpublickey']);
    expect(journalRows(home.stateDir)).toEqual([]);
  });
});
