import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { fiatrail, newHome, ROOT, requireBuilt, startProgram, temporaryFolder } from '../support/built.ts';
import * as here from '../support/in-process.ts';
import { journalRows } from '../support/journal.ts';

beforeAll(requireBuilt);

const TRACE = /^\s+at .*:\d+:\d+/m;

/** The built program as a shell command. */
const PROGRAM = `"${process.execPath}" "${join(ROOT, 'bin', 'fiatrail.js')}"`;

/** Runs shell commands in which `fiatrail` is the built program and prints its exit code as `[exit N]`. */
function shell(lines: readonly string[], around: readonly string[] = [], limits = '') {
  const home = newHome(onTestFinished);
  const program = `fiatrail() { ${PROGRAM} "$@"; echo "[exit $?]"; }`;
  const [file = '', ...argv] = [...around, 'bash', '-c', [limits, program, ...lines].join('\n')];
  return startProgram(home, file, argv).end;
}

const exitsIn = (text: string) => [...text.matchAll(/\[exit (\d+)\]/g)].map(([, code]) => Number(code));

let isMountable: boolean | undefined;

/** Whether a test may mount a small disk on this machine; if not, file sizes are limited instead. */
function canMount(): boolean {
  const mount = () => ['-rm', 'mount', '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', temporaryFolder(onTestFinished)];
  isMountable ??= spawnSync('unshare', mount()).status === 0;
  return isMountable;
}

/** Runs shell commands with a state folder limited to a size in KiB. */
function smallDisk(kibibytes: number, lines: readonly string[]) {
  const state = 'mkdir -p "$FIATRAIL_STATE_DIR"';
  const mount = `mount -t tmpfs -o size=${kibibytes}k,mode=700 tmpfs "$FIATRAIL_STATE_DIR"`;
  if (canMount()) return shell([state, mount, ...lines], ['unshare', '-rm']);
  return shell([state, ...lines], [], `trap '' XFSZ; ulimit -f ${kibibytes}`);
}

const PAY_ELSEWHERE = [
  'export FIATRAIL_BASE_URL=http://127.0.0.1:9/v1 FIATRAIL_API_KEY=a-key',
  'fiatrail onramp create someone --amount 5 --yes -q',
];

/** The hash of a BVN takes 200 ms, which is not what is tested here. */
const QUICK_HASH = `NODE_OPTIONS='--require=${join(ROOT, 'test', 'support', 'quick-hash.cjs')}'`;
const ONBOARD = `echo 22345678901 | ${QUICK_HASH} fiatrail users onboard --bvn-stdin -q`;

describe('a full disk', () => {
  test('exits with 2 before the state is created', async () => {
    const { stdout, stderr } = await smallDisk(16, ['fiatrail users list -q -o json']);
    expect(exitsIn(stdout)).toEqual([2]);
    expect(['STATE_FULL', 'STATE_UNWRITABLE']).toContain(JSON.parse(stderr).error.code);
  });

  test('is reported when the state already exists', async () => {
    const { stdout, stderr } = await smallDisk(2048, [
      'fiatrail sandbox status -q',
      'dd if=/dev/zero of="$FIATRAIL_STATE_DIR/fill" bs=1k 2>/dev/null',
      'fiatrail sandbox status -q -o json',
    ]);
    // A limit on file sizes still allows small files.
    const [, last] = exitsIn(stdout);
    const code = last === 0 && !canMount() ? 'STATE_FULL' : JSON.parse(stderr).error.code;
    expect({ exits: exitsIn(stdout).slice(0, 1), code }).toEqual({ exits: [0], code: 'STATE_FULL' });
  });

  test('exits with 2 before a payment is sent', async () => {
    const pay = 'fiatrail onramp create someone --amount 5 --yes -q';
    const { stdout, stderr } = await smallDisk(16, [
      'export FIATRAIL_BASE_URL=http://127.0.0.1:9/v1 FIATRAIL_API_KEY=a-key',
      pay,
    ]);
    expect({ exits: exitsIn(stdout), stderr: stderr.trim().split('\n').length, hasTrace: TRACE.test(stderr) }).toEqual({
      exits: [2],
      stderr: 3,
      hasTrace: false,
    });
  });

  test('loses nothing, and commands work again once there is space', async () => {
    const fill = 'dd if=/dev/zero of="$FIATRAIL_STATE_DIR/fill" bs=1k 2>/dev/null';
    const { stdout, stderr } = await smallDisk(2048, [
      'fiatrail sandbox seed --users 2 --pace instant -q',
      fill,
      ONBOARD,
      'rm "$FIATRAIL_STATE_DIR/fill"',
      'fiatrail sandbox status -q -o csv --fields users,ledger.balanced',
      ONBOARD,
    ]);
    const [seeded, , status, again] = exitsIn(stdout);
    expect({ seeded, status, again, hasTrace: TRACE.test(stderr) }).toEqual({
      seeded: 0,
      status: 0,
      again: 0,
      hasTrace: false,
    });
    expect(stdout).toMatch(/^[23],true\r?$/m);
  });
});

