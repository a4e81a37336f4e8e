import { describe, expect, test } from 'vitest';
import type { Context } from '../../src/service/context.ts';
import { fire, type Machine } from '../../src/service/machine.ts';
import type { Database } from '../../src/sqlite/database.ts';
import { type Beginning, openSandbox, type TestSandbox } from '../support/sandbox.ts';

export type Reach = (box: TestSandbox) => Promise<unknown>;

export interface Specified {
  readonly machine: Machine<never>;
  readonly events: readonly string[];
  /** The next state for each state and event; missing events are ignored. */
  readonly table: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** How to reach a state by normal requests. In `initiated, unpaid`, the state is the part before the comma. */
  readonly reach: Readonly<Record<string, Reach>>;
}

interface Subject {
  readonly id: bigint;
  readonly state: string;
}

function newestSubject({ store }: Context, machine: Machine<never>): Subject {
  const row = store.get<Subject>(`SELECT id, state FROM ${machine.table} ORDER BY id DESC LIMIT 1`);
  if (!row) throw new Error(`no ${machine.name} was created`);
  return row;
}

/** Fires an event at the newest subject of a machine; returns whether it changed the state. */
function fireNewest(context: Context, machine: Machine<never>, event: string): boolean {
  return fire(context, machine, newestSubject(context, machine).id, event);
}

/** Every byte of the service's database, as a text. */
const dump = (box: TestSandbox) => Buffer.from(box.copy().image.image).toString('latin1');

/** The effects of a transition. */
interface Left {
  /** By account and asset, in smallest units; wallet accounts by the kind of wallet. */
  readonly postings: Readonly<Record<string, bigint>>;
  readonly events: readonly string[];
  /** The new status of the newest temporary account, if it changed. */
  readonly account: string | undefined;
  /** The changes of the fintech's fee tally. */
  readonly earned: Readonly<Record<string, bigint>>;
  /** Machine, event and delay in milliseconds. */
  readonly due: readonly string[];
}

const NOTHING: Left = { postings: {}, events: [], account: undefined, earned: {}, due: [] };

function last(store: Database, table: string): bigint {
  return store.get<{ last: bigint | null }>(`SELECT MAX(id) AS last FROM ${table}`)?.last ?? 0n;
}

function tally(store: Database): Record<string, bigint> {
  const rows = store.all<{ direction: string; transactions: bigint; earned_kobo: bigint }>(
    'SELECT * FROM fee_tally WHERE fintech = 1',
  );
  return Object.fromEntries(
    rows.flatMap((row) => [
      [`${row.direction} kobo`, row.earned_kobo],
      [`${row.direction} count`, row.transactions],
    ]),
  );
}

function temporaryAccount(store: Database): string | undefined {
  const newest = `SELECT status FROM virtual_account WHERE kind = 'temporary' ORDER BY id DESC LIMIT 1`;
  return store.get<{ status: string }>(newest)?.status;
}

function movesSince(store: Database, set: bigint): Record<string, bigint> {
  const rows = store.all<{ code: string; asset: string; minor: bigint; kind: string | null }>(
    `SELECT code, account.asset, minor, kind FROM posting JOIN account ON account.id = account
     LEFT JOIN wallet ON code LIKE 'wallet/' || wallet.id || '/%' WHERE posting_set > ?`,
    set,
  );
  return Object.fromEntries(rows.map(({ code, asset, minor, kind }) => [`${kind ?? code} ${asset}`, minor]));
}

/** Returns the effects of firing an event at the newest subject. */
function leftBy(context: Context, machine: Machine<never>, event: string): Left {
  const { store, nowMs } = context;
  const [set, lastEvent, due] = [last(store, 'posting_set'), last(store, 'outbox'), last(store, 'due')];
  const [earned, account] = [tally(store), temporaryAccount(store)];
  fireNewest(context, machine, event);
  const grown = Object.entries(tally(store)).map(([key, value]) => [key, value - (earned[key] ?? 0n)] as const);
  const now = temporaryAccount(store);
  return {
    postings: movesSince(store, set),
    events: store
      .all<{ event: string }>('SELECT event FROM outbox WHERE id > ? ORDER BY id', lastEvent)
      .map((row) => row.event),
    account: now === account ? undefined : now,
    earned: Object.fromEntries(grown.filter(([, value]) => value !== 0n)),
    due: store
      .all<{ machine: string; event: string; due_at: bigint }>('SELECT * FROM due WHERE id > ? ORDER BY id', due)
      .map((row) => `${row.machine} ${row.event} ${Number(row.due_at) - nowMs}`),
  };
}

