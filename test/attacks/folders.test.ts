import fs, { chmodSync, chownSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { attempt, CliError } from '../../src/base/errors.ts';
import { makeFolderPrivate, whyLeftAlone } from '../../src/files/private-folder.ts';
import { main } from '../../src/main.ts';
import { documentedPlaces } from '../docs/places.ts';
import { temporaryFolder } from '../support/built.ts';
import { fakeWorld } from '../support/world.ts';

/** The mode of a folder with its special bits: `1777`. */
const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);

/** Replaces a function of the file system until the test ends. */
function patchFiles<N extends 'statSync' | 'lstatSync' | 'chmodSync' | 'readFileSync'>(
  name: N,
  patch: (real: (typeof fs)[N]) => unknown,
): void {
  const real = fs[name];
  const set = (call: unknown) => {
    Object.assign(fs, { [name]: call });
    syncBuiltinESMExports();
  };
  set(patch(real));
  onTestFinished(() => set(real));
}

/** Shows another folder in the place of one, as `mount --bind` does. */
function mountAt(folder: string): void {
  const line = `36 25 0:44 / ${folder.replaceAll(' ', '\\040')} rw,relatime - ext4 /dev/vda rw\n`;
  const isList = (path: unknown) => path === '/proc/self/mountinfo';
  patchFiles(
    'readFileSync',
    (real) =>
      (path: string, ...rest: never[]) =>
        isList(path) ? line : real(path, ...rest),
  );
}

/** Gives a folder to another user. Whoever is not root takes one of root. */
function giveAway(folder: string): string {
  if (process.getuid?.() !== 0) return '/usr';
  chownSync(folder, 12_345, -1);
  return folder;
}

type Holds = 'nothing' | 'own files' | 'other files';

function fill(folder: string, holds: Holds): void {
  if (holds === 'other files') writeFileSync(join(folder, 'payroll.csv'), '');
  if (holds !== 'own files') return;
  for (const name of ['profiles', 'journals']) mkdirSync(join(folder, name), { mode: 0o700 });
  writeFileSync(join(folder, '.01900000-0000-7000-8000-000000000000.tmp'), '');
  writeFileSync(join(folder, 'keyring.json'), '{}\n');
}

interface Kind {
  readonly mode: number;
  readonly holds: Holds;
  /** Its mode after a command. */
  readonly after: string;
  /** What the command says; nothing if it works. */
  readonly says?: string;
  readonly hint?: string;
  readonly make?: (folder: string) => string | undefined;
}

const INSIDE = "mkdir -m 700 'FOLDER/fiatrail'";
const RESTRICT = "run: chmod go-w 'FOLDER'";

const KINDS: Readonly<Record<string, Kind>> = {
  'private and empty': { mode: 0o700, holds: 'nothing', after: '700' },
  'empty, readable by others': { mode: 0o755, holds: 'nothing', after: '700' },
  'empty, writable by all': { mode: 0o777, holds: 'nothing', after: '700' },
  'with own files, readable by others': { mode: 0o755, holds: 'own files', after: '700' },
  'with own files, writable by all': { mode: 0o777, holds: 'own files', after: '700' },
  'with other files, readable by others': { mode: 0o755, holds: 'other files', after: '755' },
  'with other files, writable by its group': {
    mode: 0o775,
    holds: 'other files',
    after: '775',
    hint: RESTRICT,
    says: "other users can write to FOLDER, and its mode is not changed, because it has 'payroll.csv'",
  },
  'with other files, shared by a group': {
    mode: 0o2775,
    holds: 'other files',
    after: '2775',
    hint: RESTRICT,
    says: "other users can write to FOLDER, and its mode is not changed, because it has 'payroll.csv'",
  },
  'sticky and empty, as a /tmp of one’s own': {
    mode: 0o1777,
    holds: 'nothing',
    after: '1777',
    hint: INSIDE,
    says: 'its mode is not changed, because it has the sticky bit',
  },
  'sticky with own files': {
    mode: 0o1777,
    holds: 'own files',
    after: '1777',
    hint: INSIDE,
    says: 'its mode is not changed, because it has the sticky bit',
  },
  'a mount point, readable by others': { mode: 0o755, holds: 'nothing', after: '755', make: mountHere },
  'a mount point, writable by all': {
    mode: 0o777,
    holds: 'nothing',
    after: '777',
    hint: INSIDE,
    make: mountHere,
    says: 'its mode is not changed, because it is a mount point',
  },
  'of another owner': { mode: 0o777, holds: 'nothing', after: '777', says: 'belongs to another user', make: giveAway },
  'a link to a folder': {
    mode: 0o755,
    holds: 'nothing',
    after: '755',
    says: 'is a symbolic link',
    make: (folder) => {
      symlinkSync(folder, `${folder}-link`);
      return `${folder}-link`;
    },
  },
};

function mountHere(folder: string): undefined {
  mountAt(folder);
}

/** Reads and changes. All use the configuration; those of the second list find nothing in the state. */
const OF_STATE = [
  'users list',
  'ops list',
  'sandbox status',
  'balances account',
  'users onboard --bvn-stdin --yes',
] as const;
const OF_CONFIGURATION = [
  'profiles list',
  'profiles add acme --base-url http://127.0.0.1:1/v1 --key-stdin',
  'profiles use sandbox',
  'webhooks inbox list',
] as const;

