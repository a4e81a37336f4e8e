import { beforeEach, describe, expect, test } from 'vitest';
import { resolveProfile } from '../../src/account/profile.ts';
import type { HttpResponse } from '../../src/base/world.ts';
import { openProfileInbox } from '../../src/engine/connection/inbox.ts';
import { main } from '../../src/main.ts';
import { droppedLine, refusal, success } from '../support/exchange.ts';
import { journalRows } from '../support/journal.ts';
import { ACCOUNT, type Answer, type FakeWorld, fakeClock, fakeWorld } from '../support/world.ts';
import { deliveryOf, received } from '../webhooks/support.ts';

const START_MS = Date.UTC(2026, 0, 5, 9);
const ACCOUNT_ID = '0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de';
const SAVED = {
  accountId: ACCOUNT_ID,
  accountName: 'ADA OBI',
  accountNumber: '0123456789',
  bankName: 'GTBank',
  bankCode: '000013',
  isDefault: true,
};
const GONE = refusal(404, '02', 'no such thing');

/** What the service answers, by the end of a path. Everything else is lost on the way. */
let answers: Record<string, () => HttpResponse>;
let clock: ReturnType<typeof fakeClock>;
let world: FakeWorld;

function open(more: { readonly isTerminal?: boolean; readonly answers?: readonly Answer[] } = {}) {
  const network = async ({ url }: { readonly url: string }) => {
    const answer = answers[new URL(url).pathname.split('/').at(-1) ?? ''];
    if (!answer) throw droppedLine();
    return answer();
  };
  world = fakeWorld({ network, env: ACCOUNT, clock, ...more });
}

beforeEach(() => {
  clock = fakeClock(START_MS);
  answers = {};
  open();
});

const run = (line: string) => main(line.split(' '), world);
const states = () => journalRows(world.stateDir).map(({ state }) => state);

async function reconciled(): Promise<{ exit: number; found: string | undefined }> {
  const before = world.stdout.text().length;
  const exit = await run('ops reconcile -q -o json');
  const text = world.stdout.text().slice(before);
  const { operations } = (text === '' ? { operations: [] } : JSON.parse(text)) as { operations: { found: string }[] };
  return { exit, found: operations[0]?.found };
}

const payoutRow = (change: object = {}) => ({
  id: 'p-1',
  type: 'fintech_offramp',
  amount: 1000,
  status: 'completed',
  bankAccount: SAVED,
  createdAt: new Date(START_MS + 1_000).toISOString(),
  ...change,
});

const PAYOUT = `payout create --amount 1000 --to ${ACCOUNT_ID}`;

describe('a payout of unknown outcome to a bank account', () => {
  const settle = (rows: readonly object[] = [payoutRow()]) => {
    answers['payouts'] = () => success({ payouts: rows, total: rows.length });
  };
  beforeEach(() => {
    answers['payouts'] = () => success({ payouts: [], total: 0 });
    answers['getbankaccounts'] = () => success({ accounts: [SAVED] });
    answers['listbankaccounts'] = () => success({ accounts: [SAVED], total: 1 });
    answers['getofframpstatus'] = () =>
      success({ requestId: 'p-1', initiatedAt: new Date(START_MS + 1_000).toISOString() });
  });

  test('is settled by its row', async () => {
    expect(await run(`${PAYOUT} --yes -q`)).toBe(6);
    settle();
    expect(await reconciled()).toEqual({ exit: 0, found: 'ended' });
    expect(states()).toEqual(['settled']);
  });

  test('that could not be read is left to a person', async () => {
    answers['getbankaccounts'] = () => GONE;
    expect(await run(`${PAYOUT} --yes -q`)).toBe(6);
    settle();
    expect(await reconciled()).toEqual({ exit: 6, found: 'several' });
    expect(states()).toEqual(['unknown']);
  });

  test('that could not be read is no reason to believe an event about another account', async () => {
    answers['getbankaccounts'] = () => GONE;
    expect(await run(`${PAYOUT} --yes -q`)).toBe(6);
    const body = { event: 'fintech.offramp.completed', eventId: 'e-1', requestId: 'p-1' };
    const data = { amount: 1000, bankAccount: { ...SAVED, accountNumber: '9876543210' } };
    const inbox = await openProfileInbox(world, resolveProfile(undefined, world));
    await inbox.add([await received(deliveryOf({ ...body, data }, { sentAtMs: clock.now() }), clock.now())]);
    await inbox.close();
    expect(await reconciled()).toEqual({ exit: 6, found: 'several' });
    expect(states()).toEqual(['unknown']);
  });

  test.each<[string, () => Promise<number>]>([
    ['the default one', () => run('payout create --amount 1000 --to default --yes -q')],
    ['one that was read although nobody was asked', () => run(`${PAYOUT} --yes -q`)],
    [
      'one that the confirmation showed',
      () => {
        open({ isTerminal: true, answers: [{ kind: 'confirm', asks: 'payout', says: true }] });
        return run(PAYOUT);
      },
    ],
  ])('that nobody can read now is compared with what the command had read: %s', async (_which, send) => {
    expect(await send()).toBe(6);
    delete answers['getbankaccounts'];
    settle([payoutRow({ id: 'p-2', bankAccount: { ...SAVED, bankCode: '000014' } })]);
    expect(await reconciled()).toMatchObject({ found: 'unseen' });
    settle();
    expect(await reconciled()).toEqual({ exit: 0, found: 'ended' });
    expect(states()).toEqual(['settled']);
  });
});

