import { type Amount, type Asset, countedWith, millionthsOf } from '../money/amount.ts';
import { columnNames, insertion } from '../store/table.ts';
import { atWorstIn, type Baseline, parseBaseline, type SpendLimit } from './intent.ts';
import type { Queries } from './store.ts';
import { SPENT } from './tables.ts';

/** What is summed: everything of a limit but its maximum. */
export type Spending = Omit<SpendLimit, 'maxMinor'>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Lagos is an hour ahead of UTC, all year. */
const AHEAD_MS = HOUR_MS;

/** Numbers the days in Lagos from 1970-01-01. */
const dayOf = (timeMs: number) => Math.floor((timeMs + AHEAD_MS) / DAY_MS);

function firstDayOf(period: SpendLimit['period'], now: number): number {
  const here = new Date(now + AHEAD_MS);
  return period === 'day' ? dayOf(now) : Date.UTC(here.getUTCFullYear(), here.getUTCMonth(), 1) / DAY_MS;
}

/** The same as `counts`, in SQL. */
const COUNTS = `state NOT IN ('rejected', 'failed') AND (verdict IS NULL OR verdict = 'completed')`;

/** The part of a baseline that says how far the journal's clock was ahead of the service's. */
interface Clocks {
  readonly journalAheadMs?: number | undefined;
}

/**
 * Returns the time by which an operation counts, in milliseconds since the epoch, for one of the journal's clock. That of a file is the clock of
 * this machine, which its user sets, so the service's time counts if it is known; hosts that share a journal agree on its server's.
 */
const countedAtMs = ({ engine }: Queries, atMs: number, clocks: Clocks | undefined): number =>
  engine === 'sqlite' ? atMs - (clocks?.journalAheadMs ?? 0) : atMs;

/** The same of a row, in SQL. */
const countedAt = ({ engine }: Queries): string =>
  engine === 'sqlite'
    ? `(created_at - CASE WHEN json_valid(baseline) THEN coalesce(json_extract(baseline, '$.journalAheadMs'), 0) ELSE 0 END)`
    : 'created_at';

interface Moved {
  readonly account: string;
  readonly command: string;
  /** By the journal's clock. */
  readonly createdAtMs: number;
  readonly clocks: Clocks | undefined;
  readonly moves: Amount;
}

/** Adds what an operation moves to the sum of its day; a negative sign takes it off again. Call it in a transaction. */
export async function addSpent(
  queries: Queries,
  { account, command, createdAtMs, clocks, moves }: Moved,
  sign: 1n | -1n,
): Promise<void> {
  const day = dayOf(countedAtMs(queries, createdAtMs, clocks));
  const added = { account, asset: moves.asset, day, command, minor: sign * moves.minor };
  await queries.run(...insertion(SPENT, [added], ADDED));
}

/** What is added to a sum that is there already. */
const ADDED = `ON CONFLICT (${SPENT.key.join(', ')}) DO UPDATE SET minor = spent.minor + excluded.minor`;

/** The commands that may send any request, so that their name does not say whether money came in. */
const SENDS_ANYTHING: readonly string[] = ['fiatrail api', 'fiatrail plans apply'];

/** The command by which sums tell what agents sent without an approval, on all hosts together. */
export const BY_AGENT = 'fiatrail plans apply --agent';

interface Sum {
  readonly asset: Asset;
  readonly command: string;
  readonly minor: bigint;
}

/** The endpoint that brings money in and its command, for records that have only their names. */
export const INCOMING = { endpoint: 'transactions.onramp', command: 'onramp create' } as const;

/**
 * Returns what the accounts spent in this day or month, in millionths of a Naira or token. What came in is recorded like what went
 * out, so it is left out here: by the name of its command, and for commands that send anything by the endpoint of each operation. `nowMs` is
 * the time that all hosts agree on; the journal's own clock counts without it.
 */
export async function spentIn(
  queries: Queries,
  accounts: readonly string[],
  { asset, period, command }: Spending,
  nowMs = queries.now(),
): Promise<bigint> {
  const assets = countedWith(asset);
  const firstDay = firstDayOf(period, nowMs);
  const commands = command === undefined ? [] : [command];
  const sums: Sum[] = [];
  for (const account of accounts)
    sums.push(
      ...(await queries.all<Sum>(
        `SELECT asset, command, CAST(sum(minor) AS BIGINT) AS minor FROM spent
         WHERE account = ? AND asset IN (${marks(assets)}) AND day >= ? ${command === undefined ? '' : `AND command IN (${marks(commands)})`}
         GROUP BY asset, command`,
        account,
        ...assets,
        firstDay,
        ...commands,
      )),
    );
  const spent = sums.filter((sum) => sum.command !== `fiatrail ${INCOMING.command}`);
  const others = SENDS_ANYTHING.filter((each) => spent.some((sum) => sum.command === each));
  const incoming = await incomingOf(queries, accounts, { assets, commands: others, firstDay });
  return (
    totalOf(spent) + totalOf(await atWorstOf(queries, accounts, { assets, commands, firstDay })) - totalOf(incoming)
  );
}

const marks = (values: readonly string[]): string => values.map(() => '?').join(', ');

