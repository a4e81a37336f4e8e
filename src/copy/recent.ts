import { copyPath } from '../account/paths.ts';
import type { Profile } from '../account/profile.ts';
import type { World } from '../base/world.ts';
import { isNamedBy, isPlainId, type KnownId, plainAbout } from '../contract/plain-ids.ts';
import { labelOf } from '../engine/lists/label.ts';
import { parseExactJson } from '../money/decimal.ts';
import type { Plain } from '../present/plain.ts';
import { type Database, openForReading } from '../sqlite/database.ts';
import { LISTS } from '../things/index.ts';
import type { ServiceList } from '../things/thing.ts';
import { folded } from './save-rows.ts';
import { stored } from './schema.ts';

const MAX_IDS = 100;
/** Rows that names are compared with, if the list has no index of names. */
const NEWEST = 1_000;

interface Row {
  readonly id: string;
  readonly json: string;
}

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
  const list = LISTS.find((each) => each.name === name);
  const store = list && (await openForReading(copyPath(world, profile)));
  if (!store) return [];
  try {
    return found(store, list, start).map(({ id, json }) => ({ id, about: aboutOf(list, json) }));
  } finally {
    store.close();
  }
}

function found(store: Pick<Database, 'all'>, list: ServiceList, start: string): readonly Row[] {
  const read = (where: string, order: string, limit: number, ...values: readonly string[]) =>
    store
      .all<{ id: string; json: string }>(
        `SELECT id, json FROM ${stored(list)} WHERE deleted_at IS NULL AND digest IS NOT NULL AND ${where} ORDER BY ${order} LIMIT ?`,
        ...values,
        limit,
      )
      .filter(({ id }) => isPlainId(id));
  if (start === '') return read('1 = 1', 'created_at DESC', MAX_IDS);
  const byId = read('id >= ? AND id < ?', 'id', MAX_IDS, start, `${start}\u{10ffff}`);
  if (byId.length > 0) return byId;
  const names = list.facts.flatMap(({ isName, column }) => (isName && column !== undefined ? [column] : []));
  const named = names.map((column) => `${column} IN (SELECT name FROM person_name WHERE instr(folded, ?) > 0)`);
  const rows =
    names.length > 0
      ? read(`(${named.join(' OR ')})`, 'created_at DESC', NEWEST, ...names.map(() => folded(start)))
      : read('1 = 1', 'created_at DESC', NEWEST);
  return rows.filter(({ json }) => isNamedBy(aboutOf(list, json), start)).slice(0, MAX_IDS);
}

function aboutOf(list: ServiceList, json: string): string {
  const { what, status = '' } = labelOf(list, parseExactJson(json) as Plain);
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
