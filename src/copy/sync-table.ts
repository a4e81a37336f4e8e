import { CliError } from '../base/errors.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { Account } from '../engine/account.ts';
import { SERVICE_SKEW_MS } from '../engine/evidence/listing.ts';
import { ALWAYS, type ListPeriod, type ResumePoint } from '../engine/lists/cursor.ts';
import { type Listing, PAGE_SIZE, startReading } from '../engine/lists/pages.ts';
import type { Queries } from '../journal/store.ts';
import type { LocalCopy } from './database.ts';
import { type ListState, readState, writeState } from './list-state.ts';
import { type CopyRow, rowMaker, rowsOf } from './rows.ts';
import { noteGone } from './save-changes.ts';
import { saveRows } from './save-rows.ts';
import { APART, stored } from './schema.ts';
import type { CopyTable } from './tables.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A row may appear this long after the time that it says it was made. Source: inferred. */
const LATE_MS = 10 * MINUTE_MS;
/** For so long, final rows are read again: a completed payout can still come back. Source: inferred. */
const COMES_BACK_MS = 7 * DAY_MS;
/** How often final rows, and things that change at any age, are read again. */
const SECOND_LOOK_MS = DAY_MS;
/** How far back rows that are not final are looked for in a list without a period. */
const MAX_WAIT_MS = 30 * DAY_MS;
/** The most periods in which rows that are not final are read again; those that lie close together share one. */
const MAX_PERIODS = 20;
const CLOSE_MS = 60 * MINUTE_MS;

/** What a sync of one table did. */
export interface TableSync {
  readonly added: number;
  readonly changed: number;
  /** The pages that were read. */
  readonly pages: number;
}

/** A sync of an account's lists. */
interface Syncing {
  readonly account: Account;
  readonly copy: LocalCopy;
  /** Reads every list to its end. */
  readonly isFull: boolean;
  /** Names and numbers of persons in rows before this time are not kept. */
  readonly personalFromMs: number;
}

/** The bytes of V8's young generation for the rows that are read: in a smaller one, most of a page is copied again and again while it is in use. */
const YOUNG_BYTES = 16 * 2 ** 20;

/** What is known of the pages that were read. */
interface TableLook {
  added: number;
  changed: number;
  pages: number;
  /** The number of rows in the whole list, as the last page said. */
  total: number | undefined;
  isOrdered: boolean;
}

/** The rows of one page, once they are in the local copy. */
interface SavedPage {
  readonly added: number;
  readonly changed: number;
  readonly oldestMs: number;
  readonly total: number | undefined;
}

type ReadPages = (options: {
  readonly period?: ListPeriod;
  readonly point?: ResumePoint | undefined;
  readonly pass?: number;
  /** Returns the state to write with a page's rows. */
  readonly save?: (point: ResumePoint) => ListState;
  /** Whether the pages after this one need not be read. */
  isEnough?(page: SavedPage): boolean;
}) => Promise<void>;

/** Brings one table up to date. Rejects with CliError and DatabaseError; what was read until then is kept, and the next sync goes on. */
export async function syncTable(syncing: Syncing, table: CopyTable): Promise<TableSync> {
  const { copy, account, isFull } = syncing;
  const { now } = account.world.clock;
  const look: TableLook = { added: 0, changed: 0, pages: 0, total: undefined, isOrdered: true };
  let state = await copy.read((queries) => readState(queries, table));
  const work: TableWork = {
    table,
    copy,
    look,
    now,
    seenAt: () => seenAt(account),
    pages: pagesInto(syncing, table, table.listing, look),
    state: () => state,
    set: (changed) => {
      state = { ...state, ...changed };
      return state;
    },
    save: async (changed) => {
      const next = work.set(changed);
      await copy.write((queries) => writeState(queries, table, next));
    },
  };
  const isPast = (at: string | null) => at === null || now() - Date.parse(at) >= SECOND_LOOK_MS;
  const isUnfinished = state.point !== null || state.passedAt === null;
  const isUnproved = !state.isOrdered || table.readBy === 'whole';
  const isDue = isPast(state.passedAt) && (table.readBy === 'count' || state.excess !== 0);
  if (isFull || isUnfinished || isUnproved || isDue || !(await isFresh(work))) {
    // A reading of the whole list misses rows of a list that shrinks meanwhile; the second one is then whole.
    for (let tries = state.point === null ? 2 : 3; tries > 0 && !(await readAll(work)); tries--);
  } else if (table.readBy !== 'count' && isPast(state.verifiedAt)) await lookAgain(work);
  await work.save({ syncedAt: isoAt(now()) });
  return look;
}

