import type { Queries } from '../../journal/store.ts';
import { type Asset, amount, isAsset } from '../../money/amount.ts';
import { type Figure, unknownFigure } from '../../money/figure.ts';
import type { Thing } from '../../things/thing.ts';
import { SEEN_ACCOUNTS } from '../balance-checks.ts';
import { stored } from '../schema.ts';
import { tableOf } from '../tables.ts';
import { because } from './reasons.ts';
import { balancesAt } from './report/balance.ts';

interface EntryRow {
  readonly at: string;
  readonly step: string;
  readonly account: string;
  readonly asset: string | null;
  readonly minor: bigint | string | null;
  readonly known: string | null;
}

/** One side of what a row moved: on which account of the books, and what the account of the profile had of the asset then. */
interface BookedEntry {
  readonly account: string;
  readonly asset: Asset | null;
  readonly amount: Figure;
  /** Null on accounts whose balance nobody reads. */
  readonly balance: Figure | null;
}

/** What one step of a row moved. */
export interface BookedSet {
  readonly at: string;
  readonly step: string;
  readonly entries: readonly BookedEntry[];
}

/** Reads what a row of the copy moved in the books, step by step, with the account’s balances after each. */
export async function entriesOf(
  queries: Queries,
  thing: Pick<Thing, 'name'>,
  id: string,
): Promise<readonly BookedSet[]> {
  const rows = await queries.all<EntryRow>(
    `SELECT at, step, account, asset, amount_minor AS minor, known FROM book_entries WHERE thing = ? AND id = ?
     ORDER BY at, step, asset, amount_minor`,
    thing.name,
    id,
  );
  const times = [...new Set(rows.map(({ at }) => at))];
  const read = times.length === 0 ? undefined : await balancesAt(queries, times);
  const balances = new Map((read ?? []).map((each, index) => [times[index], each]));
  return [...Map.groupBy(rows, ({ at, step }) => `${at} ${step}`).values()].map((of) => ({
    at: of[0]?.at ?? '',
    step: of[0]?.step ?? '',
    entries: of.map(({ at, account, asset, minor, known }) => {
      const own = asset !== null && isAsset(asset) ? asset : null;
      const unknown = unknownFigure(own, { why: known ?? 'NOT_STATED', since: null });
      return {
        ...{ account, asset: own },
        amount: minor === null || own === null ? unknown : amount(own, BigInt(minor)),
        balance:
          SEEN_ACCOUNTS.some((name) => name === account) && own !== null
            ? (balances.get(at)?.get(own) ?? unknownFigure(own, because('BEFORE_FIRST_SYNC')))
            : null,
      };
    }),
  }));
}

/** A fee of a row in Naira, or why it is not known. */
interface RowFee {
  readonly title: string;
  readonly fee: Figure;
}

/** Reads what the account and the service took of a row; nothing of what has no fees. */
export async function feesOf(queries: Queries, thing: Thing, id: string): Promise<readonly RowFee[]> {
  const table = thing.list && tableOf(thing);
  if (!table?.hasFees) return [];
  const row = await queries.get<
    Readonly<Record<'own' | 'platform', bigint | string | null>> & { known: string | null }
  >(
    `SELECT own_fee_minor AS own, platform_fee_minor AS platform, fee_known AS known FROM ${stored(table)} WHERE id = ?`,
    id,
  );
  if (!row) return [];
  const figureOf = (minor: bigint | string | null): Figure =>
    minor === null
      ? unknownFigure('NGN', { why: row.known ?? 'NOT_STATED', since: null })
      : amount('NGN', BigInt(minor));
  return [
    ...(thing.of === 'user' ? [{ title: 'Your fee', fee: figureOf(row.own) }] : []),
    { title: 'Platform fee', fee: figureOf(row.platform) },
  ];
}
