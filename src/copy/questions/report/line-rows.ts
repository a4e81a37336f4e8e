import type { Queries } from '../../../journal/store.ts';
import { type Asset, amount, isAsset } from '../../../money/amount.ts';
import { type Figure, unknownFigure } from '../../../money/figure.ts';
import { BALANCE, listedOn } from '../../book-entries.ts';
import { UNLISTED } from '../../schema.ts';
import { because, type Reason } from '../reasons.ts';
import { CNGN_OF_KOBO, ENTRY_LINES, type Line, OF_LINES, type Span } from './movements.ts';

/** An entry of the books that a figure of a report adds up. */
export interface LineRow {
  readonly at: string;
  readonly thing: string;
  readonly id: string;
  /** What it says of the row, such as `done`. */
  readonly step: string;
  readonly account: string;
  readonly user: string | null;
  /** As the figure adds it up. */
  readonly amount: Figure;
}

export interface EntryRow extends Omit<LineRow, 'user' | 'amount'> {
  readonly user_id: string | null;
  readonly asset: string | null;
  readonly minor: bigint | null;
  readonly known: Reason | null;
}

/** Lists what a line of a report adds up in a period, in the order of time. */
export async function lineRowsIn(
  queries: Queries,
  { from, to }: Span,
  line: Line | 'unlisted',
): Promise<readonly LineRow[]> {
  if (line === 'unlisted') return unlistedIn(queries, { from, to });
  const own = ENTRY_LINES.filter((each) => each.line === line);
  const accounts = OF_LINES.filter((account) => own.some((each) => each.account.test(account)));
  const rows = await queries.all<EntryRow>(
    `SELECT ${ENTRY_ROW} FROM ${listedOn(queries.engine, accounts)} WHERE at > ? AND at <= ? ORDER BY ${ROW_ORDER}`,
    from,
    to,
  );
  return rows.flatMap((row) => {
    const { minor } = row;
    const found = own.find(
      ({ account, things, way }) =>
        account.test(row.account) &&
        (things?.some(({ name }) => name === row.thing) ?? true) &&
        (way === undefined || minor === null || (way === 'in') === minor > 0n),
    );
    if (!found) return [];
    const asset = found.isCngn ? 'CNGN' : row.asset;
    const sum = minor === null ? null : (found.isOpposite ? -minor : minor) * (found.isCngn ? CNGN_OF_KOBO : 1n);
    return [printed(row, asset !== null && isAsset(asset) ? asset : null, sum)];
  });
}

/** The columns of the view that make a row, and the order of the rows. */
export const ENTRY_ROW = 'at, thing, id, step, account, user_id, asset, amount_minor AS minor, known';
export const ROW_ORDER = 'at, thing, id, step, account, amount_minor';

/** An entry as a figure adds it up that has it as it is, or with its sign changed. */
export function rowOf(row: EntryRow, isOpposite = false): LineRow {
  const { asset, minor } = row;
  return printed(row, asset !== null && isAsset(asset) ? asset : null, isOpposite && minor !== null ? -minor : minor);
}

function printed(
  { at, thing, id, step, account, user_id: user, known }: EntryRow,
  asset: Asset | null,
  minor: bigint | null,
): LineRow {
  const figure =
    asset === null || minor === null ? unknownFigure(asset, because(known ?? 'NOT_STATED')) : amount(asset, minor);
  return { at, thing, id, step, account, user, amount: figure };
}

/** What no list shows: the changes of each balance, at the looks that saw them. */
async function unlistedIn(queries: Queries, { from, to }: Span): Promise<readonly LineRow[]> {
  const rows = await queries.all<EntryRow>(
    `SELECT at, '${BALANCE}' AS thing, since AS id, step, account, NULL AS user_id, asset, CASE WHEN known IS NULL THEN minor END AS minor, known FROM ${UNLISTED.name}
     WHERE user_id = '' AND step = 'unlisted' AND at > ? AND at <= ? ORDER BY at, account, asset`,
    from,
    to,
  );
  return rows.map((row) => rowOf(row));
}