/** A sync of one table at work. */
interface TableWork {
  readonly table: CopyTable;
  readonly copy: LocalCopy;
  readonly look: TableLook;
  readonly pages: ReadPages;
  now(): number;
  /** The time by the service's clock, if it said it. */
  seenAt(): string;
  state(): ListState;
  /** Changes the state, which is written with the next page or by `save`. */
  set(changed: Partial<ListState>): ListState;
  save(changed: Partial<ListState>): Promise<void>;
}

/** Reads what is new and what is not final. Returns whether the table is whole. */
async function isFresh(work: TableWork): Promise<boolean> {
  const { table, copy, look, pages, state, save } = work;
  const isWhole = async () => {
    const agrees = look.total === undefined || (await countIn(copy, table)) + state().excess === look.total;
    if (agrees) await save({ until: await newestIn(copy, table), gap: state().excess === 0 ? null : 'count' });
    return agrees;
  };
  await readHead(table, state(), copy, pages);
  if (table.readBy === 'dated') await readOpen(table, copy, pages);
  if (!look.isOrdered && table.readBy !== 'count') {
    await save({ isOrdered: false });
    return false;
  }
  if (await isWhole()) return true;
  // Rows that came while the first page was read may be all that is missing.
  await readHead(table, state(), copy, pages);
  if (await isWhole()) return true;
  if (table.readBy === 'dated') await lookAgain(work);
  return isWhole();
}

/** Reads again the final rows that may have changed since they were read last. */
async function lookAgain({ table, pages, now, state, save }: TableWork): Promise<void> {
  const startedMs = now();
  const lastMs = Date.parse(state().verifiedAt ?? isoAt(startedMs));
  const sinceMs = Math.min(lastMs, startedMs) - COMES_BACK_MS;
  const period = table.readBy === 'dated' ? { startDate: isoAt(sinceMs), endDate: undefined } : ALWAYS;
  await pages({ period, isEnough: ({ oldestMs }) => oldestMs < sinceMs });
  await save({ verifiedAt: isoAt(startedMs) });
}

/** Reads the whole list, from where an earlier run stopped. Returns whether that proves that the table is whole. */
async function readAll({
  table,
  copy,
  look,
  pages,
  now,
  seenAt: serviceNow,
  state,
  set,
  save,
}: TableWork): Promise<boolean> {
  const { point } = state();
  if (point === null) await save({ pass: state().pass + 1, passStartedAt: isoAt(now()) });
  const { pass, excess: before, passStartedAt: startedAt } = state();
  look.isOrdered = true;
  try {
    // A short list starts over: what comes meanwhile may be anywhere in it.
    const isShort = table.readBy === 'whole';
    await pages({ pass, point: point ?? undefined, ...(isShort ? {} : { save: (next) => set({ point: next }) }) });
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'CURSOR_LOST') throw error;
    await save({ point: null });
    return false;
  }
  const isOrdered = look.isOrdered || table.readBy === 'whole' || table.readBy === 'count';
  // What came meanwhile is at the start of the list.
  if (table.readBy !== 'whole') await pages({ pass, isEnough: ({ added, changed }) => added + changed === 0 });
  const excess = look.total === undefined ? 0 : look.total - (await countIn(copy, table, pass));
  const at = isoAt(now());
  const goneAt = serviceNow();
  let isProved = excess === 0;
  await copy.write(async (queries) => {
    const gone = excess <= 0 ? await markGone(queries, table, pass, goneAt) : 0;
    // What the count differs by is known once two readings agree on it, and on the rows: one that went meanwhile makes a difference too.
    isProved ||= excess === before && gone === 0;
    const unproved = [...state().unproved, ...(gone > 0 ? [goneAt] : [])];
    if (isProved && unproved.length > 0) await noteGone(queries, table, unproved, goneAt);
    const until = (await newestOf(queries, table)) ?? null;
    const gap = excess !== 0 ? 'count' : isOrdered ? null : 'order';
    const ended = {
      point: null,
      passedAt: isProved ? at : null,
      verifiedAt: startedAt,
      excess,
      isOrdered,
      until,
      wholeSince: state().wholeSince ?? (isProved ? goneAt : null),
      unproved: isProved ? [] : unproved,
      gap,
    } as const;
    await writeState(queries, table, set(ended));
  });
  return isProved;
}

