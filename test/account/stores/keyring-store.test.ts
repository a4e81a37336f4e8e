import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createKeyringStore, forgetKeyring, probeKeyring } from '../../../src/account/stores/keyring-store.ts';
import { Secret } from '../../../src/base/secret.ts';
import type { ProgramEnd, ProgramOptions } from '../../../src/base/world.ts';
import { runProgram } from '../../../src/system/processes.ts';
import { newHome, ROOT, requireBuilt } from '../../support/built.ts';
import { type FakeWorld, fakeClock, fakeWorld } from '../../support/world.ts';
import { PLANTED, refusal } from '../support.ts';

const HOUR_MS = 3_600_000;

const answering = (answer: unknown): ProgramEnd => ({ kind: 'ended', code: 0, stdout: JSON.stringify(answer) });
const DONE = answering({ kind: 'done' });
const LATE: ProgramEnd = { kind: 'late' };

/** A world whose keychain helper ends in these ways, one after another, with a record of its calls. */
function worldOf(
  ends: readonly ProgramEnd[],
  options: { env?: Record<string, string>; interrupted?: AbortSignal } = {},
) {
  const left = [...ends];
  const calls: { words: readonly string[]; options: ProgramOptions }[] = [];
  const clock = fakeClock();
  const world = fakeWorld({
    ...options,
    clock,
    runProgram: async (words, given) => {
      calls.push({ words, options: given });
      return left.shift() ?? expect.fail('the keychain helper was called once too often');
    },
  });
  onTestFinished(() => expect(left).toEqual([]));
  return { world, calls, wait: (ms: number) => clock.sleep(ms, new AbortController().signal) };
}

const read = (world: FakeWorld) => createKeyringStore(world).read('ops', 'api-key');
const memoryOf = ({ stateDir }: FakeWorld) => join(stateDir, 'keyring.json');

describe('the keychain store', () => {
  test('calls the helper process and never passes a secret as an argument', async () => {
    const { world, calls } = worldOf([DONE, answering({ kind: 'done', secret: PLANTED }), DONE, DONE]);
    const store = createKeyringStore(world);
    await store.write('ops', 'encryption-keys', new Secret(PLANTED));
    expect((await store.read('ops', 'encryption-keys'))?.reveal()).toBe(PLANTED);
    await store.remove('ops', 'encryption-keys');
    expect(await store.read('ops', 'encryption-keys')).toBeUndefined();
    const entry = { service: 'fiatrail', user: 'ops/encryption-keys' };
    expect(calls.map(({ options }) => JSON.parse(options.input ?? ''))).toEqual([
      { op: 'write', ...entry, secret: PLANTED },
      { op: 'read', ...entry },
      { op: 'remove', ...entry },
      { op: 'read', ...entry },
    ]);
    for (const { words, options } of calls)
      expect([words, options.timeoutMs < 3_000]).toEqual([[process.execPath, 'fiatrail', '__keyring'], true]);
    expect(store.location('ops', 'api-key')).toBe('the system keychain');
  });

  test('starts the helper with the argument that bin/fiatrail.js expects', async () => {
    const { world, calls } = worldOf([DONE]);
    await createKeyringStore(world).read('ops', 'encryption-keys');
    const launcher = readFileSync(join(ROOT, 'bin', 'fiatrail.js'), 'utf8');
    expect(launcher).toContain(`argv[0] === '${calls[0]?.words.at(-1)}'`);
  });

  test.each<[what: string, end: ProgramEnd, code: string, message: RegExp, hint: RegExp, isKept: boolean]>([
    [
      'no package',
      answering({ kind: 'absent' }),
      'KEYRING_ABSENT',
      /@napi-rs\/keyring.*not installed/,
      /--store file/,
      true,
    ],
    [
      'no keychain',
      answering({ kind: 'no-store' }),
      'KEYRING_ABSENT',
      /no reachable system keychain/,
      /--store file/,
      true,
    ],
    ['a locked keychain', answering({ kind: 'locked' }), 'KEYRING_LOCKED', /is locked/, /unlock it/, false],
    ['denied access', answering({ kind: 'denied' }), 'KEYRING_LOCKED', /denied access/, /allow access/, false],
    ['a keychain that hangs', LATE, 'KEYRING_TIMEOUT', /did not respond within 2\.8 s/, /unlock it.*doctor/, true],
    [
      'another failure',
      answering({ kind: 'failed', why: 'it broke' }),
      'KEYRING_FAILED',
      /failed: it broke$/,
      /--store/,
      false,
    ],
    [
      'garbage',
      { kind: 'ended', code: 0, stdout: `{"secret":"${PLANTED}` },
      'KEYRING_FAILED',
      /without an answer/,
      /--store/,
      false,
    ],
    [
      'JSON of another shape',
      answering({ kind: 'other', secret: PLANTED }),
      'KEYRING_FAILED',
      /without an answer/,
      /--store/,
      false,
    ],
    ['null', answering(null), 'KEYRING_FAILED', /without an answer/, /--store/, false],
    ['a crash', { kind: 'ended', code: null, stdout: '' }, 'KEYRING_FAILED', /without an answer/, /--store/, false],
    ['no program', { kind: 'missing' }, 'KEYRING_FAILED', /without an answer/, /--store/, false],
  ])('reports %s with a hint', async (_what, end, code, message, hint, isKept) => {
    const { world } = worldOf([end, end, end]);
    const store = createKeyringStore(world);
    const acts = [() => store.write('ops', 'api-key', new Secret(PLANTED)), () => store.remove('ops', 'api-key')];
    for (const act of acts) {
      const error = await refusal(act);
      expect({ code: error.code, message: error.message, hint: error.hint }).toEqual({
        code,
        message: expect.stringMatching(message),
        hint: expect.stringMatching(hint),
      });
    }
    expect(existsSync(memoryOf(world))).toBe(isKept);
    forgetKeyring(world);
    expect((await refusal(() => read(world))).code).toBe(code);
  });

  test('reports Ctrl-C as an interruption, not as a time-out', async () => {
    const { world } = worldOf([LATE], { interrupted: AbortSignal.abort() });
    await expect(read(world)).rejects.toMatchObject({ category: 'interrupted' });
    expect(existsSync(memoryOf(world))).toBe(false);
  });
});

