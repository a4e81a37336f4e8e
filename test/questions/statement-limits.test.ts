import { describe, expect, test } from 'vitest';
import { writeKnownUntil } from '../../src/copy/list-state.ts';
import { incomeIn } from '../../src/copy/questions/report/income.ts';
import { kindsIn } from '../../src/copy/questions/report/kinds.ts';
import { owedAt } from '../../src/copy/questions/report/owed-at.ts';
import { statementIn } from '../../src/copy/questions/report/statement.ts';
import type { StatementOf } from '../../src/copy/questions/report/statement-of.ts';
import { usersIn } from '../../src/copy/questions/report/users.ts';
import type { Figure } from '../../src/money/figure.ts';
import { copyOf, DEPOSIT, spanOfMonth, TRADE } from './stored.ts';

const [SEPTEMBER, OCTOBER, NOVEMBER] = ['2026-09', '2026-10', '2026-11'].map(spanOfMonth) as [Span, Span, Span];
type Span = ReturnType<typeof spanOfMonth>;

const NUMBER = '0123456789';

const paid = (id: string, at: string, more: Readonly<Record<string, string | bigint | null>> = {}) => ({
  id,
  status: 'completed',
  type: 'fintech_offramp',
  amount_minor: 70_000n,
  amount_asset: 'NGN',
  fee_minor: 0n,
  fee_asset: 'NGN',
  account_number: NUMBER,
  bank_code: '000013',
  created_at: at,
  completed_at: at,
  ...more,
});

const BANK: StatementOf = { kind: 'bank account', number: NUMBER, bankCode: '000013' };

type Tables = Parameters<typeof copyOf>[0];

async function statement(of: StatementOf, span: Span, tables: Tables, gap: readonly string[] = []) {
  const ask = await copyOf(tables, gap);
  const { sums, rows } = await ask((queries) => statementIn(queries, of, span));
  return { sum: sums[0], rows, sums };
}

const naira = (minor: bigint, known?: Figure['known']) => ({ asset: 'NGN', minor, ...(known ? { known } : {}) });

describe('what was paid to a bank account', () => {
  const GONE = paid('p-gone', '2026-10-10T10:00:00.000Z', { account_number: null });
  const OWN = [
    paid('p-1', '2026-09-10T10:00:00.000Z'),
    paid('p-2', '2026-10-20T10:00:00.000Z'),
    paid('p-3', '2026-11-20T10:00:00.000Z'),
  ];
  const known = { is: 'at least', why: 'PAYEE_NOT_KNOWN', since: '2026-10-10T10:00:00.000Z', rows: 1 } as const;

  test('is the least that it can be once a row lacks the number of its account', async () => {
    const payouts = [...OWN, GONE];
    expect((await statement(BANK, OCTOBER, { payouts })).sum).toMatchObject({
      opening: naira(70_000n),
      in: naira(70_000n, known),
      out: naira(0n),
      closing: naira(140_000n, known),
    });
    const { sum, rows } = await statement(BANK, NOVEMBER, { payouts });
    // All of the month has its numbers.
    expect(sum).toEqual({
      asset: 'NGN',
      opening: naira(140_000n, known),
      in: naira(70_000n),
      out: naira(0n),
      closing: naira(210_000n, known),
    });
    expect(rows).toMatchObject([{ id: 'p-3', amount: naira(70_000n), balance: naira(210_000n, known) }]);
  });

  test('is known before that row, and where every row has a number', async () => {
    const before = await statement(BANK, SEPTEMBER, { payouts: [...OWN, GONE] });
    expect(before.sum).toEqual({
      asset: 'NGN',
      opening: naira(0n),
      in: naira(70_000n),
      out: naira(0n),
      closing: naira(70_000n),
    });
    const other = paid('p-other', '2026-10-10T10:00:00.000Z', { account_number: '0000000001' });
    expect((await statement(BANK, NOVEMBER, { payouts: [...OWN, other] })).sum?.closing).toEqual(naira(210_000n));
  });

  test('may be at a bank whose code is missing or of another kind, and is not at one with another code', async () => {
    const at = (bank_code: string | null) => ({
      payouts: [...OWN, paid('p-x', '2026-10-10T10:00:00.000Z', { bank_code })],
    });
    for (const code of [null, '058']) {
      const { sum } = await statement(BANK, NOVEMBER, at(code));
      expect(sum?.closing, String(code)).toMatchObject({ minor: 210_000n, known: { why: 'PAYEE_NOT_KNOWN' } });
    }
    expect((await statement(BANK, NOVEMBER, at('000014'))).sum?.closing).toEqual(naira(210_000n));
  });

  test('is known once what ended at an unknown time had ended for certain, and not as long as it may have', async () => {
    const unsure = paid('p-1', '2026-10-10T10:00:00.000Z', { end_bound: '2026-10-10T12:00:00.000Z' });
    const payouts = [unsure, paid('p-2', '2026-10-10T11:00:00.000Z'), paid('p-3', '2026-10-10T13:00:00.000Z')];
    const { rows } = await statement(BANK, OCTOBER, { payouts });
    expect(rows.map(({ id, at, balance }) => [id, at.slice(11, 13), balance.known?.why ?? balance.minor])).toEqual([
      ['p-2', '11', 'END_BETWEEN'],
      ['p-1', '12', 140_000n],
      ['p-3', '13', 210_000n],
    ]);
  });

  test('is the least that it can be if a list was not read to its end', async () => {
    const { sum } = await statement(BANK, OCTOBER, { payouts: OWN }, ['fee_withdrawals']);
    const cut = { is: 'at least', why: 'LIST_INCOMPLETE', since: null } as const;
    expect(sum).toMatchObject({ in: naira(70_000n, cut), closing: naira(140_000n, cut) });
  });
});

