import { DatabaseError } from '../sqlite/database.ts';
import type { Context } from './context.ts';
import { fire, type Machine } from './machine.ts';
import { deposit } from './machines/deposit.ts';
import { offramp } from './machines/offramp.ts';
import { onboarding } from './machines/onboarding.ts';
import { onramp } from './machines/onramp.ts';

interface DueRow {
  readonly id: bigint;
  readonly due_at: bigint;
  readonly machine: string;
  readonly subject: bigint;
  readonly event: string;
}

const MACHINES: Readonly<Record<string, Machine<never>>> = Object.fromEntries(
  [onboarding, onramp, deposit, offramp].map((machine) => [machine.name, machine as Machine<never>]),
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
    if (happens(context, next)) happened += 1;
  }
}

/** One event, all of it or nothing. One that breaks is set aside: it must not hold up every request after it. */
function happens(context: Context, due: DueRow): boolean {
  const { store } = context;
  const machine = MACHINES[due.machine];
  if (!machine) return false;
  try {
    return store.savepoint(() => fire({ ...context, nowMs: Number(due.due_at) }, machine, due.subject, due.event));
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
