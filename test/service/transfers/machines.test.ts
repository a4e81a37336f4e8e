import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { transferToWallet } from '../../../src/contract/endpoints/transfers.ts';
import { getFintechAccount } from '../../../src/contract/endpoints/virtual-accounts.ts';
import { withdrawAsset } from '../../../src/contract/endpoints/withdrawals.ts';
import type { Machine } from '../../../src/service/machine.ts';
import { payout } from '../../../src/service/payout/machine.ts';
import { withdrawal } from '../../../src/service/transfers/machine.ts';
import { openSandbox, type TestSandbox } from '../../support/sandbox.ts';
import { type Effect, type Reach, type Specified, testMachines } from '../machine-tables.ts';
import { FAILING_ACCOUNT, fund, onboardUser, pass, payIn } from '../steps.ts';
import { addAccount, managedAddress, OUTSIDE, payOut, register } from './steps.ts';

const AMOUNT_KOBO = 100_000;

/** Starts a payout of ₦1,000, to the seeded account or another one, and waits for a number of 100 ms steps. */
const payoutAfter =
  (steps: number, accountNumber?: string): Reach =>
  async (box) => {
    await payOut(box, AMOUNT_KOBO, accountNumber && (await addAccount(box, accountNumber)));
    for (let step = 0; step < steps; step++) await pass(box, 100);
  };

async function withdrawTo(box: TestSandbox, network: 'base' | 'eth', amount = 1000): Promise<void> {
  const user = await onboardUser(box);
  await fund(box, user, amount, { sweepToOfframp: true });
  await box.ask(withdrawAsset, {
    userId: user.userId,
    internalWallet: await managedAddress(box, user.userId),
    destinationWallet: OUTSIDE,
    amount,
    ticker: 'CNGN',
    network,
  });
}

async function failingTransfer(box: TestSandbox): Promise<void> {
  await register(box);
  await box.ask(transferToWallet, { destinationAddress: OUTSIDE, amount: 1_601_000_000 });
}

async function payFintech(box: TestSandbox): Promise<void> {
  const { virtualAccount } = await box.ask(getFintechAccount, {});
  await payIn(box, virtualAccount.accountNumber, BigInt(AMOUNT_KOBO));
}

const specified: Readonly<Record<string, Specified>> = {
  payout: {
    machine: payout as Machine<never>,
    events: [
      'accepted',
      'cancelled',
      'transfer-begun',
      'transferred',
      'transfer-failed',
      'handed-over',
      'held',
      'approved',
      'review-elapsed',
      'settled',
      'payout-failed',
      'reversed',
    ],
    table: {
      pending: { accepted: 'processing', cancelled: 'cancelled' },
      processing: { 'transfer-begun': 'transferring_cngn' },
      transferring_cngn: { transferred: 'initiating_payout', 'transfer-failed': 'failed' },
      initiating_payout: { 'handed-over': 'payout_processing', held: 'pending_manual_review' },
      pending_manual_review: { approved: 'payout_processing', 'review-elapsed': 'failed' },
      payout_processing: { settled: 'completed', 'payout-failed': 'failed' },
      completed: { reversed: 'reversed' },
      failed: {},
      cancelled: {},
      reversed: {},
    },
    reach: {
      pending: payoutAfter(0),
      processing: payoutAfter(1),
      transferring_cngn: payoutAfter(2),
      initiating_payout: payoutAfter(3),
      pending_manual_review: payoutAfter(4, '0000000015'),
      payout_processing: payoutAfter(4),
      completed: payoutAfter(8),
      failed: payoutAfter(8, FAILING_ACCOUNT),
      cancelled: payoutAfter(1, '0000000012'),
      reversed: async (box) => {
        await payoutAfter(8, '0000000014')(box);
        await pass(box, 3_600_000);
      },
    },
  },
  withdrawal: {
    machine: withdrawal as Machine<never>,
    events: ['released', 'failed'],
    table: { pending: { released: 'completed', failed: 'failed' }, completed: {}, failed: {} },
    reach: {
      pending: (box) => withdrawTo(box, 'eth'),
      completed: (box) => withdrawTo(box, 'base'),
      failed: async (box) => {
        await withdrawTo(box, 'base', 1601);
        await pass(box, 300);
      },
    },
  },
};

const RETURNED = { 'vault CNGN': -1_004_000_000n, 'fintech CNGN': 1_004_000_000n };

/**
 * A payout of ₦1,000 costs ₦4 on top; a withdrawal of 1,000 cNGN over the bridge to Ethereum has 7.50 deducted. One
 * kobo is 10,000 base units.
 */