describe('a list that the service', () => {
  const LINES: readonly (readonly [endOfPath: string, line: string])[] = [
    ['payouts', 'offramp create user-1 --amount 1000 --bank-code 000013 --account-number 0123456789'],
    ['listuserwallets', 'onramp create user-1 --amount 500'],
  ];

  test.each(LINES)('does not have is no evidence: %s', async (endOfPath, line) => {
    expect(await run(`${line} --yes -q`)).toBe(6);
    answers[endOfPath] = () => GONE;
    expect(await reconciled()).toEqual({ exit: 6, found: 'no-evidence' });
    expect(states()).toEqual(['unknown']);
  });

  test.each(LINES)('does not show now is read again later: %s', async (_endOfPath, line) => {
    expect(await run(`${line} --yes -q`)).toBe(6);
    expect(await reconciled()).toEqual({ exit: 6, found: 'unreachable' });
    expect(states()).toEqual(['unknown']);
  });
});

describe('what a person needs in order to decide is printed', () => {
  /** What `ops reconcile` says of an operation, with its ids left out. */
  async function screen(): Promise<string[]> {
    expect(await run('ops reconcile')).toBe(6);
    const lines = world.stderr.text().split('\n');
    const start = lines.findIndex((line) => line.startsWith('operation '));
    return lines.slice(start, start + 7).map((line) => line.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID'));
  }

  test('a line for each fact, if the service has no list', async () => {
    expect(await run('onramp create user-1 --amount 500 --once k --yes -q')).toBe(6);
    answers['listuserwallets'] = () => GONE;
    const [operation, why, known, looked, compare, done, undone] = await screen();
    expect([operation, why, looked, compare, done, undone]).toEqual([
      'operation ID',
      '  why: the service has no list that shows such a request, or does not show it any more',
      expect.stringMatching(/^ {2}looked: .*: nothing$/),
      '  compare: fiatrail wallets list user-1, the statement of the payee, and what other programs of this account did then',
      '  if it was done: fiatrail ops resolve ID --completed --request-id REQUEST_ID --reason TEXT',
      '  if it was not: fiatrail ops resolve ID --not-done --reason TEXT (the idempotency key k is free again)',
    ]);
    expect(known).toContain('start an onramp of ₦500.00 for user user-1; ₦500.00; sent at 2026-01-05T09:00:0');
  });

  test('the row and its time, if nothing proves whose it is', async () => {
    answers['payouts'] = () => success({ payouts: [], total: 0 });
    answers['listbankaccounts'] = () => success({ accounts: [SAVED], total: 1 });
    expect(await run(`${PAYOUT} --yes -q`)).toBe(6);
    answers['getbankaccounts'] = () => GONE;
    answers['payouts'] = () => success({ payouts: [payoutRow()], total: 1 });
    const [, why, , looked, , done, undone] = await screen();
    expect([why, looked, done, undone]).toEqual([
      '  why: a row looks like it, and nothing proves that no other program made it',
      expect.stringMatching(/^ {2}looked: at 2026-.*: p-1 \(completed, 2026-01-05T09:00:01.000Z\)$/),
      '  if it was done: fiatrail ops resolve ID --completed --request-id p-1 --reason TEXT',
      '  if it was not: fiatrail ops resolve ID --not-done --reason TEXT (it may be done again)',
    ]);
  });
});
