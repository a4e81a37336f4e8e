import type { Clock, Ids } from '../base/world.ts';
import { STATE_FILE_ID } from '../contract/sandbox.ts';
import { type Database, openDatabase } from '../sqlite/database.ts';
import { DatabaseError } from '../sqlite/errors.ts';
import type { Context } from './context.ts';
import { MACHINES } from './machines.ts';
import { advance, isDue } from './schedule.ts';

import { schemaVersion } from './schema/schema.ts';
import { DEFAULT_SEED, type SeedOptions, seed } from './seed/seed.ts';
import { changeSettings, PACES, readSettings } from './settings.ts';

/**
 * `read` never writes; `write` takes the write lock before it reads; `alone` shares its transaction with no other unit,
 * because it changes the clock or the settings.
 */
export type UnitKind = 'read' | 'write' | 'alone';

/**
 * The core of the service: a state file, a clock, and units of work. Units submitted together share one commit and
 * resolve after it; a unit that throws is rolled back alone.
 */
export interface Service {
  readonly store: Database;
  /** The machine's clock. */
  readonly clock: Clock;
  /** Sandbox time, milliseconds since the epoch. */
  nowMs(): number;
  /** Runs `work` in a transaction, after everything that is due. */
  submit<T>(kind: UnitKind, work: (context: Context) => T): Promise<T>;
  /** Advances the clock and runs everything due by then. Returns the number of events. */
  advanceBy(context: Context, durationMs: number): number;
  close(): void;
}

export interface ServiceOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly seed?: SeedOptions;
  /** Whether webhooks may go to this machine itself. */
  readonly allowsLoopback?: boolean | undefined;
  /** Gets each step of a state machine; what is undone later may be among them. */
  readonly onStep?: Context['onStep'];
  /** Calls `flush` when the units of a batch are complete: for a server, at the end of the tick. */
  readonly gather: (flush: () => void) => void;
}

interface Unit {
  readonly kind: UnitKind;
  readonly work: (context: Context) => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Opens the state file, and seeds it if it is new. Throws DatabaseError. */
export async function openService({
  path,
  clock,
  ids,
  gather,
  seed: seeds = DEFAULT_SEED,
  allowsLoopback = false,
  onStep,
}: ServiceOptions): Promise<Service> {
  const store = await openDatabase(path, {
    synchronous: 'NORMAL',
    layout: {
      version: schemaVersion(MACHINES),
      applicationId: STATE_FILE_ID,
      create: (database) => seed(database, clock.now(), ids, seeds),
    },
  });
  const newContext = (): Context => {
    const settings = readSettings(store);
    const nowMs = clock.now() + settings.clockOffsetMs;
    return { store, nowMs, ids, pace: PACES[settings.pace], settings, allowsLoopback, onStep };
  };
  const queue: Unit[] = [];
  const flush = () => {
    for (const batch of batchesOf(queue.splice(0))) runBatch(store, batch, newContext);
  };
  return {
    store,
    clock,
    nowMs: () => newContext().nowMs,
    submit: <T>(kind: UnitKind, work: (context: Context) => T) =>
      new Promise<T>((resolve, reject) => {
        queue.push({ kind, work, resolve: resolve as (value: unknown) => void, reject });
        if (queue.length === 1) gather(flush);
      }),
    advanceBy: (context, durationMs) => {
      changeSettings(store, { clockOffsetMs: context.settings.clockOffsetMs + durationMs });
      return advance({ ...context, nowMs: context.nowMs + durationMs });
    },
    close: () => store.close(),
  };
}

function batchesOf(units: readonly Unit[]): Unit[][] {
  const batches: Unit[][] = [];
  for (const unit of units) {
    const last = batches.at(-1);
    if (last && unit.kind !== 'alone' && last[0]?.kind !== 'alone') last.push(unit);
    else batches.push([unit]);
  }
  return batches;
}

type UnitResult = { readonly value: unknown } | { readonly error: unknown };

/** Runs a batch in one transaction. If the commit fails, every unit fails. */
function runBatch(store: Database, batch: readonly Unit[], newContext: () => Context): void {
  let results: readonly UnitResult[];
  try {
    results = readResults(store, batch, newContext) ?? writeResults(store, batch, newContext);
  } catch (error) {
    for (const { reject } of batch) reject(error);
    return;
  }
  for (const [index, { resolve, reject }] of batch.entries()) {
    const result = results[index];
    if (result && 'value' in result) resolve(result.value);
    else reject(result?.error);
  }
}

/** Runs a batch that only reads; returns undefined if it writes, or if something is due before. */
function readResults(
  store: Database,
  batch: readonly Unit[],
  newContext: () => Context,
): readonly UnitResult[] | undefined {
  if (!batch.every(({ kind }) => kind === 'read')) return undefined;
  return store.transaction('read', () => {
    const context = newContext();
    return isDue(context) ? undefined : batch.map((unit) => runUnit(store, unit, context));
  });
}

/** Runs what is due, then a batch. Another process may have written while this one waited for the lock, so everything is read again. */
function writeResults(store: Database, batch: readonly Unit[], newContext: () => Context): readonly UnitResult[] {
  let isAdvancing = false;
  const run = (isPartial: boolean) =>
    store.transaction('write', () => {
      const context = newContext();
      isAdvancing = isDue(context);
      // What fails alone is undone with its transaction.
      const isLone = !isAdvancing && batch.length === 1;
      if (isAdvancing) advance(context, isPartial);
      isAdvancing = false;
      return batch.map((unit) => (isLone ? { value: unit.work(context) } : runUnit(store, unit, context)));
    });
  try {
    return run(false);
  } catch (error) {
    if (!isAdvancing || error instanceof DatabaseError) throw error;
    return run(true);
  }
}

function runUnit(store: Database, { kind, work }: Unit, context: Context): UnitResult {
  try {
    return { value: kind === 'read' ? work(context) : store.savepoint(() => work(context)) };
  } catch (error) {
    // A file error fails the whole batch, because SQLite may have rolled back the transaction.
    if (error instanceof DatabaseError) throw error;
    return { error };
  }
}
