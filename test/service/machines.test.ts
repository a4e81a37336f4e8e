import { describe, expect, test } from 'vitest';
import { startOnramp } from '../../src/contract/transactions.ts';
import { onboard } from '../../src/contract/users.ts';
import type { Context } from '../../src/service/context.ts';
import { fire, type Machine } from '../../src/service/machine.ts';
import { deposit } from '../../src/service/machines/deposit.ts';
import { offramp as offrampMachine } from '../../src/service/machines/offramp.ts';
import { onboarding } from '../../src/service/machines/onboarding.ts';
import { onramp } from '../../src/service/machines/onramp.ts';
import type { Database } from '../../src/sqlite/database.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import {
  freshBvn,
  fund,
  type OnrampMore,
  offramp,
  onboardUser,
  pass,
  payIn,
  settle,
  startRamp,
  type User,
} from './steps.ts';

const NAIRA = 1000;
const HALF_AN_HOUR_MS = 30 * 60_000;

type Reach = (box: TestSandbox) => Promise<unknown>;

interface Specified {
  readonly machine: Machine<never>;
  readonly events: readonly string[];
  /** From each state, where each event leads; an event that is not there is ignored. */
  readonly table: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** How a subject gets into each state without being put there by hand. */
  readonly reach: Readonly<Record<string, Reach>>;
}

async function depositOf(box: TestSandbox, sender: (user: User) => string): Promise<void> {
  const user = await onboardUser(box);
  await payIn(box, user.accountNumber, BigInt(NAIRA * 100), sender(user));
}

async function rampOf(box: TestSandbox, more: OnrampMore = {}) {
  const user = await onboardUser(box);
  return startRamp(box, user.userId, NAIRA, more);
}

async function paidRampOf(box: TestSandbox, more: OnrampMore = {}): Promise<void> {
  const ramp = await rampOf(box, more);
  await payIn(box, ramp.accountNumber, ramp.totalKobo);
}

async function fundedRampOf(box: TestSandbox, more: OnrampMore = {}): Promise<void> {
  await paidRampOf(box, more);
  // Minting takes 250 ms and delivery 150 ms more.
  await pass(box, 300);
}

/** Minting takes 250 ms, delivery 150, the swap's turn comes after 100 and the swap takes 250 more. */
async function swappingRampOf(box: TestSandbox, afterMs: number): Promise<void> {
  await paidRampOf(box, { autoSwap: true, assetSwap: 'USDC' });
  await pass(box, afterMs);
}

async function offrampOf(box: TestSandbox, accountNumber?: string): Promise<void> {
  const user = await onboardUser(box);
  await fund(box, user, NAIRA);
  await offramp(box, user.userId, 50_000n, accountNumber);
}

async function thenSettle(box: TestSandbox, first: Promise<unknown>): Promise<void> {
  await first;
  await settle(box);
}

const specified: Readonly<Record<string, Specified>> = {
  onboarding: {
    machine: onboarding as Machine<never>,
    events: ['verified', 'rejected'],
    table: {
      processing: { verified: 'completed', rejected: 'failed' },
      completed: {},
      failed: {},
    },
    reach: {
      processing: (box) => box.ask(onboard, { bvn: freshBvn() }),
      completed: (box) => onboardUser(box),
      failed: (box) => thenSettle(box, box.ask(onboard, { bvn: '00000000000' })),
    },
  },
  onramp: {
    machine: onramp as Machine<never>,
    events: ['account-ready', 'paid', 'expired', 'minted', 'delivered', 'swap-begun', 'swapped', 'swap-failed'],
    table: {
      requested: { 'account-ready': 'pending', paid: 'processing', expired: 'failed' },
      pending: { paid: 'processing', expired: 'failed' },
      processing: { minted: 'funded' },
      // With auto-swap a delivery leads to swap_queued: that condition is tested with the swaps.
      funded: { delivered: 'completed' },
      swap_queued: { 'swap-begun': 'swap_processing' },
      swap_processing: { swapped: 'completed', 'swap-failed': 'failed' },
      completed: {},
      failed: {},
    },
    reach: {
      requested: async (box) => {
        const { userId } = await onboardUser(box);
        await box.ask(startOnramp, { userId, amount: NAIRA });
      },
      pending: (box) => rampOf(box),
      processing: (box) => paidRampOf(box),
      funded: (box) => fundedRampOf(box),
      swap_queued: (box) => swappingRampOf(box, 400),
      swap_processing: (box) => swappingRampOf(box, 550),
      completed: (box) => thenSettle(box, paidRampOf(box)),
      failed: async (box) => {
        await rampOf(box);
        await pass(box, HALF_AN_HOUR_MS);
      },
    },
  },
  deposit: {
    machine: deposit as Machine<never>,
    events: ['minted', 'refunded'],
    table: {
      processing: { minted: 'completed' },
      completed: {},
      refunding: { refunded: 'refunded' },
      refunded: {},
    },
    reach: {
      processing: (box) => depositOf(box, ({ name }) => name),
      completed: (box) =>
        thenSettle(
          box,
          depositOf(box, ({ name }) => name),
        ),
      refunding: (box) => depositOf(box, () => 'SOMEBODY ELSE'),
      refunded: (box) =>
        thenSettle(
          box,
          depositOf(box, () => 'SOMEBODY ELSE'),
        ),
    },
  },
  offramp: {
    machine: offrampMachine as Machine<never>,
    events: ['settled', 'payout-failed'],
    table: {
      payout_pending: { settled: 'completed', 'payout-failed': 'failed' },
      completed: {},
      failed: {},
    },
    reach: {
      payout_pending: (box) => offrampOf(box),
      completed: (box) => thenSettle(box, offrampOf(box)),
      failed: (box) => thenSettle(box, offrampOf(box, '0000000009')),
    },
  },
};

