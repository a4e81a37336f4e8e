import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { withdrawAsset } from '../../src/contract/transfers.ts';
import { getFintechAccount } from '../../src/contract/virtual-accounts.ts';
import type { Context } from '../../src/service/context.ts';
import { fire, type Machine } from '../../src/service/machine.ts';
import { deposit } from '../../src/service/machines/deposit.ts';
import { payout } from '../../src/service/machines/payout.ts';
import { withdrawal } from '../../src/service/machines/withdrawal.ts';
import type { Database } from '../../src/sqlite/database.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { fund, onboardUser, pass, payIn, settle } from './steps.ts';
import { addAccount, managedAddress, OUTSIDE, payOut } from './transfer-steps.ts';

type Reach = (box: TestSandbox) => Promise<unknown>;

interface Specified {
  readonly machine: Machine<never>;
  readonly events: readonly string[];
  /** From each state, where each event leads; an event that is not there is ignored. */
  readonly table: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** How a subject gets into each state without being put there by hand. */
  readonly reach: Readonly<Record<string, Reach>>;
}

const NAIRA_1000 = 100_000;
const FAILING_ACCOUNT = '0000000009';

/** A payout of 1,000 Naira, so many steps of 100 ms on its way. */
const payoutAfter =
  (steps: number): Reach =>
  async (box) => {
    await payOut(box, NAIRA_1000);
    for (let step = 0; step < steps; step++) await pass(box, 100);
  };

async function withdrawTo(box: TestSandbox, network: 'base' | 'eth'): Promise<void> {
  const user = await onboardUser(box);
  await fund(box, user, 1000, { sweepToOfframp: true });
  await box.ask(withdrawAsset, {
    userId: user.userId,
    internalWallet: await managedAddress(box, user.userId),
    destinationWallet: OUTSIDE,
    amount: 1000,
    ticker: 'CNGN',
    network,
  });
}

async function payFintech(box: TestSandbox): Promise<void> {
  const { virtualAccount } = await box.ask(getFintechAccount, {});
  await payIn(box, virtualAccount.accountNumber, BigInt(NAIRA_1000));
}

const specified: Readonly<Record<string, Specified>> = {
  payout: {
    machine: payout as Machine<never>,
    events: ['accepted', 'transfer-begun', 'transferred', 'handed-over', 'settled', 'payout-failed'],
    table: {
      pending: { accepted: 'processing' },
      processing: { 'transfer-begun': 'transferring_cngn' },
      transferring_cngn: { transferred: 'initiating_payout' },
      initiating_payout: { 'handed-over': 'payout_processing' },
      payout_processing: { settled: 'completed', 'payout-failed': 'failed' },
      completed: {},
      failed: {},
    },
    reach: {
      pending: payoutAfter(0),
      processing: payoutAfter(1),
      transferring_cngn: payoutAfter(2),
      initiating_payout: payoutAfter(3),
      payout_processing: payoutAfter(4),
      completed: payoutAfter(8),
      failed: async (box) => {
        await payOut(box, NAIRA_1000, await addAccount(box, FAILING_ACCOUNT));
        await settle(box);
      },
    },
  },
  withdrawal: {
    machine: withdrawal as Machine<never>,
    events: ['released'],
    table: { pending: { released: 'completed' }, completed: {} },
    reach: { pending: (box) => withdrawTo(box, 'eth'), completed: (box) => withdrawTo(box, 'base') },
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

function specifiedOf(name: string): Specified {
  const found = specified[name];
  if (!found) throw new Error(`no machine ${name}`);
  return found;
}

const pairs = Object.entries(specified).flatMap(([name, { events, table }]) =>
  Object.entries(table).flatMap(([state, leads]) =>
    events.map((event) => ({ name, state, event, to: leads[event] ?? 'ignored' })),
  ),
);

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
});

/** What one transition left behind. Amounts in smallest units; accounts of wallets by the kind of wallet. */
interface Left {
  readonly postings: Readonly<Record<string, bigint>>;
  readonly events: readonly string[];
  readonly due: readonly string[];
}

const NOTHING: Left = { postings: {}, events: [], due: [] };

function last(store: Database, table: string): bigint {
  return store.get<{ last: bigint | null }>(`SELECT MAX(id) AS last FROM ${table}`)?.last ?? 0n;
}

const marksOf = (store: Database) => ({
  set: last(store, 'posting_set'),
  event: last(store, 'outbox'),
  due: last(store, 'due'),
});

function leftSince(store: Database, marks: ReturnType<typeof marksOf>): Left {
  const names = (sql: string, after: bigint) => store.all<{ name: string }>(sql, after).map(({ name }) => name);
  const moves = store.all<{ code: string; minor: bigint; kind: string | null }>(
    `SELECT code, minor, kind FROM posting JOIN account ON account.id = account
     LEFT JOIN wallet ON code LIKE 'wallet/' || wallet.id || '/%' WHERE posting_set > ?`,
    marks.set,
  );
  return {
    postings: Object.fromEntries(moves.map(({ code, minor, kind }) => [kind ?? code, minor])),
    events: names('SELECT event AS name FROM outbox WHERE id > ? ORDER BY id', marks.event),
    due: names(`SELECT machine || ' ' || event AS name FROM due WHERE id > ? ORDER BY id`, marks.due),
  };
}

