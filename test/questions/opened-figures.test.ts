import { expect, test } from 'vitest';
import { simulatedAccount } from '../copy/ledger.ts';
import { json, run } from './reports.ts';

/** A figure as JSON has it. */
interface Printed {
  readonly value: string | null;
  readonly asset: string;
  readonly known?: object;
}

interface Row {
  readonly at: string;
  readonly amount: Printed;
}

const minorOf = ({ value }: Printed) => BigInt((value ?? '0').replace('.', ''));
const sumOf = (rows: readonly Row[], asset: string) =>
  rows.reduce((sum, { amount }) => (amount.asset === asset ? sum + minorOf(amount) : sum), 0n);

/** An account of which every day was synced. */
async function synced() {
  const account = await simulatedAccount({ seed: 7, users: 60, days: 4 });
  await account.run('sync');
  for (let day = 1; day <= 4; day++) {
    await account.live();
    await account.run('sync');
  }
  await account.run('report', 'owed', '--max-age', '0');
  return account;
}

/** In the middle of the simulation, so that something was before it. */
const PERIOD = ['--since', '2026-10-03T00:00:00Z'];

type Ask = (...words: string[]) => ReturnType<typeof json>;

test('the rows of a figure add up to it', async () => {
  const { world } = await synced();
  const ask: Ask = (...words) => json(world, 'report', ...words);
  const { users } = await json(world, 'users', 'list', '--all');
  const { accounts } = await json(world, 'bank-accounts', 'list');
  await expectStatements(
    ask,
    [...users.slice(0, 2), ...accounts.slice(0, 1)].map(({ userId, accountId }) => userId ?? accountId),
  );
  await expectIncome(ask);
  await expectProfit(ask);
  expect(await run(world, 'report', 'income', ...PERIOD, '--rows', 'nothing')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('nothing was earned by the kind "nothing" in this period'),
  });
  expect(await run(world, 'report', 'statement', '--rows', 'in', '--html', 'in.html')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--html draws the statement, and --rows lists one figure of it'),
  });
});

/** Each known figure of a statement: of the account, of a token, of users and of bank accounts. */
async function expectStatements(ask: Ask, ids: readonly string[]): Promise<void> {
  let compared = 0;
  for (const of of ['account', 'CNGN', ...ids]) {
    const { balances } = await ask('statement', of, ...PERIOD);
    for (const figure of ['opening', 'in', 'out', 'closing']) {
      const { rows } = await ask('statement', of, ...PERIOD, '--rows', figure);
      for (const balance of balances) {
        const printed: Printed = balance[figure];
        if (printed.value === null || printed.known) continue;
        expect(sumOf(rows, balance.asset), `${of} ${figure} ${balance.asset}`).toBe(minorOf(printed));
        compared += rows.length;
      }
      expect(rows.map(({ at }: Row) => at)).toEqual(rows.map(({ at }: Row) => at).toSorted());
    }
  }
  expect(compared).toBeGreaterThan(200);
}

/** What was earned, by each kind, day and user. */
async function expectIncome(ask: Ask): Promise<void> {
  const { earned } = await ask('income', ...PERIOD);
  const all = (await ask('income', ...PERIOD, '--rows', 'earned')).rows;
  expect(sumOf(all, 'NGN')).toBe(minorOf(earned));
  for (const by of ['kind', 'day', 'user']) {
    const { parts } = await ask('income', ...PERIOD, '--by', by);
    let count = 0;
    for (const part of parts) {
      const { rows } = await ask('income', ...PERIOD, '--by', by, '--rows', part.name ?? 'none');
      expect(rows.length, part.name).toBe(part.movements);
      expect(sumOf(rows, 'NGN')).toBe(minorOf(part.earned));
      count += rows.length;
    }
    expect(count, by).toBe(all.length);
  }
  expect(all.length).toBeGreaterThan(20);
}

/** What each sale brought, and the trades that had bought it. */
async function expectProfit(ask: Ask): Promise<void> {
  const { sales } = await ask('profit', ...PERIOD);
  const of = async (figure: string) => (await ask('profit', ...PERIOD, '--rows', figure)).rows;
  const [proceeds, cost, profit] = [await of('proceeds'), await of('cost'), await of('profit')];
  expect(profit.length).toBe(proceeds.length + cost.length);
  for (const sale of sales) {
    const own = (rows: readonly (Row & { sale: string })[]) => rows.filter((row) => row.sale === sale.id);
    expect(sumOf(own(proceeds), 'CNGN')).toBe(minorOf(sale.proceeds));
    // Every token that was sold comes from somewhere.
    const tokens = own(cost).map((row) => ({ ...row, amount: (row as unknown as { tokens: Printed }).tokens }));
    expect(sumOf(tokens, sale.sold.asset)).toBe(minorOf(sale.sold));
    if (sale.profit.value === null) continue;
    expect(sumOf(own(cost), 'CNGN')).toBe(-minorOf(sale.cost));
    expect(sumOf(own(profit), 'CNGN')).toBe(minorOf(sale.profit));
  }
  expect(sales.length).toBeGreaterThan(2);
}
