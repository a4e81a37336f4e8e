import { describe, expect, test } from 'vitest';
import { startBridge } from '../../src/contract/bridge.ts';
import { sandboxAdvance, sandboxDeposit } from '../../src/contract/control.ts';
import { withdrawFees } from '../../src/contract/fees.ts';
import type { Context } from '../../src/service/context.ts';
import { fire, type Machine } from '../../src/service/machine.ts';
import { bridge } from '../../src/service/machines/bridge.ts';
import { feeWithdrawal } from '../../src/service/machines/fee-withdrawal.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { balances, pass, settle } from './steps.ts';

const SENDER = `0x${'5e'.repeat(20)}`;
const STRANGER = `0x${'07'.repeat(20)}`;
const WEEK_MS = 7 * 86_400_000;

async function withdrawal(box: TestSandbox, bankAccountNumber = '0123456789'): Promise<void> {
  await box.ask(withdrawFees, { bankAccountNumber, bankCode: '000013', accountName: 'HARMATTAN PAY', amount: 2_000 });
}

async function weekAfter(box: TestSandbox, first: Promise<void>): Promise<void> {
  await first;
  await box.ask(sandboxAdvance, { durationMs: WEEK_MS });
}

/** A transaction, and a deposit of 100 cNGN for it from somebody. */
async function crossing(box: TestSandbox, from?: string): Promise<void> {
  const { receivableAddress } = await box.ask(startBridge, {
    token: 'CNGN',
    fromNetwork: 'base',
    toNetwork: 'eth',
    amount: '100',
    fromAddress: SENDER,
    toAddress: STRANGER,
    callbackUrl: 'https://hooks.example.com/bridge',
  });
  const deposit = { address: receivableAddress, asset: 'CNGN', amount: '100', network: 'base' } as const;
  if (from !== undefined) await box.ask(sandboxDeposit, { ...deposit, from });
}

async function seen(box: TestSandbox): Promise<void> {
  await crossing(box, SENDER);
  await pass(box, 150);
}

async function settled(box: TestSandbox, first: Promise<void>): Promise<void> {
  await first;
  await settle(box);
}

interface Specified {
  readonly machine: Machine<never>;
  readonly events: readonly string[];
  /** From each state, where each event leads; an event that is not there is ignored. */
  readonly table: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** How a subject gets there without being put there by hand. `initiated, unpaid` is the state before the comma. */
  readonly reach: Readonly<Record<string, (box: TestSandbox) => Promise<void>>>;
}

const specified: Readonly<Record<string, Specified>> = {
  'fee-withdrawal': {
    machine: feeWithdrawal as Machine<never>,
    events: ['settled', 'payout-failed'],
    table: { pending: { settled: 'completed', 'payout-failed': 'failed' }, completed: {}, failed: {} },
    reach: {
      pending: (box) => withdrawal(box),
      completed: (box) => weekAfter(box, withdrawal(box)),
      failed: (box) => weekAfter(box, withdrawal(box, '0000000009')),
    },
  },
  bridge: {
    machine: bridge as Machine<never>,
    events: ['deposit-seen', 'deposit-refused', 'released'],
    table: {
      initiated: { 'deposit-seen': 'pending', 'deposit-refused': 'failed' },
      'initiated, unpaid': {},
      pending: { released: 'completed' },
      completed: {},
      failed: {},
    },
    reach: {
      initiated: (box) => crossing(box, SENDER),
      'initiated, unpaid': (box) => crossing(box),
      pending: seen,
      completed: (box) => settled(box, crossing(box, SENDER)),
      failed: (box) => settled(box, crossing(box, STRANGER)),
    },
  },
};

interface Subject {
  readonly id: bigint;
  readonly state: string;
}

function newest({ store }: Context, { table }: Machine<never>): Subject {
  const row = store.get<Subject>(`SELECT id, state FROM ${table} ORDER BY id DESC LIMIT 1`);
  if (!row) throw new Error(`no row in ${table}`);
  return row;
}