/** The effects of an event in a state; `reach` overrides how the table reaches it. */
export type Effect = [name: string, state: string, event: string, left: Partial<Left>, reach?: Reach];

/**
 * Tests every event of some machines in every state, and that the effects of each transition are complete and atomic.
 */
export function testMachines(specified: Readonly<Record<string, Specified>>, effects: Effect[]): void {
  const specifiedOf = (name: string): Specified => {
    const found = specified[name];
    if (!found) throw new Error(`no machine ${name}`);
    return found;
  };
  const stateOf = (name: string) => name.split(',')[0] ?? '';
  const reached = new Map<Reach | undefined, Beginning>();
  /** Opens a sandbox whose newest subject of a machine is in a state. Each way there is gone once, and its end copied. */
  const openAt = async (name: string, state: string, otherReach?: Reach): Promise<TestSandbox> => {
    const { machine, reach } = specifiedOf(name);
    const way = otherReach ?? reach[state];
    const beginning = reached.get(way);
    const box = await openSandbox(beginning ? { beginning } : {});
    if (!beginning) {
      await way?.(box);
      reached.set(way, box.copy());
    }
    const subject = await box.inside((context) => newestSubject(context, machine), 'read');
    expect(subject.state).toBe(stateOf(state));
    return box;
  };
  const pairs = Object.entries(specified).flatMap(([name, { events, table }]) =>
    Object.entries(table).flatMap(([state, leads]) =>
      events.map((event) => ({ name, state, event, to: leads[event] ?? 'ignored' })),
    ),
  );

  describe('the transition tables', () => {
    test.each(Object.keys(specified))('%s declares the states and events listed here', (name) => {
      const { machine, events, table } = specifiedOf(name);
      const declared = machine.transitions.flatMap(({ from, to }) => [...from, to]);
      expect(new Set(declared)).toEqual(new Set(Object.keys(table).map(stateOf)));
      expect(new Set(machine.transitions.map(({ on }) => on))).toEqual(new Set(events));
    });

    test.each(pairs)('$name: $state, $event -> $to', async ({ name, state, event, to }) => {
      const { machine } = specifiedOf(name);
      await using box = await openAt(name, state);
      const before = dump(box);
      const { fired, after } = await box.inside((context) => ({
        fired: fireNewest(context, machine, event),
        after: newestSubject(context, machine).state,
      }));
      expect({ fired, after }).toEqual({ fired: to !== 'ignored', after: to === 'ignored' ? stateOf(state) : to });
      if (to === 'ignored') expect(dump(box) === before, 'nothing is written').toBe(true);
    });

    test.each(Object.keys(specified))('%s ignores unknown events and unknown subjects', async (name) => {
      const { machine, table, events } = specifiedOf(name);
      const [state = ''] = Object.keys(table);
      await using box = await openAt(name, state);
      const fired = await box.inside((context) => [
        fireNewest(context, machine, 'no-such-event'),
        ...events.map((event) => fire(context, machine, 99_999n, event)),
      ]);
      expect(fired).toEqual([false, ...events.map(() => false)]);
    });
  });

  describe('the effects of a transition', () => {
    test('are listed here for every transition', () => {
      const listed = effects.map(([name, state, event]) => `${name} ${state} ${event}`);
      const all = pairs.filter(({ to }) => to !== 'ignored');
      expect(new Set(listed)).toEqual(new Set(all.map(({ name, state, event }) => `${name} ${state} ${event}`)));
    });

    test.each(effects)('%s: %s, %s', async (name, state, event, left, reach) => {
      const { machine } = specifiedOf(name);
      await using box = await openAt(name, state, reach);
      expect(await box.inside((context) => leftBy(context, machine, event))).toEqual({ ...NOTHING, ...left });
    });

    test.each(effects)('%s: %s, %s: are rolled back with the transaction', async (name, state, event, _left, reach) => {
      const { machine } = specifiedOf(name);
      await using box = await openAt(name, state, reach);
      const before = dump(box);
      const work = (context: Context) => {
        if (fireNewest(context, machine, event)) throw new Error('after the transition');
      };
      await expect(box.inside(work)).rejects.toThrow('after the transition');
      expect(dump(box) === before, 'nothing is left').toBe(true);
    });
  });
}
