import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changeProfile } from '../../src/account/changes.ts';
import type { StoredProfile } from '../../src/account/stored-profile.ts';
import { Secret } from '../../src/base/secret.ts';
import { type Bench, bench, ended, NEW, OLD, PROFILE, RESUME_COMMAND, ROTATE } from '../support/rotation-bench.ts';
import type { Answer } from '../support/world.ts';

const PARTNERS = 'key-planted-another-00000000003';
const SINCE = 'key-planted-another-00000000004';

/** Other profiles of the machine, with the key that each of them holds. */
const OTHERS: readonly (readonly [
  profile: Partial<StoredProfile> & { readonly name: string },
  key: string | undefined,
])[] = [
  [{ name: 'reports' }, OLD],
  [{ name: 'dashboard' }, OLD],
  [{ name: 'partner' }, PARTNERS],
  [{ name: 'copy', baseUrl: 'https://elsewhere.test/v1' }, OLD],
  [{ name: 'vaulted', store: { kind: 'command', command: 'vault read key', isShell: false } }, undefined],
  [{ name: 'variable', store: { kind: 'environment' } }, undefined],
];

/** An account whose key is in several profiles. */
async function shared(options = {}): Promise<Bench> {
  const on = await bench(PROFILE, options);
  for (const [profile, key] of OTHERS)
    await changeProfile(on.world, profile.name, () => ({ ...PROFILE, ...profile }), key ? new Secret(key) : undefined);
  return on;
}

const pathOf = (on: Bench, name: string) => join(on.secrets, `${name}.api-key`);

const keysOf = (on: Bench) =>
  Object.fromEntries(
    ['main', 'reports', 'dashboard', 'partner', 'copy']
      .map((name) => [name, pathOf(on, name)] as const)
      .map(([name, path]) => [name, existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined]),
  );

const BEFORE = { main: OLD, reports: OLD, dashboard: OLD, partner: PARTNERS, copy: OLD };
const AFTER = { ...BEFORE, main: NEW, reports: NEW, dashboard: NEW };

test('replaces the key in every profile that holds it for the same address, and names the others', async () => {
  const on = await shared();
  const { code, stdout, stderr } = await on.run(ROTATE);
  expect({ code, keys: keysOf(on), left: on.left() }, stderr).toEqual({ code: 0, keys: AFTER, left: [] });
  expect(JSON.parse(stdout)).toMatchObject({ profile: 'main', alsoStoredFor: ['dashboard', 'reports'] });
  for (const words of [
    'profile copy holds the key for https://elsewhere.test/v1; if that is the old key, give it the new one',
    'profile vaulted takes its key from a key command;',
    'profile variable takes its key from FIATRAIL_API_KEY;',
  ])
    expect(stderr).toContain(words);
  expect(stderr).not.toContain('partner');
  expect((await on.run(['status', '--profile', 'reports', '-q'])).stderr).not.toContain('rejected');
});

const asks = (says: boolean): Answer => ({ kind: 'confirm', asks: 'Continue?', says });

test('asks once, with all profiles, and No changes none', async () => {
  const on = await shared({ isTerminal: true, answers: [asks(false)] });
  const argv = ['keys', 'rotate', '--profile', 'main', '--push-command', 'true'];
  on.programs['true'] = () => ({ kind: 'ended', code: 0, stdout: '' });
  const { code, stderr } = await on.run(argv);
  expect({ code, keys: keysOf(on), asked: on.service.asked }, stderr).toEqual({
    code: 9,
    keys: BEFORE,
    asked: expect.not.arrayContaining(['/regenerateapikey']),
  });
  const text = stderr.replaceAll(/\s+/g, ' ');
  expect(text).toContain('also for profiles dashboard, reports, with the same key');
  expect(text).toContain('not for profile vaulted, which takes its key from a key command: give it the new key');
});

test('needs --yes without a terminal', async () => {
  const on = await shared();
  const argv = ROTATE.filter((word) => word !== '--yes');
  expect((await on.refused(argv, 2)).code).toBe('CONFIRMATION_NEEDED');
  expect(keysOf(on)).toEqual(BEFORE);
});

