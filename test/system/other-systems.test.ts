/** What can be checked here of macOS and Windows (docs/contributing/other-systems.md). */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { profileFile, profileName, profileNames, readProfile } from '../../src/account/stored-profile.ts';
import { createFileStore } from '../../src/account/stores/file-store.ts';
import { SECRET_VARIABLES } from '../../src/base/secret.ts';
import { entryAt } from '../../src/files/inspect.ts';
import { openPartFile } from '../../src/files/part-file.ts';
import { createPrivateFile, readPrivateFile, replaceFile } from '../../src/files/private-file.ts';
import { tokenIn } from '../../src/files/token-file.ts';
import { passwordIn, serverAddressOf } from '../../src/journal/postgres/server-address.ts';
import { main } from '../../src/main.ts';
import { databaseUri } from '../../src/sqlite/database.ts';
import { findProgram, runProgram } from '../../src/system/processes.ts';
import { createSystemWorld } from '../../src/system/world.ts';
import { OWN_FILES, ROOT, temporaryFolder } from '../support/built.ts';
import { asOnWindows, failing } from '../support/windows.ts';
import { fakeWorld } from '../support/world.ts';

/** The files that releases made. */
const UPGRADE = join(ROOT, 'test', 'upgrade');

const never = new AbortController().signal;
const newFolder = () => temporaryFolder(onTestFinished);
const inFolder = (name: string) => join(newFolder(), name);

describe('SQLite opens a file by a URI', () => {
  test.each([
    ['of a drive of Windows', 'C:\\Users\\ada b\\100%#?.db', '\\', 'file:///C:/Users/ada%20b/100%25%23%3F.db?mode=ro'],
    ['of a server', '\\\\SERVER\\share\\journal.db', '\\', 'file:////SERVER/share/journal.db?mode=ro'],
    ['with a backslash in its name, elsewhere', '/home/a\\b.db', '/', 'file:///home/a%5Cb.db?mode=ro'],
  ])('%s', (_what, path, separator, uri) => {
    expect(databaseUri(path, 'mode=ro', separator)).toBe(uri);
  });

  test('also if its path begins like that of a server', () => {
    const path = `/${inFolder('it is\\here.db')}`;
    const database = new DatabaseSync(path);
    database.exec('CREATE TABLE found (id)');
    database.exec(`ATTACH '${databaseUri(path, 'mode=ro')}' AS again`);
    expect(database.prepare('SELECT name FROM again.sqlite_schema').all()).toEqual([{ name: 'found' }]);
    database.close();
  });
});

describe('on Windows, which has no modes', () => {
  const openToAll = (name: string, text: string) => {
    const path = inFolder(name);
    writeFileSync(path, text);
    chmodSync(path, 0o666);
    asOnWindows(onTestFinished);
    return path;
  };

  test('no file counts as open to others, and no mode is changed', () => {
    const path = openToAll('file', 'text');
    expect(entryAt(path)).toMatchObject({ isOpenToOthers: false, isWritableByOthers: false, readerGroupId: undefined });
    expect(readPrivateFile(path)).toBe('text');
    expect(statSync(path).mode & 0o777).toBe(0o666);
  });

  test('the password file of PostgreSQL is read', () => {
    const path = openToAll('pgpass.conf', 'db.example:5432:journal:ada:a password\r\n');
    const address = serverAddressOf('postgres://ada@db.example:5432/journal');
    expect(passwordIn(path, address, 'ada')?.reveal()).toBe('a password');
  });

  test('a token is used', () => {
    const token = 'a'.repeat(40);
    expect(tokenIn(openToAll('token', `${token}\r\n`), () => '', undefined)).toEqual({ token, isNew: false });
  });
});

test('a secret that an editor of Windows wrote is read without its line end', async () => {
  const world = fakeWorld();
  const store = createFileStore(world);
  const path = store.location('main', 'api-key');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'the-key\r\n');
  expect((await store.read('main', 'api-key'))?.reveal()).toBe('the-key');
});

test.each(['con', 'nul', 'aux', 'prn', 'com1', 'lpt9', 'nul.live', 'Main', 'MAIN', 'a:b', 'a/b', 'a\\b', 'live.', ''])(
  'no profile is called "%s"',
  (name) => {
    expect(() => profileName(name)).toThrow(/^invalid profile name/);
  },
);

test.each(['console', 'null', 'com', 'com10', 'live.con', 'ng.sandbox'])('a profile is called %s', (name) => {
  expect(profileName(name)).toBe(name);
});

