import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type KeyCommand, trustedStore } from '../../../src/account/stored-profile.ts';
import { createCommandStore } from '../../../src/account/stores/command-store.ts';
import { Secret } from '../../../src/base/secret.ts';
import { runProgram } from '../../../src/system/processes.ts';
import { temporaryFolder } from '../../support/built.ts';
import { fakeWorld } from '../../support/world.ts';
import { PLANTED, refusal } from '../support.ts';

const ENV = { PATH: process.env['PATH'], FIATRAIL_API_KEY: 'another-key', OWN: 'mine' };

/** The settings of a key command that the user trusted. */
function trusted(command: string, isShell: boolean): KeyCommand {
  const store = trustedStore({ kind: 'command', command, isShell });
  if (store.kind !== 'command') throw new Error('expected a key command');
  return store;
}

/** A store that runs its command for real. */
function storeOf(
  command: string,
  { isShell = false, limitMs = 60_000, interrupted = new AbortController().signal } = {},
) {
  const world = fakeWorld({
    interrupted,
    runProgram: (words, options) => runProgram(words, options, ENV, interrupted),
  });
  return createCommandStore(world, trusted(command, isShell), limitMs);
}

const keyOf = async (command: string, isShell = false) =>
  (await storeOf(command, { isShell }).read('ops', 'api-key'))?.reveal();

/** Runs a script as an ordinary program, without fiatrail's own shell option. */
const sh = (script: string) => `/bin/sh -c '${script}'`;

describe('reading a key from a command', () => {
  test.each([
    ['echo k1', 'k1'],
    ['  echo   k1  ', 'k1'],
    ['printf k1', 'k1'],
    ['printf "k1\\r\\n"', 'k1'],
    ['printf %s "k1"', 'k1'],
    ["printf '%s' k1", 'k1'],
    ['printf %s%s a "" ', 'a'],
    ['echo $HOME;id', '$HOME;id'],
    ['echo *', '*'],
    [sh('cat; echo k1'), 'k1'],
    [sh('echo k1; echo complaint >&2'), 'k1'],
    [sh('echo k$FIATRAIL_API_KEY-$OWN'), 'k-mine'],
  ])('runs %s without a shell', async (command, key) => {
    expect(await keyOf(command)).toBe(key);
  });

  test.each([
    ['echo k1 | tr k s', 's1'],
    ['KEY=k1; echo "$KEY"', 'k1'],
    ['test "$(echo a b)" = "a b" && echo k1', 'k1'],
  ])('runs %s in a shell', async (command, key) => {
    expect(await keyOf(command, true)).toBe(key);
  });

  test('returns no encryption key', async () => {
    expect(await storeOf('echo k1').read('ops', 'encryption-keys')).toBeUndefined();
  });
});

