import type { Queries } from '../../../journal/store.ts';
import { type Asset, isAsset, TOKENS } from '../../../money/amount.ts';
import { payout } from '../../../things/bank-transfers.ts';
import { bridgeTransfer } from '../../../things/bridge-transfer.ts';
import { deposit } from '../../../things/deposits.ts';
import { feeWithdrawal } from '../../../things/fee-withdrawal.ts';
import { trade } from '../../../things/market.ts';
import { transfer } from '../../../things/token-transfers.ts';
import { betweenIn, bookSumsOn, listedOn } from '../../book-entries.ts';
import { bucketIn, bucketOf } from '../../bucket.ts';
import { isOfFailed } from '../../schema.ts';
import type { Reason } from '../reasons.ts';

/** A period from a moment, not included, to another, included; ISO 8601 in UTC. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

/** What is added up of a balance. */
export type Line = 'in' | 'out' | 'fees' | 'traded' | 'refunds' | 'inFlight' | 'earned';

/** What moved in a period, in the smallest unit. */
export interface Sums extends Record<Line, bigint> {
  count: number;
  failed: number;
  /** How many rows a line lacks, by the reason for which their amount or fee is not known. */
  readonly missing: Map<`${Line} ${Reason}`, number>;
}

const LINES: readonly Line[] = ['in', 'out', 'fees', 'traded', 'refunds', 'inFlight', 'earned'];

export const noSums = (): Sums => ({
  in: 0n,
  out: 0n,
  fees: 0n,
  traded: 0n,
  refunds: 0n,
  inFlight: 0n,
  earned: 0n,
  count: 0,
  failed: 0,
  missing: new Map(),
});

/** Returns why a line of a sum is not known, with the number of rows; undefined if it is known. */
export function missingIn({ missing }: Sums, line: Line): Lacking | undefined {
  const all = [...missing].filter(([key, count]) => count !== 0 && key.startsWith(`${line} `));
  // Of what may be in another period, the sum is no bound.
  const found = all.find(([key]) => key.endsWith(' END_BETWEEN')) ?? all[0];
  return found && { why: found[0].slice(line.length + 1) as Reason, rows: Math.abs(found[1]) };
}

/** Why a line lacks rows, and how many, if that is known. */
export interface Lacking {
  readonly why: Reason;
  readonly rows?: number;
  /** Since when, or until when, such figures are known. */
  readonly since?: string;
}

/** What the balance is higher by because of what was completed, as far as lists say. */
export const completedEffect = ({ in: came, out, fees, traded, refunds, earned }: Sums): bigint =>
  came - out - fees + traded + refunds + earned;

/** What the balance is higher by at the end of the period than at its start, as far as lists say. */
export const effectOf = (sums: Sums): bigint => completedEffect(sums) - sums.inFlight;

/** Entries of one account, thing and step in a part of a period. */
interface EntrySum {
  /** The first of the times that is not before them. */
  readonly part: bigint;
  readonly account: string;
  readonly asset: string | null;
  readonly thing: string;
  readonly step: string;
  /** The code of those whose amount is not known; null for the others, which are of one sign. */
  readonly why: Reason | null;
  readonly minor: bigint;
  readonly rows: bigint;
}

/** cNGN is counted in millionths, Naira in kobo. */
export const CNGN_OF_KOBO = 10_000n;

/** What the entries of an account are in a report. */
interface EntryLine {
  readonly account: RegExp;
  readonly things?: readonly { readonly name: string }[];
  /** Only what came to the account, or what left it. */
  readonly way?: 'in' | 'out';
  readonly line: Line;
  /** Whether the line has what left the account. */
  readonly isOpposite?: true;
  /** Whether it is Naira that was cNGN. */
  readonly isCngn?: true;
  /** Whether each of them is a movement. */
  readonly isCounted?: true;
}

