import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runProgram, startProgram } from '../../src/system/processes.ts';
import { createSystemWorld } from '../../src/system/world.ts';
import { OWN_FILES } from '../support/built.ts';

test.each([
  ['a null character', 'a\0b'],
  ['more text than the system passes on', 'x'.repeat(1_000_000)],
])('a program whose environment has %s cannot be started', async (_what, value) => {
  const options = { timeoutMs: 10_000, isShell: true, env: { FIATRAIL_EVENT: value } };
  const end = await runProgram(['exit 0'], options, {}, new AbortController().signal);
  expect(end).toEqual({ kind: 'missing' });
});

describe('the standard error of a program', () => {
  const never = new AbortController().signal;
  const run = (line: string, timeoutMs = 10_000) =>
    runProgram([line], { timeoutMs, isShell: true, capturesErrors: true }, { PATH: process.env['PATH'] }, never);

  test('is returned with its end', async () => {
    expect(await run('echo no >&2; exit 3')).toEqual({ kind: 'ended', code: 3, stdout: '', stderr: 'no\n' });
    expect(await run('echo wait >&2; sleep 60', 500)).toEqual({ kind: 'late', stderr: 'wait\n' });
  });

  test('is kept from a whole line on', async () => {
    const end = await run('for i in $(seq 1 2000); do echo line $i >&2; done; exit 1');
    const lines = (end.kind === 'ended' && end.stderr?.trimEnd().split('\n')) || [];
    expect(lines.length).toBeGreaterThan(300);
    expect(lines.every((line) => /^line \d+$/.test(line))).toBe(true);
    expect(lines.at(-1)).toBe('line 2000');
    expect(await run('head -c 9000 /dev/zero | tr "\\0" x >&2; exit 1')).toMatchObject({ stderr: '' });
  });

  test('is not waited for when something that was left running holds it', async () => {
    const end = await run('sleep 300 >/dev/null & echo $! >&2; exit 3', 60_000);
    const pid = Number(end.kind === 'ended' && end.stderr);
    expect(end).toMatchObject({ code: 3, stderr: `${pid}\n` });
    // It still runs.
    process.kill(pid, 'SIGKILL');
  });
});

