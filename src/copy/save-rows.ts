import type { Queries } from '../journal/store.ts';
import type { SqlValue } from '../sqlite/database.ts';
import { insertion, insertSql, UNLESS_THERE } from '../store/table.ts';
import { FORM, FORM_TEXT, formNumbers, type RowRecord, recordNames, rowReader } from './forms.ts';
import { nextChange, noteChanged, readState } from './list-state.ts';
import type { CopyRow } from './rows.ts';
import { changesOf, type RowBefore, saveChanges } from './save-changes.ts';
import { FEE_NAMES, ownNames, PERSON_NAME, STATUS_CHANGES, stored, UNSETTLED } from './schema.ts';
import { type CopyTable, isFinal } from './tables.ts';

/** What became of rows that were read. */
interface Saved {
  readonly added: number;
  readonly changed: number;
}

/** A value of a column, which has another type in each database. */
const textOf = (value: SqlValue | boolean | undefined): string => String(value ?? '');

interface KnownRow extends Readonly<Record<string, SqlValue>> {
  readonly id: string;
  readonly digest: string | null;
  readonly status: string | null;
  readonly deleted_at: string | null;
  /** Whether someone deactivated it, where its list says so. */
  readonly is_active: bigint | null;
  readonly ended_at: string | null;
  readonly end_bound: string | null;
}

/** Writes rows of one page that are new or have changed; of several with one id, the last one counts. */
export async function saveRows(
  queries: Queries,
  table: CopyTable,
  rows: readonly CopyRow[],
  reading: Reading,
): Promise<Saved> {
  const sum = { added: 0, changed: 0 };
  const byId = [...new Map(rows.map((row) => [row.id, row])).values()];
  for (let from = 0; from < byId.length; from += ROWS_A_STATEMENT) {
    const { added, changed } = await saveSome(queries, table, byId.slice(from, from + ROWS_A_STATEMENT), reading);
    sum.added += added;
    sum.changed += changed;
  }
  return sum;
}

const marks = (count: number) => new Array(count).fill('?').join(', ');

/** The column of what has no status, and which someone can deactivate. */
const ACTIVE = 'is_active';

/** How many rows one statement writes: fewer values than SQLite allows. */
const ROWS_A_STATEMENT = 500;

/** When rows were read, and by which reading of the whole list, if by one. */
interface Reading {
  readonly at: string;
  readonly pass: number;
}

async function saveSome(
  queries: Queries,
  table: CopyTable,
  rows: readonly CopyRow[],
  { at, pass }: Reading,
): Promise<Saved> {
  const ids = rows.map(({ id }) => id);
  const active = ownNames(table).indexOf(ACTIVE);
  // A reading of the whole list does not trust that what was written stayed so.
  const names = pass > 0 ? ownNames(table) : [];
  const parts = pass > 0 ? ['rest', FORM] : [];
  const found = await queries.all<KnownRow>(
    `SELECT ${[...names, ...parts, 'id', 'digest', 'status', 'deleted_at', 'ended_at', 'end_bound'].join(', ')}, ${active === -1 ? 'NULL' : ACTIVE} AS is_active
     FROM ${stored(table)} WHERE id IN (${marks(ids.length)})`,
    ...ids,
  );
  const known = new Map(found.map((row) => [row.id, row]));
  const isSame = ({ id, digest, values, form, rest }: CopyRow) => {
    const row = known.get(id);
    if (row?.digest !== digest || row.deleted_at !== null) return false;
    if (pass > 0 && (row['rest'] !== rest || row[FORM_TEXT] !== form)) return false;
    return names.every((name, index) => textOf(row[name]) === textOf(values[index]));
  };
  const changed = rows.filter((row) => !isSame(row));
  if (changed.length > 0) {
    const changes = changesOf(
      table,
      changed,
      await beforeOf(queries, table, changed, known),
      at,
      await listIn(queries, table),
    );
    const checks = table.done.length > 0 ? await lastChecks(queries) : [];
    const rowsEnded = changed.map((row) => ({ row, end: endOf(table, row, known.get(row.id), [at, ...checks]) }));
    await upsert(queries, table, rowsEnded, { at, pass });
    await saveChanges(queries, changes);
    await saveNames(queries, changed);
    await noteChanged(
      queries,
      changed.map(({ createdAt }) => createdAt ?? '').reduce((a, b) => (a < b ? a : b)),
    );
    for (const { id, status, values } of changed) {
      const before = known.get(id);
      const [was, is] = [before?.is_active, values[active]].map((flag) => flag ?? undefined);
      if (was !== undefined && is !== undefined && Number(was) !== Number(is))
        await noteStatus(queries, table, id, Number(is) === 1 ? 'active' : 'inactive', at);
      if (!before || before.status === status) continue;
      // The list forgets when something ended that did not stay so.
      if (isFinal(table, before.status)) await noteStatus(queries, table, id, before.status, before.ended_at ?? at);
      await noteStatus(queries, table, id, status, at);
    }
  }
  const same = rows.filter(isSame).map(({ id }) => id);
  if (pass > 0 && same.length > 0)
    await queries.run(`UPDATE ${stored(table)} SET pass = ? WHERE id IN (${marks(same.length)})`, pass, ...same);
  // A row that only an event told of is read for the first time.
  const added = changed.filter(({ id }) => (known.get(id)?.digest ?? null) === null).length;
  return { added, changed: changed.length - added };
}

