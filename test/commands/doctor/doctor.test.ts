import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { ExchangeError } from '../../../src/base/errors.ts';
import type { Exchange, HttpResponse, Probe } from '../../../src/base/world.ts';
import { openCopyFile } from '../../../src/copy/database.ts';
import { newKeyPair } from '../../../src/crypto/sealed-box.ts';
import { openJournal } from '../../../src/journal/open.ts';
import { main } from '../../../src/main.ts';
import { openInbox } from '../../../src/webhooks/inbox/inbox.ts';
import { json, refusal, refusedConnection, success } from '../../support/exchange.ts';
import { ACCOUNT, fakeClock, fakeWorld, type WorldOptions } from '../../support/world.ts';

const NOW = Date.UTC(2026, 0, 5, 9);
const DAY = 86_400_000;

interface Row {
  readonly check: string;
  readonly state: string;
  readonly detail: string;
  readonly fix: string | null;
}

/** Runs doctor to its checks by name. */
async function examine(world: ReturnType<typeof fakeWorld>, argv: readonly string[] = []) {
  const code = await main(['doctor', '-o', 'json', ...argv], world);
  const { checks } = JSON.parse(world.stdout.text()) as { readonly checks: readonly Row[] };
  const named = (name: string) => {
    const found = checks.find(({ check }) => check === name);
    if (!found) throw new Error(`no check ${name} among ${checks.map(({ check }) => check).join(', ')}`);
    return found;
  };
  return { code, checks, named, error: world.stderr.text() };
}

const probe: Probe = {
  lookUp: async () => ['192.0.2.7'],
  certificate: async () => ({ distrust: undefined, validToMs: NOW + 60 * DAY, issuer: 'An Authority' }),
};

const PLATFORM = newKeyPair(new Uint8Array(32).fill(7)).publicKey;
const ALLOWED = { yourIp: '203.0.*.*', isAllowed: true, matchedRule: '203.0.*.*', totalConfiguredIps: 1, note: '' };

interface Service {
  readonly platform?: HttpResponse;
  readonly access?: HttpResponse;
  readonly date?: string;
}

/** A service that knows the two reads, and fails at anything else. */
function service({
  platform = success({ publicKey: PLATFORM }),
  access = success(ALLOWED),
  date,
}: Service = {}): Exchange {
  return async ({ method, url, body }) => {
    const isCheck = url.endsWith('/ip/manage') || body?.includes('"check"') === true;
    if (!isCheck && method !== 'GET') throw new Error(`no read: ${method} ${url} ${body}`);
    const answer = isCheck ? access : platform;
    return { ...answer, headers: { ...answer.headers, ...(date ? { date } : {}) } };
  };
}

const overNetwork = (options: WorldOptions = {}) =>
  fakeWorld({ env: ACCOUNT, network: service(), probe, ...options, clock: options.clock ?? fakeClock(NOW) });