describe('a program whose output is read while it runs', () => {
  async function* nothing() {}

  const start = (line: string, signal = new AbortController().signal) =>
    startProgram([line], nothing(), { timeoutMs: 20_000, isShell: true }, { PATH: process.env['PATH'] }, signal);

  test('may print any number of bytes, and waits for whoever reads', async () => {
    const { output, ended } = start('head -c 3000000 /dev/zero');
    let size = 0;
    for await (const bytes of output) {
      size += bytes.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(size).toBe(3_000_000);
    expect(await ended).toEqual({ kind: 'ended', code: 0, stdout: '' });
  });

  test('is ended by whoever has read enough', async () => {
    const { output, ended, end } = start('while :; do echo more; done');
    for await (const _ of output) end();
    expect(await ended).toEqual({ kind: 'late' });
  });

  test('is ended by an interrupt', async () => {
    const interrupt = new AbortController();
    const { output, ended } = start('echo ready; sleep 60', interrupt.signal);
    for await (const _ of output) interrupt.abort();
    expect(await ended).toEqual({ kind: 'late' });
  });

  test('is said to be missing, and prints nothing', async () => {
    const { output, ended } = startProgram(
      ['no-such-program'],
      nothing(),
      { timeoutMs: 10_000 },
      {},
      new AbortController().signal,
    );
    for await (const bytes of output) expect(bytes).toBeUndefined();
    expect(await ended).toEqual({ kind: 'missing' });
  });

  test('reads input of any length, and no more is asked for than it reads', async () => {
    let parts = 0;
    async function* input() {
      for (; parts < 1_000; parts++) yield 'x'.repeat(10_000);
    }
    const signal = new AbortController().signal;
    const env = { PATH: process.env['PATH'] };
    const counting = startProgram(['wc -c'], input(), { timeoutMs: 20_000, isShell: true }, env, signal);
    const read: string[] = [];
    for await (const bytes of counting.output) read.push(Buffer.from(bytes).toString());
    expect(read.join('').trim()).toBe('10000000');
    parts = 0;
    const heading = startProgram(['head -c 5'], input(), { timeoutMs: 20_000, isShell: true }, env, signal);
    for await (const bytes of heading.output) expect(Buffer.from(bytes).toString()).toBe('xxxxx');
    expect(await heading.ended).toMatchObject({ kind: 'ended' });
    expect(parts).toBeLessThan(900);
  });

  test('gets input that ends where a part fails', async () => {
    async function* input() {
      yield 'one\n';
      throw new Error('there is no more');
    }
    const { output, ended } = startProgram(
      ['cat'],
      input(),
      { timeoutMs: 20_000, isShell: true },
      {},
      new AbortController().signal,
    );
    const read: string[] = [];
    for await (const bytes of output) read.push(Buffer.from(bytes).toString());
    expect(read).toEqual(['one\n']);
    expect(await ended).toMatchObject({ kind: 'ended', code: 0 });
  });
});

describe('a program with an ending of its own', () => {
  const run = (
    line: string,
    ending: AbortSignal,
    { timeoutMs = 20_000, interrupted = new AbortController().signal } = {},
  ) =>
    runProgram(
      [line],
      { timeoutMs, isShell: true, ending: { signal: ending, graceMs: 1_500 } },
      { PATH: process.env['PATH'] },
      interrupted,
    );
  const later = () => AbortSignal.timeout(800);

  test('is not ended by an interrupt', async () => {
    const never = new AbortController().signal;
    expect(await run('sleep 0.5; echo whole', never, { interrupted: AbortSignal.abort() })).toMatchObject({
      stdout: 'whole\n',
    });
  });

  test.each([
    ['that it survives with 0 has ended', 'trap "echo saved; exit 0" TERM; while :; do sleep 0.05; done', 'ended'],
    ['that it does not survive with 0 is late', 'trap "exit 3" TERM; while :; do sleep 0.05; done', 'late'],
    ['that it takes no notice of is late, and killed', 'trap "" TERM; while :; do sleep 0.05; done', 'late'],
  ])('is asked to end, and %s', async (_how, line, kind) => {
    expect(await run(line, later())).toMatchObject({ kind });
    expect(await run(line, new AbortController().signal, { timeoutMs: 800 })).toMatchObject({ kind });
  });

  test('is killed when the user does not want to wait', async () => {
    const options = { timeoutMs: 20_000, isShell: true, ending: { signal: later(), graceMs: 60_000 } };
    const end = await runProgram(
      ['trap "" TERM; sleep 60'],
      options,
      {},
      new AbortController().signal,
      AbortSignal.timeout(400),
    );
    expect(end).toEqual({ kind: 'late' });
  });
});

test.runIf(process.platform === 'linux')('a process that has ended and was not waited for does not run', async () => {
  const { host } = createSystemWorld(OWN_FILES);
  // What the shell becomes waits for none of its children. The shell itself might, so the child ends only after that.
  const parent = spawn('sh', ['-c', 'cat <&3 & echo $!; exec sleep 60 3<&-'], {
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
  });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [line] = (await once(parent.stdout as Readable, 'data')) as [Buffer];
  const id = Number(line);
  const until = async (file: string, pattern: RegExp) => {
    while (!pattern.test(readFileSync(`/proc/${file}`, 'latin1')))
      await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await until(`${parent.pid}/comm`, /^sleep$/m);
  (parent.stdio[3] as Writable).end();
  await until(`${id}/stat`, /\) Z /);
  expect(() => process.kill(id, 0)).not.toThrow();
  expect(host.isRunning(id)).toBe(false);
  expect(host.isRunning(process.pid)).toBe(true);
});