export const ENTRY_LINES: readonly EntryLine[] = [
  { account: /^assets:wallet$/, things: [deposit], way: 'in', line: 'in', isCounted: true },
  { account: /^assets:wallet$/, things: [deposit], way: 'out', line: 'fees', isOpposite: true },
  { account: /^assets:bank$/, things: [payout], way: 'in', line: 'out', isCngn: true, isCounted: true },
  {
    account: /^assets:bank$/,
    things: [payout],
    way: 'out',
    line: 'refunds',
    isOpposite: true,
    isCngn: true,
    isCounted: true,
  },
  { account: /^assets:bank$/, things: [feeWithdrawal], line: 'out', isCounted: true },
  { account: /^expenses:platform:payout$/, line: 'fees', isCngn: true },
  { account: /^expenses:platform:(?:trade|bridge)$/, line: 'fees' },
  { account: /^equity:outside$/, things: [transfer, bridgeTransfer], way: 'in', line: 'out', isCounted: true },
  { account: /^equity:outside$/, things: [bridgeTransfer], way: 'out', line: 'in', isOpposite: true, isCounted: true },
  { account: /^equity:conversion$/, things: [trade], way: 'in', line: 'traded', isOpposite: true, isCounted: true },
  { account: /^equity:conversion$/, things: [trade], way: 'out', line: 'traded', isOpposite: true },
  { account: /^income:/, line: 'earned', isOpposite: true },
  { account: /^assets:transit:(?!deposit$)/, line: 'inFlight' },
];

/** Where what is under way is, and what fails has been until then. */
const TRANSIT = ['payout', 'transfer', 'trade', 'bridge', 'fees'].map((what) => `assets:transit:${what}`);

/** The accounts whose entries are lines. */
export const OF_LINES = [
  'assets:wallet',
  'assets:bank',
  'income:onramp',
  'income:offramp',
  'expenses:platform:payout',
  'expenses:platform:trade',
  'expenses:platform:bridge',
  'equity:conversion',
  'equity:outside',
  ...TRANSIT,
];

const RETURNING = ['assets:transit:deposit', ...TRANSIT];

const among = (accounts: readonly string[]) => `account IN ('${accounts.join("', '")}')`;

/** The entries that are lines: of some accounts, only those of some things. */
const IS_LINE = `(account <> 'assets:wallet' OR thing = '${deposit.name}')
  AND (account <> 'equity:conversion' OR thing = '${trade.name}') AND (account <> 'equity:outside' OR thing IN ('${transfer.name}', '${bridgeTransfer.name}'))`;

/** The lists whose rows are lines, and of which assets. */
export const LINES_OF: Readonly<
  Record<string, readonly { readonly lines: readonly Line[]; readonly assets: readonly Asset[] }[]>
> = {
  deposits: [
    { lines: ['in', 'fees'], assets: ['CNGN'] },
    { lines: ['earned'], assets: ['NGN'] },
  ],
  payouts: [
    { lines: ['out', 'fees', 'refunds', 'inFlight'], assets: ['CNGN'] },
    { lines: ['earned'], assets: ['NGN'] },
  ],
  withdrawals: [
    { lines: ['out', 'inFlight'], assets: TOKENS },
    // Who paid a bridge transfer.
    { lines: ['in', 'fees'], assets: ['CNGN'] },
  ],
  fx_trades: [{ lines: ['traded', 'fees', 'inFlight'], assets: TOKENS }],
  bridge_transfers: [{ lines: ['in', 'fees', 'inFlight'], assets: ['CNGN'] }],
  fee_withdrawals: [{ lines: ['out', 'inFlight'], assets: ['NGN'] }],
};

/** What was completed in a period, by a time that has no index, began at most so long before it. Source: inferred. */
const LONGEST_MS = 90 * 86_400_000;

/** Returns from when on work was made that may have ended since a time. What failed has an index of its own, so that it is found at any age. */
export const madeAfter = (from: string, condition: string): string =>
  isOfFailed(condition) ? '' : new Date(Date.parse(from) - LONGEST_MS).toISOString();