/** Warns of different rows of one page that have one id: the copy keeps the last of them. */
async function sayRepeated({ notices }: Account, { name }: CopyTable, rows: readonly CopyRow[]): Promise<void> {
  const digests = new Map<string, string>();
  for (const { id, digest } of rows) {
    if ((digests.get(id) ?? digest) !== digest)
      await notices.say(
        `warning: the service shows different ${name} with the id ${id}; the copy keeps the last of them; compare them with: fiatrail find ${id}`,
      );
    digests.set(id, digest);
  }
}

const isoAt = (atMs: number): string => new Date(atMs).toISOString();

const seenAt = ({ time, world }: Account): string => isoAt(time.service.nowMs() ?? world.clock.now());

/** Reads from the start of a list back to rows that are known. */
async function readHead(table: CopyTable, state: ListState, copy: LocalCopy, pages: ReadPages): Promise<void> {
  const untilMs = state.until === null ? Number.NEGATIVE_INFINITY : Date.parse(state.until) - LATE_MS;
  const oldestOpen = table.readBy === 'newest' ? (await openTimes(copy, table))[0] : undefined;
  const backToMs = Math.min(untilMs, oldestOpen === undefined ? untilMs : oldestOpen - SERVICE_SKEW_MS);
  const hasTimes = table.readBy !== 'count';
  await pages({
    isEnough: ({ added, changed, oldestMs }) => added + changed === 0 && (!hasTimes || oldestMs < backToMs),
  });
}

/** Reads the rows that are not final again, by the time that they were made. */
async function readOpen(table: CopyTable, copy: LocalCopy, pages: ReadPages): Promise<void> {
  for (const [fromMs, toMs] of periodsOf(await openTimes(copy, table)))
    await pages({ period: { startDate: isoAt(fromMs - SERVICE_SKEW_MS), endDate: isoAt(toMs + SERVICE_SKEW_MS) } });
}

/** Returns the periods that cover times, which are sorted; those close together share one, and so do the closest of too many. */
export function periodsOf(times: readonly number[]): (readonly [fromMs: number, toMs: number])[] {
  const periods: [number, number][] = [];
  for (const atMs of times) {
    const last = periods.at(-1);
    if (last && atMs - last[1] <= CLOSE_MS) last[1] = atMs;
    else periods.push([atMs, atMs]);
  }
  while (periods.length > MAX_PERIODS) {
    const gaps = periods.slice(1).map(([fromMs], index) => fromMs - (periods[index]?.[1] ?? 0));
    const at = gaps.indexOf(Math.min(...gaps));
    const [one, next] = periods.splice(at, 2) as [[number, number], [number, number]];
    periods.splice(at, 0, [one[0], next[1]]);
  }
  return periods;
}

