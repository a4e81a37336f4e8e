import { expect, test } from 'vitest';
import { errorOf } from '../../../src/commands/report/books.ts';
import { beancountText } from '../../../src/copy/questions/books/beancount.ts';
import { csvBookText } from '../../../src/copy/questions/books/csv.ts';
import { hledgerText } from '../../../src/copy/questions/books/hledger.ts';
import { priced } from '../../../src/copy/questions/books/prices.ts';
import { MONTH, novemberOf, textOf } from './account.ts';

test('books for hledger', async () => {
  const book = await novemberOf(MONTH);
  expect(await textOf(hledgerText(book))).toMatchInlineSnapshot(`
    "; Books of shop
    ; 2026-11-01 to 2026-11-30

    commodity 1000.00 NGN
    commodity 1000.000000 CNGN
    commodity 1000.000000 USDC
    commodity 1000.000000 USDT

    2026-11-01 opening balances
        assets:fees  12.34 NGN
        assets:held  50.000000 CNGN
        assets:wallet  100000.000000 CNGN
        liabilities:users:u-1  -50.000000 CNGN
        equity:opening  -12.34 NGN
        equity:opening  -100000.000000 CNGN

    2026-11-01 payout taken
        ; id:pay-1
        ; step:taken
        ; at:2026-10-31T23.30.00.000Z
        assets:transit:payout  15000.000000 CNGN
        assets:wallet  -15000.000000 CNGN

    2026-11-03 payout done
        ; id:pay-1
        ; step:done
        ; at:2026-11-03T09.00.00.000Z
        ; note:rent first quarter
        assets:bank  14900.00 NGN @@ 14900.000000 CNGN
        assets:transit:payout  -15000.000000 CNGN
        expenses:platform:payout  100.00 NGN @@ 100.000000 CNGN

    2026-11-05 trade taken
        ; id:trade_7
        ; step:taken
        ; at:2026-11-05T09.00.00.000Z
        assets:transit:trade  10.000001 CNGN
        assets:wallet  -10.000001 CNGN

    2026-11-05 trade done
        ; id:trade_7
        ; step:done
        ; at:2026-11-05T09.00.00.000Z
        assets:transit:trade  -10.000001 CNGN
        assets:vault  0.000006 USDC @@ 8.571430 CNGN
        expenses:platform:trade  0.000001 USDC @@ 1.428571 CNGN

    2026-11-09 offramp taken
        ; id:off-1
        ; step:taken
        ; at:2026-11-09T12.00.00.000Z
        ; user:u-1
        assets:held  -20.000000 CNGN
        assets:held:transit  20.000000 CNGN

    2026-11-10 offramp done
        ; id:off-1
        ; step:done
        ; at:2026-11-10T12.00.00.000Z
        ; user:u-1
        assets:fees  0.55 NGN
        assets:held:transit  -20.000000 CNGN
        income:offramp  -0.55 NGN
        liabilities:users:u-1  20.000000 CNGN

    2026-11-11 onramp done
        ; id:on-1
        ; step:done
        ; at:2026-11-11T12.00.00.000Z
        ; user:U 2 x
        assets:held  30.000000 CNGN
        liabilities:users:x3d1b3ef0dcb8fbb0f58548fd038f5585  -30.000000 CNGN

    2026-11-30 fee withdrawal taken
        ; id:fee-1
        ; step:taken
        ; at:2026-11-30T22.59.59.999Z
        assets:fees  -10.00 NGN
        assets:transit:fees  10.00 NGN

    2026-11-30 closing balances
        assets:bank  0.00 NGN = 14900.00 NGN
        assets:fees  0.00 NGN = 2.89 NGN
        assets:held  0.000000 CNGN = 60.000000 CNGN
        assets:held:transit  0.000000 CNGN = 0.000000 CNGN
        assets:transit:fees  0.00 NGN = 10.00 NGN
        assets:transit:payout  0.000000 CNGN = 0.000000 CNGN
        assets:transit:trade  0.000000 CNGN = 0.000000 CNGN
        assets:vault  0.000000 USDC = 0.000006 USDC
        assets:wallet  0.000000 CNGN = 84989.999999 CNGN
        equity:opening  0.000000 CNGN = -100000.000000 CNGN
        equity:opening  0.00 NGN = -12.34 NGN
        expenses:platform:payout  0.00 NGN = 100.00 NGN
        expenses:platform:trade  0.000000 USDC = 0.000001 USDC
        income:offramp  0.00 NGN = -0.55 NGN
        liabilities:users:x3d1b3ef0dcb8fbb0f58548fd038f5585  0.000000 CNGN = -30.000000 CNGN
        liabilities:users:u-1  0.000000 CNGN = -30.000000 CNGN

    account assets:bank
    account assets:fees
    account assets:held
    account assets:held:transit
    account assets:transit:fees
    account assets:transit:payout
    account assets:transit:trade
    account assets:vault
    account assets:wallet
    account equity:conversion
    account equity:opening
    account expenses:platform:payout
    account expenses:platform:trade
    account income:offramp
    account liabilities:users:u-1
    account liabilities:users:x3d1b3ef0dcb8fbb0f58548fd038f5585
    "
  `);
  expect(book.untied()).toEqual({ unknown: [], across: [], unbalanced: [], off: [], contradicted: [] });
});

