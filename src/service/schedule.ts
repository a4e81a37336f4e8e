import { DatabaseError } from '../sqlite/errors.ts';
import type { Context } from './context.ts';
import { trade } from './fx/machine.ts';
import { fire, type Machine } from './machine.ts';
import { MACHINES } from './machines.ts';
import { payout } from './payout/machine.ts';
import { insert } from './rows.ts';
import { IS_OPEN_PAYOUT, IS_OPEN_TRADE } from './schema/schema.ts';

interface DueRow {
  readonly id: bigint;
  readonly due_at: bigint;
  readonly machine: string;
  readonly subject: bigint;
  readonly event: string;
}

const machineNamed = (name: string) => MACHINES.find((machine) => machine.name === name);

/** Returns true if anything is due at `context.nowMs`. */
export function isDue({ store, nowMs }: Context): boolean {
  return store.get('SELECT 1 FROM due WHERE due_at <= ? LIMIT 1', nowMs) !== undefined;
}

/**
 * Runs everything due until `context.nowMs`, each event at its own time and in order, including events scheduled along
 * the way. Returns the number of events. Without `skipsFailed`, an event that fails throws, and the caller must undo all: SQLite copies
 * every page that changes while a savepoint is open.
 */
export function advance(context: Context, skipsFailed = true): number {
  let events = 0;
  for (;;) {
    const next = context.store.get<DueRow>(
      'SELECT * FROM due WHERE due_at <= ? ORDER BY due_at, id LIMIT 1',
      context.nowMs,
    );
    if (!next) return events;
    context.store.run('DELETE FROM due WHERE id = ?', next.id);
    const atItsTime = { ...context, nowMs: Number(next.due_at) };
    if (skipsFailed ? applyEvent(atItsTime, next) : fireDue(atItsTime, next)) events += 1;
  }
}

/** Events that only the passing of time may cause: the end of a window that can still be used, or a late reversal. */
const TIME_ONLY = ['expired', 'lock-elapsed', 'review-elapsed', 'reversed'] as const;

/** Work that waits for manual approval: its rows, its machine, and the approving event. */
const APPROVALS: readonly { readonly where: string; readonly machine: Machine<never>; readonly event: string }[] = [
  {
    where: `${IS_OPEN_TRADE} AND state = 'locked' AND auto_signed = 0`,
    machine: trade as Machine<never>,
    event: 'approved',
  },
  {
    where: `${IS_OPEN_PAYOUT} AND state = 'pending_manual_review'`,
    machine: payout as Machine<never>,
    event: 'approved',
  },
];

/**
 * Runs all pending work now, in order and at `context.nowMs`, including what it schedules, and approves whatever waits for
 * approval. Windows stay open. Returns the number of events.
 */
export function settle(context: Context): number {
  let events = 0;
  for (;;) {
    const next = context.store.get<DueRow>(
      `SELECT * FROM due WHERE event NOT IN (${TIME_ONLY.map(() => '?').join(', ')}) ORDER BY due_at, id LIMIT 1`,
      ...TIME_ONLY,
    );
    if (next) {
      context.store.run('DELETE FROM due WHERE id = ?', next.id);
      if (applyEvent(context, next)) events += 1;
      continue;
    }
    const approved = approveAll(context);
    if (approved === 0) return events;
    events += approved;
  }
}

function approveAll(context: Context): number {
  let approved = 0;
  for (const { where, machine, event } of APPROVALS) {
    // Ordered by an expression, because SQLite would read the table in the order of its ids, and not the index of what is open.
    const waiting = context.store.all<{ id: bigint }>(`SELECT id FROM ${machine.table} WHERE ${where} ORDER BY +id`);
    for (const { id: subject } of waiting)
      if (applyEvent(context, { due_at: BigInt(context.nowMs), machine: machine.name, subject, event })) approved += 1;
  }
  return approved;
}

function fireDue(context: Context, { machine: name, subject, event }: Omit<DueRow, 'id'>): boolean {
  const machine = machineNamed(name);
  return machine !== undefined && fire(context, machine, subject, event);
}

/** Applies one event atomically. If it throws, it is moved to `stuck` so that it cannot block later requests. */
function applyEvent(context: Context, due: Omit<DueRow, 'id'>): boolean {
  const { store } = context;
  try {
    return store.savepoint(() => fireDue(context, due));
  } catch (error) {
    if (error instanceof DatabaseError) throw error;
    insert(store, 'stuck', {
      due_at: due.due_at,
      machine: due.machine,
      subject: due.subject,
      event: due.event,
      reason: error instanceof Error ? error.message : String(error),
    });
    return false;
  }
}

/** Makes a row's stuck events due again now. */
export function retryStuck({ store, nowMs }: Context, table: string, subject: bigint): void {
  for (const { name } of MACHINES.filter((machine) => machine.table === table)) {
    store.run(
      `INSERT INTO due (due_at, machine, subject, event)
       SELECT ?, machine, subject, event FROM stuck WHERE machine = ? AND subject = ? ORDER BY id`,
      nowMs,
      name,
      subject,
    );
    store.run('DELETE FROM stuck WHERE machine = ? AND subject = ?', name, subject);
  }
}
