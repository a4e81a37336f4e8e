import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Home, newHome, requireBuilt, sharedEnd, startFiatrail } from '../support/built.ts';
import { copyOf, type Restore } from '../support/folder-copy.ts';
import { fiatrail } from '../support/in-process.ts';

beforeAll(requireBuilt);

const atEnd = sharedEnd();
const isRoot = process.getuid?.() === 0;
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** Fills a home with a profile, a journal and a sandbox. */
async function use(home: Home): Promise<void> {
  const add = ['profiles', 'add', 'box', '--base-url', 'http://127.0.0.1:9/v1', '--key-stdin'];
  await fiatrail(home, add, { stdin: 'sandbox_0123456789abcdef' });
  await fiatrail(home, ['profiles', 'use', 'sandbox']);
  for (const words of [
    ['users', 'list'],
    ['ops', 'list'],
  ])
    await fiatrail(home, words);
}

let restore: Restore;
beforeAll(async () => {
  const first = newHome(atEnd);
  await use(first);
  restore = copyOf(first.path);
});

/** A home that was used. */
function usedHome(): Home {
  const home = newHome(onTestFinished);
  restore(home.path);
  return home;
}

/** Nothing is at that address, so it is not tried for long. */
const ASK = ['balances', 'account', '--profile', 'box', '--timeout', '50ms'];

/** Each of our files and folders, and a command that uses it. */
const USED: readonly (readonly [place: string, argv: readonly string[]])[] = [
  ['state', ['users', 'list']],
  ['state/sandbox.db', ['users', 'list']],
  ['state/journal.db', ['ops', 'list']],
  ['config', ['profiles', 'show', 'box']],
  ['config', ASK],
  ['config/settings.json', ['users', 'list']],
  ['config/lock.db', ['profiles', 'use', 'box']],
  ['config/profiles', ASK],
  ['config/profiles/box.json', ASK],
  ['config/secrets', ASK],
  ['config/secrets/box.api-key', ASK],
];

const label = ([place, argv]: (typeof USED)[number]) => [place, argv.join(' '), argv] as const;

describe('loose modes are put right', () => {
  test.each(USED.map(label))('of %s by %s', async (place, _line, argv) => {
    const home = usedHome();
    const path = join(home.path, place);
    const isFolder = statSync(path).isDirectory();
    chmodSync(path, 0o777);
    await fiatrail(home, argv);
    expect(modeOf(path)).toBe(isFolder ? '700' : '600');
  });
});

describe('another owner', () => {
  /** Only root can give a file away. Anyone else uses a folder of root in the place of one of the two folders. */
  const foreign = isRoot ? USED : USED.filter(([place]) => !place.includes('/'));
  test.each(foreign.map(label))('of %s stops %s, for root too', async (place, _line, argv) => {
    const home = usedHome();
    const path = isRoot ? join(home.path, place) : '/usr';
    if (isRoot) chownSync(path, 12_345, -1);
    const variable = place === 'state' ? 'FIATRAIL_STATE_DIR' : 'FIATRAIL_CONFIG_DIR';
    const { code, stderr } = await fiatrail(home, [...argv, '-q'], isRoot ? {} : { env: { [variable]: '/usr' } });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`${path} belongs to another user`),
    });
    expect(stderr.match(/^error: /gm)).toHaveLength(1);
  });
});

describe('something else in the place of a database', () => {
  test.each([
    ['sandbox.db', ['users', 'list']],
    ['journal.db', ['ops', 'list']],
  ])('%s stops a command', async (name, argv) => {
    const home = usedHome();
    const path = join(home.stateDir, name);
    rmSync(path);
    execFileSync('mkfifo', [path]);
    const fifo = await fiatrail(home, [...argv, '-q']);
    rmSync(path);
    symlinkSync('/nowhere', path);
    const link = await fiatrail(home, [...argv, '-q']);
    expect([fifo, link].map(({ code }) => code)).toEqual([2, 2]);
    expect([fifo.stderr, link.stderr]).toEqual([
      expect.stringContaining(`error: ${path} is not a file\n`),
      expect.stringContaining(`error: ${path} is a symbolic link`),
    ]);
  });

  test('a link in the place of the state folder stops a command', async () => {
    const home = newHome(onTestFinished);
    const elsewhere = join(home.path, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, home.stateDir);
    const { code, stderr } = await fiatrail(home, ['users', 'list', '-q']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('is a symbolic link') });
  });
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends a command that waits for a FIFO', async (signal) => {
  const home = newHome(onTestFinished);
  const path = join(home.path, 'fifo');
  execFileSync('mkfifo', [path]);
  const running = startFiatrail(home, ['profiles', 'import', path]);
  onTestFinished(() => running.kill('SIGKILL'));
  // Resolves once the program has opened the FIFO. Nothing is ever written.
  const writer = await open(path, 'w');
  onTestFinished(() => writer.close());
  running.kill(signal);
  const { code, stderr } = await running.end;
  expect({ code, stderr: stderr.replace(/^ {2}run: .*\n/m, '') }).toEqual({
    code: 130,
    stderr: 'error: interrupted; nothing was sent\n',
  });
});

test('a FIFO is read to its end', async () => {
  const home = newHome(onTestFinished);
  const path = join(home.path, 'fifo');
  execFileSync('mkfifo', [path]);
  const running = startFiatrail(home, ['profiles', 'import', path, '-o', 'json']);
  const write = `(echo '{"version":1,'; sleep 0.2; echo '"profiles":[]}') > "$0"`;
  execFileSync('sh', ['-c', write, path]);
  expect(await running.end).toMatchObject({ code: 0, stdout: expect.stringContaining('"profiles"') });
});
