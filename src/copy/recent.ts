import { copyPath } from '../account/paths.ts';
import type { Profile } from '../account/profile.ts';
import type { World } from '../base/world.ts';
import { isNamedBy, isPlainId, type KnownId, plainAbout } from '../contract/plain-ids.ts';
import { labelOf } from '../engine/lists/label.ts';
import type { Plain } from '../present/plain.ts';
import { type Database, openForReading } from '../sqlite/database.ts';
import { LISTS } from '../things/index.ts';
import type { ServiceList } from '../things/thing.ts';
import { type RowRecord, recordNames, rowReader } from './forms.ts';
import { folded } from './save-rows.ts';
import { stored } from './schema.ts';
import { type CopyTable, TABLES } from './tables.ts';

const MAX_IDS = 100;
/** Rows that names are compared with, if the list has no index of names. */
const NEWEST = 1_000;

/**
 * Reads rows of a list from the file of the copy: the newest ones or, with the start of an id, by id; if no id begins so, those whose name has it.
 * A copy on a server is not asked. No request is sent, no file is created.
 */
export async function recentIds(
  world: World,
  profile: Pick<Profile, 'name' | 'mode'>,
  name: string,
  start: string,
): Promise<readonly KnownId[]> {
  const table = TABLES.find((each) => each.name === name);
  const list = LISTS.find((each) => each.name === name);
  const store = table && list && (await openForReading(copyPath(world, profile)));
  if (!store) return [];
  try {
    return found(store, table, (row) => aboutOf(list, row), start);
  } finally {
    store.close();
  }
}

function found(
  store: Pick<Database, 'all'>,
  table: CopyTable,
  aboutOfRow: (row: Plain) => string,
  start: string,
): readonly KnownId[] {
  const rowOf = rowReader(table);
  const read = (where: string, order: string, limit: number, ...values: readonly string[]) =>
    store
      .all<RowRecord>(
        `SELECT ${recordNames(table).join(', ')} FROM ${stored(table)} WHERE deleted_at IS NULL AND digest IS NOT NULL AND ${where} ORDER BY ${order} LIMIT ?`,
        ...values,
        limit,
      )
      .map((record) => ({ id: String(record['id']), about: aboutOfRow(rowOf(record) ?? {}) }))
      .filter(({ id }) => isPlainId(id));
  if (start === '') return read('1 = 1', 'created_at DESC', MAX_IDS);
  const byId = read('id >= ? AND id < ?', 'id', MAX_IDS, start, `${start}\u{10ffff}`);
  if (byId.length > 0) return byId;
  const names = table.columns.flatMap(({ isName, name }) => (isName ? [name] : []));
  const named = names.map((column) => `${column} IN (SELECT name FROM person_name WHERE instr(folded, ?) > 0)`);
  const rows =
    names.length > 0
      ? read(`(${named.join(' OR ')})`, 'created_at DESC', NEWEST, ...names.map(() => folded(start)))
      : read('1 = 1', 'created_at DESC', NEWEST);
  return rows.filter(({ about }) => isNamedBy(about, start)).slice(0, MAX_IDS);
}

function aboutOf(list: ServiceList, row: Plain): string {
  const { what, status = '' } = labelOf(list, row);
  return plainAbout(`${what} ${status}`.trim());
}

/** The banks of the saved bank accounts: their codes and names. */
export async function recentBanks(world: World, profile: Pick<Profile, 'name' | 'mode'>): Promise<readonly KnownId[]> {
  const store = await openForReading(copyPath(world, profile));
  if (!store) return [];
  try {
    return store
      .all<{ id: string; about: string }>(
        'SELECT bank_code AS id, max(bank_name) AS about FROM stored_bank_accounts WHERE bank_code IS NOT NULL AND bank_name IS NOT NULL GROUP BY 1 ORDER BY 2',
      )
      .flatMap(({ id, about }) => (isPlainId(id) ? [{ id, about: plainAbout(about) }] : []));
  } finally {
    store.close();
  }
}
