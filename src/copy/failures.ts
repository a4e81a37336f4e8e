import { CliError } from '../base/errors.ts';
import type { Account } from '../engine/account.ts';
import { pacer } from '../engine/lists/pages.ts';
import type { Queries } from '../journal/store.ts';
import { readRequest, valueAt } from '../things/fields.ts';
import { undoneStatesOf } from '../things/states.ts';
import type { Thing } from '../things/thing.ts';
import type { LocalCopy } from './database.ts';
import { noteEnd } from './event-ends.ts';
import { noteChanged } from './list-state.ts';
import { type NewRow, newRows } from './new-rows.ts';
import { zonedTime } from './rows.ts';
import { noteStatus } from './save-rows.ts';
import { hasFailed, isThing } from './schema.ts';
import { tableOf } from './tables.ts';

/** Up to which row the service was asked what the list does not say of those that failed. */
const untilOf = ({ name }: Thing) => `${name}-failures-until`;

/** Where the service says when something ended whose list does not. */
const endOf = ({ facts }: Pick<Thing, 'facts'>) =>
  facts.find(({ isEnd, isElsewhere }) => isEnd && isElsewhere)?.fields[0];

/** Whether the list leaves out something of those that failed: that they had ended well before, or when they failed. */
export const leavesOut = (thing: Thing): boolean => undoneStatesOf(thing).length > 0 || endOf(thing) !== undefined;

/** What the service says of something: its state, and when it was completed, or ended otherwise; nothing of what it does not say. */
interface FailedState {
  /** When it said so. */
  readonly at: string;
  readonly status?: string;
  readonly completedAt?: string;
  readonly endedAt?: string;
}

/**
 * Asks the service about each new row that failed: the list shows what the bank sent back as if it had failed, although its fee stays with the
 * service, and not when a trade failed. Each answer is kept, whatever ends this.
 */
export async function readFailures(account: Account, copy: LocalCopy, thing: Thing): Promise<void> {
  const table = tableOf(thing);
  const condition = `${isThing(thing)} AND ${hasFailed(table)}`;
  const wait = thing.read ? pacer(account, thing.read.endpoint) : async () => {};
  let done = 0;
  for await (const { rows, total, noteRead } of newRows(copy, table, untilOf(thing), condition)) {
    for (const row of rows) {
      await wait();
      const state = await stateOf(account, thing, row.id);
      await copy.write(async (queries) => {
        await noteState(queries, thing, row, state);
        await noteRead(queries, row);
      });
      done += 1;
      await account.notices.progress.rows(done, total, `failed ${table.name.replaceAll('_', ' ')}`);
    }
  }
}

async function noteState(
  queries: Queries,
  thing: Thing,
  { id, made }: NewRow,
  { status, completedAt, endedAt, at }: FailedState,
): Promise<void> {
  const table = tableOf(thing);
  if (status && undoneStatesOf(thing).includes(status)) {
    if (completedAt) await noteStatus(queries, table, id, table.done[0] ?? null, completedAt);
    await noteStatus(queries, table, id, status, at);
    await noteChanged(queries, made ?? '');
  }
  if (endedAt) await noteEnd(queries, table, id, endedAt);
}

async function stateOf(account: Account, { read, ...thing }: Thing, id: string): Promise<FailedState> {
  const at = () => new Date(account.time.service.nowMs() ?? account.world.clock.now()).toISOString();
  if (!read) return { at: at() };
  try {
    const { data } = await account.call(read.endpoint, readRequest(read, id) as never);
    const inData = (field: string) => valueAt(data, [...(read.in ? [read.in] : []), field].join('.'));
    const status = inData('status');
    const completedAt = zonedTime(inData('completedAt'));
    const endedAt = zonedTime(inData(endOf(thing) ?? ''));
    return {
      at: at(),
      ...(typeof status === 'string' ? { status } : {}),
      ...(completedAt === null ? {} : { completedAt }),
      ...(endedAt === null ? {} : { endedAt }),
    };
  } catch (error) {
    // The list may have rows that the service does not look up.
    if (error instanceof CliError && error.category === 'rejected') return { at: at() };
    throw error;
  }
}
