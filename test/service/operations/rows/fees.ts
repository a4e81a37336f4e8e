import { sandboxAdvance } from '../../../../src/contract/control.ts';
import { feeWithdrawals, verifyWithdrawal, withdrawFees } from '../../../../src/contract/endpoints/fee-withdrawals.ts';
import { accumulatedFees, getFees, manageFees, previewFees } from '../../../../src/contract/endpoints/fees.ts';
import type { Reply, TestSandbox } from '../../../support/sandbox.ts';
import type { Ask, Declared, GroupRows, Precedence } from './group.ts';

const onrampFee = { percentageFee: 1.5, capFee: 50_000, enabled: true };
const toBank = { bankAccountNumber: '0123456789', bankCode: '000013', accountName: 'HARMATTAN PAY' };

const withdraw = (box: TestSandbox, request: object): Promise<Reply> =>
  box.call('POST', '/feewithdrawal', { ...toBank, ...request });

/** The seed has ₦250,000 of fees, more than one withdrawal may take. */
async function drained(box: TestSandbox): Promise<void> {
  for (const amount of [10_000_000, 10_000_000, 4_998_000]) await withdraw(box, { amount });
}

const declared: readonly Declared[] = [
  [
    'fees.manage',
    'a fee setting is incomplete or a value is negative',
    'VALIDATION_ERROR',
    (box) => box.call('PUT', '/managefees', { onrampFee: { percentageFee: 1.5, capFee: -1, enabled: true } }),
  ],
  [
    'fees.withdraw',
    'a required field is missing',
    'VALIDATION_ERROR',
    (box) => withdraw(box, { amount: 5_000, accountName: undefined }),
  ],
  ['fees.withdraw', 'the amount is below the minimum', 'VALIDATION_ERROR', (box) => withdraw(box, { amount: 999 })],
  [
    'fees.withdraw',
    'the amount is above the maximum',
    'VALIDATION_ERROR',
    (box) => withdraw(box, { amount: 10_000_001 }),
  ],
  [
    'fees.withdraw',
    'the amount is above the available fees',
    'VALIDATION_ERROR',
    async (box) => {
      await drained(box);
      return withdraw(box, { amount: 2_001 });
    },
  ],
  [
    'fees.verify-withdrawal',
    'no fee withdrawal has this id',
    'NOT_FOUND',
    (box) => box.call('POST', '/verifywithdrawal', { withdrawalId: 'FTW_nothing_1' }),
  ],
  [
    'fees.preview',
    'the amount is missing or not greater than 0, or the direction is unknown',
    'VALIDATION_ERROR',
    (box) => box.call('POST', '/fees/platform/preview', { amount: 0, transactionType: 'onramp' }),
  ],
];

const precedence: readonly Precedence[] = [
  ['an empty change of fees', (box) => box.call('PUT', '/managefees', {}), 'VALIDATION_ERROR', /at least one/],
  [
    'a missing field before an amount below the minimum',
    (box) => withdraw(box, { amount: 1, bankCode: undefined }),
    'VALIDATION_ERROR',
    /^bankCode: missing; expected a NIBSS bank code/,
  ],
  [
    'a fraction of a kobo before the minimum',
    (box) => withdraw(box, { amount: 999.5 }),
    'VALIDATION_ERROR',
    /^amount: expected/,
  ],
  [
    'an amount below the minimum before an unknown bank',
    (box) => withdraw(box, { amount: 1, bankCode: '999999' }),
    'VALIDATION_ERROR',
    /at least ₦10\.00/,
  ],
  [
    'an amount above the maximum before an insufficient balance',
    async (box) => {
      await drained(box);
      return withdraw(box, { amount: 10_000_001 });
    },
    'VALIDATION_ERROR',
    /at most ₦100,000\.00/,
  ],
  [
    'an unknown bank before an insufficient balance',
    async (box) => {
      await drained(box);
      return withdraw(box, { amount: 9_000_000, bankCode: '999999' });
    },
    'VALIDATION_ERROR',
    /^bankCode: /,
  ],
  [
    'an account without a name before an insufficient balance',
    async (box) => {
      await drained(box);
      return withdraw(box, { amount: 9_000_000, bankAccountNumber: '0000000000' });
    },
    'VALIDATION_ERROR',
    /^accountNumber: /,
  ],
  [
    'the available amount in the detail',
    async (box) => {
      await drained(box);
      return withdraw(box, { amount: 9_000_000 });
    },
    'VALIDATION_ERROR',
    /₦20\.00 can be withdrawn/,
  ],
];

async function walk(_box: TestSandbox, ask: Ask) {
  await ask(manageFees, {
    onrampFee: { percentageFee: 1.5, capFee: 50_000, enabled: true },
    offrampFee: { percentageFee: 0.25, capFee: 100, enabled: true },
    metadata: { description: 'new prices', notes: 'agreed in March', lastUpdatedBy: 'ops@example.com' },
  });
  await ask(getFees, {});
  for (const transactionType of ['onramp', 'offramp'] as const) {
    await ask(previewFees, { amount: 150_000, transactionType });
    await ask(previewFees, { amount: 100_000_000, transactionType });
  }
  const request = { ...toBank, amount: 500_000, narration: 'March', metadata: { reference: 'r-1', notes: 'n' } };
  const { withdrawalId } = await ask(withdrawFees, request);
  const failing = await ask(withdrawFees, { ...request, bankAccountNumber: '0000000009', amount: 1_000 });
  await ask(accumulatedFees, {});
  await ask(verifyWithdrawal, { withdrawalId });
  await ask(feeWithdrawals, {});
  await ask(sandboxAdvance, { durationMs: 5 * 86_400_000 });
  await ask(verifyWithdrawal, { withdrawalId });
  await ask(verifyWithdrawal, { withdrawalId: failing.withdrawalId });
  await ask(feeWithdrawals, {});
  await ask(accumulatedFees, {});
  await ask(manageFees, { onrampFee: { ...onrampFee, enabled: false } });
}

export const rows: GroupRows = { declared, precedence, walk, unproduced: {}, unreached: {} };