const effects: Effect[] = [
  ['payout', 'pending', 'accepted', { due: ['payout transfer-begun 100'] }],
  ['payout', 'pending', 'cancelled', { postings: RETURNED }],
  ['payout', 'processing', 'transfer-begun', { due: ['payout transferred 100'] }],
  ['payout', 'processing', 'transfer-begun', { due: ['payout transfer-failed 100'] }, payoutAfter(1, '0000000013')],
  ['payout', 'transferring_cngn', 'transfer-failed', { postings: RETURNED, events: ['fintech.offramp.failed'] }],
  [
    'payout',
    'transferring_cngn',
    'transferred',
    { due: ['payout handed-over 100'], events: ['fintech.offramp.transfer.completed'] },
  ],
  [
    'payout',
    'transferring_cngn',
    'transferred',
    { due: ['payout held 100'], events: ['fintech.offramp.transfer.completed'] },
    payoutAfter(2, '0000000015'),
  ],
  ['payout', 'initiating_payout', 'held', { due: ['payout review-elapsed 259200000'] }],
  [
    'payout',
    'pending_manual_review',
    'approved',
    { due: ['payout settled 400'], events: ['fintech.offramp.payout.initiated'] },
  ],
  ['payout', 'pending_manual_review', 'review-elapsed', { postings: RETURNED, events: ['fintech.offramp.failed'] }],
  [
    'payout',
    'initiating_payout',
    'handed-over',
    { due: ['payout settled 400'], events: ['fintech.offramp.payout.initiated'] },
  ],
  [
    'payout',
    'payout_processing',
    'settled',
    {
      postings: {
        'vault CNGN': -1_004_000_000n,
        'supply CNGN': 1_004_000_000n,
        'reserve NGN': -100_400n,
        'bank NGN': 100_000n,
        'fees/platform/offramp NGN': 400n,
      },
      events: ['fintech.offramp.completed'],
    },
  ],
  ['payout', 'payout_processing', 'payout-failed', { postings: RETURNED, events: ['fintech.offramp.failed'] }],
  [
    // The fee stays with the platform.
    'payout',
    'completed',
    'reversed',
    {
      postings: {
        'bank NGN': -100_000n,
        'reserve NGN': 100_000n,
        'supply CNGN': -1_000_000_000n,
        'fintech CNGN': 1_000_000_000n,
      },
    },
  ],
  [
    'withdrawal',
    'pending',
    'released',
    {
      postings: { 'bridging CNGN': -992_500_000n, 'chain CNGN': 992_500_000n },
      events: ['fintech.user.asset.transfer.completed'],
    },
  ],
  [
    'withdrawal',
    'pending',
    'failed',
    {
      postings: {
        'bridging CNGN': -992_500_000n,
        'fees/platform/tokens CNGN': -7_500_000n,
        'managed CNGN': 1_000_000_000n,
      },
      events: ['fintech.user.asset.transfer.failed'],
    },
  ],
  [
    // The fintech's own transfer.
    'withdrawal',
    'pending',
    'failed',
    {
      postings: { 'bridging CNGN': -1_601_000_000n, 'fintech CNGN': 1_601_000_000n },
      events: ['fintech.asset.transfer.failed'],
    },
    failingTransfer,
  ],
];

testMachines(specified, effects);

interface Catalogue {
  readonly events: readonly { readonly name: string; readonly payload: readonly { readonly name: string }[] }[];
}

/** The fields of an event's payload, according to the specification. */
function payloadOf(event: string): string[] {
  const file = new URL('../../witness/contract/webhooks.yaml', import.meta.url);
  const { events } = parse(readFileSync(file, 'utf8')) as Catalogue;
  return events.find(({ name }) => name === event)?.payload.map(({ name }) => name) ?? [];
}

/** The paths of all leaf fields of a payload, such as `bankAccount.bankName`. */
function fieldsOf(value: unknown, prefix = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [prefix];
  return Object.entries(value).flatMap(([key, each]) => fieldsOf(each, prefix ? `${prefix}.${key}` : key));
}

const payloadCases: [event: string, reach: Reach][] = [
  ['fintech.virtual_account.deposit.received', payFintech],
  ['fintech.user.asset.transfer.completed', (box) => withdrawTo(box, 'base')],
  [
    'fintech.user.asset.transfer.failed',
    async (box) => {
      await withdrawTo(box, 'base', 1601);
      await pass(box, 300);
    },
  ],
  [
    'fintech.asset.transfer.failed',
    async (box) => {
      await failingTransfer(box);
      await pass(box, 300);
    },
  ],
  ['fintech.offramp.initiated', payoutAfter(0)],
  ['fintech.offramp.transfer.completed', payoutAfter(3)],
  ['fintech.offramp.payout.initiated', payoutAfter(4)],
  ['fintech.offramp.completed', payoutAfter(8)],
  ['fintech.offramp.failed', payoutAfter(8, FAILING_ACCOUNT)],
  [
    'fintech.asset.transfer.completed',
    async (box) => {
      await box.call('POST', '/addexternalwallet', { address: OUTSIDE, blockchain: 'base', type: 'hot', label: 'x' });
      await box.call('POST', '/fintechtransfer', { destinationAddress: OUTSIDE, amount: 1, note: 'y' });
    },
  ],
];

test.each(payloadCases)('%s carries exactly the specified fields', async (event, reach) => {
  await using box = await openSandbox();
  await reach(box);
  const sql = 'SELECT data FROM outbox WHERE event = ?';
  const [sent] = await box.inside(({ store }) => store.all<{ data: string }>(sql, event), 'read');
  expect(fieldsOf(JSON.parse(sent?.data ?? '{}')).sort()).toEqual(payloadOf(event).sort());
});