test('books for Beancount', async () => {
  expect(await textOf(beancountText(await novemberOf(MONTH)))).toMatchInlineSnapshot(`
    "option "title" "Books of shop, 2026-11-01 to 2026-11-30"

    2026-10-31 open Assets:Fees
    2026-10-31 open Assets:Held
    2026-10-31 open Assets:Wallet
    2026-10-31 open Liabilities:Users:U-u-1
    2026-10-31 open Equity:Opening

    2026-10-31 * "opening balances"
      Assets:Fees  12.34 NGN
      Assets:Held  50.000000 CNGN
      Assets:Wallet  100000.000000 CNGN
      Liabilities:Users:U-u-1  -50.000000 CNGN
      Equity:Opening  -12.34 NGN
      Equity:Opening  -100000.000000 CNGN

    2026-11-01 balance Assets:Fees  12.34 ~ 0 NGN
    2026-11-01 balance Assets:Held  50.000000 ~ 0 CNGN
    2026-11-01 balance Assets:Wallet  100000.000000 ~ 0 CNGN
    2026-11-01 balance Liabilities:Users:U-u-1  -50.000000 ~ 0 CNGN
    2026-10-31 open Assets:Transit:Payout

    2026-11-01 * "payout taken"
      id: "pay-1"
      step: "taken"
      at: "2026-10-31T23:30:00.000Z"
      Assets:Transit:Payout  15000.000000 CNGN
      Assets:Wallet  -15000.000000 CNGN
    2026-10-31 open Assets:Bank
    2026-10-31 open Expenses:Platform:Payout

    2026-11-03 * "payout done"
      id: "pay-1"
      step: "done"
      at: "2026-11-03T09:00:00.000Z"
      note: "rent;  first quarter"
      Assets:Bank  14900.00 NGN @@ 14900.000000 CNGN
      Assets:Transit:Payout  -15000.000000 CNGN
      Expenses:Platform:Payout  100.00 NGN @@ 100.000000 CNGN
    2026-10-31 open Assets:Transit:Trade

    2026-11-05 * "trade taken"
      id: "trade_7"
      step: "taken"
      at: "2026-11-05T09:00:00.000Z"
      Assets:Transit:Trade  10.000001 CNGN
      Assets:Wallet  -10.000001 CNGN
    2026-10-31 open Assets:Vault
    2026-10-31 open Expenses:Platform:Trade

    2026-11-05 * "trade done"
      id: "trade_7"
      step: "done"
      at: "2026-11-05T09:00:00.000Z"
      Assets:Transit:Trade  -10.000001 CNGN
      Assets:Vault  0.000006 USDC @@ 8.571430 CNGN
      Expenses:Platform:Trade  0.000001 USDC @@ 1.428571 CNGN
    2026-10-31 open Assets:Held:Transit

    2026-11-09 * "offramp taken"
      id: "off-1"
      step: "taken"
      at: "2026-11-09T12:00:00.000Z"
      user: "u-1"
      Assets:Held  -20.000000 CNGN
      Assets:Held:Transit  20.000000 CNGN
    2026-10-31 open Income:Offramp

    2026-11-10 * "offramp done"
      id: "off-1"
      step: "done"
      at: "2026-11-10T12:00:00.000Z"
      user: "u-1"
      Assets:Fees  0.55 NGN
      Assets:Held:Transit  -20.000000 CNGN
      Income:Offramp  -0.55 NGN
      Liabilities:Users:U-u-1  20.000000 CNGN
    2026-10-31 open Liabilities:Users:U-x3d1b3ef0dcb8fbb0f58548fd038f5585

    2026-11-11 * "onramp done"
      id: "on-1"
      step: "done"
      at: "2026-11-11T12:00:00.000Z"
      user: "U:2; x"
      Assets:Held  30.000000 CNGN
      Liabilities:Users:U-x3d1b3ef0dcb8fbb0f58548fd038f5585  -30.000000 CNGN
    2026-10-31 open Assets:Transit:Fees

    2026-11-30 * "fee withdrawal taken"
      id: "fee-1"
      step: "taken"
      at: "2026-11-30T22:59:59.999Z"
      Assets:Fees  -10.00 NGN
      Assets:Transit:Fees  10.00 NGN

    2026-12-01 balance Assets:Bank  14900.00 ~ 0 NGN
    2026-12-01 balance Assets:Fees  2.89 ~ 0 NGN
    2026-12-01 balance Assets:Held  60.000000 ~ 0 CNGN
    2026-12-01 balance Assets:Held:Transit  0.000000 ~ 0 CNGN
    2026-12-01 balance Assets:Transit:Fees  10.00 ~ 0 NGN
    2026-12-01 balance Assets:Transit:Payout  0.000000 ~ 0 CNGN
    2026-12-01 balance Assets:Transit:Trade  0.000000 ~ 0 CNGN
    2026-12-01 balance Assets:Vault  0.000006 ~ 0 USDC
    2026-12-01 balance Assets:Wallet  84989.999999 ~ 0 CNGN
    2026-12-01 balance Equity:Opening  -100000.000000 ~ 0 CNGN
    2026-12-01 balance Equity:Opening  -12.34 ~ 0 NGN
    2026-12-01 balance Expenses:Platform:Payout  100.00 ~ 0 NGN
    2026-12-01 balance Expenses:Platform:Trade  0.000001 ~ 0 USDC
    2026-12-01 balance Income:Offramp  -0.55 ~ 0 NGN
    2026-12-01 balance Liabilities:Users:U-x3d1b3ef0dcb8fbb0f58548fd038f5585  -30.000000 ~ 0 CNGN
    2026-12-01 balance Liabilities:Users:U-u-1  -30.000000 ~ 0 CNGN
    "
  `);
});

