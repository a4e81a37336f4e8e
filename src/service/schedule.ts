import { DatabaseError } from '../sqlite/database.ts';
import type { Context } from './context.ts';
import { fire, type Machine } from './machine.ts';
import { bridge } from './machines/bridge.ts';
import { deposit } from './machines/deposit.ts';
import { feeWithdrawal } from './machines/fee-withdrawal.ts';
import { offramp } from './machines/offramp.ts';
import { onboarding } from './machines/onboarding.ts';
import { onramp } from './machines/onramp.ts';
import { payout } from './machines/payout.ts';
import { swap } from './machines/swap.ts';
import { trade } from './machines/trade.ts';
import { vault } from './machines/vault.ts';
import { withdrawal } from './machines/withdrawal.ts';

interface DueRow {
  readonly id: bigint;
  readonly due_at: bigint;
  readonly machine: string;
  readonly subject: bigint;
  readonly event: string;
}

const MACHINES: Readonly<Record<string, Machine<never>>> = Object.fromEntries(
  [onboarding, onramp, deposit, offramp, payout, withdrawal, swap, trade, vault, bridge, feeWithdrawal].map(
    (machine) => [machine.name, machine as Machine<never>],
  ),
);

/** True when something is due at `context.nowMs`. */
export function isDue({ store, nowMs }: Context): boolean {
  return store.get('SELECT 1 FROM due WHERE due_at <= ? LIMIT 1', nowMs) !== undefined;
}

/**
 * All that makes time pass: does everything due until `context.nowMs`, each at its own time and in order,
 * including what that makes due in turn. Returns how many events happened.
 */
export function advance(context: Context): number {
  let happened = 0;
  for (;;) {
    const next = context.store.get<DueRow>(
      'SELECT * FROM due WHERE due_at <= ? ORDER BY due_at, id LIMIT 1',
      context.nowMs,
    );
    if (!next) return happened;
    context.store.run('DELETE FROM due WHERE id = ?', next.id);
    if (happens({ ...context, nowMs: Number(next.due_at) }, next)) happened += 1;
  }
}

/** What only time brings: the end of a window that somebody may still use. */
const TIME_ONLY = ['expired', 'lock-elapsed'] as const;

/** What waits for a person's approval: the rows of a table, and the event that the approval is. */
const APPROVALS: readonly { readonly where: string; readonly machine: Machine<never>; readonly event: string }[] = [
  { where: `state = 'locked' AND auto_signed = 0`, machine: trade as Machine<never>, event: 'approved' },
];

/**
 * Lets everything that is under way happen at once, at `context.nowMs` and in the order of its times, with what follows from
 * it; whatever waits for an approval is approved. Windows stay open. Returns how many events happened.
 */
export function settle(context: Context): number {
  let happened = 0;
  for (;;) {
    const next = context.store.get<DueRow>(
      `SELECT * FROM due WHERE event NOT IN (${TIME_ONLY.map(() => '?').join(', ')}) ORDER BY due_at, id LIMIT 1`,
      ...TIME_ONLY,
    );
    if (next) {
      context.store.run('DELETE FROM due WHERE id = ?', next.id);
      if (happens(context, next)) happened += 1;
      continue;
    }
    const approved = approveAll(context);
    if (approved === 0) return happened;
    happened += approved;
  }
}

function approveAll(context: Context): number {
  let approved = 0;
  for (const { where, machine, event } of APPROVALS) {
    const waiting = context.store.all<{ id: bigint }>(`SELECT id FROM ${machine.table} WHERE ${where} ORDER BY id`);
    for (const { id: subject } of waiting)
      if (happens(context, { due_at: BigInt(context.nowMs), machine: machine.name, subject, event })) approved += 1;
  }
  return approved;
}

/** One event, all of it or nothing. One that breaks is set aside: it must not hold up every request after it. */
function happens(context: Context, due: Omit<DueRow, 'id'>): boolean {
  const { store } = context;
  const machine = MACHINES[due.machine];
  if (!machine) return false;
  try {
    return store.savepoint(() => fire(context, machine, due.subject, due.event));
  } catch (error) {
    if (error instanceof DatabaseError) throw error;
    store.run(
      'INSERT INTO stuck (due_at, machine, subject, event, reason) VALUES (?, ?, ?, ?, ?)',
      due.due_at,
      due.machine,
      due.subject,
      due.event,
      error instanceof Error ? error.message : String(error),
    );
    return false;
  }
}

/** Makes everything that is set aside for a row of a table due again, now. */
export function retryStuck({ store, nowMs }: Context, table: string, subject: bigint): void {
  for (const { name } of Object.values(MACHINES).filter((machine) => machine.table === table)) {
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
