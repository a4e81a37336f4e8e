import type { Queries } from '../../../journal/store.ts';
import { amount } from '../../../money/amount.ts';
import { BALANCE, bookOn } from '../../book-entries.ts';
import { ENTRY_ROW, type EntryRow, type LineRow, ROW_ORDER, rowOf } from './line-rows.ts';
import type { Span } from './movements.ts';
import { bookedUntil, readingsOf } from './statement.ts';
import { conditionOf, IN_USERS_WALLETS, type StatementOf } from './statement-of.ts';

/** The figures of a statement that are sums of entries. */
export const STATEMENT_FIGURES = ['opening', 'in', 'out', 'closing'] as const;

type StatementFigure = (typeof STATEMENT_FIGURES)[number];

/** Lists the entries that a figure of a statement adds up, in the order of time: those of a period, or all until its start or its end. */
export async function statementRowsIn(
  queries: Queries,
  of: StatementOf,
  { from, to }: Span,
  figure: StatementFigure,
): Promise<readonly LineRow[]> {
  const { accounts, sql, values } = conditionOf(of);
  const isMoved = figure === 'in' || figure === 'out';
  const until = figure === 'opening' ? from : to;
  const entries = await queries.all<EntryRow>(
    `SELECT ${ENTRY_ROW} FROM ${bookOn(queries.engine, accounts)} WHERE ${sql} AND at > ? AND at <= ? ORDER BY ${ROW_ORDER}`,
    ...values,
    isMoved ? from : '',
    until,
  );
  const rests = (await restsOf(queries, of)).filter(({ at }) => at <= until && (!isMoved || at > from));
  if (!isMoved) return [...entries.map((row) => rowOf(row)), ...rests].toSorted(byTime);
  // A movement is in or out as a whole: what arrives and its fee are two entries.
  const movements = Map.groupBy(entries, ({ at, asset, thing, step, id }) =>
    JSON.stringify([at, asset, thing, step, id]),
  );
  const own = [...movements.values()].filter((movement) => isOf(movement, figure === 'in')).flat();
  const found = rests.filter(({ amount: { minor } }) => minor !== null && minor > 0n === (figure === 'in'));
  return [...own.map((row) => rowOf(row)), ...found].toSorted(byTime);
}

const byTime = (one: LineRow, other: LineRow) => (one.at === other.at ? 0 : one.at < other.at ? -1 : 1);

/** Whether a movement came in, or went out. If its amount is not known, neither figure is. What was there first did not come. */
function isOf(movement: readonly EntryRow[], isIn: boolean): boolean {
  if (movement.some(({ step }) => step === 'opening')) return false;
  const known = movement.flatMap(({ minor }) => minor ?? []);
  if (known.length < movement.length) return true;
  const sum = known.reduce((all, minor) => all + minor, 0n);
  return sum !== 0n && sum > 0n === isIn;
}

/** What a user’s wallets had besides what the lists show, when they were read. */
async function restsOf(queries: Queries, of: StatementOf): Promise<readonly LineRow[]> {
  if (of.kind !== 'user') return [];
  const rests: LineRow[] = [];
  for (const [at, read] of Map.groupBy(await readingsOf(queries, of.id), ([, reading]) => reading.at)) {
    const booked = await bookedUntil(queries, conditionOf(of), at);
    const row = { at, thing: BALANCE, id: at, step: 'unlisted', account: IN_USERS_WALLETS, user: of.id };
    for (const [asset, { minor }] of read) {
      const off = minor - (booked.get(asset)?.minor ?? 0n);
      if (off !== 0n) rests.push({ ...row, amount: amount(asset, off) });
    }
  }
  return rests;
}
