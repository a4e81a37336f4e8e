import { describe, expect, test } from 'vitest';
import { startOnramp } from '../../src/contract/endpoints/onramp.ts';
import { onboard } from '../../src/contract/endpoints/users.ts';
import { getFintechAccount } from '../../src/contract/endpoints/virtual-accounts.ts';
import { deposit } from '../../src/service/deposits/machine.ts';
import type { Machine } from '../../src/service/machine.ts';
import { offramp as offrampMachine } from '../../src/service/offramp/machine.ts';
import { onramp } from '../../src/service/onramp/machine.ts';
import { onboarding } from '../../src/service/users/machine.ts';
import { testQueryPlans } from '../support/query-plans.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { type Effect, type Reach, type Specified, testMachines } from './machine-tables.ts';
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

async function depositOf(box: TestSandbox, sender: (user: User) => string): Promise<void> {
  const user = await onboardUser(box);
  await payIn(box, user.accountNumber, BigInt(NAIRA * 100), sender(user));
}

async function ownDepositOf(box: TestSandbox, kobo: bigint): Promise<void> {
  const user = await onboardUser(box);
  await payIn(box, user.accountNumber, kobo, user.name);
}

async function payFintech(box: TestSandbox): Promise<void> {
  const { virtualAccount } = await box.ask(getFintechAccount, {});
  await payIn(box, virtualAccount.accountNumber, BigInt(NAIRA * 100));
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
  // Minting takes 250 ms and delivery another 150 ms.
  await pass(box, 300);
}

/** Minting takes 250 ms, delivery 150; the swap starts after 100 and takes another 250. */
async function swappingRampOf(box: TestSandbox, afterMs: number): Promise<void> {
  await paidRampOf(box, { autoSwap: true, assetSwap: 'USDC' });
  await pass(box, afterMs);
}

async function offrampOf(box: TestSandbox, accountNumber?: string): Promise<void> {
  const user = await onboardUser(box);
  await fund(box, user, NAIRA);
  await offramp(box, user.userId, 50_000n, accountNumber);
}

/** An offramp to the account that shows every state for a minute, after a number of minutes. */
const shownOfframp =
  (minutes: number): Reach =>
  async (box) => {
    await offrampOf(box, '0000000011');
    await pass(box, minutes * 60_000);
  };

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
    events: [
      'account-ready',
      'paid',
      'expired',
      'minted',
      'mint-failed',
      'delivered',
      'swap-begun',
      'swapped',
      'swap-failed',
    ],
    table: {
      requested: { 'account-ready': 'pending', paid: 'processing', expired: 'failed' },
      pending: { paid: 'processing', expired: 'failed' },
      processing: { minted: 'funded', 'mint-failed': 'failed' },
      // With auto-swap, a delivery leads to swap_queued; the swap tests cover that condition.
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
    events: ['confirmed', 'cancelled', 'minted', 'refunded'],
    table: {
      pending: { confirmed: 'processing', cancelled: 'cancelled' },
      cancelled: {},
      processing: { minted: 'completed' },
      completed: {},
      refunding: { refunded: 'refunded' },
      refunded: {},
    },
    reach: {
      pending: (box) => ownDepositOf(box, 150_100n),
      cancelled: async (box) => {
        await ownDepositOf(box, 150_200n);
        await pass(box, 60_000);
      },
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
    events: [
      'accepted',
      'cancelled',
      'verification-begun',
      'verified',
      'verification-failed',
      'transferred',
      'handed-over',
      'settled',
      'payout-failed',
    ],
    table: {
      pending: { accepted: 'processing', cancelled: 'cancelled' },
      processing: { 'verification-begun': 'bank_verification' },
      bank_verification: { verified: 'transfer_pending', 'verification-failed': 'failed' },
      transfer_pending: { transferred: 'transfer_confirmed' },
      transfer_confirmed: { 'handed-over': 'payout_pending' },
      payout_pending: { settled: 'completed', 'payout-failed': 'failed' },
      completed: {},
      failed: {},
      cancelled: {},
    },
    reach: {
      pending: shownOfframp(0),
      processing: shownOfframp(1),
      bank_verification: shownOfframp(2),
      transfer_pending: shownOfframp(3),
      transfer_confirmed: shownOfframp(4),
      payout_pending: (box) => offrampOf(box),
      completed: (box) => thenSettle(box, offrampOf(box)),
      failed: (box) => thenSettle(box, offrampOf(box, '0000000009')),
      cancelled: (box) => thenSettle(box, offrampOf(box, '0000000012')),
    },
  },
};

/** ₦1,000 plus fees of 1.7 and 0.5 percent; one kobo is 10,000 base units. */
const minted = {
  'incoming NGN': -102_200n,
  'reserve NGN': 100_000n,
  'fees/platform/onramp NGN': 1_700n,
  'fees/fintech/1/onramp NGN': 500n,
};