describe('what a user has', () => {
  const USER = { kind: 'user', id: 'u-1' } as const;
  const deposit = (id: string, at: string, more: Readonly<Record<string, string | bigint | null>> = {}) => ({
    ...DEPOSIT,
    id,
    type: 'user_onramp',
    user_id: 'u-1',
    funding_minor: 60_000n,
    funding_asset: 'NGN',
    created_at: at,
    completed_at: at,
    ...more,
  });
  const taken = (at: string) => ({
    ...paid('o-1', at),
    type: 'user_offramp',
    deducted_minor: 10_000n,
    deducted_asset: 'NGN',
    wallet_address: '0xnobody',
  });
  const UNOWNED = { is: 'no', why: 'USER_NOT_KNOWN', since: null, rows: 1 };
  const users = [{ id: 'u-1' }];
  const owed = [{ user_id: 'u-1', asset: 'CNGN', minor: 600_000_000n, at: '2026-10-20T00:00:00.000Z' }];
  const inOctober = {
    users,
    deposits: [deposit('d-1', '2026-10-01T10:00:00.000Z')],
    payouts: [taken('2026-10-25T10:00:00.000Z')],
  };

  async function asked(tables: Tables) {
    const ask = await copyOf(tables);
    await ask(async (queries) => {
      for (const row of owed)
        await queries.run(
          'INSERT INTO stored_owed (user_id, asset, minor, at) VALUES (?, ?, ?, ?)',
          row.user_id,
          row.asset,
          row.minor,
          row.at,
        );
    });
    return ask;
  }

  test('is not known if what moved since the reading may be of any user', async () => {
    const ask = await asked(inOctober);
    const october = (await ask((queries) => statementIn(queries, USER, OCTOBER))).sums[0];
    expect(october).toMatchObject({
      opening: { minor: 0n },
      in: { minor: null, known: UNOWNED },
      closing: { minor: null, known: UNOWNED },
    });
    const before = { from: OCTOBER.from, to: '2026-10-21T00:00:00.000Z' };
    expect((await ask((queries) => statementIn(queries, USER, before))).sums[0]).toMatchObject({
      closing: { asset: 'CNGN', minor: 600_000_000n },
    });
    const at = (time: string) => ask((queries) => owedAt(queries, time));
    expect((await at(owed[0]?.at ?? '')).users[0]?.amount).toEqual({ asset: 'CNGN', minor: 600_000_000n });
    expect((await at('2026-10-21T00:00:00.000Z')).users[0]?.amount.known?.why).toBe('NOT_READ');
    expect((await at('2026-10-26T00:00:00.000Z')).users[0]?.amount.known).toEqual(UNOWNED);
  });

  test('is not known at a time at which nothing says whether something had ended', async () => {
    const failed = {
      ...taken('2026-10-19T10:00:00.000Z'),
      status: 'failed',
      user_id: 'u-1',
      completed_at: null,
      ended_at: '2026-10-19T12:00:00.000Z',
      end_bound: '2026-10-19T18:00:00.000Z',
    };
    const ask = await asked({ ...inOctober, payouts: [failed] });
    const at = async (time: string) => (await ask((queries) => owedAt(queries, time))).users[0]?.amount;
    expect(await at('2026-10-19T15:00:00.000Z')).toMatchObject({ minor: null, known: { why: 'END_BETWEEN' } });
    for (const time of ['2026-10-18T00:00:00.000Z', '2026-10-19T19:00:00.000Z'])
      expect(await at(time), time).toEqual({ asset: 'CNGN', minor: 600_000_000n });
  });

  test('came in and earned at least what rows with a user show', async () => {
    const stated = { account_number: '7000000001', funding_minor: 69_200n };
    const deposits = [
      deposit('d-1', '2026-10-02T10:00:00.000Z', stated),
      deposit('d-2', '2026-10-03T10:00:00.000Z', { user_id: null, wallet_address: '0xnobody' }),
    ];
    const ask = await copyOf({ users: [{ id: 'u-1', account_number: '7000000001' }], deposits });
    const report = await ask((queries) => usersIn(queries, OCTOBER, 10));
    const known = { is: 'at least', why: 'USER_NOT_KNOWN' };
    expect(report.users).toMatchObject([{ onramps: 1, amount: { minor: 70_000n, known }, countsKnown: known }]);
    const { parts } = await ask((queries) => incomeIn(queries, OCTOBER, 'user'));
    expect(parts.find(({ name }) => name === 'u-1')?.earned).toMatchObject({ minor: 300n, known });
  });
});

