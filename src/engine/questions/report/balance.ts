import type { Queries } from '../../../journal/store.ts';
import { type Asset, TOKENS } from '../../../money/amount.ts';
import { effectOf, noSums, type Span, type Sums, sampleAt, sumsIn } from './movements.ts';

/** What an account has an amount of: tokens, and earned fees in Naira. */
const ASSETS: readonly Asset[] = [...TOKENS, 'NGN'];

/** A balance, and whether it was worked out because nobody had looked before. */
interface BalanceAt {
  readonly minor: bigint;
  readonly isComputed: boolean;
}

/** What was seen of an asset when it was looked at. */
async function sampleOf(queries: Queries, asset: Asset, at: string): Promise<bigint> {
  if (asset === 'NGN') return sampleAt(queries, 'fees', asset, at, 'withdrawable');
  return (await sampleAt(queries, 'wallet', asset, at)) + (await sampleAt(queries, 'vault', asset, at));
}

/** When the balances were looked at, last until a moment; if never until then, first after it. Undefined if never. */
async function lookAt(queries: Queries, at: string): Promise<string | undefined> {
  const one = async (sql: string) => (await queries.get<{ at: string }>(sql, at))?.at;
  return (
    (await one('SELECT at FROM stored_balance_checks WHERE at <= ? ORDER BY at DESC LIMIT 1')) ??
    (await one('SELECT at FROM stored_balance_checks WHERE at > ? ORDER BY at LIMIT 1'))
  );
}

/** Returns the balances at a moment: what was seen last, and what moved since. Undefined if nobody ever looked. */
export async function balancesAt(queries: Queries, at: string): Promise<ReadonlyMap<Asset, BalanceAt> | undefined> {
  const look = await lookAt(queries, at);
  if (look === undefined) return undefined;
  const isComputed = look > at;
  const moved = await sumsIn(queries, isComputed ? { from: at, to: look } : { from: look, to: at });
  const balances = new Map<Asset, BalanceAt>();
  for (const asset of ASSETS) {
    const effect = effectOf(moved.get(asset) ?? noSums());
    const minor = await sampleOf(queries, asset, look);
    balances.set(asset, { minor: isComputed ? minor - effect : minor + effect, isComputed });
  }
  return balances;
}

/** One asset of the account in a period. */
export interface AssetReport extends Sums {
  readonly asset: Asset;
  readonly opening: BalanceAt;
  readonly closing: BalanceAt;
  /** What changed the balance and is in no list. */
  readonly unlisted: bigint;
  /** How much of it a person has accepted. */
  readonly accepted: bigint;
}

/** Returns the account's assets in a period; undefined if its balances were never looked at. */
export async function assetsIn(queries: Queries, span: Span): Promise<readonly AssetReport[] | undefined> {
  const [opening, closing] = [await balancesAt(queries, span.from), await balancesAt(queries, span.to)];
  if (!opening || !closing) return undefined;
  const moved = await sumsIn(queries, span);
  const reports: AssetReport[] = [];
  for (const asset of ASSETS) {
    const none = { minor: 0n, isComputed: false };
    const [start, end] = [opening.get(asset) ?? none, closing.get(asset) ?? none];
    const sums = moved.get(asset) ?? noSums();
    const unlisted = end.minor - start.minor - effectOf(sums);
    const row = await queries.get<{ minor: bigint | null }>(
      'SELECT sum(minor) AS minor FROM stored_accepted WHERE asset = ? AND until > ? AND since < ?',
      ...[asset, span.from, span.to],
    );
    reports.push({ ...sums, asset, opening: start, closing: end, unlisted, accepted: row?.minor ?? 0n });
  }
  return reports;
}