test('books as CSV', async () => {
  expect(await textOf(csvBookText(await novemberOf(MONTH)))).toMatchInlineSnapshot(`
    "day,at,account,amount,asset,thing,id,user,step,note,unknown,bound
    2026-11-01,,assets:fees,12.34,NGN,,,,opening balance,,,
    2026-11-01,,assets:held,50.000000,CNGN,,,,opening balance,,,
    2026-11-01,,assets:wallet,100000.000000,CNGN,,,,opening balance,,,
    2026-11-01,,liabilities:users:u-1,-50.000000,CNGN,,,,opening balance,,,
    2026-11-01,2026-10-31T23:30:00.000Z,assets:transit:payout,15000.000000,CNGN,payout,pay-1,,taken,,,
    2026-11-01,2026-10-31T23:30:00.000Z,assets:wallet,-15000.000000,CNGN,payout,pay-1,,taken,,,
    2026-11-03,2026-11-03T09:00:00.000Z,assets:bank,14900.00,NGN,payout,pay-1,,done,"rent; ""first"" quarter",,
    2026-11-03,2026-11-03T09:00:00.000Z,assets:transit:payout,-15000.000000,CNGN,payout,pay-1,,done,"rent; ""first"" quarter",,
    2026-11-03,2026-11-03T09:00:00.000Z,equity:conversion,15000.000000,CNGN,payout,pay-1,,done,"rent; ""first"" quarter",,
    2026-11-03,2026-11-03T09:00:00.000Z,equity:conversion,-15000.00,NGN,payout,pay-1,,done,"rent; ""first"" quarter",,
    2026-11-03,2026-11-03T09:00:00.000Z,expenses:platform:payout,100.00,NGN,payout,pay-1,,done,"rent; ""first"" quarter",,
    2026-11-05,2026-11-05T09:00:00.000Z,assets:transit:trade,10.000001,CNGN,trade,trade_7,,taken,,,
    2026-11-05,2026-11-05T09:00:00.000Z,assets:wallet,-10.000001,CNGN,trade,trade_7,,taken,,,
    2026-11-05,2026-11-05T09:00:00.000Z,assets:transit:trade,-10.000001,CNGN,trade,trade_7,,done,,,
    2026-11-05,2026-11-05T09:00:00.000Z,assets:vault,0.000006,USDC,trade,trade_7,,done,,,
    2026-11-05,2026-11-05T09:00:00.000Z,equity:conversion,10.000001,CNGN,trade,trade_7,,done,,,
    2026-11-05,2026-11-05T09:00:00.000Z,equity:conversion,-0.000007,USDC,trade,trade_7,,done,,,
    2026-11-05,2026-11-05T09:00:00.000Z,expenses:platform:trade,0.000001,USDC,trade,trade_7,,done,,,
    2026-11-09,2026-11-09T12:00:00.000Z,assets:held,-20.000000,CNGN,offramp,off-1,u-1,taken,,,
    2026-11-09,2026-11-09T12:00:00.000Z,assets:held:transit,20.000000,CNGN,offramp,off-1,u-1,taken,,,
    2026-11-10,2026-11-10T12:00:00.000Z,assets:fees,0.55,NGN,offramp,off-1,u-1,done,,,
    2026-11-10,2026-11-10T12:00:00.000Z,assets:held:transit,-20.000000,CNGN,offramp,off-1,u-1,done,,,
    2026-11-10,2026-11-10T12:00:00.000Z,income:offramp,-0.55,NGN,offramp,off-1,u-1,done,,,
    2026-11-10,2026-11-10T12:00:00.000Z,liabilities:users:u-1,20.000000,CNGN,offramp,off-1,u-1,done,,,
    2026-11-11,2026-11-11T12:00:00.000Z,assets:held,30.000000,CNGN,onramp,on-1,U:2; x,done,,,
    2026-11-11,2026-11-11T12:00:00.000Z,liabilities:users:U:2; x,-30.000000,CNGN,onramp,on-1,U:2; x,done,,,
    2026-11-30,2026-11-30T22:59:59.999Z,assets:fees,-10.00,NGN,fee withdrawal,fee-1,,taken,,,
    2026-11-30,2026-11-30T22:59:59.999Z,assets:transit:fees,10.00,NGN,fee withdrawal,fee-1,,taken,,,
    2026-11-30,,assets:bank,14900.00,NGN,,,,closing balance,,,
    2026-11-30,,assets:fees,2.89,NGN,,,,closing balance,,,
    2026-11-30,,assets:held,60.000000,CNGN,,,,closing balance,,,
    2026-11-30,,assets:held:transit,0.000000,CNGN,,,,closing balance,,,
    2026-11-30,,assets:transit:fees,10.00,NGN,,,,closing balance,,,
    2026-11-30,,assets:transit:payout,0.000000,CNGN,,,,closing balance,,,
    2026-11-30,,assets:transit:trade,0.000000,CNGN,,,,closing balance,,,
    2026-11-30,,assets:vault,0.000006,USDC,,,,closing balance,,,
    2026-11-30,,assets:wallet,84989.999999,CNGN,,,,closing balance,,,
    2026-11-30,,equity:opening,-100000.000000,CNGN,,,,closing balance,,,
    2026-11-30,,equity:opening,-12.34,NGN,,,,closing balance,,,
    2026-11-30,,expenses:platform:payout,100.00,NGN,,,,closing balance,,,
    2026-11-30,,expenses:platform:trade,0.000001,USDC,,,,closing balance,,,
    2026-11-30,,income:offramp,-0.55,NGN,,,,closing balance,,,
    2026-11-30,,liabilities:users:U:2; x,-30.000000,CNGN,,,,closing balance,,,
    2026-11-30,,liabilities:users:u-1,-30.000000,CNGN,,,,closing balance,,,
    "
  `);
});

