import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createKeyringStore, forgetKeyring, probeKeyring } from '../../../src/account/stores/keyring-store.ts';
import { Secret } from '../../../src/base/secret.ts';
import type { ProgramEnd, ProgramOptions } from '../../../src/base/world.ts';
import { runProgram } from '../../../src/system/programs.ts';
import { newHome, ROOT, requireBuilt } from '../../support/built.ts';
import { type FakeWorld, fakeClock, fakeWorld } from '../../support/world.ts';
import { PLANTED, refusal } from '../support.ts';

const HOUR_MS = 3_600_000;

const said = (answer: unknown): ProgramEnd => ({ kind: 'ended', code: 0, stdout: JSON.stringify(answer) });
const DONE = said({ kind: 'done' });
const LATE: ProgramEnd = { kind: 'late' };

/** A world whose program that asks the key store ends in these ways, one after the other; and what it was given. */
function worldOf(
  ends: readonly ProgramEnd[],
  options: { env?: Record<string, string>; interrupted?: AbortSignal } = {},
) {
  const left = [...ends];
  const asked: { words: readonly string[]; options: ProgramOptions }[] = [];
  const clock = fakeClock();
  const world = fakeWorld({
    ...options,
    clock,
    runProgram: async (words, given) => {
      asked.push({ words, options: given });
      return left.shift() ?? expect.fail('the key store was asked once more');
    },
  });
  onTestFinished(() => expect(left).toEqual([]));
  return { world, asked, wait: (ms: number) => clock.sleep(ms, new AbortController().signal) };
}

const read = (world: FakeWorld) => createKeyringStore(world).read('ops', 'api-key');
const memoryOf = ({ stateDir }: FakeWorld) => join(stateDir, 'keyring.json');