/** A payout of 1,000 Naira costs 4 on top; a withdrawal of 1,000 cNGN over the bridge to Ethereum costs 7.50 out of it. One kobo is 10,000 base units. */
const effects: [machine: Machine<never>, event: string, left: Partial<Left>, reach: Reach][] = [
  [payout as Machine<never>, 'accepted', { due: ['payout transfer-begun'] }, payoutAfter(0)],
  [payout as Machine<never>, 'transfer-begun', { due: ['payout transferred'] }, payoutAfter(1)],
  [
    payout as Machine<never>,
    'transferred',
    { due: ['payout handed-over'], events: ['fintech.offramp.transfer.completed'] },
    payoutAfter(2),
  ],
  [
    payout as Machine<never>,
    'handed-over',
    { due: ['payout settled'], events: ['fintech.offramp.payout.initiated'] },
    payoutAfter(3),
  ],
  [
    payout as Machine<never>,
    'settled',
    {
      postings: {
        vault: -1_004_000_000n,
        supply: 1_004_000_000n,
        reserve: -100_400n,
        bank: 100_000n,
        'fees/platform/offramp': 400n,
      },
      events: ['fintech.offramp.completed'],
    },
    payoutAfter(4),
  ],
  [
    payout as Machine<never>,
    'payout-failed',
    { postings: { vault: -1_004_000_000n, fintech: 1_004_000_000n }, events: ['fintech.offramp.failed'] },
    payoutAfter(4),
  ],
  [
    withdrawal as Machine<never>,
    'released',
    {
      postings: { bridging: -992_500_000n, chain: 992_500_000n },
      events: ['fintech.user.asset.transfer.completed'],
    },
    (box) => withdrawTo(box, 'eth'),
  ],
  [
    // The fintech's own deposit: the platform's fee alone, no user, no event of its own.
    deposit as Machine<never>,
    'minted',
    {
      postings: {
        incoming: -100_000n,
        reserve: 98_300n,
        'fees/platform/onramp': 1_700n,
        supply: -983_000_000n,
        fintech: 983_000_000n,
      },
    },
    payFintech,
  ],
];

describe('what a transition leaves behind', () => {
  test('stands here for every transition', () => {
    const told = effects.map(([{ name }, event]) => `${name} ${event}`);
    const all = Object.values(specified).flatMap(({ machine }) =>
      machine.transitions.map(({ on }) => `${machine.name} ${on}`),
    );
    expect(told.filter((each) => !each.startsWith('deposit')).sort()).toEqual(all.sort());
  });

  const named = effects.map(([machine, event, left, reach]) => ({ name: machine.name, machine, event, left, reach }));

  test.each(named)('$name: $event', async ({ machine, event, left, reach }) => {
    await using box = await openSandbox();
    await reach(box);
    const found = await box.inside((context) => {
      const marks = marksOf(context.store);
      fire(context, machine, newestSubject(context, machine).id, event);
      return leftSince(context.store, marks);
    });
    expect(found).toEqual({ ...NOTHING, ...left });
  });

  test.each(named)('$name: $event: is gone when the transaction fails', async ({ machine, event, reach }) => {
    await using box = await openSandbox();
    await reach(box);
    const before = await box.inside(({ store }) => dump(store), 'read');
    const work = (context: Context) => {
      if (fire(context, machine, newestSubject(context, machine).id, event)) throw new Error('after the transition');
    };
    await expect(box.inside(work)).rejects.toThrow('after the transition');
    expect(await box.inside(({ store }) => dump(store), 'read')).toEqual(before);
  });
});

interface Catalogue {
  readonly events: readonly { readonly name: string; readonly payload: readonly { readonly name: string }[] }[];
}

/** The fields of an event's payload in the specification. */
function payloadOf(event: string): string[] {
  const file = new URL('../witness/contract/webhooks.yaml', import.meta.url);
  const { events } = parse(readFileSync(file, 'utf8')) as Catalogue;
  return events.find(({ name }) => name === event)?.payload.map(({ name }) => name) ?? [];
}

/** The names of every field of a payload that is no object: `bankAccount.bankName`. */
function fieldsOf(value: unknown, prefix = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [prefix];
  return Object.entries(value).flatMap(([key, each]) => fieldsOf(each, prefix ? `${prefix}.${key}` : key));
}

const told: [event: string, reach: Reach][] = [
  ['fintech.virtual_account.deposit.received', payFintech],
  ['fintech.user.asset.transfer.completed', (box) => withdrawTo(box, 'base')],
  ['fintech.offramp.initiated', payoutAfter(0)],
  ['fintech.offramp.transfer.completed', payoutAfter(3)],
  ['fintech.offramp.payout.initiated', payoutAfter(4)],
  ['fintech.offramp.completed', payoutAfter(8)],
  ['fintech.offramp.failed', specifiedOf('payout').reach['failed'] ?? payoutAfter(8)],
  [
    'fintech.asset.transfer.completed',
    async (box) => {
      await box.call('POST', '/addexternalwallet', { address: OUTSIDE, blockchain: 'base', type: 'hot', label: 'x' });
      await box.call('POST', '/fintechtransfer', { destinationAddress: OUTSIDE, amount: 1, note: 'y' });
    },
  ],
];

test.each(told)('%s carries what the specification names, and nothing else', async (event, reach) => {
  await using box = await openSandbox();
  await reach(box);
  const sql = 'SELECT data FROM outbox WHERE event = ?';
  const [sent] = await box.inside(({ store }) => store.all<{ data: string }>(sql, event), 'read');
  expect(fieldsOf(JSON.parse(sent?.data ?? '{}')).sort()).toEqual(payloadOf(event).sort());
});
