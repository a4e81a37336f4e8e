import type { ResumePoint } from '../engine/lists/cursor.ts';
import type { Queries } from '../journal/store.ts';
import { insertion, replacing } from '../store/table.ts';
import { CHANGED_FROM, SETTING } from './schema.ts';
import type { CopyTable } from './tables.ts';

/** Why a table may lack rows, or have rows that the service no longer shows. */
export type Gap =
  /** It was never read to its end. */
  | 'unfinished'
  /** The service counts another number of rows than it shows. */
  | 'count'
  /** The service shows its rows in no order, so that new ones may be anywhere. */
  | 'order';

/** What is known of a list besides its rows. Times are ISO 8601 in UTC. */
export interface ListState {
  /** The number of the last reading of the whole list. */
  readonly pass: number;
  readonly passStartedAt: string | null;
  /** When the last one ended; null if none has, or if its count must be confirmed by another one. */
  readonly passedAt: string | null;
  /** Where a reading of the whole list stopped. */
  readonly point: ResumePoint | null;
  /** When final rows of the last days were read again. */
  readonly verifiedAt: string | null;
  readonly syncedAt: string | null;
  /** Every row that is not newer was read, the last time that the table was whole. */
  readonly until: string | null;
  /** How many rows more than it shows the service counts, after it was read to its end; the service's total may mean something else. */
  readonly excess: number;
  readonly isOrdered: boolean;
  /** Since when it is known which rows are new: when it was first read to its end. By the service's clock. */
  readonly wholeSince: string | null;
  /** When rows were marked as deleted that no reading has proved to be gone; what they say of themselves as `deleted_at`. */
  readonly unproved: readonly string[];
  readonly gap: Gap | null;
}

const NEW: ListState = {
  pass: 0,
  passStartedAt: null,
  passedAt: null,
  point: null,
  verifiedAt: null,
  syncedAt: null,
  until: null,
  excess: 0,
  isOrdered: true,
  wholeSince: null,
  unproved: [],
  gap: 'unfinished',
};

const nameOf = ({ name }: CopyTable) => `list ${name}`;

export async function readSetting(queries: Queries, name: string): Promise<string | undefined> {
  return (await queries.get<{ value: string }>('SELECT value FROM setting WHERE name = ?', name))?.value;
}

export async function writeSetting(queries: Queries, name: string, value: string): Promise<void> {
  await queries.run(...insertion(SETTING, [{ name, value }], replacing(SETTING, ['value'])));
}

/** When the balances were looked at by the last sync that ended: everything of before it is in the copy. */
const KNOWN_UNTIL = 'known-until';

/** Returns until when everything is in the copy, by the service's clock; undefined if no sync has ended. */
export const readKnownUntil = (queries: Queries): Promise<string | undefined> => readSetting(queries, KNOWN_UNTIL);

export const writeKnownUntil = (queries: Queries, at: string): Promise<void> => writeSetting(queries, KNOWN_UNTIL, at);

export async function readState(queries: Queries, table: CopyTable): Promise<ListState> {
  const text = await readSetting(queries, nameOf(table));
  return text === undefined ? NEW : { ...NEW, ...(JSON.parse(text) as Partial<ListState>) };
}

export async function writeState(queries: Queries, table: CopyTable, state: ListState): Promise<void> {
  await writeSetting(queries, nameOf(table), JSON.stringify(state));
}

/** Notes that rows of some time have changed, so that what balances say of it is compared again. */
export async function noteChanged(queries: Queries, from: string): Promise<void> {
  const known = await readSetting(queries, CHANGED_FROM);
  if (known === undefined || from < known) await writeSetting(queries, CHANGED_FROM, from);
}

/** When a row last changed. */
const CHANGED_AT = 'changed-at';

/**
 * Returns when rows that are about to be written change: the time, or right after the last change. Two clocks write here, either may be set back,
 * and what was not looked into yet is found by its place in this order.
 */
export async function nextChange(queries: Queries, at: string): Promise<string> {
  const last = await readSetting(queries, CHANGED_AT);
  const next = last === undefined || at > last ? at : new Date(Date.parse(last) + 1).toISOString();
  await writeSetting(queries, CHANGED_AT, next);
  return next;
}