test('a read-only disk stops a payment before it is sent', async () => {
  const { stdout, stderr } = await smallDisk(2048, [
    'fiatrail ops list -q',
    canMount() ? 'mount -o remount,ro tmpfs "$FIATRAIL_STATE_DIR"' : 'chmod -R a-w "$FIATRAIL_STATE_DIR"',
    ...PAY_ELSEWHERE,
  ]);
  expect(exitsIn(stdout)).toEqual([0, 2]);
  expect(stderr).toMatch(/journal\.db cannot be opened for writing|cannot be used \(EROFS\)/);
  expect({ lines: stderr.trim().split('\n').length, hasTrace: TRACE.test(stderr) }).toEqual({
    lines: 3,
    hasTrace: false,
  });
});

test('a disk that is full after the journal was made stops a payment before it is sent', async () => {
  const { stdout, stderr } = await smallDisk(2048, [
    'fiatrail ops list -q',
    'dd if=/dev/zero of="$FIATRAIL_STATE_DIR/fill" bs=1k 2>/dev/null',
    ...PAY_ELSEWHERE,
  ]);
  expect(exitsIn(stdout)).toEqual([0, 2]);
  expect({ lines: stderr.trim().split('\n').length, hasTrace: TRACE.test(stderr) }).toEqual({
    lines: 3,
    hasTrace: false,
  });
});

/** Changes the disk of the state folder; where none can be mounted, the permissions of its files. */
const changed = (how: string, mode: string) => (canMount() ? how : `chmod -R ${mode} "$FIATRAIL_STATE_DIR"`);
const readOnly = () => changed('mount -o remount,ro tmpfs "$FIATRAIL_STATE_DIR"', 'a-w');
const writable = () => changed('mount -o remount,rw tmpfs "$FIATRAIL_STATE_DIR"', 'u+w');
const full = () => changed('dd if=/dev/zero of="$FIATRAIL_STATE_DIR/fill" bs=1k 2>/dev/null', 'a-w');

const WITHDRAW = 'fiatrail fees withdraw --amount 500 --to default --yes -q';
const LIST = 'fiatrail ops list -o json --query "length(operations)"';
const READS = [
  LIST,
  'fiatrail ops show first -o json --query state',
  'fiatrail ops journal verify -q -o json --query entries',
  'fiatrail ops journal head -q -o json --query entry',
  'fiatrail ops journal export | wc -l',
  'fiatrail ops reconcile --all -q -o json --query "length(operations)"',
  'fiatrail webhooks inbox list -q -o json --query "length(events)"',
];