const totalOf = (sums: readonly Amount[]): bigint => sums.reduce((total, sum) => total + millionthsOf(sum), 0n);

/** Returns what orders may spend at the worst of a stablecoin, which no sum has: each is recorded with its cNGN. `commands`: all if it is empty. */
async function atWorstOf(
  queries: Queries,
  accounts: readonly string[],
  { assets, commands, firstDay }: PeriodQuery,
): Promise<readonly Amount[]> {
  // Naira and cNGN are what an order moves.
  if (assets.includes('CNGN')) return [];
  const rows = await queries.all<{ baseline: string }>(
    `SELECT baseline FROM operation
     WHERE created_at >= ? AND ${COUNTS} AND asset = 'CNGN' AND baseline LIKE '%"atWorst":%' AND account || '' IN (${marks(accounts)})
       ${commands.length === 0 ? '' : `AND command IN (${marks(commands)})`}`,
    firstDay * DAY_MS - AHEAD_MS,
    ...accounts,
    ...commands,
  );
  return rows
    .flatMap(({ baseline }) => atWorstIn(parseBaseline(baseline)))
    .filter(({ asset }) => assets.includes(asset));
}

interface PeriodQuery {
  readonly assets: readonly Asset[];
  readonly commands: readonly string[];
  readonly firstDay: number;
}

/** Returns the sums of what commands brought in since a day. */
async function incomingOf(
  queries: Queries,
  accounts: readonly string[],
  { assets, commands, firstDay }: PeriodQuery,
): Promise<readonly Amount[]> {
  if (commands.length === 0) return [];
  // An expression, because an index of the account would have all of its operations read, and that of the time only this period's.
  const sinceMs = firstDay * DAY_MS - AHEAD_MS;
  return queries.all<{ asset: Asset; minor: bigint }>(
    `SELECT asset, CAST(sum(minor) AS BIGINT) AS minor FROM operation
     WHERE endpoint = ? AND created_at >= ? AND ${countedAt(queries)} >= ? AND ${COUNTS}
       AND account || '' IN (${marks(accounts)}) AND asset IN (${marks(assets)}) AND command IN (${marks(commands)})
     GROUP BY asset`,
    INCOMING.endpoint,
    sinceMs,
    sinceMs,
    ...accounts,
    ...assets,
    ...commands,
  );
}

/** The parts of an intent that limits are about. */
export interface LimitedIntent {
  readonly command: string;
  readonly moves?: Amount | undefined;
  readonly baseline?: Baseline | undefined;
  readonly limits?: readonly SpendLimit[] | undefined;
}

/** Returns what an intent adds to the sum of an asset; undefined if nothing. */
export const countedIn = ({ moves, baseline }: LimitedIntent, asset: Asset): Amount | undefined =>
  [...(moves ? [moves] : []), ...atWorstIn(baseline)].find((each) => countedWith(asset).includes(each.asset));

/** Returns the first limit that an intent would exceed, with its sum before the intent in millionths; undefined if it stays within all. */
export async function overLimit(
  queries: Queries,
  accounts: readonly string[],
  intent: LimitedIntent,
): Promise<{ readonly limit: SpendLimit; readonly spentMillionths: bigint } | undefined> {
  const nowMs = countedAtMs(queries, queries.now(), intent.baseline);
  for (const limit of intent.limits ?? []) {
    const added = countedIn(intent, limit.asset);
    if (!added || (limit.command ?? intent.command) !== intent.command) continue;
    const spentMillionths = await spentIn(queries, accounts, limit, nowMs);
    if (spentMillionths + millionthsOf(added) > maxOf(limit)) return { limit, spentMillionths };
  }
  return undefined;
}

/** Returns the maximum of a limit in millionths of a Naira or token. */
const maxOf = ({ asset, maxMinor }: SpendLimit): bigint => millionthsOf({ asset, minor: maxMinor });

const computed = (queries: Queries): string => {
  const day = `(${countedAt(queries)} + ${AHEAD_MS}) / ${DAY_MS}`;
  return `SELECT account, asset, ${day} AS day, command, CAST(sum(minor) AS BIGINT) AS minor
  FROM operation WHERE asset IS NOT NULL AND ${COUNTS} GROUP BY account, asset, ${day}, command`;
};

/** Computes all sums from the operations. Call it in a transaction. */
export async function computeSpent(queries: Queries): Promise<void> {
  await queries.run('DELETE FROM spent');
  await queries.run(`INSERT INTO spent (${columnNames(SPENT).join(', ')}) ${computed(queries)}`);
}

/** Whether every sum is what the operations say. */
export async function isSpentRight(queries: Queries): Promise<boolean> {
  const stored = 'SELECT account, asset, day, command, minor FROM spent WHERE minor <> 0';
  const right = `SELECT * FROM (${computed(queries)}) AS computed WHERE minor <> 0`;
  const differs = `SELECT 1 AS found FROM (${stored} EXCEPT ${right}) AS more UNION ALL SELECT 1 AS found FROM (${right} EXCEPT ${stored}) AS less`;
  return (await queries.get(differs)) === undefined;
}