/** Moves a profile to a keychain in memory, whose writes fail while `isLocked`. */
async function inKeychain(on: Bench, name: string) {
  const keychain = { secret: OLD, isLocked: false, nextReads: [] as string[] };
  on.programs[on.world.self[0] ?? ''] = (input) => {
    const { op, secret = '' } = JSON.parse(input) as { op: string; secret?: string };
    if (op === 'write' && keychain.isLocked) return ended(0, JSON.stringify({ kind: 'locked' }));
    // A probe writes another entry.
    if (op === 'write' && secret === NEW) keychain.secret = secret;
    probed = op === 'write' ? secret : probed;
    return ended(0, JSON.stringify({ kind: 'done', ...(op === 'read' ? { secret: answerTo(input) } : {}) }));
  };
  let probed = '';
  const answerTo = (input: string) =>
    input.includes('-probe-') ? probed : (keychain.nextReads.shift() ?? keychain.secret);
  await changeProfile(on.world, name, (now) => ({ ...(now ?? PROFILE), store: { kind: 'keyring' } }));
  return keychain;
}

test('a store of another profile that fails leaves the rotation open, and --resume finishes it', async () => {
  const on = await shared();
  const keychain = await inKeychain(on, 'reports');
  on.service.regenerate = (replace) => {
    keychain.isLocked = true;
    return replace();
  };
  expect((await on.refused(ROTATE, 8)).code).toBe('KEY_NOT_STORED');
  expect({ kept: keychain.secret, main: keysOf(on)['main'] }).toEqual({ kept: OLD, main: NEW });
  keychain.isLocked = false;
  expect((await on.run(RESUME_COMMAND)).code).toBe(0);
  expect({ kept: keychain.secret, left: on.left() }).toEqual({ kept: NEW, left: [] });
});

test('a key that another command stores at this moment stays', async () => {
  const on = await shared();
  const keychain = await inKeychain(on, 'reports');
  on.service.regenerate = (replace) => {
    // Once to find the profiles with the old key, and once under the lock.
    keychain.nextReads.push(OLD, SINCE);
    return replace();
  };
  expect((await on.run(ROTATE)).code).toBe(0);
  expect({ kept: keychain.secret, dashboard: keysOf(on)['dashboard'] }).toEqual({ kept: OLD, dashboard: NEW });
});

test('stops before anything is sent if another profile’s store cannot be written', async () => {
  const on = await shared();
  (await inKeychain(on, 'reports')).isLocked = true;
  const { message } = await on.refused(ROTATE, 2);
  expect(message).toContain('profile reports holds the same key');
  expect(on.service.asked).not.toContain('/regenerateapikey');
  expect(keysOf(on)['main']).toBe(OLD);
});

test.each(['main', 'reports'])('the next command of profile %s finishes a killed rotation', async (name) => {
  const on = await shared();
  // The command that waits is gone before it stores anything.
  const gone = new AbortController();
  on.rotationProcess = async (usual) => {
    await usual();
    gone.abort();
    return { kind: 'late' };
  };
  expect((await on.run(ROTATE, { interrupted: gone.signal })).code).toBe(130);
  expect(keysOf(on)).toEqual(BEFORE);
  const { stderr } = await on.run(['status', '--profile', name]);
  expect(stderr).toContain('finished an interrupted API key rotation');
  expect({ keys: keysOf(on), left: on.left() }).toEqual({ keys: AFTER, left: [] });
});

test('a kill between two stores is finished by --resume, and a key that was replaced since stays', async () => {
  const on = await shared();
  const { read } = on.service;
  on.service.regenerate = (replace) => {
    on.service.read = () => ({ status: 503, headers: {}, body: '' });
    return replace();
  };
  expect((await on.refused(ROTATE, 8)).code).toBe('NEW_KEY_NOT_PROVEN');
  // As if it had been killed before the second store, and a person had given the third another key.
  writeFileSync(pathOf(on, 'reports'), OLD);
  writeFileSync(pathOf(on, 'dashboard'), SINCE);
  on.service.read = read;
  expect((await on.run(RESUME_COMMAND)).code).toBe(0);
  expect(keysOf(on)).toEqual({ ...AFTER, dashboard: SINCE });
});

test('a command with another key leaves an open rotation alone', async () => {
  const on = await shared();
  on.service.regenerate = (replace) => {
    on.service.read = () => ({ status: 503, headers: {}, body: '' });
    return replace();
  };
  await on.refused(ROTATE, 8);
  expect((await on.run(['status', '--profile', 'partner'])).stderr).not.toContain('rotation');
});