describe('the journal and the inbox', { timeout: 120_000 }, () => {
  test('can be read on a disk that is full, and on one that is read-only', async () => {
    const { stdout } = await smallDisk(4096, [
      `${WITHDRAW} --once first`,
      ...READS,
      full(),
      'echo UNWRITABLE',
      ...READS,
      writable(),
      'rm -f "$FIATRAIL_STATE_DIR/fill"',
      readOnly(),
      'echo UNWRITABLE',
      ...READS,
    ]);
    const [before = '', ...unwritable] = stdout.split('UNWRITABLE\n');
    expect(unwritable).toHaveLength(2);
    for (const after of unwritable) {
      expect(exitsIn(after.replaceAll(/^\d+$/gm, ''))).toEqual(
        READS.flatMap((read) => (read.includes('|') ? [] : [0])),
      );
      expect(before.endsWith(after)).toBe(true);
    }
  });

  const kill = `"${process.execPath}" -e 'const { DatabaseSync } = require("node:sqlite");
    new DatabaseSync(process.argv[1]).exec("BEGIN IMMEDIATE; CREATE TABLE written_last (id INTEGER); COMMIT");
    process.kill(process.pid, "SIGKILL")' "$FIATRAIL_STATE_DIR/journal.db"`;
  test('are read with the log that a killed process left, or not at all', async () => {
    const { stdout, stderr } = await smallDisk(4096, [
      WITHDRAW,
      kill,
      'test -s "$FIATRAIL_STATE_DIR/journal.db-wal" && echo HAS_LOG',
      readOnly(),
      LIST,
      writable(),
      'rm "$FIATRAIL_STATE_DIR/journal.db-shm"',
      readOnly(),
      LIST,
      writable(),
      LIST,
    ]);
    expect(stdout).toContain('HAS_LOG');
    expect(exitsIn(stdout)).toEqual([0, 0, 2, 0]);
    expect(stderr).toMatch(/the last entries, in \S+journal\.db-wal, cannot be read without/);
  });

  test('show an unknown outcome that cannot be recorded, and nothing more is sent', async () => {
    const { stdout, stderr } = await smallDisk(4096, [
      'fiatrail sandbox fault add --on fees.withdraw --fault lost-response --times 1 -q',
      WITHDRAW,
      full(),
      'fiatrail ops reconcile --all -q -o json --query "operations[].next"',
      WITHDRAW,
    ]);
    expect(stdout).toMatch(/cannot be recorded in \S+: the (disk is full|file cannot be opened)/);
    expect({ exits: exitsIn(stdout), stderr }).toEqual({
      exits: [0, 6, 6, 2],
      stderr: expect.stringMatching(/the disk is full: cannot write|cannot be opened for writing/),
    });
  });
});

test('exits with 2 if the state folder cannot be created', async () => {
  const { stdout, stderr } = await shell(['export FIATRAIL_STATE_DIR=/proc/nothing/below', 'fiatrail ops list -q']);
  expect({ exits: exitsIn(stdout), stderr }).toEqual({ exits: [2], stderr: expect.stringContaining('/proc') });
});

describe('standard output that cannot be written', () => {
  test('fails a read without a stack trace', async () => {
    const { stdout, stderr } = await shell([`${PROGRAM} banks -q > /dev/full`, 'echo "[exit $?]"']);
    expect({ exits: exitsIn(stdout).every((code) => code !== 0), hasTrace: TRACE.test(stderr) }).toEqual({
      exits: true,
      hasTrace: false,
    });
  });

  test('exits with neither 1 nor 2 after a payment was sent', async () => {
    const home = newHome(onTestFinished);
    await here.fiatrail(home, ['sandbox', 'seed', '--users', '1', '--pace', 'instant']);
    const { users } = await here.fiatrailJson<{ users: { userId: string }[] }>(home, ['users', 'list']);
    const argv = ['onramp', 'create', users[0]?.userId ?? '', '--amount', '5', '--yes', '-q'];
    const script = 'exec "$0" "$@" > /dev/full';
    const { code, stderr } = await startProgram(home, 'bash', [
      '-c',
      script,
      process.execPath,
      join(ROOT, 'bin', 'fiatrail.js'),
      ...argv,
    ]).end;
    expect(journalRows(home.stateDir)).toMatchObject([{ state: 'accepted' }]);
    expect([1, 2]).not.toContain(code ?? 1);
    expect(stderr).not.toMatch(TRACE);
  });

  test('is not confused with a closed pipe, as in | head', async () => {
    const { stdout, stderr } = await shell([
      `${PROGRAM} banks -o json -q | head -c 1 > /dev/null`,
      `echo "[exit ${'$'}{PIPESTATUS[0]}]"`,
    ]);
    expect({ exits: exitsIn(stdout), stderr }).toEqual({ exits: [0], stderr: '' });
  });
});

