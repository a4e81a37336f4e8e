import { sandboxAdvance, sandboxDeposit } from '../../src/contract/control.ts';
import { startBridge } from '../../src/contract/endpoints/bridge.ts';
import { withdrawFees } from '../../src/contract/endpoints/fee-withdrawals.ts';
import { bridge } from '../../src/service/bridge/machine.ts';
import { feeWithdrawal } from '../../src/service/fees/withdrawal-machine.ts';
import type { Machine } from '../../src/service/machine.ts';
import type { TestSandbox } from '../support/sandbox.ts';
import { type Effect, type Specified, testMachines } from './machine-tables.ts';
import { pass, settle } from './steps.ts';

const SENDER = `0x${'5e'.repeat(20)}`;
const STRANGER = `0x${'07'.repeat(20)}`;
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

async function withdrawal(box: TestSandbox, bankAccountNumber = '0123456789'): Promise<void> {
  await box.ask(withdrawFees, { bankAccountNumber, bankCode: '000013', accountName: 'HARMATTAN PAY', amount: 2_000 });
}

async function weekAfter(box: TestSandbox, first: Promise<void>): Promise<void> {
  await first;
  await box.ask(sandboxAdvance, { durationMs: WEEK_MS });
}

/** Starts a bridge transaction of 100 cNGN and deposits an amount for it. */
async function crossing(box: TestSandbox, from?: string, amount = '100'): Promise<void> {
  const { receivableAddress } = await box.ask(startBridge, {
    token: 'CNGN',
    fromNetwork: 'base',
    toNetwork: 'eth',
    amount: '100',
    fromAddress: SENDER,
    toAddress: STRANGER,
    callbackUrl: 'https://hooks.example.com/bridge',
  });
  const deposit = { address: receivableAddress, asset: 'CNGN', amount, network: 'base' } as const;
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

const specified: Readonly<Record<string, Specified>> = {
  'fee-withdrawal': {
    machine: feeWithdrawal as Machine<never>,
    events: ['accepted', 'settled', 'payout-failed'],
    table: {
      pending: { accepted: 'processing', settled: 'completed', 'payout-failed': 'failed' },
      processing: { settled: 'completed', 'payout-failed': 'failed' },
      completed: {},
      failed: {},
    },
    reach: {
      pending: (box) => withdrawal(box),
      // The first withdrawal takes one business day, from Monday at 10:00 in Lagos.
      processing: async (box) => {
        await withdrawal(box, '0000000011');
        await box.ask(sandboxAdvance, { durationMs: DAY_MS - 60_000 });
      },
      completed: (box) => weekAfter(box, withdrawal(box)),
      failed: (box) => weekAfter(box, withdrawal(box, '0000000009')),
    },
  },
  bridge: {
    machine: bridge as Machine<never>,
    events: ['deposit-seen', 'deposit-refused', 'release-failed', 'released'],
    table: {
      initiated: { 'deposit-seen': 'pending', 'deposit-refused': 'failed' },
      'initiated, unpaid': {},
      pending: { released: 'completed', 'release-failed': 'failed' },
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

/** In smallest units. */
const effects: Effect[] = [
  ['fee-withdrawal', 'pending', 'accepted', { due: ['fee-withdrawal settled 60000'] }],
  [
    'fee-withdrawal',
    'processing',
    'settled',
    { postings: { 'fees/withdrawing/1/onramp NGN': -2_000n, 'bank NGN': 2_000n } },
  ],
  [
    'fee-withdrawal',
    'processing',
    'payout-failed',
    { postings: { 'fees/withdrawing/1/onramp NGN': -2_000n, 'fees/fintech/1/onramp NGN': 2_000n } },
  ],
  [
    'fee-withdrawal',
    'pending',
    'settled',
    { postings: { 'fees/withdrawing/1/onramp NGN': -2_000n, 'bank NGN': 2_000n } },
  ],
  [
    'fee-withdrawal',
    'pending',
    'payout-failed',
    { postings: { 'fees/withdrawing/1/onramp NGN': -2_000n, 'fees/fintech/1/onramp NGN': 2_000n } },
  ],
  ['bridge', 'initiated', 'deposit-seen', { due: ['bridge released 300'] }],
  [
    'bridge',
    'initiated',
    'deposit-refused',
    { postings: { 'bridging CNGN': -100_000_000n, 'chain CNGN': 100_000_000n }, events: ['bridge.failed'] },
  ],
  [
    'bridge',
    'initiated',
    'deposit-seen',
    { due: ['bridge release-failed 300'] },
    (box) => crossing(box, SENDER, '1701'),
  ],
  [
    'bridge',
    'pending',
    'release-failed',
    { postings: { 'bridging CNGN': -100_000_000n, 'chain CNGN': 100_000_000n }, events: ['bridge.failed'] },
  ],
  [
    'bridge',
    'pending',
    'released',
    {
      // 0.75 percent of 100 stays.
      postings: { 'bridging CNGN': -100_000_000n, 'chain CNGN': 99_250_000n, 'fees/platform/tokens CNGN': 750_000n },
      events: ['bridge.completed'],
    },
  ],
];

testMachines(specified, effects);