/** Runs a command in a world of which one folder is of a kind. */
async function runIn(variable: string, { mode, holds, make }: Kind, words: string) {
  const folder = join(temporaryFolder(onTestFinished), 'with a space');
  mkdirSync(folder);
  fill(folder, holds);
  chmodSync(folder, mode);
  const path = make?.(folder) ?? folder;
  const found = { mode: modeOf(path), names: readdirSync(path) };
  const stdin = words.includes('bvn') ? '22345678901' : 'sandbox_0123456789abcdef\n';
  const world = fakeWorld({ stdin, env: { [variable]: path } });
  const code = await main([...words.split(' '), '-o', 'json'], world);
  const [line = ''] = world.stderr.text().trim().split('\n').slice(-1);
  const error = code === 0 ? undefined : (JSON.parse(line) as { error: { message: string; hint: string } }).error;
  return { path, found, code, error, left: { mode: modeOf(path), names: readdirSync(path) } };
}

const USES = [
  ...[...OF_STATE, ...OF_CONFIGURATION].map((words) => ['FIATRAIL_CONFIG_DIR', words] as const),
  ...OF_STATE.map((words) => ['FIATRAIL_STATE_DIR', words] as const),
];

describe.each(Object.entries(KINDS))('a folder: %s', (_name, kind) => {
  test.each(USES)('%s: %s', async (variable, words) => {
    const { path, found, code, error, left } = await runIn(variable, kind, words);
    const { says, hint = '', after } = kind;
    const mode = path === '/usr' ? found.mode : after;
    expect({ code, mode: left.mode }).toEqual({ code: says === undefined ? 0 : 2, mode });
    if (says === undefined) return;
    expect(error?.message).toContain(says.replace('FOLDER', path));
    expect(error?.hint).toContain(hint.replace('FOLDER', path));
    expect(left.names).toEqual(found.names);
  });

  test.each(OF_CONFIGURATION)('that a command does not use is not looked at: %s', async (words) => {
    const { found, code, left } = await runIn('FIATRAIL_STATE_DIR', kind, words);
    expect({ code, left }).toEqual({ code: 0, left: found });
  });
});

test.each(['/tmp', '/proc', '/dev/shm', '/'])('the mode of %s is never changed', (path) => {
  const found = modeOf(path);
  // Whatever this test finds, the machine stays as it is.
  const changed: string[] = [];
  patchFiles('chmodSync', () => (each: string) => void changed.push(each));
  const problem = attempt(() => makeFolderPrivate(path));
  const isOwn = process.getuid?.() === 0;
  const expected = isOwn ? (statSync(path).mode & 0o022 ? 'SHARED_FOLDER' : true) : 'FOREIGN_OWNER';
  expect({ changed, result: problem instanceof CliError ? problem.code : problem }).toEqual({
    changed: [],
    result: expected,
  });
  expect(modeOf(path)).toBe(found);
});

test('a file system that begins at a folder is a mount point, whether it is listed or not', () => {
  const folder = temporaryFolder(onTestFinished);
  const other = { ...statSync('/proc'), dev: statSync(folder).dev + 1 };
  patchFiles(
    'statSync',
    (real) =>
      (path: string, ...rest: never[]) =>
        path === folder ? other : real(path, ...rest),
  );
  expect(whyLeftAlone(folder)?.why).toBe('it is a mount point');
});

test('a folder with a file of another user is left as it is', () => {
  const folder = temporaryFolder(onTestFinished);
  writeFileSync(join(folder, 'keyring.json'), '');
  expect(whyLeftAlone(folder)).toBeUndefined();
  const owner = {
    ...statSync(folder),
    uid: 12_345,
    isSymbolicLink: () => false,
    isDirectory: () => false,
    isFile: () => true,
  };
  const isIt = (path: string) => path === join(folder, 'keyring.json');
  patchFiles(
    'lstatSync',
    (real) =>
      (path: string, ...rest: never[]) =>
        isIt(path) ? owner : real(path, ...rest),
  );
  expect(whyLeftAlone(folder)?.why).toContain("it has 'keyring.json'");
});

describe('what fiatrail puts into a folder is known as its own', () => {
  const places = documentedPlaces().filter(({ place }) => /^(CONFIG|STATE)\/./.test(place));

  test.each(places)('$place', ({ place }) => {
    const [, ...names] = place.replace(/ID|NAME/, '01900000-0000-7000-8000-000000000001').split('/');
    const root = temporaryFolder(onTestFinished);
    const path = join(root, ...names.filter((name) => name !== ''));
    mkdirSync(place.endsWith('/') ? path : dirname(path), { recursive: true });
    if (!place.endsWith('/')) writeFileSync(path, '');
    expect([whyLeftAlone(root), whyLeftAlone(dirname(path))]).toEqual([undefined, undefined]);
  });

  test('but only below such a folder', () => {
    const folder = join(temporaryFolder(onTestFinished), 'profiles');
    mkdirSync(folder);
    writeFileSync(join(folder, 'people.json'), '');
    expect(whyLeftAlone(folder)).toBeUndefined();
    writeFileSync(join(dirname(folder), 'index.html'), '');
    expect(whyLeftAlone(folder)?.why).toContain('people.json');
  });
});
