import { DatabaseSync } from 'node:sqlite';
import type { Period } from './postings.ts';
import { type Asked, ask, figure, listOf, saidOf } from './reports.ts';
import type { Machine } from './rig.ts';
import { compare, compareCount, type Tally } from './tally.ts';

/** A sale of stablecoins by the sandbox's ledger. What was in the vault from the start has no cost, and so has what it was sold for. */
interface Sale {
  readonly id: string;
  readonly atMs: number;
  readonly proceeds: bigint;
  readonly cost: bigint | undefined;
}

interface TradeRow {
  readonly id: string;
  readonly side: string;
  readonly asset: string;
  readonly cngn: bigint;
  readonly token: bigint;
  readonly net: bigint;
  readonly at: bigint;
}

const TRADES = `SELECT trade_id AS id, side, substr(pair, -4) AS asset, cngn_base AS cngn, token_base AS token, net_base AS net, posting_set.created_at AS at
  FROM fx_trade JOIN posting_set ON subject = trade_id AND event = 'fx.settled' WHERE fintech = 1 AND state = 'completed' ORDER BY posting_set.id`;

const BEGUN = `SELECT account.asset, sum(minor) AS minor FROM posting JOIN posting_set ON posting_set.id = posting_set JOIN account ON account.id = account
  JOIN wallet ON code LIKE 'wallet/' || wallet.id || '/%' WHERE event LIKE 'seed.%' AND wallet.fintech = 1 AND wallet.kind = 'vault' GROUP BY 1`;

/** Returns every sale, each with what the stablecoins had cost that were bought first. */
export function salesIn(path: string): ReadonlyMap<string, Sale> {
  const database = new DatabaseSync(path, { readOnly: true });
  const all = <T>(sql: string): readonly T[] => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement.all() as unknown as readonly T[];
  };
  const begun = all<{ asset: string; minor: bigint }>(BEGUN);
  const trades = all<TradeRow>(TRADES);
  database.close();
  const lots = new Map<string, { left: bigint; cost: bigint | undefined }[]>();
  const lotsOf = (asset: string) => lots.get(asset) ?? lots.set(asset, []).get(asset) ?? [];
  for (const { asset, minor } of begun) lotsOf(asset).push({ left: minor, cost: undefined });
  const sales = new Map<string, Sale>();
  for (const { id, side, asset, cngn, token, net, at } of trades) {
    const own = lotsOf(asset);
    if (side === 'buy') {
      own.push({ left: net, cost: cngn });
      continue;
    }
    let cost: bigint | undefined = 0n;
    for (let left = token; left > 0n; ) {
      const [lot] = own;
      if (!lot) throw new Error(`${id} sold more than there was`);
      const part = lot.left < left ? lot.left : left;
      const paid = lot.cost === undefined ? undefined : (lot.cost * part) / lot.left;
      cost = cost === undefined || paid === undefined ? undefined : cost + paid;
      if (lot.cost !== undefined && paid !== undefined) lot.cost -= paid;
      lot.left -= part;
      left -= part;
      if (lot.left === 0n) own.shift();
    }
    sales.set(id, { id, atMs: Number(at), proceeds: net, cost });
  }
  return sales;
}

const isIn = ({ fromMs, toMs }: Period, { atMs }: Sale) => atMs > fromMs && atMs <= toMs;

/** The profit of each sale, and of all of them. */
export async function compareProfit(
  machine: Machine,
  all: ReadonlyMap<string, Sale>,
  typed: Asked,
  tally: Tally,
): Promise<void> {
  const data = await ask(machine, 'profit', ...typed.argv);
  const asked = saidOf(data, typed);
  const sum = figure(data, 'profit');
  const rows = listOf(data, 'sales');
  const expect = (what: string, id: string, said: typeof sum, is: bigint | undefined) => {
    const where = `report profit, ${what} @ ${asked.name} ${id}`;
    if (is !== undefined) compare(tally, where, said, is);
    else if (said?.known?.is === 'no') compare(tally, where, said, 0n);
    else tally.wrong.push(`${where}: said ${JSON.stringify(said)}, and nothing says it`);
  };
  for (const row of rows) {
    const id = String(row['id']);
    const is = all.get(id);
    const cost = is?.cost;
    expect('proceeds', id, figure(row, 'proceeds'), is?.proceeds);
    expect('cost', id, figure(row, 'cost'), cost);
    expect('profit', id, figure(row, 'profit'), is && cost !== undefined ? is.proceeds - cost : undefined);
  }
  const own = [...all.values()].filter((sale) => isIn(asked, sale));
  const known = own.flatMap(({ proceeds, cost }) => (cost === undefined ? [] : [proceeds - cost]));
  const is = known.length < own.length ? undefined : known.reduce((one, other) => one + other, 0n);
  expect('sum', '', sum, is);
  compareCount(tally, `report profit, sales @ ${asked.name}`, rows.length, own.length, sum?.known ? [sum.known] : []);
}