/** Every row of every table. */
function dump({ store }: Context): Record<string, object[]> {
  const tables = store.all<{ name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table'`);
  return Object.fromEntries(tables.map(({ name }) => [name, store.all(`SELECT * FROM ${name}`)]));
}

function specifiedOf(name: string): Specified {
  const found = specified[name];
  if (!found) throw new Error(`no machine ${name}`);
  return found;
}

const stateOf = (name: string) => name.split(',')[0] ?? '';

async function openAt(name: string, state: string): Promise<TestSandbox> {
  const { machine, reach } = specifiedOf(name);
  const box = await openSandbox();
  await reach[state]?.(box);
  expect((await box.inside((context) => newest(context, machine), 'read')).state).toBe(stateOf(state));
  return box;
}

const pairs = Object.entries(specified).flatMap(([name, { events, table }]) =>
  Object.entries(table).flatMap(([state, leads]) =>
    events.map((event) => ({ name, state, event, to: leads[event] ?? 'ignored' })),
  ),
);

describe('the tables', () => {
  test.each(Object.keys(specified))('%s declares the states and events that stand here', (name) => {
    const { machine, events, table } = specifiedOf(name);
    const declared = machine.transitions.flatMap(({ from, to }) => [...from, to]);
    expect(new Set(declared)).toEqual(new Set(Object.keys(table).map(stateOf)));
    expect(new Set(machine.transitions.map(({ on }) => on))).toEqual(new Set(events));
  });

  test.each(pairs)('$name: $state, $event -> $to', async ({ name, state, event, to }) => {
    const { machine } = specifiedOf(name);
    await using box = await openAt(name, state);
    const before = await box.inside(dump, 'read');
    const { fired, after } = await box.inside((context) => ({
      fired: fire(context, machine, newest(context, machine).id, event),
      after: newest(context, machine).state,
    }));
    expect({ fired, after }).toEqual({ fired: to !== 'ignored', after: to === 'ignored' ? stateOf(state) : to });
    if (to === 'ignored') expect(await box.inside(dump, 'read')).toEqual(before);
  });
});

/** What each transition books, tells and starts. Smallest units. */
const left: [name: string, state: string, event: string, moves: Record<string, bigint>, more: object][] = [
  [
    'fee-withdrawal',
    'pending',
    'settled',
    { 'fees/withdrawing/1/onramp NGN': -2_000n, 'bank NGN': 2_000n },
    { events: [], due: [] },
  ],
  [
    'fee-withdrawal',
    'pending',
    'payout-failed',
    { 'fees/withdrawing/1/onramp NGN': -2_000n, 'fees/fintech/1/onramp NGN': 2_000n },
    { events: [], due: [] },
  ],
  ['bridge', 'initiated', 'deposit-seen', {}, { events: [], due: ['bridge released 300'] }],
  [
    'bridge',
    'initiated',
    'deposit-refused',
    { 'bridging CNGN': -100_000_000n, 'chain CNGN': 100_000_000n },
    { events: ['bridge.failed'], due: [] },
  ],
  [
    'bridge',
    'pending',
    'released',
    // 0.75 percent of 100 stays.
    { 'bridging CNGN': -100_000_000n, 'chain CNGN': 99_250_000n, 'fees/platform/tokens CNGN': 750_000n },
    { events: ['bridge.completed'], due: [] },
  ],
];

describe('a transition leaves', () => {
  test.each(left)('%s: %s, %s', async (name, state, event, moves, more) => {
    const { machine } = specifiedOf(name);
    await using box = await openAt(name, state);
    const found = await box.inside((context) => {
      const { store, nowMs } = context;
      const before = balances(context);
      const last = (table: string) => store.get<{ n: bigint | null }>(`SELECT MAX(id) AS n FROM ${table}`)?.n ?? 0n;
      const marks = { outbox: last('outbox'), due: last('due') };
      fire(context, machine, newest(context, machine).id, event);
      const after = balances(context);
      const codes = [...new Set([...Object.keys(before), ...Object.keys(after)])];
      const moved = codes.map((code) => [code, (after[code] ?? 0n) - (before[code] ?? 0n)] as const);
      return {
        moves: Object.fromEntries(moved.filter(([, minor]) => minor !== 0n)),
        events: store
          .all<{ event: string }>('SELECT event FROM outbox WHERE id > ?', marks.outbox)
          .map((row) => row.event),
        due: store
          .all<{ machine: string; event: string; due_at: bigint }>('SELECT * FROM due WHERE id > ?', marks.due)
          .map((row) => `${row.machine} ${row.event} ${Number(row.due_at) - nowMs}`),
      };
    });
    expect(found).toEqual({ moves, ...more });
  });
});