/** What the rows were that are about to be written again, of those that are known. */
async function beforeOf(
  queries: Queries,
  table: CopyTable,
  rows: readonly CopyRow[],
  known: ReadonlyMap<string, KnownRow>,
) {
  const ids = rows.flatMap(({ id }) => (known.has(id) ? [id] : []));
  if (ids.length === 0) return new Map<string, RowBefore>();
  const found = await queries.all<RowRecord & Pick<KnownRow, 'id' | 'digest' | 'deleted_at'>>(
    `SELECT ${recordNames(table).join(', ')}, digest, deleted_at FROM ${stored(table)} WHERE id IN (${marks(ids.length)})`,
    ...ids,
  );
  const rowOf = rowReader(table);
  return new Map(
    found.map((record): [string, RowBefore] => {
      const { id, digest, deleted_at } = record;
      return [id, { row: () => rowOf(record), digest, deleted_at }];
    }),
  );
}

/** What is known of a list before some of its rows are written. */
async function listIn(queries: Queries, table: CopyTable) {
  const { wholeSince, unproved } = await readState(queries, table);
  return { isWhole: wholeSince !== null, isProved: (deletedAt: string) => !unproved.includes(deletedAt) };
}

/** When a row ended: as its list says, or as far as is known, with the other end of the time in which it did; null if that is exact. */
interface RowEnd {
  readonly at: string;
  readonly bound: string | null;
}

const ended = (at: string, bound: string): RowEnd => ({ at, bound: bound === at ? null : bound });

/** When the balances were looked at, the last two times. */
const lastChecks = async (queries: Queries): Promise<readonly string[]> =>
  (await queries.all<{ at: string }>('SELECT at FROM stored_balance_checks ORDER BY at DESC LIMIT 2')).map(
    ({ at }) => at,
  );

/**
 * Returns when a row ended; undefined if it goes on. If its list does not say it and it was seen to go on, the last look at the balances is taken
 * to have seen it; otherwise it may have ended at once.
 */
