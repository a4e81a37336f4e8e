import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Served } from '../support/accounts.ts';
import { type Home, ROOT, requireBuilt, sharedEnd, startFiatrail, startProgram } from '../support/built.ts';
import { accountOf, fiatrail, fiatrailJson, must, serveSandbox } from '../support/in-process.ts';
import {
  embeddedKey,
  leftBehind,
  rotationProcessesGone,
  rotationProcessesOf,
  rotationRows,
  secretsFolder,
  startInGroup,
  storedKey,
  until,
} from '../support/rotations.ts';

const atEnd = sharedEnd();
let served: Served;

beforeAll(async () => {
  requireBuilt();
  served = await serveSandbox(atEnd);
});

/** Every step of a rotation fails in turn, with the built program and a served sandbox. */
const ROTATE = ['keys', 'rotate', '--yes', '--no-input', '-o', 'json', '-v'];
const RESUME_COMMAND = ['keys', 'rotate', '--resume', '-o', 'json', '-v'];

interface Setup {
  readonly home: Home;
  /** Whether the service accepts the stored key. */
  readonly isLive: () => boolean;
}

/** An account with the sandbox's current key, and a journal. */
async function setUp(): Promise<Setup> {
  const home = await accountOf({ ...served, apiKey: embeddedKey(served.home) }, onTestFinished);
  await must(home, ['ops', 'list', '-q']);
  const isLive = () => served.keys().some(({ key, isLive: live }) => live && key === storedKey(home));
  return { home, isLive };
}

/** Makes the next rotation request fail. */
const addFault = (home: Home, kind: string) =>
  must(home, ['sandbox', 'fault', 'add', '--on', 'management.regenerate-api-key', '--fault', kind, '--times', '1']);

/** Runs a command and checks that its output contains no key. */
async function run(home: Home, argv: readonly string[]) {
  const ran = await fiatrail(home, argv);
  expect(ran.stdout + ran.stderr).not.toMatch(/sandbox_[0-9a-f]{6}/);
  const line = ran.stderr.split('\n').find((each) => each.startsWith('{"error"'));
  const error = line ? (JSON.parse(line) as { error: { code: string; message: string } }).error : undefined;
  return { ...ran, error };
}

const stages = (home: Home) => rotationRows(home).map(({ stage, state }) => `${stage} ${state}`);

/** The kind of fault, the exit code, whether the key is replaced, and the exit code of `--resume`. */
const FAULTS: readonly [kind: string, exit: number, isReplaced: boolean, resumed: number][] = [
  ['slow', 0, true, 2],
  ['rate-limit', 0, true, 2],
  ['lost-request', 6, false, 0],
  ['http-500', 6, false, 0],
  ['http-502-html', 6, false, 0],
  ['lost-response', 6, true, 4],
  ['http-500-after', 6, true, 4],
  ['truncated', 6, true, 4],
  ['malformed-json', 6, true, 4],
];

test.each(FAULTS)('survives a fault of the service (%s)', async (kind, exit, isReplaced, resumed) => {
  const { home, isLive } = await setUp();
  const before = served.keys().length;
  await addFault(home, kind);
  expect((await run(home, ROTATE)).code).toBe(exit);
  expect({ isReplaced: served.keys().length > before, isLive: isLive() }).toEqual({
    isReplaced,
    isLive: exit === 0 || !isReplaced,
  });
  expect(stages(home)).toEqual([exit === 0 ? 'done settled' : 'lost unknown']);
  expect((await run(home, RESUME_COMMAND)).code).toBe(resumed);
  // If a key works, the rotation is closed; if not, a response that was saved stays for the user.
  const hasResponse = exit === 6 && resumed !== 0 && !NO_RESPONSE.includes(kind);
  if (exit === 6) expect(stages(home)).toEqual([resumed === 0 ? 'rejected rejected' : 'lost unknown']);
  expect(leftBehind(home).map((name) => name.split('.')[1])).toEqual(hasResponse ? ['answer'] : []);
});

/** Faults without a response; one that is cut off counts as none. */
const NO_RESPONSE = ['lost-request', 'lost-response', 'truncated'];