describe('files', () => {
  test('are readable by their owner only', async () => {
    const home = newHome(onTestFinished);
    await here.fiatrail(home, ['sandbox', 'reset', '--yes']);
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
    expect(mode(home.stateDir)).toBe('700');
    for (const name of ['sandbox.db', 'journal.db'])
      expect({ name, mode: mode(join(home.stateDir, name)) }).toEqual({ name, mode: '600' });
  });

  test('are written only to the cache and state folders', async () => {
    const home = newHome(onTestFinished);
    await fiatrail(home, ['users', 'list']);
    expect(readdirSync(home.path).sort()).toEqual(['state']);
  });

  test('that are not databases are not changed', async () => {
    const home = newHome(onTestFinished);
    mkdirSync(home.stateDir);
    const garbage = Buffer.from(Array.from({ length: 9000 }, (_, index) => (index * 37) % 256));
    const paths = ['sandbox.db', 'journal.db'].map((name) => join(home.stateDir, name));
    for (const path of paths) writeFileSync(path, garbage);
    const codes = [await here.fiatrail(home, ['users', 'list']), await here.fiatrail(home, ['ops', 'list'])].map(
      ({ code }) => code,
    );
    const isUntouched = paths.map((path) => readFileSync(path).equals(garbage));
    expect({ codes, isUntouched }).toEqual({ codes: [2, 2], isUntouched: [true, true] });
    expect(readdirSync(home.stateDir).sort()).toEqual(['journal.db', 'sandbox.db']);
  });

  test('that are damaged databases are not changed', async () => {
    const home = newHome(onTestFinished);
    await here.fiatrail(home, ['sandbox', 'seed', '--users', '3']);
    const path = join(home.stateDir, 'sandbox.db');
    const damaged = readFileSync(path).fill(0xff, 4096);
    writeFileSync(path, damaged);
    const { code, stderr } = await here.fiatrail(home, ['users', 'list', '-q', '-o', 'json']);
    expect({ code, errorCode: JSON.parse(stderr).error.code }).toEqual({ code: 2, errorCode: 'STATE_CORRUPT' });
    expect(readFileSync(path).equals(damaged)).toBe(true);
  });

  test('of a newer version are rejected', async () => {
    const home = newHome(onTestFinished);
    await here.fiatrail(home, ['ops', 'list']);
    const path = join(home.stateDir, 'journal.db');
    const newer = readFileSync(path);
    newer.writeUInt32BE(999, 60);
    writeFileSync(path, newer);
    const { code, stderr } = await here.fiatrail(home, ['ops', 'list', '-o', 'json']);
    expect({ code, errorCode: JSON.parse(stderr).error.code }).toEqual({ code: 2, errorCode: 'STATE_NEWER' });
  });

  test('need not be writable for a read over the network', async () => {
    const home = newHome(onTestFinished);
    mkdirSync(home.stateDir);
    chmodSync(home.stateDir, 0o500);
    const env = { FIATRAIL_BASE_URL: 'http://127.0.0.1:9/v1', FIATRAIL_API_KEY: 'a-key' };
    expect((await here.fiatrail(home, ['balances', 'account', '--timeout', '10ms'], { env })).code).toBe(5);
    chmodSync(home.stateDir, 0o700);
  });
});

describe('long output', () => {
  test('is not truncated in a pipe', async () => {
    const home = newHome(onTestFinished);
    await here.fiatrail(home, ['sandbox', 'seed', '--users', '100', '--pace', 'instant']);
    const { stdout } = await fiatrail(home, ['users', 'list', '--limit', '100', '-o', 'json', '-q']);
    expect(stdout.length).toBeGreaterThan(65_536);
    expect(JSON.parse(stdout).users).toHaveLength(100);
  });
});
