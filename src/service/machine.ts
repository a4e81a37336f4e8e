import type { Context } from './context.ts';
import { insert, update } from './rows.ts';

/** One row of a state machine's transition table. */
interface MachineTransition<Row, State extends string> {
  readonly on: string;
  readonly from: readonly State[];
  readonly to: State;
  /** A column that gets the time, such as `ended_at` when the work ends. */
  readonly stamp?: string;
  /** The transition applies only if this returns true, for example once the lock window has elapsed. */
  readonly when?: (context: Context, row: Row) => boolean;
  /** Side effects, in the same transaction; `row` is the state before the transition. */
  readonly effect?: (context: Context, row: Row) => void;
}

/** A state machine: a table of transitions over the rows of an SQL table with a `state` column. With `State`, no other state compiles. */
export interface Machine<Row, State extends string = string> {
  readonly name: string;
  readonly table: string;
  /** The column with the public id of a row, if it is not `request_id`. */
  readonly idColumn?: string;
  /** The SQL that creates the table, its indexes, and the tables of what belongs to a row. */
  readonly schema: string;
  /** A column that gets the time of every transition. */
  readonly stamp?: string;
  readonly transitions: readonly MachineTransition<Row, State>[];
}

/**
 * Applies `event` to one subject. Returns false and changes nothing if the subject's state has no such transition: an
 * expiry after a payment is not an error.
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
  const stamps = [machine.stamp, transition.stamp].flatMap((column) => (column ? [[column, context.nowMs]] : []));
  update(context.store, machine.table, subject, { state: transition.to, ...Object.fromEntries(stamps) });
  const [from, to, atMs] = [row.state, transition.to, context.nowMs];
  context.onStep?.({ machine: machine.name, subject, from, to, on: event, atMs });
  transition.effect?.(context, row);
  return true;
}

/** Schedules `event` for a subject `delayMs` from now, in sandbox time. */
export function schedule(context: Context, machine: string, subject: bigint, event: string, delayMs: number): void {
  insert(context.store, 'due', { due_at: context.nowMs + delayMs, machine, subject, event });
}
