import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Home, newHomeWithCache, ROOT, requireBuilt, startFiatrail } from '../support/built.ts';
import { fiatrail, fiatrailJson } from '../support/in-process.ts';
import { documentedPlaces, hereOf, placeOf } from './places.ts';

beforeAll(requireBuilt);

/** Lists everything in a home's folders with its mode: `CONFIG/settings.json 600`. */
function placesOf({ path }: Home): string[] {
  const below = (folder: string): string[] =>
    readdirSync(join(path, folder)).flatMap((name) => {
      const found = lstatSync(join(path, folder, name));
      const inner = `${folder}/${name}${found.isDirectory() ? '/' : ''}`;
      const line = `${inner} ${(found.mode & 0o777).toString(8)}`;
      return found.isDirectory() ? [line, ...below(`${folder}/${name}`)] : [line];
    });
  const own = ['config/', 'state/', 'cache/fiatrail/'].map(
    (name) => `${name} ${(lstatSync(join(path, name)).mode & 0o777).toString(8)}`,
  );
  return [...own, ...['config', 'state', 'cache/fiatrail', 'here'].flatMap(below)].map((line) => {
    const at = line.lastIndexOf(' ');
    return placeOf(line.slice(0, at)) + line.slice(at);
  });
}

/** Runs commands that together create every kind of file, and lists the files, also during a key rotation. */
async function exercise(home: Home): Promise<string[]> {
  const cwd = hereOf(home);
  mkdirSync(cwd);
  const run = async (...argv: string[]) => {
    const { code, stderr } = await fiatrail(home, argv, { cwd, stdin: 'sandbox_0123456789abcdef\n' });
    expect({ argv: argv.join(' '), code, stderr }).toEqual({
      argv: argv.join(' '),
      code: 0,
      stderr: expect.anything(),
    });
  };
  await run('profiles', 'add', 'acme', '--base-url', 'http://127.0.0.1:1/v1', '--key-stdin');
  const real = ['--base-url', 'https://127.0.0.1:1/v1', '--mode', 'live', '--store', 'environment'];
  await run('profiles', 'add', 'real', ...real);
  await run('profiles', 'use', 'sandbox');
  await run('profiles', 'use', 'real', '--here');
  await run('profiles', 'use', 'sandbox', '--here');
  const serving = startFiatrail(home, ['sandbox', 'serve', '--port', '0', '-o', 'json'], { cwd });
  await serving.firstLine();
  serving.kill('SIGINT');
  expect((await serving.end).code).toBe(0);
  await run('keys', 'encryption', 'enable', '--yes');
  await run('sandbox', 'snapshot', 'snapshot.db');
  await run('users', 'onboard', '22222222221', '--yes');
  await run('profiles', 'approvers', 'add', 'ada', '--generate', '--yes');
  const to = ['--bank-code', '000013', '--account-number', '0123456789', '--account-name', 'ADA'];
  await run('fees', 'withdraw', '--amount', '500', ...to, '--plan', 'plan.json');
  await run('fx', 'quote', '--pair', 'CNGN-USDC', '--side', 'buy', '--amount', '1500');
  await run('doctor', '-q');
  await run('webhooks', 'set', 'https://inbox.fiatrail.invalid/', '--new-secret', '--yes');
  const listening = startFiatrail(home, ['webhooks', 'listen'], { cwd });
  await listening.says('receiving the events');
  const listened = placesOf(home);
  listening.kill('SIGINT');
  expect((await listening.end).code).toBe(0);
  const syncing = startFiatrail(home, ['sync', '--every', '1h'], { cwd });
  await syncing.says('synced');
  const reading = new DatabaseSync(join(home.stateDir, 'copy-embedded.db'));
  reading.exec('SELECT * FROM setting');
  const synced = placesOf(home);
  reading.close();
  syncing.kill('SIGINT');
  expect((await syncing.end).code).toBe(0);
  // fiatrail remembers in a file that the keyring is unusable.
  await fiatrail(
    home,
    ['profiles', 'add', 'ring', '--base-url', 'http://127.0.0.1:1/v1', '--store', 'keyring', '--key-stdin'],
    {
      cwd,
      stdin: 'sandbox_0123456789abcdef\n',
      env: { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' },
    },
  );
  await run('sandbox', 'fault', 'add', '--on', 'management.regenerate-api-key', '--fault', 'slow');
  const rotation = startFiatrail(home, ['keys', 'rotate', '--yes', '-q'], { cwd });
  const during = await whileHeld(home);
  expect((await rotation.end).code).toBe(0);
  return [...listened, ...synced, ...during, ...placesOf(home)];
}

/** Lists the files while the rotation process waits for its response. */
async function whileHeld(home: Home): Promise<string[]> {
  for (;;) {
    const { operations } = await fiatrailJson<{ operations: { state: string }[] }>(home, ['ops', 'list']);
    if (operations.some(({ state }) => state === 'sent')) return placesOf(home);
  }
}

test('the table of files matches the files that are created', async () => {
  const found = new Set(await exercise(newHomeWithCache(onTestFinished)));
  expect([...found].sort()).toEqual(
    documentedPlaces()
      .map(({ place, mode }) => `${place} ${mode}`)
      .sort(),
  );
});

test.each(['docs/threats.md', 'SECURITY.md'])('%s links only to existing files', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const links = [...text.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = '']) => join(ROOT, page, '..', path));
  expect(links.length).toBeGreaterThan(0);
  for (const path of links) expect(lstatSync(path).isFile()).toBe(true);
});

test('the vulnerability report instructions name no host or address', () => {
  expect(readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')).not.toMatch(/https?:|@[\w-]+\./);
});

/** Sentences of the page, with something that they say stops a command with exit code 2. */
const STOPS: readonly (readonly [claim: string, prepare: (home: Home) => Promise<void>, argv: readonly string[]])[] = [
  [
    'A key command that came with `profiles import` does not run until `profiles trust NAME`',
    async (home) => {
      const store = { kind: 'command', command: `touch ${join(home.path, 'ran')}`, isShell: true };
      const profiles = [{ name: 'x', mode: 'live', baseUrl: 'https://127.0.0.1:1/v1', store }];
      await fiatrail(home, ['profiles', 'import', '-'], { stdin: JSON.stringify({ version: 2, profiles }) });
    },
    ['balances', 'account', '--profile', 'x'],
  ],
  [
    'A `.fiatrail.json` chooses a profile only if no one but you and root could have written it',
    async ({ path }) => {
      writeFileSync(join(path, '.fiatrail.json'), '{"profile":"sandbox"}');
      chmodSync(join(path, '.fiatrail.json'), 0o666);
    },
    ['users', 'list'],
  ],
  [
    'a symbolic link, a FIFO or a device in place of a file or folder is rejected',
    async ({ path, stateDir }) => {
      mkdirSync(join(path, 'elsewhere'));
      symlinkSync(join(path, 'elsewhere'), stateDir);
    },
    ['users', 'list'],
  ],
];

test.each(STOPS)('%s', async (claim, prepare, argv) => {
  expect(readFileSync(join(ROOT, 'docs/stored-where.md'), 'utf8')).toContain(claim);
  const home = newHomeWithCache(onTestFinished);
  await prepare(home);
  expect((await fiatrail(home, argv)).code).toBe(2);
  expect(existsSync(join(home.path, 'ran'))).toBe(false);
});
