import { describe, expect, onTestFinished, test } from 'vitest';
import { newHome } from '../support/built.ts';
import * as inProcess from '../support/in-process.ts';
import { installProgram, normalWalk, type Ran, SOUND } from './program.ts';

/** Enough to queue for each lock; the soak has more. */
const AT_ONCE = Number(process.env['FIATRAIL_SOAK_AT_ONCE'] ?? 3);

/** A program with a home, and the same home for commands in this process. */
function installBoth() {
  const home = newHome(onTestFinished);
  return { program: installProgram(home), here: installProgram(home, {}, inProcess) };
}

const failed = (runs: readonly Ran[]) => runs.filter(({ code }) => code !== 0).map(({ stderr }) => stderr);

function atOnce(start: (index: number) => Promise<Ran>): Promise<Ran[]> {
  return Promise.all(Array.from({ length: AT_ONCE }, (_each, index) => start(index)));
}

describe('concurrent commands', () => {
  test('on a new state folder all succeed and share one seed', async () => {
    const { program, here } = installBoth();
    const runs = await atOnce(() => program.run(['wallets', 'show', '-o', 'json']));
    expect(failed(runs)).toEqual([]);
    const shown = runs.map(({ stdout }) => JSON.parse(stdout) as { fintechId: string });
    expect(new Set(shown.map(({ fintechId }) => fintechId)).size).toBe(1);
    expect(await here.json(['sandbox', 'status'])).toMatchObject(SOUND);
  });

  test('that write onboard a user each', async () => {
    const { program, here } = installBoth();
    const onboard = (index: number) =>
      program.run(['users', 'onboard', '--bvn-stdin', '--wait', '60s', '-o', 'json'], String(40_000_000_000 + index));
    const runs = await atOnce(onboard);
    expect(failed(runs)).toEqual([]);
    const users = runs.map(({ stdout }) => (JSON.parse(stdout) as { userId: string }).userId);
    expect(new Set(users).size).toBe(AT_ONCE);
    expect(await here.json(['sandbox', 'status'])).toMatchObject({ users: AT_ONCE, ...SOUND });
  });

  test('with one BVN onboard one user', async () => {
    const { program, here } = installBoth();
    const runs = await atOnce(() => program.run(['users', 'onboard', '--bvn-stdin', '-o', 'json'], '22222222222'));
    const codes = runs.map(({ code }) => code).sort();
    // 3: refused by the service.
    expect(codes).toEqual([0, ...Array(AT_ONCE - 1).fill(3)]);
    await here.json(['sandbox', 'advance', '1h']);
    expect(await here.json(['sandbox', 'status'])).toMatchObject({ users: 1, ...SOUND });
  });

  test('for money are each posted and journaled once', async () => {
    const { program, here } = installBoth();
    const { userId } = await here.json(['users', 'onboard', '--bvn-stdin', '--wait', '60s'], '22222222222');
    const start = ['onramp', 'create', String(userId), '--amount', '10', '--yes', '-o', 'json'];
    const runs = await atOnce(() => program.run(start));
    expect(failed(runs)).toEqual([]);
    const started = runs.map(({ stdout }) => (JSON.parse(stdout) as { requestId: string }).requestId);
    const { operations } = await here.json(['ops', 'list', '--limit', '100', '--kind', 'money']);
    const journaled = operations as { state: string; requestId: string }[];
    expect(journaled.map(({ requestId }) => requestId).sort()).toEqual(started.sort());
    expect(new Set(journaled.map(({ state }) => state))).toEqual(new Set(['accepted']));
    expect(await here.json(['sandbox', 'status'])).toMatchObject(SOUND);
  });
});

test('a complete run by commands ends as completed', async () => {
  const { program, here } = installBoth();
  // One after the other, commands in this process do the same.
  const walker = process.env['FIATRAIL_SOAK_AT_ONCE'] ? program : here;
  expect(await normalWalk(walker, '22222222222')).toBe('completed');
  expect(await here.json(['sandbox', 'status'])).toMatchObject(SOUND);
});
