import { Fault } from '../../contract/faults.ts';
import type { SqlValue } from '../../sqlite/database.ts';
import { type Call, type Context, isoTime } from '../context.ts';
import { checkLedger } from '../ledger.ts';
import { countOf, insert, update } from '../rows.ts';
import { advance } from '../schedule.ts';
import { reseed } from '../seed/seed.ts';
import { changeSettings, PACES } from '../settings.ts';
import { chanceOf, idsOf } from './chance.ts';
import { type DayReport, simulateDay } from './day.ts';
import { MINUTE_MS, SECOND_MS } from './life.ts';
import { DAY_MS } from './rates.ts';

/** The next day of a simulation. */
export interface Simulation {
  readonly seed: number;
  /** How many users the account has in the end. */
  readonly users: number;
  /** How many days are left, this one included. */
  readonly days: number;
  /** When the last day ends; left out, the days end now in a new sandbox, and begin now in any other. */
  readonly untilMs?: number | undefined;
  /** When the day before ended; left out for the first one. */
  readonly fromMs?: number | undefined;
}

/** What happened on a day. */
export interface Simulated extends DayReport {
  readonly fromMs: number;
  /** When this day ended: the sandbox's time. */
  readonly nowMs: number;
  readonly untilMs: number;
  /** Whether the sandbox was new, and its clock was set back. */
  readonly isSetBack: boolean;
  /** Whether the whole ledger balances; undefined before the last day. */
  readonly isBalanced: boolean | undefined;
}

/** Later times would not have an ISO form of the usual length. */
const LAST_MS = Date.UTC(9000, 0);

/** A day goes on after its end until nothing is due for this long, so that what falls due until the next one is asked for has the seed's ids. */
const QUIET_MS = 10 * SECOND_MS;

/** The last day ends this long before the present, so that it may go on. */
const MARGIN_MS = 5 * MINUTE_MS;

/** A day begins when the one before ended, unless the sandbox was left alone for longer than this in between. */
const PAUSE_MS = MINUTE_MS;

/** Simulates one day in the open transaction, and sets the sandbox's clock to its end. Throws VALIDATION_ERROR for days before the present of a sandbox in use. */
export function simulate(call: Call, simulation: Simulation): Simulated {
  const { seed, users, days } = simulation;
  const machineMs = call.nowMs - call.settings.clockOffsetMs;
  const { fromMs, untilMs, isSetBack } = periodOf(call, simulation);
  if (isSetBack) startAnew(call, seed, fromMs);
  const endMs = Math.max(fromMs, untilMs - (days - 1) * DAY_MS);
  const report = simulateDay(call, { seed, fromMs, untilMs: endMs, joining: joiningOn(call, users, days) });
  const quiet = goOn(call, `${seed} ${fromMs} end`, endMs);
  changeSettings(call.store, { clockOffsetMs: quiet.nowMs - machineMs });
  const isBalanced = days > 1 ? undefined : checkLedger(call.store).balanced;
  return {
    ...report,
    events: report.events + quiet.events,
    fromMs,
    nowMs: quiet.nowMs,
    untilMs,
    isSetBack,
    isBalanced,
  };
}

/** Returns when this day begins and the last one ends. */
function periodOf(
  call: Call,
  { days, untilMs, fromMs }: Simulation,
): { readonly fromMs: number; readonly untilMs: number; readonly isSetBack: boolean } {
  const { nowMs } = call;
  const lengthMs = days * DAY_MS;
  if (untilMs !== undefined && untilMs > LAST_MS)
    throw new Fault('VALIDATION_ERROR', 'until: expected a time before the year 9000');
  if (fromMs !== undefined) {
    if (fromMs > nowMs || untilMs === undefined)
      throw new Fault('VALIDATION_ERROR', 'from: expected the end of the day before, with until');
    return { fromMs: nowMs - fromMs > PAUSE_MS ? nowMs : fromMs, untilMs, isSetBack: false };
  }
  if (isNew(call)) {
    const endMs = untilMs ?? nowMs - MARGIN_MS;
    if (endMs < lengthMs) throw new Fault('VALIDATION_ERROR', 'days: expected days after 1970');
    return { fromMs: endMs - lengthMs, untilMs: endMs, isSetBack: true };
  }
  if (untilMs !== undefined && untilMs - lengthMs < nowMs)
    throw new Fault(
      'VALIDATION_ERROR',
      `until: the days would begin before ${isoTime(nowMs)}, the present of this sandbox, which is in use; reset it first`,
    );
  if (nowMs + lengthMs > LAST_MS) throw new Fault('VALIDATION_ERROR', 'days: expected days before the year 9000');
  const startMs = untilMs === undefined ? nowMs : untilMs - lengthMs;
  return { fromMs: startMs, untilMs: startMs + lengthMs, isSetBack: false };
}

