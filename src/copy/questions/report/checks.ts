import type { Queries } from '../../../journal/store.ts';
import { type Asset, TOKENS } from '../../../money/amount.ts';
import type { Span } from './movements.ts';

/** What an account has an amount of: tokens, and earned fees in Naira. */
export const ASSETS: readonly Asset[] = [...TOKENS, 'NGN'];

/** What was seen when the balances were looked at. */
export interface BalanceCheck {
  /** ISO 8601 in UTC. */
  readonly at: string;
  /** The account's balances, and the fees that it could withdraw, unless the service never stated them; in the smallest unit. */
  readonly held: ReadonlyMap<Asset, bigint>;
  /** How much of it is in the vault; without the assets of which the service named no vault. */
  readonly inVault: ReadonlyMap<Asset, bigint>;
  /** All fees that it had earned until then, in kobo; undefined if the service never stated them. */
  readonly earned: bigint | undefined;
}

/** Returns the last look until a moment. */
export const checkUntil = (checks: readonly BalanceCheck[], at: string) => checks.findLast((check) => check.at <= at);

/** How many looks before and after a period are read: balances are known from one of them on. */
const CHECKS_AROUND = 1;

/** When the balances were looked at for the first time, by the service's clock; undefined if nobody ever looked. */
export async function firstCheckAt(queries: Queries): Promise<string | undefined> {
  const row = await queries.get<{ at: string | null }>('SELECT min(at) AS at FROM stored_balance_checks');
  return row?.at ?? undefined;
}

/** When the balances were looked at last, by the service's clock; undefined if nobody ever looked. */
export async function lastCheckAt(queries: Queries): Promise<string | undefined> {
  const row = await queries.get<{ at: string | null }>('SELECT max(at) AS at FROM stored_balance_checks');
  return row?.at ?? undefined;
}

interface Sample {
  readonly source: string;
  readonly place: string;
  readonly asset: Asset;
  readonly minor: bigint;
  readonly at: string;
}

/** Reads the looks of a period and some before and after it. Empty if nobody ever looked. */
export async function checksIn(
  queries: Queries,
  { from, to }: Span,
  around = CHECKS_AROUND,
): Promise<readonly BalanceCheck[]> {
  const times = async (sql: string, ...values: string[]) =>
    (await queries.all<{ at: string }>(sql, ...values)).map(({ at }) => at);
  const select = 'SELECT at FROM stored_balance_checks WHERE';
  const all = [
    ...(await times(`${select} at <= ? ORDER BY at DESC LIMIT ${around}`, from)).toReversed(),
    ...(await times(`${select} at > ? AND at <= ? ORDER BY at`, from, to)),
    ...(await times(`${select} at > ? ORDER BY at LIMIT ${around}`, to)),
  ];
  const [first] = all;
  if (first === undefined) return [];
  const samples = await samplesIn(queries, { from: first, to: all.at(-1) ?? first });
  const latest = new Map<string, Sample>();
  let next = 0;
  return all.map((at) => {
    for (let sample = samples[next]; sample && sample.at <= at; sample = samples[++next])
      latest.set(`${sample.source} ${sample.place} ${sample.asset}`, sample);
    return checkOf(at, [...latest.values()]);
  });
}

/** A network that was not seen yet had nothing: what is found there later came from somewhere. Fees are in one place, which is stated or is not. */
function checkOf(at: string, samples: readonly Sample[]): BalanceCheck {
  const held = new Map<Asset, bigint>(TOKENS.map((token) => [token, 0n]));
  const inVault = new Map<Asset, bigint>();
  let earned: bigint | undefined;
  for (const { source, place, asset, minor } of samples) {
    const addTo = (sums: Map<Asset, bigint>) => sums.set(asset, (sums.get(asset) ?? 0n) + minor);
    if (source === 'fees' && place === 'earned') earned = minor;
    if (source !== 'fees' || place === 'withdrawable') addTo(held);
    if (source === 'vault') addTo(inVault);
  }
  return { at, held, inVault, earned };
}

/** The samples of a period in their order, after the last one of each place until its start. */
async function samplesIn(queries: Queries, { from, to }: Span): Promise<readonly Sample[]> {
  const before = await queries.all<Sample>(
    `SELECT b.source, b.place, b.asset, b.minor, b.at FROM stored_balances b
     JOIN (SELECT source, place, asset, max(at) AS at FROM stored_balances WHERE at <= ? GROUP BY source, place, asset) l
       ON l.source = b.source AND l.place = b.place AND l.asset = b.asset AND l.at = b.at`,
    from,
  );
  const since = await queries.all<Sample>(
    'SELECT source, place, asset, minor, at FROM stored_balances WHERE at > ? AND at <= ? ORDER BY at',
    from,
    to,
  );
  return [...before, ...since];
}