test('the same steps in any order give the same bytes', async () => {
  for (const writer of [hledgerText, beancountText, csvBookText]) {
    const [one, other] = [MONTH, MONTH.toReversed()];
    expect(await textOf(writer(await novemberOf(one)))).toBe(await textOf(writer(await novemberOf(other))));
  }
});

test('the parts of a cost add up to it to the smallest unit, whatever is divided', () => {
  for (let each = 1n; each < 400n; each++) {
    const [given, net, fee] = [each * 7919n, (each * each) % 97n, 1n + (each % 5n)];
    const postings = [
      { account: 'assets:transit:trade', asset: 'CNGN', minor: -given },
      { account: 'equity:conversion', asset: 'CNGN', minor: given },
      { account: 'equity:conversion', asset: 'USDC', minor: -(net + fee) },
      { account: 'assets:vault', asset: 'USDC', minor: net },
      { account: 'expenses:platform:trade', asset: 'USDC', minor: fee },
    ] as const;
    const found = priced(postings.filter(({ minor }) => minor !== 0n));
    expect(found.reduce((sum, { cost }) => sum + (cost?.minor ?? 0n), 0n)).toBe(given);
    expect(found.every(({ account }) => account !== 'equity:conversion')).toBe(true);
    expect(found.every(({ cost }) => cost === undefined || cost.minor >= 0n)).toBe(true);
  }
});