describe('a secret in the key store', () => {
  test('is asked for in another process, and never in its words', async () => {
    const { world, asked } = worldOf([DONE, said({ kind: 'done', secret: PLANTED }), DONE, DONE]);
    const store = createKeyringStore(world);
    await store.write('ops', 'sealing-keys', new Secret(PLANTED));
    expect((await store.read('ops', 'sealing-keys'))?.reveal()).toBe(PLANTED);
    await store.remove('ops', 'sealing-keys');
    expect(await store.read('ops', 'sealing-keys')).toBeUndefined();
    const entry = { service: 'fiatrail', user: 'ops/sealing-keys' };
    expect(asked.map(({ options }) => JSON.parse(options.input ?? ''))).toEqual([
      { op: 'write', ...entry, secret: PLANTED },
      { op: 'read', ...entry },
      { op: 'remove', ...entry },
      { op: 'read', ...entry },
    ]);
    for (const { words, options } of asked)
      expect([words, options.timeoutMs < 3_000]).toEqual([[process.execPath, 'fiatrail', '__keyring'], true]);
    expect(store.place('ops', 'api-key')).toBe('the key store of the system');
  });

  test.each<[what: string, end: ProgramEnd, code: string, message: RegExp, hint: RegExp, isKept: boolean]>([
    [
      'no package',
      said({ kind: 'absent' }),
      'KEYRING_ABSENT',
      /@napi-rs\/keyring.*not installed/,
      /--store file/,
      true,
    ],
    ['no store', said({ kind: 'no-store' }), 'KEYRING_ABSENT', /no key store/, /--store file/, true],
    ['a locked one', said({ kind: 'locked' }), 'KEYRING_LOCKED', /is locked/, /unlock it/, false],
    ['one that denies', said({ kind: 'denied' }), 'KEYRING_LOCKED', /denied access/, /allow fiatrail/, false],
    ['one that hangs', LATE, 'KEYRING_TIMEOUT', /did not answer within 2\.8 s/, /unlock it.*doctor/, true],
    [
      'another failure',
      said({ kind: 'failed', why: 'it broke' }),
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
      'JSON that is no answer',
      said({ kind: 'other', secret: PLANTED }),
      'KEYRING_FAILED',
      /without an answer/,
      /--store/,
      false,
    ],
    ['null', said(null), 'KEYRING_FAILED', /without an answer/, /--store/, false],
    ['a crash', { kind: 'ended', code: null, stdout: '' }, 'KEYRING_FAILED', /without an answer/, /--store/, false],
    ['no program', { kind: 'missing' }, 'KEYRING_FAILED', /without an answer/, /--store/, false],
  ])('with %s is one sentence with its remedy', async (_what, end, code, message, hint, isKept) => {
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

  test('is not called late when the person interrupted it', async () => {
    const { world } = worldOf([LATE], { interrupted: AbortSignal.abort() });
    await expect(read(world)).rejects.toMatchObject({ category: 'interrupted' });
    expect(existsSync(memoryOf(world))).toBe(false);
  });
});

describe('a key store that cannot be used', () => {
  test('is remembered for an hour, in a private file, and a read says so without asking', async () => {
    const { world, asked, wait } = worldOf([LATE, LATE]);
    await refusal(() => read(world));
    await wait(HOUR_MS - 1);
    const error = await refusal(() => read(world));
    expect({ code: error.code, message: error.message, hint: error.hint, asked: asked.length }).toEqual({
      code: 'KEYRING_TIMEOUT',
      message: expect.stringMatching(/within 2\.8 s \(remembered since 2026-01-05 09:00 UTC, for an hour\)$/),
      hint: expect.stringMatching(/^fiatrail doctor tries it again/),
      asked: 1,
    });
    expect((statSync(memoryOf(world)).mode & 0o777).toString(8)).toBe('600');
    await wait(1);
    expect((await refusal(() => read(world))).message).not.toContain('remembered');
  });

  test('is tried again by a write, which ends the memory when it succeeds', async () => {
    const { world } = worldOf([said({ kind: 'absent' }), DONE, DONE]);
    await refusal(() => read(world));
    await createKeyringStore(world).write('ops', 'api-key', new Secret('x'));
    expect(await read(world)).toBeUndefined();
  });

  test('is remembered for its session only: cron has none, its owner at the desk has', async () => {
    const { world } = worldOf([said({ kind: 'no-store' }), DONE]);
    await refusal(() => read(world));
    const desk = { ...world, env: { ...world.env, DBUS_SESSION_BUS_ADDRESS: 'unix:path=bus' } };
    expect(await read(desk)).toBeUndefined();
  });

  test.each([
    ['no JSON', '{'],
    ['another problem', '{"problem":"locked","sinceMs":0}'],
    ['no time', '{"problem":"late","session":" "}'],
    ['a time to come', `{"problem":"late","session":" ","sinceMs":${Date.UTC(2027, 0)}}`],
  ])('is asked when the memory has %s', async (_what, text) => {
    const { world } = worldOf([DONE]);
    world.ensurePrivateDir(world.stateDir);
    writeFileSync(memoryOf(world), text);
    expect(await read(world)).toBeUndefined();
  });

  test('is asked each time where nothing can be remembered', async () => {
    const { world } = worldOf([LATE, LATE]);
    writeFileSync(world.stateDir, 'a file in the way');
    for (const _ of [1, 2]) expect((await refusal(() => read(world))).code).toBe('KEYRING_TIMEOUT');
  });

  test('is not remembered through a link', async () => {
    const { world } = worldOf([LATE]);
    world.ensurePrivateDir(world.stateDir);
    const target = join(world.homeDir, 'victim');
    writeFileSync(target, 'untouched');
    symlinkSync(target, memoryOf(world));
    await refusal(() => read(world));
    expect(readFileSync(target, 'utf8')).toBe('untouched');
  });
});

describe('a probe', () => {
  test('asks whatever is remembered, and remembers what it finds', async () => {
    const { world, asked } = worldOf([LATE, said({ kind: 'absent' }), said({ kind: 'locked' }), DONE, DONE]);
    const found = [];
    for (let left = 4; left > 0; left--) found.push(await probeKeyring(world));
    expect(found).toEqual(['late', 'absent', 'locked', 'ok']);
    expect(JSON.parse(asked[0]?.options.input ?? '')).toMatchObject({ op: 'probe', service: 'fiatrail' });
    expect(await read(world)).toBeUndefined();
  });
});

describe('the real program', () => {
  beforeAll(requireBuilt);

  test('says that a session without a bus has no key store', async () => {
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
      message: expect.stringContaining('remembered since'),
    });
  });
});