test('no two profiles have one file in a folder that ignores case', () => {
  const world = fakeWorld();
  const folder = dirname(profileFile(world, 'main'));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const profile = { version: 1, name: 'main', mode: 'sandbox', baseUrl: 'https://host/v1', store: { kind: 'file' } };
  // Such a folder would find the first file by either name.
  for (const name of ['main', 'MAIN', 'Other'])
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(profile), { mode: 0o600 });
  expect(profileNames(world)).toEqual(['main']);
  expect(readProfile(world, 'main')).toMatchObject({ name: 'main' });
  expect(['MAIN', 'Main', 'Other'].map((name) => readProfile(world, name))).toEqual([undefined, undefined, undefined]);
  writeFileSync(join(folder, 'other.json'), JSON.stringify(profile), { mode: 0o600 });
  expect(() => readProfile(world, 'other')).toThrow('has an invalid field: name');
});

describe('a file takes its name on Windows', () => {
  test('while a virus scanner has it open for a moment', () => {
    asOnWindows(onTestFinished);
    const path = inFolder('file');
    writeFileSync(path, 'old');
    const calls = failing(onTestFinished, 'renameSync', ['EPERM', 'EBUSY', 'EACCES']);
    replaceFile(path, 'new', 'unique');
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(calls()).toBe(4);
  });

  test('unless something else is wrong, or it stays open', () => {
    asOnWindows(onTestFinished);
    const path = inFolder('file');
    writeFileSync(path, 'old');
    const full = failing(onTestFinished, 'renameSync', ['ENOSPC']);
    expect(() => replaceFile(path, 'new', 'unique')).toThrow('ENOSPC');
    expect(full()).toBe(1);
    failing(onTestFinished, 'renameSync', new Array(100).fill('EPERM'));
    expect(() => replaceFile(path, 'new', 'unique')).toThrow('EPERM');
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(existsSync(join(dirname(path), '.unique.tmp'))).toBe(false);
  });

  test('and elsewhere it is not tried again', () => {
    const path = inFolder('file');
    const calls = failing(onTestFinished, 'renameSync', ['EPERM']);
    expect(() => replaceFile(path, 'new', 'unique')).toThrow('EPERM');
    expect(calls()).toBe(1);
  });
});

describe.each(['EPERM', 'ENOTSUP', 'EISDIR'])('on a disk that has no hard links and says %s', (code) => {
  test('a new file never replaces another one', () => {
    const path = inFolder('file');
    failing(onTestFinished, 'linkSync', [code, code]);
    expect(createPrivateFile(path, 'first', 'one')).toBe(true);
    expect(createPrivateFile(path, 'second', 'two')).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe('first');
  });

  test('the file of --output-file gets its name, unless it is taken', () => {
    const path = inFolder('rows.ndjson');
    const open = () => openPartFile(path, () => 'unique', { processId: 1, isRunning: () => false });
    failing(onTestFinished, 'linkSync', [code, code]);
    const file = open();
    file.write('a row\n');
    writeFileSync(path, 'another');
    expect(() => file.finish()).toThrow('appeared meanwhile');
    expect(readFileSync(path, 'utf8')).toBe('another');
    file.close();
    const free = inFolder('rows.ndjson');
    const again = openPartFile(free, () => 'unique', { processId: 1, isRunning: () => false });
    again.write('a row\n');
    again.finish();
    again.close();
    expect(readFileSync(free, 'utf8')).toBe('a row\n');
  });
});