test('what is not known, does not sum to zero or is missing from the sum is an error with its row', async () => {
  const read = async (steps: typeof MONTH) => {
    const book = await novemberOf(steps);
    const text = await textOf(hledgerText(book));
    return { text, error: await errorOf({} as never, book, []) };
  };
  expect((await read(MONTH)).error).toBeUndefined();
  const unknown = await read([
    ...MONTH,
    {
      at: '2026-11-12T12:00:00.000Z',
      thing: 'onramp',
      id: 'on-9',
      step: 'done',
      known: 'FEE_NOT_READ',
      lines: [['assets:fees', null, 'NGN']],
    },
  ]);
  expect(unknown.error?.message).toBe(
    'the books are not complete: not everything is known of onramp on-9 (FEE_NOT_READ)',
  );
  expect(unknown.error?.hint).toMatch(/^a sync may find it out: fiatrail sync;/);
  const halved = await read(
    MONTH.map((each) => (each.id === 'off-1' ? { ...each, lines: each.lines.slice(0, 1) } : each)),
  );
  expect(halved.error?.message).toBe('the books do not balance: the entries of offramp off-1 do not sum to zero');
});

test.each([
  ['in the month', '2026-11-10T08:00:00.000Z', '2026-11-11T08:00:00.000Z', false],
  ['in the month, its end first', '2026-11-11T08:00:00.000Z', '2026-11-10T08:00:00.000Z', false],
  ['from its first moment to its last one', '2026-10-31T23:00:00.000Z', '2026-11-30T22:59:59.999Z', false],
  ['across its start', '2026-11-01T08:00:00.000Z', '2026-10-31T22:59:59.999Z', true],
  ['across its start, counted before it', '2026-10-31T08:00:00.000Z', '2026-11-01T08:00:00.000Z', true],
  ['across its end', '2026-11-30T08:00:00.000Z', '2026-11-30T23:00:00.000Z', true],
  ['across its end, counted after it', '2026-12-01T08:00:00.000Z', '2026-11-30T08:00:00.000Z', true],
  ['around all of it', '2026-12-01T08:00:00.000Z', '2026-10-30T08:00:00.000Z', true],
  ['after it', '2026-12-01T08:00:00.000Z', '2026-11-30T23:00:00.000Z', false],
  ['before it', '2026-10-30T08:00:00.000Z', '2026-10-31T22:59:59.999Z', false],
])('a time that is known to lie %s', async (_, at, bound, matters) => {
  const known = 'END_BETWEEN';
  const lines = [
    ['assets:transit:transfer', -5n, 'CNGN'],
    ['equity:outside', 5n, 'CNGN'],
  ] as const;
  const book = await novemberOf([...MONTH, { at, bound, thing: 'transfer', id: 't-1', step: 'done', known, lines }]);
  const text = await textOf(csvBookText(book));
  const error = await errorOf({} as never, book, []);
  expect(error?.message).toBe(
    matters ? 'the books are not complete: not everything is known of transfer t-1 (END_BETWEEN)' : undefined,
  );
  if (matters) expect(error?.hint).toMatch(/fiatrail report close <month> --accept END_BETWEEN --reason "…"$/);
  // What is in them says so.
  const isIn = at >= '2026-10-31T23:00:00.000Z' && at < '2026-11-30T23:00:00.000Z';
  expect(text.includes(`,transfer,t-1,,done,,,${bound}\n`)).toBe(isIn);
});

test('more entries than are read at once are all there once, in their order, also at the ends of the month', async () => {
  const count = 12_000;
  const [startMs, endMs] = [Date.parse('2026-10-31T23:00:00.000Z'), Date.parse('2026-11-30T22:59:59.999Z')];
  const steps = Array.from({ length: count }, (_, index) => ({
    at: new Date(startMs + Math.floor((index / (count - 1)) * (endMs - startMs))).toISOString(),
    thing: 'transfer',
    id: `t-${String(index).padStart(5, '0')}`,
    step: 'done',
    lines: [
      ['assets:wallet', -1n, 'CNGN'],
      ['equity:outside', 1n, 'CNGN'],
    ] as const,
  }));
  const book = await novemberOf(steps.toReversed());
  const ids = [...(await textOf(csvBookText(book))).matchAll(/assets:wallet,-0\.000001,CNGN,transfer,(t-\d+)/g)];
  expect(ids.map(([, id]) => id)).toEqual(steps.map(({ id }) => id));
  expect([book.counted().sets, await errorOf({} as never, book, [])]).toEqual([count, undefined]);
});
