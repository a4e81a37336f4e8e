import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import type { OperationState } from '../../src/journal/states.ts';
import { installProgram, normalWalk, type Program, SOUND } from '../sandbox/program.ts';
import { newHomeWithCache } from '../support/built.ts';
import * as here from '../support/in-process.ts';
import { testJournal } from '../support/journal-intent.ts';

const KILLS = Number(process.env['FIATRAIL_SOAK_KILLS'] ?? 6);
const SEED = Number(process.env['FIATRAIL_SOAK_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** The latest moment of a kill, as a multiple of a command's duration, so that some commands complete. */
const LATEST = 1.3;

const STATES: readonly OperationState[] = ['prepared', 'sent', 'accepted', 'rejected', 'unknown', 'settled', 'failed'];

type Line = readonly [args: readonly string[], stdin?: string];

/** A command to kill: `at` is in thousandths of its duration. */
interface Kill {
  readonly kind: 'onboard' | 'onramp' | 'pay' | 'payPermanent' | 'offramp';
  readonly at: number;
}

const moment = fc.nat(1000 * LATEST);

const anyKill: fc.Arbitrary<Kill> = fc.record({
  kind: fc.constantFrom('onboard', 'onramp', 'pay', 'payPermanent', 'offramp'),
  at: moment,
});

interface Target {
  readonly userId: string;
  readonly name: string;
  readonly accountNumber: string;
}

/** Creates a user with money, before anything is killed. */
async function fundedUser(program: Program): Promise<Target> {
  const { userId } = await program.json(['users', 'onboard', '--bvn-stdin', '--wait', '30s'], '22222222222');
  const { virtualAccounts } = await program.json(['users', 'show', String(userId)]);
  const [account] = virtualAccounts as { accountNumber: string; accountName: string }[];
  const { accountNumber = '', accountName = '' } = account ?? {};
  await program.json(['sandbox', 'pay', accountNumber, '--amount', '1000000', '--sender', accountName]);
  await program.json(['sandbox', 'advance', '1m']);
  return { userId: String(userId), name: accountName, accountNumber };
}

/** A home whose commands run in this process, but for those that are killed. */
function killable(): { readonly program: Program; readonly killed: Program } {
  const home = newHomeWithCache(onTestFinished);
  return { program: installProgram(home, {}, here), killed: installProgram(home) };
}

/** Measures the duration of a command in milliseconds; the moments of the kills are relative to it. From then on no request is refused for coming too soon. */
async function durationOf(program: Program): Promise<number> {
  const beganAt = performance.now();
  await program.json(['sandbox', 'seed', '--users', '1', '--rate-limits', 'off']);
  return performance.now() - beganAt;
}

/** The command that pays a new onramp. */
async function payable(program: Program, { userId }: Target): Promise<Line> {
  const { requestId } = await program.json(['onramp', 'create', userId, '--amount', '100', '--yes']);
  const { accountNumber } = await program.json(['onramp', 'account', String(requestId)]);
  return [['sandbox', 'pay', String(accountNumber), '--amount', '102.20', '--sender', 'ANY PAYER']];
}

async function lineOf(program: Program, target: Target, kind: Kill['kind'], index: number): Promise<Line> {
  const { userId, name, accountNumber } = target;
  switch (kind) {
    case 'onboard':
      return [['users', 'onboard', '--bvn-stdin', '--wait'], String(50_000_000_000 + index)];
    // Nothing equal is started while an outcome is unknown, so each amount is another one.
    case 'onramp':
      return [['onramp', 'create', userId, '--amount', `${200 + index}`, '--yes']];
    case 'pay':
      return payable(program, target);
    case 'payPermanent':
      return [['sandbox', 'pay', accountNumber, '--amount', '50', '--sender', name]];
    case 'offramp': {
      const to = ['--bank-code', '000013', '--account-number', index % 3 === 0 ? '0000000009' : '0123456789'];
      return [
        ['offramp', 'create', userId, '--amount', (10 + index / 100).toFixed(2), ...to, '--yes', '--again', '--wait'],
      ];
    }
  }
}

/** Kills a command after a time. Returns whether it was still running. */
async function kill(program: Program, [args, stdin]: Line, afterMs: number): Promise<boolean> {
  const running = program.start(args, stdin);
  const timer = setTimeout(() => running.kill('SIGKILL'), afterMs);
  const { code } = await running.end;
  clearTimeout(timer);
  return code === null;
}

interface Journaled {
  readonly state: OperationState;
  readonly requestId: string | null;
}

/** Reads every money operation of the journal. */
async function readJournal(program: Program): Promise<readonly Journaled[]> {
  const journal = await testJournal({ path: join(program.stateDir, 'journal.db') });
  const operations = await journal.list({ limit: 100_000, kind: 'money' });
  journal.close();
  return operations;
}

/** Returns the ids of all onramps and offramps in the sandbox. */
function bookedRequests(program: Program): string[] {
  const connection = new DatabaseSync(join(program.stateDir, 'sandbox.db'), { readOnly: true });
  const sql = 'SELECT request_id AS id FROM onramp UNION ALL SELECT request_id FROM offramp';
  const ids = connection
    .prepare(sql)
    .all()
    .map(({ id }) => String(id));
  connection.close();
  return ids;
}

/** Checks that every accepted operation is in the sandbox, and that every request in the sandbox is accepted or sent in the journal. */
async function expectConsistentJournal(program: Program): Promise<void> {
  const journal = await readJournal(program);
  const booked = bookedRequests(program);
  const isAccepted = (state: OperationState) => ['accepted', 'settled', 'failed'].includes(state);
  const accepted = journal.flatMap(({ state, requestId }) => (isAccepted(state) ? [requestId ?? 'none'] : []));
  const sent = journal.filter(({ state }) => state === 'sent');
  expect(journal.filter(({ state }) => !STATES.includes(state))).toEqual([]);
  expect(accepted.filter((id) => !booked.includes(id))).toEqual([]);
  expect(booked.filter((id) => !accepted.includes(id)).length).toBeLessThanOrEqual(sent.length);
}

test(`${KILLS} killed commands do no damage`, { timeout: 300_000 + KILLS * 3_000 }, async () => {
  onTestFailed(() => console.error(`repeat these kills with FIATRAIL_SOAK_SEED=${SEED} FIATRAIL_SOAK_KILLS=${KILLS}`));
  const { program, killed } = killable();
  const target = await fundedUser(program);
  const commandMs = await durationOf(killed);
  let count = 0;
  for (const [index, { kind, at }] of fc.sample(anyKill, { seed: SEED, numRuns: 20 * KILLS }).entries()) {
    // On a machine that became quicker, most commands are over before their kill: then more are started.
    if (index >= KILLS && count > KILLS / 4) break;
    const line = await lineOf(program, target, kind, index);
    if (await kill(killed, line, (at * commandMs) / 1000)) count += 1;
    // Checked after every kill, to find the one that did the damage.
    expect(await program.json(['sandbox', 'status'])).toMatchObject(SOUND);
  }
  expect(count).toBeGreaterThan(KILLS / 4);
  await expectConsistentJournal(program);
  await program.json(['sandbox', 'advance', '1d']);
  expect(await program.json(['sandbox', 'status'])).toMatchObject({ pending: 0, ...SOUND });
  expect(await normalWalk(program, '33333333333')).toBe('completed');
});

const FIRST_KILLS = Math.max(3, Math.ceil(KILLS / 5));

test('killing the first command leaves the state usable', {
  timeout: 300_000 + KILLS * 3_000,
}, async () => {
  onTestFailed(() => console.error(`repeat these kills with FIATRAIL_SOAK_SEED=${SEED} FIATRAIL_SOAK_KILLS=${KILLS}`));
  const commandMs = await durationOf(killable().killed);
  for (const at of fc.sample(moment, { seed: SEED, numRuns: FIRST_KILLS })) {
    const { program, killed } = killable();
    await kill(killed, [['users', 'onboard', '--bvn-stdin'], '22222222222'], (at * commandMs) / 1000);
    expect(await program.json(['sandbox', 'status'])).toMatchObject(SOUND);
    await program.json(['sandbox', 'seed', '--users', '1']);
  }
});