describe('doctor', () => {
  test('finds no problem on a fresh machine and creates no files', async () => {
    const world = fakeWorld();
    const { code, checks } = await examine(world);
    expect(code).toBe(0);
    expect(new Set(checks.map(({ state }) => state))).toEqual(new Set(['ok', 'skipped']));
    expect(existsSync(world.stateDir)).toBe(false);
    expect(readdirSync(world.homeDir)).toEqual([]);
  });

  test('says of journal, inbox and local copy whether something else changed them', async () => {
    const world = fakeWorld();
    await main(['balances', 'account', '-q'], world);
    const at = (name: string) => join(world.stateDir, name);
    await (await openInbox(at('inbox-embedded.db'), world)).close();
    await (await openCopyFile(at('copy-embedded.db'), world)).close();
    await (await openJournal(at('journal.db'), world)).close();
    const again = () => examine(fakeWorld({ env: { FIATRAIL_STATE_DIR: world.stateDir } }));
    const before = await again();
    const names = ['journal database', 'inbox database', 'copy database'];
    for (const name of names)
      expect(before.named(name)).toMatchObject({ state: 'ok', detail: 'as this version makes it' });
    for (const [file, table] of [
      ['journal.db', 'entry'],
      ['inbox-embedded.db', 'event'],
      ['copy-embedded.db', 'stored_deposits'],
    ] as const) {
      const database = new DatabaseSync(at(file));
      database.exec(`CREATE TRIGGER planted AFTER INSERT ON ${table} BEGIN SELECT 1; END`);
      database.close();
    }
    const { code, named } = await again();
    expect(code).toBe(2);
    for (const name of names)
      expect(named(name)).toMatchObject({
        state: 'problem',
        detail: expect.stringContaining('trigger planted was added to it'),
      });
  });

  test('checks an existing embedded sandbox', async () => {
    const world = fakeWorld();
    await main(['balances', 'account', '-q'], world);
    const { code, named } = await examine(fakeWorld({ env: { FIATRAIL_STATE_DIR: world.stateDir } }));
    expect(code).toBe(0);
    expect(named('reachability').state).toBe('ok');
    expect(named('key accepted')).toMatchObject({ state: 'ok', detail: 'a read succeeded' });
    expect(named('dns').state).toBe('skipped');
  });

  test('reports ok for a healthy account', async () => {
    const { code, checks, named } = await examine(
      overNetwork({ network: service({ date: new Date(NOW).toUTCString() }) }),
    );
    expect(checks.filter(({ state }) => state === 'problem' || state === 'warning')).toEqual([]);
    expect(code).toBe(0);
    expect(named('dns').detail).toBe('service.test resolves to 192.0.2.7');
    expect(named('tls').detail).toBe('trusted, issued by An Authority, expires in 60 days');
    expect(named('allowlist').detail).toBe('this machine (203.0.*.*) is allowed by the entry 203.0.*.*');
    expect(JSON.stringify(checks)).not.toContain(ACCOUNT.FIATRAIL_API_KEY);
  });

  test.each([
    ['a key that is rejected', { platform: refusal(401, '03', 'no such key') }, 'key accepted', 4],
    [
      'an address that is not let in',
      { access: success({ ...ALLOWED, isAllowed: false, matchedRule: null }) },
      'allowlist',
      4,
    ],
    ['a response that is not JSON', { platform: json(200, '<html>') }, 'key accepted', 5],
    ['a clock that is six minutes slow', { date: new Date(NOW + 6 * 60_000).toUTCString() }, 'clock', 2],
  ] as const)('finds %s', async (_what, answers, check, exit) => {
    const { code, named, error } = await examine(overNetwork({ network: service(answers) }));
    expect(named(check)).toMatchObject({ state: 'problem', fix: expect.any(String) });
    expect(code).toBe(exit);
    expect(error).toContain(check);
  });

  test('warns about a clock that is off by a minute and about an empty allowlist', async () => {
    const network = service({
      date: new Date(NOW - 60_000).toUTCString(),
      access: success({ ...ALLOWED, matchedRule: null, totalConfiguredIps: 0 }),
    });
    const { code, named } = await examine(overNetwork({ network }));
    expect(named('clock')).toMatchObject({
      state: 'warning',
      detail: 'the system clock is 59 s ahead of the service’s',
    });
    expect(named('allowlist').state).toBe('warning');
    expect(code).toBe(0);
  });

  test('reports a missing network once and sends nothing', async () => {
    const world = overNetwork({
      network: async () => {
        throw new Error('the key was sent');
      },
      probe: {
        lookUp: async () => {
          throw new ExchangeError('the host name is not known', false);
        },
        certificate: async () => {
          throw new ExchangeError('the host name is not known', false);
        },
      },
    });
    const { code, named } = await examine(world);
    expect(code).toBe(5);
    expect(named('dns')).toMatchObject({ state: 'problem', detail: 'service.test: the host name is not known' });
    expect(named('tls').state).toBe('problem');
    for (const check of ['reachability', 'clock', 'key accepted', 'allowlist'])
      expect(named(check)).toMatchObject({ state: 'skipped', detail: 'see tls' });
  });

  test.each([
    ['CERT_HAS_EXPIRED', 'correct the system clock'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS'],
  ])('says what a certificate lacks: %s', async (distrust, fix) => {
    const shown = async () => ({ distrust, validToMs: NOW, issuer: 'Nobody' });
    const network = async () => {
      throw new Error('the key was sent');
    };
    const { code, named } = await examine(overNetwork({ network, probe: { ...probe, certificate: shown } }));
    expect(named('tls')).toMatchObject({ state: 'problem', detail: expect.stringContaining(distrust) });
    expect(named('tls').fix).toContain(fix);
    expect(code).toBe(5);
  });

  test('reports a connection that is lost after the handshake', async () => {
    const network = async () => {
      throw refusedConnection();
    };
    const { code, named } = await examine(overNetwork({ network }));
    expect(code).toBe(5);
    expect(named('reachability').state).toBe('problem');
    for (const check of ['clock', 'key accepted', 'allowlist']) expect(named(check).state).toBe('skipped');
  });

  test('warns about a certificate that expires soon', async () => {
    const shown = async () => ({ distrust: undefined, validToMs: NOW + 3.5 * DAY, issuer: 'An Authority' });
    const { named } = await examine(overNetwork({ probe: { ...probe, certificate: shown } }));
    expect(named('tls')).toMatchObject({
      state: 'warning',
      detail: 'trusted, issued by An Authority, expires in 3 days',
    });
  });

  test('names the proxy in use without its password', async () => {
    const env = { ...ACCOUNT, HTTPS_PROXY: 'http://me:hunter2@proxy.test:3128' };
    const { checks, named } = await examine(overNetwork({ env }));
    expect(named('proxy').detail).toBe('proxy.test:3128, from HTTPS_PROXY');
    expect(named('dns')).toMatchObject({ state: 'skipped', detail: 'the proxy resolves the host' });
    expect(JSON.stringify(checks)).not.toContain('hunter2');
  });

  test('finds an invalid proxy', async () => {
    const { code, named } = await examine(overNetwork({ env: { ...ACCOUNT, HTTPS_PROXY: 'proxy' } }));
    expect(named('proxy')).toMatchObject({ state: 'problem', detail: 'HTTPS_PROXY is not a valid proxy URL' });
    expect(named('tls').state).toBe('skipped');
    expect(code).toBe(2);
  });

  test('finds a missing profile, whatever selected it', async () => {
    const { code, named } = await examine(fakeWorld(), ['--profile', 'nope']);
    expect(named('profile')).toMatchObject({ state: 'problem', detail: 'unknown profile "nope"' });
    expect(named('reachability').state).toBe('skipped');
    expect(code).toBe(2);
  });

  test('finds a damaged profile file, even of an unused profile', async () => {
    const world = fakeWorld();
    const folder = join(world.homeDir, 'config', 'profiles');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, 'broken.json'), '{"version":', { mode: 0o600 });
    const { code, named } = await examine(world);
    expect(named('profile').state).toBe('ok');
    expect(named('profile files')).toMatchObject({
      state: 'problem',
      detail: expect.stringContaining('is not valid JSON'),
    });
    expect(code).toBe(2);
  });

  test.each(['sandbox.db', 'journal.db'])('finds a damaged %s', async (name) => {
    const world = fakeWorld();
    const path = join(world.stateDir, name);
    await main(['tour', '-q'], fakeWorld({ env: { FIATRAIL_STATE_DIR: world.stateDir } }));
    writeFileSync(path, 'noise '.repeat(1000), { mode: 0o600 });
    const { code, named } = await examine(world);
    expect(named(name === 'sandbox.db' ? 'reachability' : 'operations')).toEqual({
      check: expect.any(String),
      state: 'problem',
      detail: `${path} is damaged or not a fiatrail file; it was left unchanged`,
      fix: expect.stringContaining(name === 'sandbox.db' ? 'what it recorded is lost' : 'idempotency keys are lost'),
    });
    expect(code).toBe(2);
  });

  test('does not advise another state folder, which has no idempotency keys', async () => {
    // It has no free space.
    const { named } = await examine(fakeWorld({ env: { FIATRAIL_STATE_DIR: '/proc/fiatrail' } }));
    expect(named('state disk')).toMatchObject({ state: 'problem', fix: 'free some disk space' });
  });

  test.each([
    ['ab'.repeat(32), 0, { state: 'ok', detail: expect.stringMatching(/^public key [0-9a-f]{64}$/) }],
    ['damaged', 2, { state: 'problem', detail: expect.stringContaining('is damaged') }],
  ])('looks at the approver key: %s', async (key, code, finding) => {
    const world = fakeWorld();
    const folder = join(world.homeDir, 'config', 'secrets');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, 'sandbox.approver-key'), key, { mode: 0o600 });
    const found = await examine(world);
    expect(found.named('approver key')).toMatchObject(finding);
    expect(found.code).toBe(code);
  });

  test('finds files open to others and symbolic links', async () => {
    const world = fakeWorld();
    mkdirSync(world.stateDir, { mode: 0o700 });
    const open = join(world.stateDir, 'journal.db-left open');
    writeFileSync(open, '');
    chmodSync(open, 0o644);
    chmodSync(world.stateDir, 0o755);
    symlinkSync('/nowhere', join(world.homeDir, 'config'));
    const { code, named } = await examine(world);
    expect(named('state folder')).toMatchObject({ state: 'problem', fix: `chmod 700 ${world.stateDir}` });
    expect(named('state files')).toMatchObject({ state: 'problem', fix: `chmod go-rwx '${open}'` });
    expect(named('configuration folder').fix).toBe('put the folder that it links to in its place');
    expect(code).toBe(2);
  });

  test('finds a store without the key', async () => {
    const world = fakeWorld();
    const add = ['profiles', 'add', 'main', '--base-url', 'https://service.test/v1', '--mode', 'live'];
    await main([...add, '--key-command', 'no-such-program'], world);
    const told = fakeWorld({
      env: { FIATRAIL_CONFIG_DIR: join(world.homeDir, 'config') },
      runProgram: async () => ({ kind: 'missing' }),
      probe,
    });
    const { code, named } = await examine(told, ['--profile', 'main']);
    expect(named('key')).toMatchObject({ state: 'problem', detail: expect.stringContaining('was not found') });
    expect(named('reachability')).toMatchObject({ state: 'skipped', detail: 'see key' });
    expect(code).toBe(2);
  });

  test('probes the system keychain again, ignoring the cached result', async () => {
    const world = fakeWorld({ stdin: 'a-live-key-nobody-may-see\n' });
    const add = ['profiles', 'add', 'main', '--base-url', 'https://service.test/v1', '--key-stdin'];
    await main(add, world);
    const path = join(world.homeDir, 'config', 'profiles', 'main.json');
    writeFileSync(
      path,
      JSON.stringify({
        version: 1,
        name: 'main',
        mode: 'live',
        baseUrl: 'https://service.test/v1',
        store: { kind: 'keyring' },
      }),
      { mode: 0o600 },
    );
    const asked: string[] = [];
    const told = fakeWorld({
      env: { FIATRAIL_CONFIG_DIR: join(world.homeDir, 'config') },
      probe,
      runProgram: async (_words, { input = '' }) => {
        asked.push((JSON.parse(input) as { op: string }).op);
        return { kind: 'ended', code: 0, stdout: '{"kind":"locked"}' };
      },
    });
    const { named } = await examine(told, ['--profile', 'main']);
    expect(asked[0]).toBe('probe');
    expect(named('key store')).toMatchObject({ state: 'problem', detail: expect.stringContaining('(locked)') });
  });

  test('does not suggest moving an intact journal away', async () => {
    const world = overNetwork();
    await main(['ops', 'list'], world);
    const journal = new DatabaseSync(join(world.stateDir, 'journal.db'));
    journal.exec('PRAGMA user_version = 99');
    journal.close();
    const { code, named } = await examine(overNetwork({ env: { ...ACCOUNT, FIATRAIL_STATE_DIR: world.stateDir } }));
    expect(code).toBe(2);
    for (const name of ['key rotation', 'operations'])
      expect(named(name)).toMatchObject({
        detail: expect.stringContaining('newer version of fiatrail'),
        fix: 'use that version',
      });
  });

  test('exits on Ctrl-C', async () => {
    const interrupted = AbortSignal.abort();
    const world = overNetwork({ interrupted });
    expect(await main(['doctor'], world)).toBe(130);
  });
});