function endOf(
  table: CopyTable,
  { status, createdAt, values }: CopyRow,
  before: KnownRow | undefined,
  [at = '', check = at, checkBefore = '']: readonly string[],
): RowEnd | undefined {
  if (!isFinal(table, status)) return undefined;
  const names = ownNames(table);
  for (const name of table.failed.includes(status ?? '') ? END_TIMES.toReversed() : END_TIMES) {
    const time = names.includes(name) ? values[names.indexOf(name)] : undefined;
    if (typeof time === 'string') return { at: time, bound: null };
  }
  const made = createdAt ?? '';
  if (before?.status === status && before.ended_at !== null) {
    const { ended_at: end, end_bound: bound } = before;
    // An event may have told of it before anything said when it began.
    return bound === null ? { at: end, bound } : ended(end, bound > made ? bound : made);
  }
  const latest = latestEnd(table, made);
  const until = (time: string) => (time > latest ? latest : time);
  // A row that does not say in which zone it was made may be as old as the service.
  if (createdAt === null) return ended(at, FIRST_TIME);
  if (!before) return ended(createdAt, until(at));
  return ended(until(check > made ? check : at), until(checkBefore > made ? checkBefore : made));
}

/** The columns in which a list says when a row ended well: the first one with a time. What failed may have completed before. */
const END_TIMES = ['completed_at', 'updated_at'] as const;

/** The latest time at which a row of a list ends that was made at a time. */
const latestEnd = ({ endsWithinMs }: CopyTable, made: string) =>
  endsWithinMs === undefined || made === '' ? LAST_TIME : new Date(Date.parse(made) + endsWithinMs).toISOString();

/** No time of a row is before it. */
export const FIRST_TIME = '2000-01-01T00:00:00.000Z';
/** No text of a time comes after it. */
const LAST_TIME = '~';

interface EndedRow {
  readonly row: CopyRow;
  readonly end: RowEnd | undefined;
}

async function upsert(queries: Queries, table: CopyTable, rows: readonly EndedRow[], { at, pass }: Reading) {
  const changedAt = await nextChange(queries, at);
  const names = [
    'id',
    'status',
    'created_at',
    ...ownNames(table),
    'is_open',
    'is_personal',
    'form',
    'rest',
    'digest',
    'pass',
  ];
  const found = ['changed_at', 'ended_at', 'end_bound', ...(table.hasFees ? FEE_NAMES : [])];
  const all = [...names, ...found, 'first_seen_at'];
  const forms = await formNumbers(
    queries,
    rows.map(({ row }) => row.form),
  );
  const values: SqlValue[] = [];
  for (const { row, end } of rows) {
    values.push(row.id, row.status, row.createdAt, ...row.values);
    values.push(
      Number(row.isOpen),
      Number(row.isPersonal),
      forms.get(row.form) ?? null,
      row.rest,
      row.digest,
      pass,
      changedAt,
    );
    values.push(end?.at ?? null, end?.bound ?? null, ...(table.hasFees ? UNSETTLED : []), at);
  }
  // Only a reading of the whole list says that it has seen a row.
  const set = [...names.slice(1), ...found].map((name) =>
    name === 'pass' && pass === 0 ? 'deleted_at = NULL' : `${name} = excluded.${name}`,
  );
  const replaced = `ON CONFLICT (id) DO UPDATE SET ${[...new Set([...set, 'deleted_at = NULL'])].join(', ')}`;
  await queries.run(insertSql({ name: stored(table) }, all, rows.length, replaced), ...values);
}

/** Letters without their marks and in lower case, as people type them. */
export const folded = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();

async function saveNames(queries: Queries, read: readonly CopyRow[]): Promise<void> {
  const names = [...new Set(read.flatMap((row) => row.names))];
  if (names.length === 0) return;
  const rows = names.map((name) => ({ name, folded: folded(name) }));
  await queries.run(...insertion(PERSON_NAME, rows, UNLESS_THERE));
}

/** Notes when a status was first seen, since the service's lists have only the last one. */
export async function noteStatus(
  queries: Queries,
  { name }: Pick<CopyTable, 'name'>,
  id: string,
  status: string | null,
  at: string,
): Promise<void> {
  const row = { kind: name, id, status: status ?? '', seen_at: at };
  await queries.run(...insertion(STATUS_CHANGES, [row], UNLESS_THERE));
}