interface Subject {
  readonly id: bigint;
  readonly state: string;
}

function newestSubject({ store }: Context, machine: Machine<never>): Subject {
  const row = store.get<Subject>(`SELECT id, state FROM ${machine.table} ORDER BY id DESC LIMIT 1`);
  if (!row) throw new Error(`no ${machine.name} was made`);
  return row;
}

/** Every row of every table. */
function dump(store: Database): Record<string, object[]> {
  const tables = store.all<{ name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table'`);
  return Object.fromEntries(tables.map(({ name }) => [name, store.all(`SELECT * FROM ${name}`)]));
}

const pairs = Object.entries(specified).flatMap(([name, { events, table }]) =>
  Object.entries(table).flatMap(([state, leads]) =>
    events.map((event) => ({ name, state, event, to: leads[event] ?? 'ignored' })),
  ),
);
const transitions = pairs.filter(({ to }) => to !== 'ignored');

function specifiedOf(name: string): Specified {
  const found = specified[name];
  if (!found) throw new Error(`no machine ${name}`);
  return found;
}

/** A sandbox whose newest subject of a machine is in a state. */
async function openAt(name: string, state: string): Promise<TestSandbox> {
  const { machine, reach } = specifiedOf(name);
  const box = await openSandbox();
  await reach[state]?.(box);
  const subject = await box.inside((context) => newestSubject(context, machine), 'read');
  expect(subject.state).toBe(state);
  return box;
}

describe('the tables', () => {
  test.each(Object.keys(specified))('%s declares the states and events that stand here', (name) => {
    const { machine, events, table } = specifiedOf(name);
    const declared = machine.transitions.flatMap(({ from, to }) => [...from, to]);
    expect(new Set(declared)).toEqual(new Set(Object.keys(table)));
    expect(new Set(machine.transitions.map(({ on }) => on))).toEqual(new Set(events));
  });

  test.each(pairs)('$name: $state, $event -> $to', async ({ name, state, event, to }) => {
    const { machine } = specifiedOf(name);
    await using box = await openAt(name, state);
    const before = await box.inside(({ store }) => dump(store), 'read');
    const { fired, after } = await box.inside((context) => ({
      fired: fire(context, machine, newestSubject(context, machine).id, event),
      after: newestSubject(context, machine).state,
    }));
    expect({ fired, after }).toEqual({ fired: to !== 'ignored', after: to === 'ignored' ? state : to });
    if (to === 'ignored') expect(await box.inside(({ store }) => dump(store), 'read')).toEqual(before);
  });

  test.each(Object.keys(specified))('%s ignores an event nobody declared, and a subject nobody made', async (name) => {
    const { machine, table, events } = specifiedOf(name);
    const [state = ''] = Object.keys(table);
    await using box = await openAt(name, state);
    const fired = await box.inside((context) => [
      fire(context, machine, newestSubject(context, machine).id, 'no-such-event'),
      ...events.map((event) => fire(context, machine, 99_999n, event)),
    ]);
    expect(fired).toEqual([false, ...events.map(() => false)]);
  });
});

/** What one transition left behind. Amounts in smallest units; accounts of wallets by the kind of wallet. */
interface Left {
  readonly postings: Readonly<Record<string, bigint>>;
  readonly events: readonly string[];
  readonly account: string | undefined;
  readonly earned: Readonly<Record<string, bigint>>;
  readonly due: readonly string[];
}

interface Marks {
  readonly set: bigint;
  readonly event: bigint;
  readonly due: bigint;
  readonly earned: Readonly<Record<string, bigint>>;
}

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

function mark(store: Database): Marks {
  return {
    set: last(store, 'posting_set'),
    event: last(store, 'outbox'),
    due: last(store, 'due'),
    earned: tally(store),
  };
}

function movesSince(store: Database, set: bigint): Record<string, bigint> {
  const rows = store.all<{ code: string; minor: bigint; kind: string | null }>(
    `SELECT code, minor, kind FROM posting JOIN account ON account.id = account
     LEFT JOIN wallet ON code LIKE 'wallet/' || wallet.id || '/%' WHERE posting_set > ?`,
    set,
  );
  return Object.fromEntries(rows.map(({ code, minor, kind }) => [kind ?? code, minor]));
}

function leftSince(store: Database, marks: Marks): Left {
  const names = (sql: string, after: bigint) => store.all<{ name: string }>(sql, after).map(({ name }) => name);
  const earned = Object.entries(tally(store)).map(([key, value]) => [key, value - (marks.earned[key] ?? 0n)] as const);
  const account = `SELECT status FROM virtual_account WHERE kind = 'temporary' ORDER BY id DESC LIMIT 1`;
  return {
    postings: movesSince(store, marks.set),
    events: names('SELECT event AS name FROM outbox WHERE id > ? ORDER BY id', marks.event),
    account: store.get<{ status: string }>(account)?.status,
    earned: Object.fromEntries(earned.filter(([, value]) => value !== 0n)),
    due: names(`SELECT machine || ' ' || event AS name FROM due WHERE id > ? ORDER BY id`, marks.due),
  };
}

const NOTHING: Left = { postings: {}, events: [], account: undefined, earned: {}, due: [] };

/** 1,000 Naira at 1.7 and 0.5 percent, on top; one kobo is 10,000 base units. */
const minted = {
  incoming: -102_200n,
  reserve: 100_000n,
  'fees/platform/onramp': 1_700n,
  'fees/fintech/1/onramp': 500n,
};

const effects: [name: string, state: string, event: string, left: Partial<Left>, reach?: Reach][] = [
  ['onboarding', 'processing', 'verified', { events: ['virtual.account.created', 'user.onboarded'] }],
  ['onboarding', 'processing', 'rejected', {}],
  ['onramp', 'requested', 'account-ready', { account: 'active' }],
  ['onramp', 'requested', 'paid', { account: 'used', due: ['onramp minted'] }],
  ['onramp', 'requested', 'expired', { account: 'expired' }],
  ['onramp', 'swap_queued', 'swap-begun', { account: 'used' }],
  ['onramp', 'swap_processing', 'swapped', { account: 'used' }],
  ['onramp', 'swap_processing', 'swap-failed', { account: 'used' }],
  ['onramp', 'pending', 'paid', { account: 'used', due: ['onramp minted'] }],
  ['onramp', 'pending', 'expired', { account: 'expired' }],
  [
    'onramp',
    'processing',
    'minted',
    {
      postings: { ...minted, supply: -1_000_000_000n, generated: 1_000_000_000n },
      events: ['wallet.funding.completed'],
      account: 'used',
      earned: { 'onramp kobo': 500n, 'onramp count': 1n },
      due: ['onramp delivered'],
    },
  ],
  ['onramp', 'funded', 'delivered', { account: 'used' }],
  [
    'onramp',
    'funded',
    'delivered',
    { account: 'used', postings: { generated: -1_000_000_000n, managed: 1_000_000_000n } },
    (box) => fundedRampOf(box, { sweepToOfframp: true }),
  ],
  [
    'deposit',
    'processing',
    'minted',
    {
      // The same fees, out of the deposit.
      postings: {
        ...minted,
        incoming: -100_000n,
        reserve: 97_800n,
        supply: -978_000_000n,
        managed: 978_000_000n,
      },
      events: ['fintech.user.deposit.funding.completed'],
      earned: { 'onramp kobo': 500n, 'onramp count': 1n },
    },
  ],
  [
    'deposit',
    'refunding',
    'refunded',
    { postings: { refunds: -100_000n, bank: 100_000n }, events: ['fintech.user.deposit.funding.refunded'] },
  ],
  [
    // The event is of user deposits whose name does not match; a wrong amount in a temporary account has none.
    'deposit',
    'refunding',
    'refunded',
    { postings: { refunds: -1n, bank: 1n }, account: 'active' },
    async (box) => payIn(box, (await rampOf(box)).accountNumber, 1n),
  ],
  [
    'offramp',
    'payout_pending',
    'settled',
    {
      postings: {
        vault: -505_000_000n,
        supply: 505_000_000n,
        reserve: -50_500n,
        bank: 50_000n,
        'fees/platform/offramp': 250n,
        'fees/fintech/1/offramp': 250n,
      },
      events: ['vault.return.payout.completed'],
      account: 'used',
      earned: { 'offramp kobo': 250n, 'offramp count': 1n },
    },
  ],
  [
    'offramp',
    'payout_pending',
    'payout-failed',
    {
      postings: { vault: -505_000_000n, generated: 505_000_000n },
      events: ['vault.return.payout.failed'],
      account: 'used',
    },
  ],
];

async function openWith(name: string, state: string, reach: Reach | undefined): Promise<TestSandbox> {
  if (!reach) return openAt(name, state);
  const box = await openSandbox();
  await reach(box);
  return box;
}

describe('what a transition leaves behind', () => {
  test('stands here for every transition', () => {
    const told = effects.map(([name, state, event]) => `${name} ${state} ${event}`);
    expect(new Set(told)).toEqual(new Set(transitions.map(({ name, state, event }) => `${name} ${state} ${event}`)));
  });

  test.each(effects)('%s: %s, %s', async (name, state, event, left, reach) => {
    const { machine } = specifiedOf(name);
    await using box = await openWith(name, state, reach);
    const found = await box.inside((context) => {
      const marks = mark(context.store);
      fire(context, machine, newestSubject(context, machine).id, event);
      return leftSince(context.store, marks);
    });
    expect(found).toEqual({ ...NOTHING, ...left });
  });

  test.each(effects)('%s: %s, %s: is gone when the transaction fails', async (name, state, event, _left, reach) => {
    const { machine } = specifiedOf(name);
    await using box = await openWith(name, state, reach);
    const before = await box.inside(({ store }) => dump(store), 'read');
    const work = (context: Context) => {
      if (fire(context, machine, newestSubject(context, machine).id, event)) throw new Error('after the transition');
    };
    await expect(box.inside(work)).rejects.toThrow('after the transition');
    expect(await box.inside(({ store }) => dump(store), 'read')).toEqual(before);
  });
});

interface EventRow {
  readonly event: string;
  readonly request_id: string;
  readonly user_id: string | null;
}

describe('the events of a whole walk', () => {
  async function walk(box: TestSandbox) {
    const user = await onboardUser(box);
    const ramp = await fund(box, user, NAIRA);
    await payIn(box, user.accountNumber, 100_000n, user.name);
    await payIn(box, user.accountNumber, 100_000n, 'SOMEBODY ELSE');
    await settle(box);
    const out = await offramp(box, user.userId, 50_000n);
    await offramp(box, user.userId, 50_000n, '0000000009');
    await settle(box);
    return { user, ramp, out };
  }

  test('come in the order of the interface, each named by its request', async () => {
    await using box = await openSandbox();
    const { ramp, out } = await walk(box);
    const events = await box.inside(({ store }) => store.all<EventRow>('SELECT * FROM outbox ORDER BY id'), 'read');
    const of = (requestId: string) => events.filter((row) => row.request_id === requestId).map(({ event }) => event);
    expect(of(ramp.requestId)).toEqual(['virtual.account.created', 'payments.confirmed', 'wallet.funding.completed']);
    expect(of(out.requestId)).toEqual(['vault.return.transfer.confirmed', 'vault.return.payout.completed']);
    expect(events.map(({ event }) => event)).toEqual([
      'virtual.account.created',
      'user.onboarded',
      'virtual.account.created',
      'payments.confirmed',
      'wallet.funding.completed',
      'fintech.user.deposit.received',
      'fintech.user.deposit.received',
      'fintech.user.deposit.funding.completed',
      'fintech.user.deposit.funding.refunded',
      'vault.return.transfer.confirmed',
      'vault.return.transfer.confirmed',
      'vault.return.payout.completed',
      'vault.return.payout.failed',
    ]);
  });

  test('all name the user', async () => {
    await using box = await openSandbox();
    const { user } = await walk(box);
    const events = await box.inside(({ store }) => store.all<EventRow>('SELECT * FROM outbox'), 'read');
    expect(events.filter((row) => row.user_id !== user.userId).map(({ event }) => event)).toEqual([]);
  });
});
