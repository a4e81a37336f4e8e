import type { Context } from './context.ts';

/** One row of a state machine's table. */
export interface Transition<Row> {
  readonly on: string;
  readonly from: readonly string[];
  readonly to: string;
  /** The transition is there only on this condition: the lock window has elapsed. */
  readonly when?: (context: Context, row: Row) => boolean;
  /** What else happens, in the same transaction; `row` is as it was before. */
  readonly effect?: (context: Context, row: Row) => void;
}

/** A state machine: its transitions are a table, its subjects are rows of a SQL table with a `state` column. */
export interface Machine<Row> {
  readonly name: string;
  readonly table: string;
  readonly transitions: readonly Transition<Row>[];
}

/**
 * Lets `event` happen to one subject. False, and nothing done, when the table has no such transition
 * from the subject's state: an expiry that comes after the payment is no error.
 */
export function fire<Row extends { state: string }>(
  context: Context,
  machine: Machine<Row>,
  subject: bigint,
  event: string,
): boolean {
  const row = context.store.get<Row>(`SELECT * FROM ${machine.table} WHERE id = ?`, subject);
  const transition =
    row &&
    machine.transitions.find(
      ({ on, from, when }) => on === event && from.includes(row.state) && (when?.(context, row) ?? true),
    );
  if (!row || !transition) return false;
  context.store.run(`UPDATE ${machine.table} SET state = ? WHERE id = ?`, transition.to, subject);
  transition.effect?.(context, row);
  return true;
}

/** Notes that `event` falls due for a subject `delayMs` from now, in sandbox time. */
export function schedule(context: Context, machine: string, subject: bigint, event: string, delayMs: number): void {
  context.store.run(
    'INSERT INTO due (due_at, machine, subject, event) VALUES (?, ?, ?, ?)',
    context.nowMs + delayMs,
    machine,
    subject,
    event,
  );
}
