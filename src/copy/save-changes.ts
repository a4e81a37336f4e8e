import type { Queries } from '../journal/store.ts';
import { isPlainObject, type Plain } from '../present/plain.ts';
import { insertion, type NewRow, replacing, UNLESS_THERE } from '../store/table.ts';
import { type CopyRow, publicFieldsOf } from './rows.ts';
import { CHANGES, stored } from './schema.ts';
import type { CopyTable } from './tables.ts';

type ChangeRow = NewRow<typeof CHANGES>;

/** Rows of this many values are written at once: fewer than SQLite allows. */
const ROWS_A_STATEMENT = 1_000;

/** The values of a row by the dotted paths of their fields, as JSON. Amounts and lists are one value. What is null is not there. */
function valuesIn(row: Plain, path: readonly string[] = [], into = new Map<string, string>()): Map<string, string> {
  if (isPlainObject(row)) for (const [name, value] of Object.entries(row)) valuesIn(value, [...path, name], into);
  else if (row !== null) into.set(path.join('.'), JSON.stringify(row));
  return into;
}

/** What a row was before it is written again. */
export interface RowBefore {
  /** Returns what it was; undefined for one that only an event told of. */
  row(): Plain | undefined;
  readonly digest: string | null;
  readonly deleted_at: string | null;
}

/**
 * Returns which fields of a row have other values. A row from which what is personal was removed has no other fields than those, so only these
 * are compared: what was removed, or is copied again, has not changed at the service.
 */
function changedFields(table: CopyTable, before: Plain, after: Plain) {
  const fields = publicFieldsOf(table);
  const isPublic = (field: string) => fields.has(field);
  const [old, now] = [valuesIn(before), valuesIn(after)];
  const isStripped = [old, now].some((values) => [...values.keys()].every(isPublic));
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((field) => old.get(field) !== now.get(field) && (isPublic(field) || !isStripped))
    .map((field) => ({
      field,
      before_json: old.get(field) ?? null,
      after_json: now.get(field) ?? null,
      is_personal: isPublic(field) ? 0 : 1,
    }));
}

/** What is known of a list when its rows are saved. */
interface SavedList {
  /** Whether it was read to its end, so that a row that is not in the copy is new. */
  readonly isWhole: boolean;
  /** Whether what is marked as deleted at a time was proved to be gone. */
  isProved(deletedAt: string): boolean;
}

/** Says what is new in rows that are about to be written. Rows that a first reading of the list finds are not new. */
export function changesOf(
  table: CopyTable,
  rows: readonly CopyRow[],
  before: ReadonlyMap<string, RowBefore>,
  at: string,
  { isWhole, isProved }: SavedList,
): ChangeRow[] {
  return rows.flatMap(({ id, row, digest }): ChangeRow[] => {
    const change = { seen_at: at, kind: table.name, id };
    const known = before.get(id);
    // What was read as it was before has not changed, whatever became of it in the copy meanwhile.
    const isSame = known?.digest === digest;
    const was = isSame ? row : known?.row();
    if (!known || was === undefined) return isWhole ? [{ ...change, status: 'new', field: '', is_personal: 0 }] : [];
    const isBack = known.deleted_at !== null && isProved(known.deleted_at);
    const fields = isSame ? [] : changedFields(table, was, row);
    return [
      ...(isBack ? [{ ...change, status: 'restored' as const, field: '', is_personal: 0 }] : []),
      ...fields.map((field) => ({ ...change, status: 'changed' as const, ...field })),
    ];
  });
}

/** Writes what is new. Of two changes of a field at one time, the later one says what it is now. */
export async function saveChanges(queries: Queries, changes: readonly ChangeRow[]): Promise<void> {
  for (let from = 0; from < changes.length; from += ROWS_A_STATEMENT)
    await queries.run(
      ...insertion(CHANGES, changes.slice(from, from + ROWS_A_STATEMENT), replacing(CHANGES, ['after_json'])),
    );
}

/** Notes the rows that were marked as deleted at one of these times, once a reading of the whole list proves that they are gone. */
export async function noteGone(queries: Queries, table: CopyTable, times: readonly string[], at: string) {
  await queries.run(
    `INSERT INTO ${CHANGES.name} (seen_at, kind, id, field, status, is_personal)
     SELECT '${at}', '${table.name}', id, '', 'deleted', 0 FROM ${stored(table)} WHERE deleted_at IN (${times.map(() => '?').join(', ')}) ${UNLESS_THERE}`,
    ...times,
  );
}

/** Removes what is personal from the changes that were seen before a time. Returns how many had it. */
export const stripChanges = (queries: Queries, beforeAt: string): Promise<number> =>
  queries.run(
    `UPDATE ${CHANGES.name} SET before_json = NULL, after_json = NULL, is_personal = 0 WHERE is_personal = 1 AND seen_at < ?`,
    beforeAt,
  );