/** The times of rows that are not final, oldest first, as far back as they are awaited. */
async function openTimes(copy: LocalCopy, table: CopyTable): Promise<number[]> {
  const sql = `SELECT created_at FROM ${stored(table)} WHERE is_open = 1 AND deleted_at IS NULL AND created_at IS NOT NULL ORDER BY created_at`;
  const rows = await copy.read((queries) => queries.all<{ created_at: string }>(sql));
  const times = rows.map(({ created_at }) => Date.parse(created_at));
  const newestMs = times.at(-1) ?? 0;
  return table.readBy === 'newest' ? times.filter((atMs) => newestMs - atMs <= MAX_WAIT_MS) : times;
}

/** The number of rows that the service shows, or that a reading of the whole list saw. */
async function countIn(copy: LocalCopy, table: CopyTable, pass?: number): Promise<number> {
  const all = `SELECT count(*) FROM ${stored(table)}`;
  const which = pass === undefined ? `(${all}) - (${all} WHERE ${APART})` : `(${all} WHERE pass = ${pass})`;
  const sql = `SELECT ${which} AS count`;
  const row = await copy.read((queries) => queries.get<{ count: bigint }>(sql));
  return Number(row?.count ?? 0n);
}

const newestIn = (copy: LocalCopy, table: CopyTable) =>
  copy.read(async (queries) => (await newestOf(queries, table)) ?? null);

async function newestOf(queries: Queries, table: CopyTable): Promise<string | null | undefined> {
  const sql = `SELECT max(created_at) AS newest FROM ${stored(table)} WHERE digest IS NOT NULL`;
  return (await queries.get<{ newest: string | null }>(sql))?.newest;
}

/** Returns how many rows are gone since the reading before. */
function markGone(queries: Queries, table: CopyTable, pass: number, at: string): Promise<number> {
  return queries.run(
    `UPDATE ${stored(table)} SET deleted_at = ?, is_open = 0 WHERE pass <> ? AND deleted_at IS NULL AND digest IS NOT NULL`,
    at,
    pass,
  );
}

/** Returns a function that reads pages of a list into its table, each in one transaction with the state that belongs to it. */
function pagesInto(
  { account, copy, personalFromMs }: Syncing,
  table: CopyTable,
  listing: Listing<Endpoint, unknown>,
  look: TableLook,
): ReadPages {
  const makeRows = rowMaker(table, listing.endpoint);
  const isThings = table.readBy === 'whole' || table.readBy === 'count';
  // A row whose time is not known is as new as it can be.
  const rowOf = rowsOf(table, (createdMs) => isThings || !(createdMs < personalFromMs));
  return async ({ period = ALWAYS, point, pass = 0, save, isEnough = () => false }) => {
    const reader = { account, listing, list: table.name, point, period };
    const reading = await startReading(reader, listing.pageSize ?? PAGE_SIZE);
    let leastMs = Number.POSITIVE_INFINITY;
    for await (const page of reading.pages) {
      account.world.steadyMemory(YOUNG_BYTES);
      look.pages += 1;
      const { rows } = reading.take(page);
      const { data, request } = reading.reply();
      const made = makeRows(rows, [request, data]).map(rowOf);
      await sayRepeated(account, table, made);
      const result = await copy.write(async (queries) => {
        const written = await saveRows(queries, table, made, {
          at: seenAt(account),
          pass,
        });
        if (save) await writeState(queries, table, save(reading.point()));
        return written;
      });
      for (const { createdMs: atMs } of made) {
        if (Number.isNaN(atMs)) continue;
        if (atMs - leastMs > SERVICE_SKEW_MS) look.isOrdered = false;
        leastMs = Math.min(leastMs, atMs);
      }
      look.added += result.added;
      look.changed += result.changed;
      const total = reading.total();
      // A period has fewer rows than the list.
      if (period === ALWAYS) look.total = total;
      await account.notices.progress.rows(look.added + look.changed, undefined, table.name.replaceAll('_', ' '));
      if (isEnough({ ...result, oldestMs: leastMs, total })) return;
    }
  };
}