/** Returns until when work ends that was made until a time. */
export const endedUntil = (made: string): string => new Date(Date.parse(made) + LONGEST_MS).toISOString();

/** The sums of an asset in a period, to add to. */
function sumsOf(sums: Map<Asset, Sums>, asset: Asset): Sums {
  const found = sums.get(asset) ?? noSums();
  sums.set(asset, found);
  return found;
}

/** What moved between any two of some times. */
export type MovedBetween = (span: Span) => Map<Asset, Sums>;

/** Adds up the entries of the books between some times, by asset. */
export async function movedBetween(queries: Queries, some: readonly string[]): Promise<MovedBetween> {
  const times = [...new Set(some)].toSorted();
  const parts = times.map(() => new Map<Asset, Sums>());
  for (const sum of await entrySums(queries, times)) {
    const part = parts[Number(sum.part)];
    if (part) addEntries(part, sum);
  }
  for (const { part, asset, n } of await returnedIn(queries, times)) {
    const sums = parts[Number(part)];
    if (sums && isAsset(asset)) sumsOf(sums, asset).failed += Number(n);
  }
  // From the movements before each time to all of them until then.
  for (const [index, part] of parts.entries())
    for (const [asset, sums] of parts[index - 1] ?? []) add(sumsOf(part, asset), sums, 1n);
  const between = await linesBetween(queries, times);
  return ({ from, to }) => {
    const moved = new Map<Asset, Sums>();
    const [start, end] = [bucketIn(times, from), bucketIn(times, to)];
    for (const { asset, line, rows, ...each } of start === end ? [] : between)
      if (isBetween(each, start) || isBetween(each, end)) lacks(sumsOf(moved, asset), line, 'END_BETWEEN', rows);
    for (const [asset, sums] of parts[end] ?? []) add(sumsOf(moved, asset), sums, 1n);
    for (const [asset, sums] of parts[start] ?? []) add(sumsOf(moved, asset), sums, -1n);
    return new Map([...moved].filter(([, sums]) => !isEmpty(sums)));
  };
}

/** Entries of a line of which nothing says exactly when they were: maybe after some times, from `first` on, and certainly not after those from `last` on. */
interface LineBetween {
  readonly asset: Asset;
  readonly line: Line;
  /** Numbers of times. */
  readonly first: number;
  readonly last: number;
  readonly rows: number;
}

/** Whether entries may have been before or after a time. */
const isBetween = ({ first, last }: Pick<LineBetween, 'first' | 'last'>, time: number): boolean =>
  first <= time && time < last;

/** Counts the entries of which nothing says exactly when they were, by their lines and the times that may be before or after them. */
async function linesBetween(queries: Queries, times: readonly string[]): Promise<readonly LineBetween[]> {
  const all = await betweenIn(queries, OF_LINES, { from: times[0] ?? '', to: times.at(-1) ?? '' }, times);
  const lines = all.flatMap(({ account, asset, thing, is_out: isOut, from, until }) =>
    ENTRY_LINES.filter(
      (each) =>
        each.account.test(account) &&
        (each.things?.some(({ name }) => name === thing) ?? true) &&
        (each.way === undefined || (each.way === 'out') === (isOut === 1n)),
    ).flatMap(({ line, isCngn }) => {
      const of = isCngn ? 'CNGN' : asset;
      return isAsset(of) ? [{ asset: of, line, first: bucketIn(times, from), last: bucketIn(times, until) }] : [];
    }),
  );
  const same = Map.groupBy(lines, ({ asset, line, first, last }) => `${asset} ${line} ${first} ${last}`);
  return [...same.values()].flatMap(([one, ...others]) => (one ? [{ ...one, rows: others.length + 1 }] : []));
}

