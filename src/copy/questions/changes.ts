import type { Queries } from '../../journal/store.ts';
import { parseExactJson } from '../../money/decimal.ts';
import type { Plain } from '../../present/plain.ts';
import type { SqlValue } from '../../sqlite/database.ts';
import { readState } from '../list-state.ts';
import { type CHANGE_STATUSES, CHANGES } from '../schema.ts';
import { TABLES } from '../tables.ts';
import { type AboutRow, aboutRows, nothingAbout, rowKey } from './about-rows.ts';
import { marks } from './in-copy.ts';
import type { Span } from './report/movements.ts';

type ChangeStatus = (typeof CHANGE_STATUSES)[number];

/** Something that a sync found. Times are ISO 8601 in UTC. */
export interface FoundChange extends AboutRow {
  readonly seenAt: string;
  /** The name of its view. */
  readonly list: string;
  readonly status: ChangeStatus;
  readonly id: string;
  /** The field that changed, as -o json prints it; null for a row that is new, deleted or restored. */
  readonly field: string | null;
  /** Null for none, or for a personal value that was removed when it was old. */
  readonly before: Plain;
  readonly after: Plain;
}

/** Which changes: by when they were seen, of which list, and of which kind. */
export interface ChangesAsked extends Span {
  readonly list: string | undefined;
  readonly status: ChangeStatus | undefined;
}

interface ChangeRecord {
  readonly seen_at: string;
  readonly kind: string;
  readonly id: string;
  readonly field: string;
  readonly status: ChangeStatus;
  readonly before_json: string | null;
  readonly after_json: string | null;
}

/** What tells a change from all others, in the order of the table's key. */
export type ChangeKey = readonly [seenAt: string, list: string, id: string, field: string, status: string];

const KEY = 'seen_at, kind, id, field, status';

/** An SQL condition for what is asked, and its values. */
function conditionOf({ from, to, list, status }: ChangesAsked): readonly [sql: string, values: readonly SqlValue[]] {
  const all: readonly (readonly [sql: string, ...values: SqlValue[]])[] = [
    ['seen_at > ? AND seen_at <= ?', from, to],
    ...(list === undefined ? [] : [['kind = ?', list] as const]),
    ...(status === undefined ? [] : [['status = ?', status] as const]),
  ];
  return [all.map(([sql]) => sql).join(' AND '), all.flatMap(([, ...values]) => values)];
}

/** Returns a page of changes, the newest first, and the key of the last one if there are more. */
export async function changesIn(
  queries: Queries,
  asked: ChangesAsked,
  { after, limit }: { readonly after: ChangeKey | undefined; readonly limit: number },
): Promise<{ readonly changes: readonly FoundChange[]; readonly next: ChangeKey | undefined }> {
  const [condition, values] = conditionOf(asked);
  const rows = await queries.all<ChangeRecord>(
    `SELECT ${KEY}, before_json, after_json FROM ${CHANGES.name} WHERE ${condition}
       ${after ? `AND (${KEY}) < (${marks(after)})` : ''}
     ORDER BY ${KEY.replaceAll(',', ' DESC,')} DESC LIMIT ?`,
    ...values,
    ...(after ?? []),
    limit + 1,
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    changes: await withRows(queries, page),
    next: rows.length > limit && last ? [last.seen_at, last.kind, last.id, last.field, last.status] : undefined,
  };
}

const parsedValue = (json: string | null): Plain => (json === null ? null : (parseExactJson(json) as Plain));

/** Adds what the rows say of themselves. */
async function withRows(queries: Queries, changes: readonly ChangeRecord[]): Promise<FoundChange[]> {
  const about = await aboutRows(
    queries,
    changes.map(({ kind, id }) => ({ list: kind, id })),
  );
  return changes.map(({ seen_at, kind, status, id, field, before_json, after_json }) => ({
    seenAt: seen_at,
    list: kind,
    status,
    id,
    ...(about.get(rowKey({ list: kind, id })) ?? nothingAbout),
    field: field || null,
    before: parsedValue(before_json),
    after: parsedValue(after_json),
  }));
}

/** How many rows of a list a period’s syncs found to be so. */
interface ListChanges extends Readonly<Record<ChangeStatus, number>> {
  readonly list: string;
  /** When it was first read to its end: what became of its rows before is not known. Null if it was not yet. */
  readonly knownSince: string | null;
}

/** Counts the rows of each list that changed in a period. */
export async function changedLists(queries: Queries, asked: ChangesAsked): Promise<readonly ListChanges[]> {
  const [condition, values] = conditionOf(asked);
  const counts = await queries.all<{ kind: string; status: ChangeStatus; n: bigint }>(
    `SELECT kind, status, count(DISTINCT id) AS n FROM ${CHANGES.name} WHERE ${condition} GROUP BY kind, status`,
    ...values,
  );
  const lists: ListChanges[] = [];
  for (const table of TABLES) {
    if (asked.list !== undefined && table.name !== asked.list) continue;
    const { wholeSince } = await readState(queries, table);
    const of = (status: ChangeStatus) =>
      Number(counts.find((each) => each.kind === table.name && each.status === status)?.n ?? 0n);
    lists.push({
      list: table.name,
      new: of('new'),
      changed: of('changed'),
      deleted: of('deleted'),
      restored: of('restored'),
      knownSince: wholeSince,
    });
  }
  return lists;
}

/** When a sync last found something; undefined if none has. */
export async function lastChangeAt(queries: Queries): Promise<string | undefined> {
  const row = await queries.get<{ at: string | null }>(`SELECT max(seen_at) AS at FROM ${CHANGES.name}`);
  return row?.at ?? undefined;
}