describe('with a delayed response', () => {
  /** Starts a rotation whose response takes 3 seconds, and waits until the service has replaced the key. */
  async function delayed<R>(home: Home, start: () => R): Promise<R> {
    await addFault(home, 'slow');
    const before = served.keys().length;
    const running = start();
    await until(() => served.keys().length > before);
    return running;
  }

  const rotating = (home: Home) => delayed(home, () => startFiatrail(home, ROTATE));

  test('the next command finishes the rotation of a killed one', async () => {
    const { home, isLive } = await setUp();
    const running = await delayed(home, () => startInGroup(home, ROTATE));
    running.kill(true);
    await running.end;
    const { stderr, code } = await run(home, ['status']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('finished an interrupted API key rotation'),
    });
    expect({ isLive: isLive(), stages: stages(home), leftBehind: leftBehind(home) }).toEqual({
      isLive: true,
      stages: ['done settled'],
      leftBehind: [],
    });
  });

  test('exits with 6 if the rotation process is killed, and --resume explains the unknown outcome and exits with 4', async () => {
    const { home } = await setUp();
    const running = await rotating(home);
    for (const pid of rotationProcessesOf(home)) process.kill(pid, 'SIGKILL');
    expect((await running.end).code).toBe(6);
    expect(stages(home)).toEqual(['lost unknown']);
    expect((await run(home, RESUME_COMMAND)).error?.code).toBe('KEY_LOST');
    expect(leftBehind(home)).toEqual([]);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('%s exits with 130 while the rotation continues', async (signal) => {
    const { home, isLive } = await setUp();
    const running = await rotating(home);
    process.kill(running.pid, signal);
    const { code, stderr } = await running.end;
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: expect.stringContaining(`finish with: fiatrail keys rotate --resume`),
    });
    expect((await run(home, RESUME_COMMAND)).code).toBe(0);
    expect({ isLive: isLive(), leftBehind: leftBehind(home) }).toEqual({ isLive: true, leftBehind: [] });
  });

  test('a second rotation exits with 9', async () => {
    const { home, isLive } = await setUp();
    const running = await rotating(home);
    expect((await run(home, ROTATE)).error?.code).toBe('ROTATION_UNDER_WAY');
    expect({ code: (await running.end).code, isLive: isLive(), stages: stages(home) }).toEqual({
      code: 0,
      isLive: true,
      stages: ['done settled'],
    });
  });

  test('exits with 8 and leaves the key in a private file if the store has disappeared', async () => {
    const { home, isLive } = await setUp();
    const running = await rotating(home);
    const folder = secretsFolder(home);
    renameSync(folder, `${folder}-away`);
    writeFileSync(folder, 'in the way');
    const { code, stderr } = await running.end;
    const path = /key is in (\/\S+?)[",;]/.exec(stderr)?.[1] ?? 'no file named';
    const [live] = served.keys().filter(({ key }) => key === readFileSync(path, 'utf8'));
    expect({ code, isLive: live?.isLive, mode: statSync(path).mode & 0o777 }).toEqual({
      code: 8,
      isLive: true,
      mode: 0o600,
    });
    expect((await run(home, RESUME_COMMAND)).error?.code).toBe('KEY_NOT_STORED');
    rmSync(folder);
    mkdirSync(folder, { mode: 0o700 });
    expect((await run(home, RESUME_COMMAND)).code).toBe(0);
    expect({ isLive: isLive(), leftBehind: leftBehind(home) }).toEqual({ isLive: true, leftBehind: [] });
  });

  test('a full disk loses no key', async () => {
    const { home } = await setUp();
    const running = await delayed(home, () => startInGroup(home, ROTATE));
    running.kill(false);
    await running.end;
    await rotationProcessesGone(home);
    const liveKeys = served.keys().filter(({ isLive }) => isLive).length;
    // Simulates a full disk: existing files stay, and none can grow.
    const words = [process.execPath, join(ROOT, 'bin', 'fiatrail.js'), ...RESUME_COMMAND]
      .map((word) => `"${word}"`)
      .join(' ');
    const limited = await startProgram(home, 'bash', ['-c', `trap '' XFSZ; ulimit -f 1; ${words}`]).end;
    expect([2, 8]).toContain(limited.code);
    expect(served.keys().filter(({ isLive }) => isLive)).toHaveLength(liveKeys);
    const data = await fiatrailJson<{ outcome: string }>(home, RESUME_COMMAND.slice(0, 3));
    expect({ outcome: data.outcome, stages: stages(home), leftBehind: leftBehind(home) }).toEqual({
      outcome: 'replaced',
      stages: ['done settled'],
      leftBehind: [],
    });
  });
});

describe('a push command', () => {
  test('that kills its parent command is run again by --resume', async () => {
    const { home, isLive } = await setUp();
    const mark = join(home.path, 'killed');
    const script = join(home.path, 'push.sh');
    // The first run reads the key and kills its parent; later runs only read the key.
    writeFileSync(script, `cat > "${home.path}/pushed"; test -e "${mark}" || { touch "${mark}"; kill -9 $PPID; }`);
    const killed = await startFiatrail(home, [...ROTATE, '--push-command', `sh "${script}"`]).end;
    expect({ code: killed.code, stages: stages(home) }).toEqual({ code: null, stages: ['proven accepted'] });
    expect((await run(home, RESUME_COMMAND)).code).toBe(0);
    expect({
      isLive: isLive(),
      text: readFileSync(join(home.path, 'pushed'), 'utf8'),
      leftBehind: leftBehind(home),
    }).toEqual({ isLive: true, text: storedKey(home), leftBehind: [] });
  });

  test('gets the key only on standard input', async () => {
    const { home } = await setUp();
    const script = join(home.path, 'push.sh');
    writeFileSync(script, `cat > "${home.path}/in"; { echo "$@"; env; } > "${home.path}/seen"`);
    expect((await run(home, [...ROTATE, '--push-command', `sh "${script}" key=-`])).code).toBe(0);
    expect(readFileSync(join(home.path, 'in'), 'utf8')).toBe(storedKey(home));
    expect(readFileSync(join(home.path, 'seen'), 'utf8')).not.toContain(storedKey(home));
  });
});