/** How many users join on this day: half of them on the first, the others evenly. */
function joiningOn({ store, fintech }: Call, users: number, days: number): number {
  const sql = `SELECT users + (SELECT COUNT(*) FROM onboarding WHERE fintech = ?1 AND state = 'processing') AS n FROM fintech WHERE id = ?1`;
  const present = countOf(store, sql, fintech.id);
  return Math.ceil(Math.max(0, users - present) / (present === 0 && days > 1 ? 2 : days));
}

/** Runs what falls due from a time on, until nothing is due for a while. */
function goOn(call: Call, about: string, fromMs: number): { readonly nowMs: number; readonly events: number } {
  let nowMs = fromMs;
  let events = 0;
  const ids = idsOf(chanceOf(about), () => nowMs, call.ids.digest);
  for (;;) {
    events += advance({ ...call, ids, nowMs, pace: PACES.real }, false);
    const next = call.store.get<{ due_at: bigint }>('SELECT due_at FROM due ORDER BY due_at, id LIMIT 1');
    if (!next || Number(next.due_at) > nowMs + QUIET_MS) return { nowMs, events };
    nowMs = Number(next.due_at);
  }
}

/** Tables and columns with times that requests write. A webhook may be set before the days begin: it stays. */
const TIMES = `SELECT tables.name AS "table", columns.name AS "column" FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
  WHERE tables.type = 'table' AND columns.name LIKE '%_at' ESCAPE '' AND tables.name <> 'webhook' ORDER BY 1, 2`;

/** Whether a sandbox has only what it was seeded with, so that its time can be another one: all times in it are that of the seeding. */
function isNew({ store }: Context): boolean {
  const seededMs = store.get<{ created_at: bigint }>('SELECT created_at FROM fintech ORDER BY id LIMIT 1')?.created_at;
  return store
    .all<{ table: string; column: string }>(TIMES)
    .every(
      ({ table, column }) =>
        store.get(`SELECT 1 FROM ${table} WHERE ${column} <> ? AND ${column} > 0 LIMIT 1`, seededMs ?? 0n) ===
        undefined,
    );
}

/** What is not the sandbox's to choose again: keys and settings that clients have. */
const KEPT = ['setting', 'api_key', 'webhook'] as const;

/** Seeds a new sandbox again at another time, with the seed's ids. The account keeps its own id, its keys, its settings and its webhook. */
function startAnew(call: Call, seed: number, atMs: number): void {
  const { store, settings } = call;
  const kept = KEPT.map((table) => ({ table, rows: store.all<Record<string, SqlValue>>(`SELECT * FROM ${table}`) }));
  const fintechs = store.all<Record<string, SqlValue>>('SELECT id, fintech_id, aes_key, public_key FROM fintech');
  const ids = idsOf(chanceOf(`${seed} new`), () => atMs, call.ids.digest);
  reseed(store, atMs, ids, settings, settings.embeddedApiKey);
  for (const { table } of kept) store.run(`DELETE FROM ${table}`);
  for (const { id, ...identity } of fintechs) update(store, 'fintech', id as bigint, identity);
  for (const { table, rows } of kept) for (const row of rows) insert(store, table, row);
}
