import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { accountIn, balancesAt } from '../../src/copy/questions/report/balance.ts';
import { kindsIn } from '../../src/copy/questions/report/kinds.ts';
import { usersIn } from '../../src/copy/questions/report/users.ts';
import type { Asset } from '../../src/money/amount.ts';
import type { FakeWorld } from '../support/world.ts';
import { account, HOUR_MS, must, pass, report, run } from './reports.ts';
import { copyOf, DEPOSIT, held, looks, spanOfMonth, TRADE, TRANSFER } from './stored.ts';

const [OCTOBER, NOVEMBER] = [spanOfMonth('2026-10'), spanOfMonth('2026-11')];

/** A look at the fees: what was earned in all, and what can be withdrawn. */
const fees = (at: string, earned: bigint, withdrawable = earned) => [
  { source: 'fees', place: 'earned', asset: 'NGN', minor: earned, at },
  { source: 'fees', place: 'withdrawable', asset: 'NGN', minor: withdrawable, at },
];

/** A user's payment, whose fees the row states if it states what was minted. */
const onramp = (id: string, completed_at: string, own?: bigint) => ({
  ...DEPOSIT,
  ...(own === undefined ? {} : { funding_minor: 69_500n - own, funding_asset: 'NGN', account_number: ACCOUNT_NUMBER }),
  id,
  type: 'user_onramp',
  user_id: 'u-1',
  completed_at,
});

const ACCOUNT_NUMBER = '7000000001';

async function copyWithFees(
  seen: readonly (readonly [at: string, earned: bigint])[],
  deposits: readonly ReturnType<typeof onramp>[],
  unfinished: readonly string[] = [],
) {
  const ask = await copyOf(
    {
      users: [{ id: 'u-1', account_number: ACCOUNT_NUMBER }],
      deposits,
      balance_checks: seen.map(([at]) => ({ at })),
      balances: seen.flatMap(([at, earned]) => fees(at, earned)),
    },
    unfinished,
  );
  const of = async (span: typeof OCTOBER, asset: Asset = 'NGN') =>
    (await ask((queries) => accountIn(queries, span))).assets.find((each) => each.asset === asset);
  return { ask, of };
}

const FIRST_SYNC = '2026-11-10T12:00:00.000Z';
const BEFORE = { is: 'no', why: 'BEFORE_FIRST_SYNC', since: FIRST_SYNC };

describe('fees earned', () => {
  test('before the first sync are those of the rows, and balances are not known', async () => {
    const { of } = await copyWithFees([[FIRST_SYNC, 500n]], [onramp('d-1', '2026-10-20T10:00:00.000Z', 300n)]);
    expect(await of(OCTOBER)).toMatchObject({ earned: { asset: 'NGN', minor: 300n }, opening: { known: BEFORE } });
    expect(await of(OCTOBER)).toMatchObject({ closing: { minor: null, known: BEFORE } });
  });

  test('are nothing in a time in which no work of users ended, unless a list is cut', async () => {
    const deposits = [onramp('d-1', '2026-11-05T10:00:00.000Z', 300n)];
    const { of } = await copyWithFees([[FIRST_SYNC, 500n]], deposits);
    expect((await of(OCTOBER))?.earned).toEqual({ asset: 'NGN', minor: 0n });
    expect((await of(NOVEMBER))?.earned).toEqual({ asset: 'NGN', minor: 300n });
    const cut = await copyWithFees([[FIRST_SYNC, 500n]], deposits, ['payouts']);
    expect((await cut.of(OCTOBER))?.earned).toMatchObject({ minor: null, known: { is: 'no', why: 'LIST_INCOMPLETE' } });
    expect((await cut.of(NOVEMBER))?.earned).toMatchObject({ minor: 300n, known: { is: 'at least' } });
  });

  test('belong to the month in which the work ended, whenever balances were read', async () => {
    const { of } = await copyWithFees(
      [
        ['2026-10-01T12:00:00.000Z', 0n],
        ['2026-10-30T12:00:00.000Z', 100n],
        ['2026-11-02T12:00:00.000Z', 600n],
      ],
      [
        onramp('d-1', '2026-10-15T10:00:00.000Z', 100n),
        onramp('d-2', '2026-10-31T10:00:00.000Z', 200n),
        onramp('d-3', '2026-11-01T10:00:00.000Z', 300n),
      ],
    );
    expect(await of(OCTOBER)).toMatchObject({ earned: { minor: 300n }, closing: { asset: 'NGN', minor: 300n } });
    expect((await of(NOVEMBER))?.earned).toEqual({ asset: 'NGN', minor: 300n });
  });
});