/** Whether a process runs; one that has ended and was not waited for does not. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe('another program on Windows', () => {
  /** Makes a program of one line in a folder. */
  function programIn(folder: string, name: string, line: string): string {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    return path;
  }

  function withVariables(variables: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(variables)) {
      const was = process.env[name];
      process.env[name] = value;
      onTestFinished(() => {
        if (was === undefined) delete process.env[name];
        else process.env[name] = was;
      });
    }
  }

  test('is looked for with the endings of programs, in PATH and not in the current folder', () => {
    const folder = newFolder();
    programIn(folder, 'op', '');
    programIn(folder, 'op.EXE', '');
    const find = (name: string, PATH = folder) => findProgram(name, { PATH, PATHEXT: '.COM;.EXE' }, 'win32');
    expect(find('op')).toBe(join(folder, 'op.EXE'));
    expect(find('op.EXE')).toBe(join(folder, 'op.EXE'));
    expect(find('op', '')).toBeUndefined();
    expect(find(join(folder, 'op'))).toBe(join(folder, 'op.EXE'));
  });

  test('is started from where it was found', async () => {
    const folder = newFolder();
    programIn(folder, 'op', 'echo wrong');
    programIn(folder, 'op.EXE', 'echo right');
    withVariables({ PATH: `${folder}:${process.env['PATH']}`, PATHEXT: '.COM;.EXE' });
    asOnWindows(onTestFinished);
    expect(await runProgram(['op'], { timeoutMs: 20_000 }, process.env, never)).toMatchObject({ stdout: 'right\n' });
    expect(await runProgram(['no-such'], { timeoutMs: 20_000 }, process.env, never)).toEqual({ kind: 'missing' });
  });

  test('gets none of our secrets, however Windows spells their variables', async () => {
    const program = programIn(newFolder(), 'print.exe', 'env');
    const secrets = Object.fromEntries(SECRET_VARIABLES.map((name) => [name.toLowerCase(), 'a-secret']));
    const env = { Path: process.env['PATH'], Notify_Socket: 'here', ...secrets };
    withVariables({ PATHEXT: '.EXE' });
    asOnWindows(onTestFinished);
    const all = await runProgram([program], { timeoutMs: 20_000 }, env, never);
    expect(all).toMatchObject({ stdout: expect.stringContaining('Notify_Socket=here') });
    expect(all).not.toMatchObject({ stdout: expect.stringContaining('a-secret') });
    const options = { timeoutMs: 20_000, variables: ['PATH', 'NOTIFY_SOCKET'] };
    const few = await runProgram([program], options, { ...env, other: 'x' }, never);
    expect(few).toMatchObject({ stdout: expect.stringContaining('Notify_Socket=here') });
    expect(few).not.toMatchObject({ stdout: expect.stringContaining('other=') });
  });

  test('is ended with all that it started, by a program of the system', async () => {
    const root = newFolder();
    const log = join(root, 'log');
    const kill = `"${process.execPath}" -e 'process.kill(-process.argv[1], "SIGKILL")' "$2"`;
    programIn(root, 'System32/taskkill.exe', `echo "$@" > ${log}; ${kill}`);
    const program = programIn(root, 'waits.exe', 'sleep 60 & echo $! >&2; wait');
    withVariables({ SystemRoot: root, PATHEXT: '.EXE' });
    asOnWindows(onTestFinished);
    const end = await runProgram([program], { timeoutMs: 400, capturesErrors: true }, process.env, never);
    expect(end).toMatchObject({ kind: 'late' });
    expect(readFileSync(log, 'utf8')).toMatch(/^\/pid \d+ \/t \/f\n$/);
    const started = Number('stderr' in end && end.stderr);
    await expect.poll(() => isRunning(started)).toBe(false);
  });

  test('has its time of grace, since nothing can ask it to end', async () => {
    const program = programIn(newFolder(), 'works.exe', 'trap "exit 3" TERM; sleep 0.8; echo whole');
    withVariables({ PATHEXT: '.EXE' });
    asOnWindows(onTestFinished);
    const ending = { signal: AbortSignal.timeout(200), graceMs: 20_000 };
    const end = await runProgram([program], { timeoutMs: 30_000, ending }, process.env, never);
    expect(end).toMatchObject({ kind: 'ended', code: 0, stdout: 'whole\n' });
  });
});

test('Ctrl-Break ends a command in order, as Ctrl-C does', () => {
  const world = createSystemWorld(OWN_FILES);
  expect(world.interrupted.aborted).toBe(false);
  process.emit('SIGBREAK', 'SIGBREAK');
  expect(world.interrupted.aborted).toBe(true);
});

test.each([
  ['win32', 'ok'],
  ['linux', 'warning'],
  ['darwin', 'warning'],
])('doctor misses TERM only where terminals set it: on %s', async (platform, state) => {
  const world = fakeWorld({ isTerminal: true });
  await main(['doctor', '-o', 'json'], { ...world, platform });
  const { checks } = JSON.parse(world.stdout.text()) as { checks: readonly { check: string; state: string }[] };
  expect(checks.find(({ check }) => check === 'terminal')?.state).toBe(state);
});

test('each name that fiatrail gives a file can be given on every system, and no two differ only in case', () => {
  const archives = readdirSync(UPGRADE).filter((name) => name.endsWith('.tar.gz'));
  const names = archives.flatMap((name) =>
    execFileSync('tar', ['tzf', join(UPGRADE, name)], { encoding: 'utf8' })
      .trimEnd()
      .split('\n'),
  );
  const parts = new Set(names.flatMap((name) => name.split('/')).filter(Boolean));
  expect(parts).toContain('journal.db');
  expect(parts).toContain('live.api-key');
  // Lower case, none of <>:"|?*, no dot or space at the end, and no device.
  expect([...parts].filter((part) => !/^[a-z0-9._-]*[a-z0-9]$/.test(part))).toEqual([]);
  expect([...parts].filter((part) => /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/.test(part))).toEqual([]);
});

test('the page about other systems names files that exist', () => {
  const page = readFileSync(join(ROOT, 'docs/contributing/other-systems.md'), 'utf8');
  const named = [...page.matchAll(/`((?:src|test)\/[^`]+)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