describe('a key command that fails', () => {
  const HANGS = { limitMs: 100 };
  test.each<
    [command: string, options: { isShell?: boolean; limitMs?: number }, code: string, message: RegExp, hint: RegExp]
  >([
    ['', {}, 'EMPTY', /is empty/, /--key-command/],
    ['  ', { isShell: true }, 'EMPTY', /is empty/, /--key-command/],
    ['""', {}, 'EMPTY', /is empty/, /--key-command/],
    ['fiatrail-no-such-program x', {}, 'NOT_FOUND', /command fiatrail-no-such-program was not found/, /install it/],
    ['/etc/passwd', {}, 'NOT_FOUND', /cannot be run/, /install it/],
    ['fiatrail-no-such-program x', { isShell: true }, 'NOT_FOUND', /^the key command was not found/, /install it/],
    [sh(`echo ${PLANTED}; exit 3`), {}, 'FAILED', /command \/bin\/sh failed with exit code 3$/, /run it yourself/],
    [
      `echo ${PLANTED}; exit 3`,
      { isShell: true },
      'FAILED',
      /^the key command failed with exit code 3$/,
      /run it yourself/,
    ],
    [sh(`echo ${PLANTED} >&2; exit 1`), {}, 'FAILED', /exit code 1/, /run it yourself/],
    [sh(`echo ${PLANTED}; kill -9 $$`), {}, 'FAILED', /terminated by a signal/, /run it yourself/],
    [sh(`echo ${PLANTED}; sleep 600`), HANGS, 'TIMEOUT', /did not finish within 0\.1 s/, /must not prompt/],
    [
      `echo ${PLANTED}; sleep 600`,
      { isShell: true, ...HANGS },
      'TIMEOUT',
      /did not finish within 0\.1 s/,
      /must not prompt/,
    ],
    ['true', {}, 'NO_OUTPUT', /printed nothing/, /on one line/],
    ['echo', {}, 'NO_OUTPUT', /printed nothing/, /on one line/],
    [`printf "${PLANTED}\\nsecond\\n"`, {}, 'TWO_LINES', /more than one line/, /on one line/],
    [`printf "${PLANTED}\\n\\n"`, {}, 'TWO_LINES', /more than one line/, /on one line/],
    [`printf "\\n${PLANTED}"`, {}, 'TWO_LINES', /more than one line/, /on one line/],
    [`echo ${PLANTED} b`, {}, 'NO_KEY', /printed spaces/, /only the key/],
    [`echo "${PLANTED} "`, {}, 'NO_KEY', /printed spaces/, /only the key/],
    [`echo é${PLANTED}`, {}, 'NO_KEY', /keys do not contain/, /only the key/],
  ])('reports %j %j as COMMAND_%s', async (command, options, code, message, hint) => {
    const error = await refusal(() => storeOf(command, options).read('ops', 'api-key'));
    expect({ code: error.code, message: error.message, hint: error.hint }).toEqual({
      code: `COMMAND_${code}`,
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
  });

  test('reports a file that is not executable', async () => {
    const path = join(temporaryFolder(onTestFinished), 'key');
    writeFileSync(path, '#!/bin/sh\necho k1\n');
    chmodSync(path, 0o600);
    expect((await refusal(() => storeOf(path).read('ops', 'api-key'))).code).toBe('COMMAND_NOT_FOUND');
    chmodSync(path, 0o700);
    expect(await keyOf(path)).toBe('k1');
  });

  test('is interrupted by Ctrl-C', async () => {
    const store = storeOf('sleep 600', { interrupted: AbortSignal.abort() });
    await expect(store.read('ops', 'api-key')).rejects.toMatchObject({ category: 'interrupted' });
  });
});

describe('a key command runs only as trusted', () => {
  const store = trusted('op read "a b"', false);
  test.each<[what: string, settings: KeyCommand]>([
    ['it was never trusted', { ...store, trusted: undefined }],
    ['its text was edited', { ...store, command: 'op read "a c"' }],
    ['it was turned into a shell command', { ...store, isShell: true }],
    ['the mark has another text', { ...store, trusted: 'program: op' }],
  ])('and not if %s', async (_what, settings) => {
    // A world without runProgram fails the test if anything runs.
    const error = await refusal(() => createCommandStore(fakeWorld(), settings).read('ops', 'api-key'));
    expect({ code: error.code, message: error.message, hint: error.hint }).toEqual({
      code: 'COMMAND_UNTRUSTED',
      message: 'the key command of profile ops was imported or edited and is not trusted',
      hint: 'review it and trust it with: fiatrail profiles trust ops',
    });
  });
});

describe('a command store', () => {
  test('limits the command to 10 seconds and gives it no standard input', async () => {
    const given: unknown[] = [];
    const world = fakeWorld({
      runProgram: async (words, options) => {
        given.push(words, options);
        return { kind: 'ended', code: 0, stdout: 'k1\n' };
      },
    });
    await createCommandStore(world, trusted('op read "a b"', false)).read('ops', 'api-key');
    expect(given).toEqual([['op', 'read', 'a b'], { timeoutMs: 10_000, isShell: false }]);
  });

  test('is read-only, and removing does nothing', async () => {
    const store = storeOf('exit 1', { isShell: true });
    const error = await refusal(() => store.write('ops', 'api-key', new Secret(PLANTED)));
    expect({ code: error.code, hint: error.hint }).toEqual({
      code: 'COMMAND_READ_ONLY',
      hint: expect.stringContaining('--push-command'),
    });
    await store.remove('ops', 'api-key');
    expect({ kind: store.kind, place: store.location('ops', 'api-key') }).toEqual({ kind: 'command', place: 'exit 1' });
  });
});