describe('fees paid that have not been read', () => {
  const [from, to] = ['2026-10-02T00:00:00.000Z', '2026-11-20T00:00:00.000Z'];
  const unread = { ...DEPOSIT, fee_minor: null, fee_asset: null };
  const cngn = (at: string, minor: bigint) => ({ ...held(at, minor), asset: 'CNGN' });
  const rows = [
    { ...DEPOSIT, completed_at: '2026-10-20T10:00:00.000Z', created_at: '2026-10-20T09:00:00.000Z' },
    { ...unread, id: 'd-2', completed_at: '2026-10-21T10:00:00.000Z', created_at: '2026-10-21T09:00:00.000Z' },
    { ...unread, id: 'd-3', completed_at: '2026-10-22T10:00:00.000Z', created_at: '2026-10-22T09:00:00.000Z' },
  ];
  // Three deposits of 700.00 arrive, each without a fee of 5.00.
  const all = {
    deposits: rows,
    balance_checks: [{ at: from }, { at: to }],
    balances: [cngn(from, 0n), cngn(to, 2_085_000_000n)],
  };

  test('make a bound of the sum, and no difference of what they took', async () => {
    const ask = await copyOf(all);
    const { assets, differences } = await ask((queries) => accountIn(queries, OCTOBER));
    const known = { is: 'at most', why: 'FEE_NOT_READ', since: null, rows: 2 };
    expect(assets.find(({ asset }) => asset === 'CNGN')).toMatchObject({
      in: { asset: 'CNGN', minor: 2_100_000_000n },
      fees: { asset: 'CNGN', minor: -5_000_000n, known },
      closing: { minor: 2_095_000_000n, known },
    });
    expect((await ask((queries) => accountIn(queries, NOVEMBER))).differences).toEqual([]);
    expect(differences).toEqual([]);
    // The books have what the look saw, whatever was taken.
    const wallet = "SELECT sum(amount_minor) AS minor FROM book_entries WHERE account = 'assets:wallet'";
    expect(await ask((queries) => queries.all(wallet))).toEqual([{ minor: 2_085_000_000n }]);
  });

  test('are known once they were read', async () => {
    const schedule = {
      taker: 'platform',
      direction: 'onramp',
      from_minor: 0n,
      percent_millionths: 714_286n,
      enabled: 1n,
    };
    const ask = await copyOf({
      ...all,
      fee_schedules: [
        { ...schedule, since: from, stated_since: from, first_seen_at: from, seen_at: to, payable_until: to },
      ],
    });
    const { assets } = await ask((queries) => accountIn(queries, OCTOBER));
    expect(assets.find(({ asset }) => asset === 'CNGN')).toMatchObject({
      fees: { asset: 'CNGN', minor: -15_000_000n },
      closing: { asset: 'CNGN', minor: 2_085_000_000n },
    });
  });

  test('explain no more than the amounts that they were taken from', async () => {
    const ask = await copyOf({ ...all, balances: [cngn(from, 0n), cngn(to, 600_000_000n)] });
    const { differences } = await ask((queries) => accountIn(queries, NOVEMBER));
    // 1,400.00 of the deposits may be fees; the rest is in no list.
    expect(differences).toMatchObject([{ asset: 'CNGN', minor: -95_000_000n }]);
  });
});

test('fees that the service never stated are not known', async () => {
  const ask = await copyOf({
    deposits: [onramp('d-1', '2026-10-20T10:00:00.000Z')],
    ...looks(['2026-10-02T00:00:00.000Z', 0n], ['2026-11-20T00:00:00.000Z', 0n]),
  });
  const { assets } = await ask((queries) => accountIn(queries, OCTOBER));
  const known = { is: 'no', why: 'FEE_NOT_STATED' };
  expect(assets.find(({ asset }) => asset === 'NGN')).toMatchObject({ earned: { known } });
});

describe('a list that was not read to its end', () => {
  test('is also one that a sync did not get to, which had read the balances before', async () => {
    const { world, syncedAt } = await account();
    const kinds = () => run(world, 'report', '--by', 'kind', '--since', syncedAt, '--complete');
    expect((await kinds()).code).toBe(0);
    inCopy(
      world,
      "UPDATE setting SET value = json_set(value, '$.syncedAt', '2026-11-03T00:00:00.000Z') WHERE name = 'list users'",
    );
    await pass(world, 2 * 24 * HOUR_MS);
    const { assets } = await report(world, '--since', syncedAt);
    expect(assets.find(({ asset }) => asset === 'CNGN')?.in).toMatchObject({
      value: null,
      known: { why: 'LIST_INCOMPLETE' },
    });
    await must(world, 'sync');
    expect((await report(world, '--since', syncedAt, '--complete')).code).toBe(0);
  });

  test('makes bounds of the sums of its rows', async () => {
    const completed_at = '2026-10-20T10:00:00.000Z';
    const ask = await copyOf(
      {
        withdrawals: [{ ...TRANSFER, completed_at }],
        deposits: [{ ...onramp('d-1', completed_at) }],
        ...looks(['2026-10-02T00:00:00.000Z', 9_000n], ['2026-11-20T00:00:00.000Z', 4_000n]),
      },
      ['withdrawals', 'deposits'],
    );
    const cut = { why: 'LIST_INCOMPLETE', since: null };
    const { assets } = await ask((queries) => accountIn(queries, OCTOBER));
    expect(assets.find(({ asset }) => asset === 'USDC')).toMatchObject({
      out: { minor: -5_000n, known: { ...cut, is: 'at most' } },
      inFlight: { minor: null, known: { ...cut, is: 'no' } },
      closing: { minor: null, known: { ...cut, is: 'no' } },
    });
    const bound = { known: { ...cut, is: 'at least' } };
    const kinds = await ask((queries) => kindsIn(queries, OCTOBER));
    expect(kinds).toMatchObject([{ amount: { minor: 70_000n, ...bound } }, { amount: { minor: 5_000n, ...bound } }]);
    const { users } = await ask((queries) => usersIn(queries, OCTOBER, 10));
    expect(users).toMatchObject([{ amount: { minor: 70_000n, ...bound }, paidOut: { minor: 0n } }]);
  });
});

