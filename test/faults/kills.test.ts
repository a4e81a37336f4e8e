import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import { type OperationState, openJournal } from '../../src/journal/journal.ts';
import { installProgram, normalWalk, type Program, SOUND } from '../sandbox/program.ts';
import { newHomeWithCache } from '../support/built.ts';
import { countingIds, fakeClock } from '../support/sandbox.ts';

const KILLS = Number(process.env['FIATRAIL_SOAK_KILLS'] ?? 25);
const SEED = Number(process.env['FIATRAIL_SOAK_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** The latest moment of a kill, in the time a command takes: some commands are to end before. */
const LATEST = 1.3;

const STATES: readonly OperationState[] = ['prepared', 'sent', 'accepted', 'refused', 'unknown'];

type Line = readonly [args: readonly string[], stdin?: string];

/** One command to be killed: which, and when, in thousandths of the time a command takes. */
interface Kill {
  readonly kind: 'onboard' | 'onramp' | 'pay' | 'payPermanent' | 'offramp';
  readonly at: number;
}

const moment = fc.nat(1000 * LATEST);

const kill: fc.Arbitrary<Kill> = fc.record({
  kind: fc.constantFrom('onboard', 'onramp', 'pay', 'payPermanent', 'offramp'),
  at: moment,
});

interface Target {
  readonly userId: string;
  readonly name: string;
  readonly accountNumber: string;
}

/** A user with money, made before anything is killed. */
async function fundedUser(program: Program): Promise<Target> {
  const { userId } = await program.json(['users', 'onboard', '--bvn-stdin', '--wait', '30s'], '22222222222');
  const { virtualAccounts } = await program.json(['users', 'show', String(userId)]);
  const [account] = virtualAccounts as { accountNumber: string; accountName: string }[];
  const { accountNumber = '', accountName = '' } = account ?? {};
  await program.json(['sandbox', 'pay', accountNumber, '--amount', '1000000', '--from', accountName]);
  await program.json(['sandbox', 'advance', '1m']);
  return { userId: String(userId), name: accountName, accountNumber };
}

/** How long a command takes on this machine now, in milliseconds: what the moments of the kills are measured by. */
async function durationOf(program: Program): Promise<number> {
  const beganAt = performance.now();
  await program.json(['sandbox', 'seed', '--users', '1']);
  return performance.now() - beganAt;
}

/** The account of an onramp that waits for its payment, with the sum. */
async function payable(program: Program, { userId }: Target): Promise<Line> {
  const { requestId } = await program.json(['onramp', 'start', userId, '--amount', '100', '--yes']);
  const { accountNumber } = await program.json(['onramp', 'account', String(requestId)]);
  return [['sandbox', 'pay', String(accountNumber), '--amount', '102.20', '--from', 'ANY PAYER']];
}

async function lineOf(program: Program, target: Target, kind: Kill['kind'], index: number): Promise<Line> {
  const { userId, name, accountNumber } = target;
  switch (kind) {
    case 'onboard':
      return [['users', 'onboard', '--bvn-stdin', '--wait'], String(50_000_000_000 + index)];
    case 'onramp':
      return [['onramp', 'start', userId, '--amount', '100', '--yes']];
    case 'pay':
      return payable(program, target);
    case 'payPermanent':
      return [['sandbox', 'pay', accountNumber, '--amount', '50', '--from', name]];
    case 'offramp': {
      const to = ['--bank-code', '000013', '--account-number', index % 3 === 0 ? '0000000009' : '0123456789'];
      return [['offramp', 'start', userId, '--amount', '10', ...to, '--yes', '--wait']];
    }
  }
}

/** Kills a command in its midst; true when it was still running. */
async function killed(program: Program, [args, stdin]: Line, afterMs: number): Promise<boolean> {
  const { kill, end } = program.start(args, stdin);
  const timer = setTimeout(() => kill('SIGKILL'), afterMs);
  const { code } = await end;
  clearTimeout(timer);
  return code === null;
}

interface Journaled {
  readonly state: OperationState;
  readonly requestId: string | null;
}

/** Every journaled operation, read by the journal itself. */
async function readJournal(program: Program): Promise<readonly Journaled[]> {
  const journal = await openJournal(join(program.stateDir, 'journal.db'), fakeClock(), countingIds());
  const operations = journal.list(100_000);
  journal.close();
  return operations;
}

/** The ids of all onramps and offramps the sandbox has. */
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

/** What the journal calls accepted is there, and whatever else is there the journal knows to have been sent. */
async function expectTrueJournal(program: Program): Promise<void> {
  const journal = await readJournal(program);
  const booked = bookedRequests(program);
  const accepted = journal.flatMap(({ state, requestId }) => (state === 'accepted' ? [requestId ?? 'none'] : []));
  const sent = journal.filter(({ state }) => state === 'sent');
  expect(journal.filter(({ state }) => !STATES.includes(state))).toEqual([]);
  expect(accepted.filter((id) => !booked.includes(id))).toEqual([]);
  expect(booked.filter((id) => !accepted.includes(id)).length).toBeLessThanOrEqual(sent.length);
}

test(`${KILLS} kills in the midst of commands leave no harm`, { timeout: 300_000 + KILLS * 3_000 }, async () => {
  onTestFailed(() => console.error(`the kills were those of FIATRAIL_SOAK_SEED=${SEED} FIATRAIL_SOAK_KILLS=${KILLS}`));
  const program = installProgram(newHomeWithCache(onTestFinished));
  const target = await fundedUser(program);
  const commandMs = await durationOf(program);
  let count = 0;
  for (const [index, { kind, at }] of fc.sample(kill, { seed: SEED, numRuns: KILLS }).entries()) {
    const line = await lineOf(program, target, kind, index);
    if (await killed(program, line, (at * commandMs) / 1000)) count += 1;
    // A damage is seen at the kill that did it.
    expect(await program.json(['sandbox', 'status'])).toMatchObject(SOUND);
  }
  expect(count).toBeGreaterThan(KILLS / 4);
  await expectTrueJournal(program);
  await program.json(['sandbox', 'advance', '1d']);
  expect(await program.json(['sandbox', 'status'])).toMatchObject({ pending: 0, ...SOUND });
  expect(await normalWalk(program, '33333333333')).toBe('completed');
});

const FIRST_KILLS = Math.max(3, Math.ceil(KILLS / 5));

test('a kill while the first command makes the state leaves it usable', {
  timeout: 300_000 + KILLS * 3_000,
}, async () => {
  onTestFailed(() => console.error(`the kills were those of FIATRAIL_SOAK_SEED=${SEED} FIATRAIL_SOAK_KILLS=${KILLS}`));
  const measured = installProgram(newHomeWithCache(onTestFinished));
  const commandMs = await durationOf(measured);
  for (const at of fc.sample(moment, { seed: SEED, numRuns: FIRST_KILLS })) {
    const program = installProgram(newHomeWithCache(onTestFinished));
    await killed(program, [['users', 'onboard', '--bvn-stdin'], '22222222222'], (at * commandMs) / 1000);
    expect(await program.json(['sandbox', 'status'])).toMatchObject(SOUND);
    await program.json(['sandbox', 'seed', '--users', '1']);
  }
});
