import { sandboxAdvance, sandboxDeposit } from '../../src/contract/control.ts';
import { startBridge } from '../../src/contract/endpoints/bridge.ts';
import { withdrawFees } from '../../src/contract/endpoints/fee-withdrawals.ts';
import type { Machine } from '../../src/service/machine.ts';
import { bridge } from '../../src/service/machines/bridge.ts';
import { feeWithdrawal } from '../../src/service/machines/fee-withdrawal.ts';
import type { TestSandbox } from '../support/sandbox.ts';
import { type Effect, type Specified, testMachines } from './machine-tables.ts';
import { pass, settle } from './steps.ts';

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

/** Starts a bridge transaction and deposits 100 cNGN for it. */
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

/** In smallest units. */
const effects: Effect[] = [
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