describe('an unusable keychain', () => {
  test('is remembered for an hour in a private file, and reads fail without a call', async () => {
    const { world, calls, wait } = worldOf([LATE, LATE]);
    await refusal(() => read(world));
    await wait(HOUR_MS - 1);
    const error = await refusal(() => read(world));
    expect({ code: error.code, message: error.message, hint: error.hint, calls: calls.length }).toEqual({
      code: 'KEYRING_TIMEOUT',
      message: expect.stringMatching(/within 2\.8 s \(detected at 2026-01-05 09:00 UTC and remembered for one hour\)$/),
      hint: expect.stringMatching(/then run: fiatrail doctor/),
      calls: 1,
    });
    expect((statSync(memoryOf(world)).mode & 0o777).toString(8)).toBe('600');
    await wait(1);
    expect((await refusal(() => read(world))).message).not.toContain('remembered');
  });

  test('is tried again by a write, which clears the memory on success', async () => {
    const { world } = worldOf([answering({ kind: 'absent' }), DONE, DONE]);
    await refusal(() => read(world));
    await createKeyringStore(world).write('ops', 'api-key', new Secret('x'));
    expect(await read(world)).toBeUndefined();
  });

  test('is remembered only for its login session', async () => {
    const { world } = worldOf([answering({ kind: 'no-store' }), DONE]);
    await refusal(() => read(world));
    const desktop = { ...world, env: { ...world.env, DBUS_SESSION_BUS_ADDRESS: 'unix:path=bus' } };
    expect(await read(desktop)).toBeUndefined();
  });

  test.each([
    ['invalid JSON', '{'],
    ['another problem', '{"problem":"locked","sinceMs":0}'],
    ['no timestamp', '{"problem":"late","session":" "}'],
    ['a timestamp in the future', `{"problem":"late","session":" ","sinceMs":${Date.UTC(2027, 0)}}`],
  ])('is tried when the memory has %s', async (_what, text) => {
    const { world } = worldOf([DONE]);
    world.ensurePrivateDir(world.stateDir);
    writeFileSync(memoryOf(world), text);
    expect(await read(world)).toBeUndefined();
  });

  test('is tried each time if nothing can be remembered', async () => {
    const { world } = worldOf([LATE, LATE]);
    writeFileSync(world.stateDir, 'a file in the way');
    for (const _ of [1, 2]) expect((await refusal(() => read(world))).code).toBe('KEYRING_TIMEOUT');
  });

  test('is not remembered through a symbolic link', async () => {
    const { world } = worldOf([LATE]);
    world.ensurePrivateDir(world.stateDir);
    const target = join(world.homeDir, 'target');
    writeFileSync(target, 'untouched');
    symlinkSync(target, memoryOf(world));
    await refusal(() => read(world));
    expect(readFileSync(target, 'utf8')).toBe('untouched');
  });
});

describe('a probe', () => {
  test('ignores the memory and updates it', async () => {
    const { world, calls } = worldOf([LATE, answering({ kind: 'absent' }), answering({ kind: 'locked' }), DONE, DONE]);
    const found = [];
    for (let left = 4; left > 0; left--) found.push(await probeKeyring(world));
    expect(found).toEqual(['late', 'absent', 'locked', 'ok']);
    expect(JSON.parse(calls[0]?.options.input ?? '')).toMatchObject({ op: 'probe', service: 'fiatrail' });
    expect(await read(world)).toBeUndefined();
  });
});

describe('the installed program', () => {
  beforeAll(requireBuilt);

  test('finds no keychain in a session without D-Bus', async () => {
    const { env } = newHome(onTestFinished);
    const session = { ...env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(env['HOME'] ?? '', 'no-bus')}` };
    const world: FakeWorld = {
      ...fakeWorld({ env: session }),
      self: [process.execPath, join(ROOT, 'bin', 'fiatrail.js')],
      runProgram: (words, options) => runProgram(words, options, session, new AbortController().signal),
    };
    expect(await probeKeyring(world)).toBe('no-store');
    expect(await refusal(() => read(world))).toMatchObject({
      code: 'KEYRING_ABSENT',
      message: expect.stringContaining('remembered for one hour'),
    });
  });
});
