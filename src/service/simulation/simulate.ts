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
interface Simulation {
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
interface Simulated extends DayReport {
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

type Period = Pick<Simulated, 'fromMs' | 'untilMs' | 'isSetBack'>;

/** Returns when this day begins and the last one ends. Sets the time of a new sandbox back. */
function periodOf(call: Call, { seed, days, untilMs, fromMs }: Simulation): Period {
  const { nowMs } = call;
  const lengthMs = days * DAY_MS;
  if (Math.max(untilMs ?? 0, nowMs + (untilMs === undefined ? lengthMs : 0)) > LAST_MS)
    throw new Fault('VALIDATION_ERROR', 'until: expected days that end before the year 9000');
  if (fromMs !== undefined) {
    if (fromMs > nowMs || untilMs === undefined)
      throw new Fault('VALIDATION_ERROR', 'from: expected the end of the day before, with until');
    return { fromMs: nowMs - fromMs > PAUSE_MS ? nowMs : fromMs, untilMs, isSetBack: false };
  }
  const pastMs = (untilMs ?? nowMs - MARGIN_MS) - lengthMs;
  if (pastMs < 0) throw new Fault('VALIDATION_ERROR', 'days: expected days that begin after 1970');
  if (startAnew(call, seed, pastMs)) return { fromMs: pastMs, untilMs: pastMs + lengthMs, isSetBack: true };
  if (untilMs !== undefined && pastMs < nowMs)
    throw new Fault(
      'VALIDATION_ERROR',
      `until: the days would begin before ${isoTime(nowMs)}, the present of this sandbox, which is in use; reset it first`,
    );
  const startMs = untilMs === undefined ? nowMs : pastMs;
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

/** What is not the sandbox's to choose again: keys and settings that clients have. */
const REMEMBERED = ['setting', 'api_key', 'webhook'];

const IN_USE = `SELECT 1 WHERE EXISTS (SELECT 1 FROM onboarding) OR EXISTS (SELECT 1 FROM outbox)
  OR EXISTS (SELECT 1 FROM posting_set WHERE event NOT LIKE 'seed.%')`;

/**
 * Seeds a new sandbox again at another time, with the seed's ids. The account keeps its own id, its keys, its settings and its webhook.
 * Returns false, and changes nothing, if the sandbox is not new: if it has anything that seeding does not give it.
 */
function startAnew(call: Call, seed: number, atMs: number): boolean {
  const { store, settings } = call;
  if (store.get(IN_USE)) return false;
  const before = contentsOf(call);
  const remembered = REMEMBERED.map((table) => ({
    table,
    rows: store.all<Record<string, SqlValue>>(`SELECT * FROM ${table}`),
  }));
  const fintechs = store.all<Record<string, SqlValue>>('SELECT id, fintech_id, aes_key FROM fintech');
  const ids = idsOf(chanceOf(`${seed} new`), () => atMs, call.ids.digest);
  try {
    store.savepoint(() => {
      reseed(store, atMs, ids, settings, settings.embeddedApiKey);
      if (contentsOf(call) !== before) throw new InUse();
    });
  } catch (error) {
    if (error instanceof InUse) return false;
    throw error;
  }
  for (const { table } of remembered) store.run(`DELETE FROM ${table}`);
  for (const { id, ...identity } of fintechs) update(store, 'fintech', id as bigint, identity);
  for (const { table, rows } of remembered) for (const row of rows) insert(store, table, row);
  return true;
}

class InUse extends Error {}

/** Ids, addresses and keys. */
const CHOSEN_BY_CHANCE = /[0-9a-f]{8}-[0-9a-f-]{27}|(0x)?[0-9a-f]{20,}/g;

/** Returns everything in a sandbox as text, but for ids, what is remembered, when it was seeded, and what reading leaves behind. */
function contentsOf({ store }: Context): string {
  const seededMs = store.get<{ created_at: bigint }>('SELECT created_at FROM fintech ORDER BY id LIMIT 1')?.created_at;
  const tables = store
    .all<{ name: string }>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
    )
    .filter(({ name }) => name !== 'rate_window' && !REMEMBERED.includes(name));
  return JSON.stringify(
    tables.map(({ name }) => store.all(`SELECT * FROM ${name}`)),
    (column, value: unknown) => {
      if (column === 'allowlist_read_at' || value === seededMs) return undefined;
      return typeof value === 'bigint' ? String(value) : value;
    },
  ).replaceAll(CHOSEN_BY_CHANCE, '');
}