const effects: Effect[] = [
  ['onboarding', 'processing', 'verified', { events: ['virtual.account.created', 'user.onboarded'] }],
  ['onboarding', 'processing', 'rejected', {}],
  ['onramp', 'requested', 'account-ready', { account: 'active' }],
  ['onramp', 'requested', 'paid', { account: 'used', due: ['onramp minted 250'] }],
  ['onramp', 'requested', 'expired', { account: 'expired' }],
  ['onramp', 'swap_queued', 'swap-begun', {}],
  ['onramp', 'swap_processing', 'swapped', {}],
  ['onramp', 'swap_processing', 'swap-failed', {}],
  ['onramp', 'pending', 'paid', { account: 'used', due: ['onramp minted 250'] }],
  ['onramp', 'pending', 'expired', { account: 'expired' }],
  [
    'onramp',
    'processing',
    'minted',
    {
      postings: { ...minted, 'supply CNGN': -1_000_000_000n, 'generated CNGN': 1_000_000_000n },
      events: ['wallet.funding.completed'],
      earned: { 'onramp kobo': 500n, 'onramp count': 1n },
      due: ['onramp delivered 150'],
    },
  ],
  [
    'onramp',
    'processing',
    'mint-failed',
    { postings: { 'incoming NGN': -102_200n, 'refunds NGN': 102_200n }, due: ['deposit refunded 250'] },
  ],
  ['onramp', 'funded', 'delivered', {}],
  [
    'deposit',
    'pending',
    'confirmed',
    {
      postings: { 'bank NGN': -150_100n, 'incoming NGN': 150_100n },
      events: ['fintech.user.deposit.received'],
      due: ['deposit minted 250'],
    },
  ],
  ['deposit', 'pending', 'cancelled', {}],
  [
    'onramp',
    'funded',
    'delivered',
    { postings: { 'generated CNGN': -1_000_000_000n, 'managed CNGN': 1_000_000_000n } },
    (box) => fundedRampOf(box, { sweepToOfframp: true }),
  ],
  [
    'deposit',
    'processing',
    'minted',
    {
      // The same fees, deducted from the deposit.
      postings: {
        ...minted,
        'incoming NGN': -100_000n,
        'reserve NGN': 97_800n,
        'supply CNGN': -978_000_000n,
        'managed CNGN': 978_000_000n,
      },
      events: ['fintech.user.deposit.funding.completed'],
      earned: { 'onramp kobo': 500n, 'onramp count': 1n },
    },
  ],
  [
    // The fintech's own deposit: only the platform fee, no user, no event.
    'deposit',
    'processing',
    'minted',
    {
      postings: {
        'incoming NGN': -100_000n,
        'reserve NGN': 98_300n,
        'fees/platform/onramp NGN': 1_700n,
        'supply CNGN': -983_000_000n,
        'fintech CNGN': 983_000_000n,
      },
    },
    payFintech,
  ],
  [
    'deposit',
    'refunding',
    'refunded',
    { postings: { 'refunds NGN': -100_000n, 'bank NGN': 100_000n }, events: ['fintech.user.deposit.funding.refunded'] },
  ],
  [
    // The event exists only for user deposits with a name mismatch; a wrong amount in a temporary account has none.
    'deposit',
    'refunding',
    'refunded',
    { postings: { 'refunds NGN': -1n, 'bank NGN': 1n } },
    async (box) => payIn(box, (await rampOf(box)).accountNumber, 1n),
  ],
  ['offramp', 'pending', 'accepted', { due: ['offramp verification-begun 60000'] }],
  ['offramp', 'pending', 'cancelled', { postings: { 'vault CNGN': -505_000_000n, 'generated CNGN': 505_000_000n } }],
  ['offramp', 'processing', 'verification-begun', { due: ['offramp verified 60000'] }],
  [
    'offramp',
    'processing',
    'verification-begun',
    { due: ['offramp verification-failed 100'] },
    async (box) => {
      await offrampOf(box, '0000000013');
      await pass(box, 100);
    },
  ],
  ['offramp', 'bank_verification', 'verified', { due: ['offramp transferred 60000'] }],
  [
    'offramp',
    'bank_verification',
    'verification-failed',
    {
      postings: { 'vault CNGN': -505_000_000n, 'generated CNGN': 505_000_000n },
      events: ['vault.return.payout.failed'],
    },
  ],
  [
    'offramp',
    'transfer_pending',
    'transferred',
    { events: ['vault.return.transfer.confirmed'], due: ['offramp handed-over 60000'] },
  ],
  ['offramp', 'transfer_confirmed', 'handed-over', { due: ['offramp settled 60000'] }],
  [
    'offramp',
    'payout_pending',
    'settled',
    {
      postings: {
        'vault CNGN': -505_000_000n,
        'supply CNGN': 505_000_000n,
        'reserve NGN': -50_500n,
        'bank NGN': 50_000n,
        'fees/platform/offramp NGN': 250n,
        'fees/fintech/1/offramp NGN': 250n,
      },
      events: ['vault.return.payout.completed'],
      earned: { 'offramp kobo': 250n, 'offramp count': 1n },
    },
  ],
  [
    'offramp',
    'payout_pending',
    'payout-failed',
    {
      postings: { 'vault CNGN': -505_000_000n, 'generated CNGN': 505_000_000n },
      events: ['vault.return.payout.failed'],
    },
  ],
];

testMachines(specified, effects);

interface EventRow {
  readonly event: string;
  readonly request_id: string;
  readonly user_id: string | null;
}

describe('the events of a complete run', () => {
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

  test('arrive in the documented order, each with its request id', async () => {
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

  test('all contain the user id', async () => {
    await using box = await openSandbox();
    const { user } = await walk(box);
    const events = await box.inside(({ store }) => store.all<EventRow>('SELECT * FROM outbox'), 'read');
    expect(events.filter((row) => row.user_id !== user.userId).map(({ event }) => event)).toEqual([]);
  });
});

testQueryPlans();