describe('work of which nothing says on which side of the end of a period it ended', () => {
  const MIDNIGHT = OCTOBER.to;
  const trade = (id: string, status: string, ended_at: string, end_bound: string | null) => ({
    ...TRADE,
    id,
    status,
    created_at: '2026-10-31T20:00:00.000Z',
    ended_at,
    end_bound,
  });
  const fx_trades = [
    trade('in', 'failed', '2026-10-31T21:00:00.000Z', null),
    trade('over-1', 'failed', '2026-10-31T22:30:00.000Z', '2026-10-31T23:30:00.000Z'),
    trade('over-2', 'failed', '2026-10-31T23:30:00.000Z', '2026-10-31T22:30:00.000Z'),
    trade('done', 'completed', '2026-10-31T22:30:00.000Z', '2026-10-31T23:30:00.000Z'),
  ];
  const countsKnown = { is: 'at least', why: 'END_BETWEEN', since: null, rows: 3 };

  test('is in no count of it, which are the least that they can be', async () => {
    expect(MIDNIGHT > '2026-10-31T22:30:00.000Z' && MIDNIGHT < '2026-10-31T23:30:00.000Z').toBe(true);
    const ask = await copyOf({ fx_trades });
    const [october] = await ask((queries) => kindsIn(queries, OCTOBER, true));
    expect(october).toMatchObject({
      kind: 'trades',
      completed: 0,
      failed: 1,
      open: 0,
      countsKnown,
      amount: { minor: null, known: { is: 'no', why: 'END_BETWEEN' } },
    });
    const [november] = await ask((queries) => kindsIn(queries, NOVEMBER, true));
    expect(november).toMatchObject({ completed: 0, failed: 0, open: 0, countsKnown });
  });

  test('counts once it is certain', async () => {
    const ask = await copyOf({ fx_trades });
    const both = { from: OCTOBER.from, to: NOVEMBER.to };
    const [all] = await ask((queries) => kindsIn(queries, both, true));
    expect(all).toMatchObject({ completed: 1, failed: 3, countsKnown: null, amount: { minor: 1_400_000_000n } });
  });

  test('may have been open at its end', async () => {
    const ask = await copyOf({ fx_trades: [...fx_trades, trade('later', 'failed', '2026-11-02T00:00:00.000Z', null)] });
    const [october] = await ask((queries) => kindsIn(queries, OCTOBER, true));
    // `later` certainly was, and the three others may have been.
    expect(october).toMatchObject({ open: 1, countsKnown });
  });

  test('after the last sync, counts are the least that they can be, and what is open is not known', async () => {
    const ask = await copyOf({ fx_trades: [trade('in', 'failed', '2026-10-30T21:00:00.000Z', null)] });
    const since = '2026-10-31T12:00:00.000Z';
    await ask((queries) => writeKnownUntil(queries, since));
    expect((await ask((queries) => kindsIn(queries, OCTOBER, true)))[0]).toMatchObject({
      failed: 1,
      open: null,
      countsKnown: { is: 'at least', why: 'AFTER_LAST_SYNC', since },
    });
  });

  test('earned what is in no sum of a period in which it may not have been', async () => {
    const deposit = {
      ...DEPOSIT,
      id: 'd-1',
      type: 'user_onramp',
      user_id: 'u-1',
      funding_minor: 69_200n,
      funding_asset: 'NGN',
      account_number: '7000000001',
      created_at: null,
      ended_at: '2026-11-03T00:00:00.000Z',
      end_bound: '2000-01-01T00:00:00.000Z',
    };
    const ask = await copyOf({ users: [{ id: 'u-1', account_number: '7000000001' }], deposits: [deposit] });
    const unknown = { minor: null, known: { is: 'no', why: 'END_BETWEEN' } };
    // Its time may be in either.
    for (const span of [OCTOBER, NOVEMBER])
      expect((await ask((queries) => incomeIn(queries, span, 'kind'))).earned).toMatchObject(unknown);
    expect((await ask((queries) => incomeIn(queries, OCTOBER, 'kind'))).earned.known?.rows).toBe(1);
  });
});