test('a balance between two syncs is a bound if it changed between them by what no list shows', async () => {
  const [first, second, third] = ['2026-10-10', '2026-10-20', '2026-10-30'].map((day) => `${day}T00:00:00.000Z`);
  const ask = await copyOf(looks([first ?? '', 1_000n], [second ?? '', 1_070n], [third ?? '', 1_000n]));
  const at = ['2026-10-05', '2026-10-15', '2026-10-20', '2026-10-25', '2026-11-05'];
  const balances = await ask((queries) =>
    balancesAt(
      queries,
      at.map((day) => `${day}T00:00:00.000Z`),
    ),
  );
  const unlisted = { why: 'UNLISTED', since: null };
  expect(balances?.map((each) => each.get('USDC'))).toEqual([
    { asset: 'USDC', minor: null, known: { is: 'no', why: 'BEFORE_FIRST_SYNC', since: first } },
    { asset: 'USDC', minor: 1_000n, known: { ...unlisted, is: 'at least' } },
    { asset: 'USDC', minor: 1_070n },
    { asset: 'USDC', minor: 1_070n, known: { ...unlisted, is: 'at most' } },
    { asset: 'USDC', minor: 1_000n },
  ]);
});

test('the fee of a trade that is stated in another asset is not known, and what it took is no difference', async () => {
  const completed = { ...TRADE, id: 'x-1', side: 'sell', net_minor: 900_000n, net_asset: 'USDC' };
  const ask = await copyOf({
    fx_trades: [completed],
    ...looks(['2026-10-02T00:00:00.000Z', 5_000_000n], ['2026-11-20T00:00:00.000Z', 4_000_000n]),
  });
  const { assets } = await ask((queries) => accountIn(queries, OCTOBER));
  expect(assets.find(({ asset }) => asset === 'CNGN')).toMatchObject({
    fees: { minor: null, known: { is: 'no', why: 'FEE_OTHER_ASSET', rows: 1 } },
  });
});

/** Changes the copy itself. */
function inCopy({ stateDir }: FakeWorld, sql: string): void {
  const database = new DatabaseSync(join(stateDir, 'copy-embedded.db'));
  database.exec(sql);
  database.close();
}

describe('--complete', () => {
  test('is an error that names the figures, says why and what to type, after the report was printed', async () => {
    const { world, syncedAt } = await account();
    const past = await run(world, 'report', '2026-10', '--complete', '-o', 'json');
    expect(past.code).toBe(9);
    expect(JSON.parse(past.stdout).assets).toHaveLength(4);
    expect(JSON.parse(past.stderr).error).toMatchObject({
      code: 'NOT_KNOWN',
      message: expect.stringMatching(/^not known exactly: .*opening in cNGN.*: not known before 2026-11-02 10:00/),
      hint: expect.stringContaining('--since'),
    });
    for (const part of [['fees'], ['balance'], []])
      expect(await run(world, 'report', ...part, '2026-10', '--complete')).toMatchObject({ code: 9 });
    await pass(world, HOUR_MS);
    await must(world, 'sync');
    for (const part of [['fees'], ['balance'], ['users'], []])
      expect(await run(world, 'report', ...part, '--since', syncedAt, '--complete')).toMatchObject({
        code: 0,
        stderr: '',
      });
    expect((await run(world, 'report', 'pending', '--complete')).code).toBe(0);
  });

  test('is an error if a list may lack rows, also where the report has none of them', async () => {
    const { world, syncedAt } = await account();
    const kinds = () => run(world, 'report', '--by', 'kind', '--since', syncedAt, '--complete');
    expect((await kinds()).code).toBe(0);
    inCopy(world, "UPDATE setting SET value = json_set(value, '$.gap', 'unfinished') WHERE name = 'list fx_trades'");
    expect(await kinds()).toMatchObject({ code: 9, stderr: expect.stringContaining('the rows of fx_trades') });
    expect((await run(world, 'report', 'pending', '--complete')).code).toBe(9);
  });
});