const entrySums = (queries: Queries, times: readonly string[]) => {
  const period = `at > '${times[0] ?? ''}' AND at <= '${times.at(-1) ?? ''}'`;
  const sums = bookSumsOn(queries.engine, OF_LINES, bucketOf('at', times), `${IS_LINE} AND ${period}`);
  return queries.all<EntrySum>(`SELECT * FROM (${sums}) sums`);
};

/** Counts what failed, by the asset of the balance: each thing once, however many entries it has. */
const returnedIn = (queries: Queries, times: readonly string[]) =>
  queries.all<{ readonly part: bigint; readonly asset: string; readonly n: bigint }>(
    `SELECT ${bucketOf('at', times)} AS part, CASE WHEN account = 'assets:transit:deposit' THEN 'CNGN' ELSE asset END AS asset, count(DISTINCT id) AS n
     FROM ${listedOn(queries.engine, RETURNING)} WHERE step = 'returned' AND at > ? AND at <= ? GROUP BY 1, 2, thing`,
    times[0] ?? '',
    times.at(-1) ?? '',
  );

const isFee = (why: Reason | null): boolean => why?.startsWith('FEE_') === true;

/** Adds entries to the lines that they are of. */
function addEntries(part: Map<Asset, Sums>, sum: EntrySum): void {
  const { account, thing, minor, why, rows } = sum;
  const found = ENTRY_LINES.filter(
    (each) => each.account.test(account) && (each.things?.some(({ name }) => name === thing) ?? true),
  );
  for (const each of found) {
    const assets = each.isCngn ? (['CNGN'] as const) : sum.asset !== null && isAsset(sum.asset) ? [sum.asset] : TOKENS;
    // Of what is not known, nothing says which way it went: fees leave a wallet, and amounts come to it.
    if (why !== null) {
      const isLine = each.way === undefined || found.length === 1 || isFee(why) === (each.line === 'fees');
      if (isLine) for (const asset of assets) lacks(sumsOf(part, asset), each.line, why, Number(rows));
    } else if (each.way === undefined || (each.way === 'in') === minor > 0n) {
      const sums = sumsOf(part, assets[0] ?? 'NGN');
      sums[each.line] += (each.isOpposite ? -minor : minor) * (each.isCngn ? CNGN_OF_KOBO : 1n);
      if (each.isCounted) sums.count += Number(rows);
    }
  }
}

const isEmpty = (sums: Sums): boolean =>
  LINES.every((line) => sums[line] === 0n) &&
  sums.count + sums.failed === 0 &&
  [...sums.missing.values()].every((count) => count === 0);

/** Notes that a line lacks rows. */
function lacks(sums: Sums, line: Line, why: Reason, rows: number): void {
  const key = `${line} ${why}` as const;
  sums.missing.set(key, (sums.missing.get(key) ?? 0) + rows);
}

function add(sums: Sums, more: Sums, times: 1n | -1n): void {
  for (const line of LINES) sums[line] += times * more[line];
  for (const [key, count] of more.missing) sums.missing.set(key, (sums.missing.get(key) ?? 0) + Number(times) * count);
  sums.count += Number(times) * more.count;
  sums.failed += Number(times) * more.failed;
}

/** Counts the movements in a period whose amount is not known, so that no sum has them. */
export async function uncountedIn(queries: Queries, { from, to }: Span): Promise<number> {
  const row = await queries.get<{ n: bigint }>(
    `SELECT count(*) AS n FROM (SELECT thing, id FROM ${listedOn(queries.engine, [...OF_LINES, ...RETURNING])}
       WHERE (${IS_LINE} OR ${among(RETURNING)}) AND at > ? AND at <= ?
       AND ((amount_minor IS NULL AND known = 'NOT_STATED') OR step = 'returned')
       GROUP BY thing, id HAVING max(CASE WHEN step = 'returned' THEN 1 ELSE 0 END) = 0) uncounted`,
    from,
    to,
  );
  return Number(row?.n ?? 0n);
}
