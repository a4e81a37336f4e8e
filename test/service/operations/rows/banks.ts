import {
  addBankAccount,
  deleteBankAccount,
  getBankAccount,
  updateBankAccount,
} from '../../../../src/contract/endpoints/banks.ts';
import { startPayout } from '../../../../src/contract/endpoints/payouts.ts';
import type { TestSandbox } from '../../../support/sandbox.ts';
import { seededAccount } from '../../transfers/steps.ts';
import type { Ask, Declared, GroupRows, Precedence } from './group.ts';

const declared: readonly Declared[] = [
  [
    'banks.update',
    'no payout account has this id',
    'NOT_FOUND',
    (box) => box.call('PUT', '/updatebankaccount', { accountId: 'nothing', label: 'x' }),
  ],
  [
    'banks.delete',
    'payouts to the account are pending',
    'PENDING_TRANSACTIONS',
    async (box) => {
      const bankAccountId = await seededAccount(box);
      await box.ask(startPayout, { amount: 1_000_000, bankAccountId });
      return box.call('DELETE', `/deletebankaccount?accountId=${bankAccountId}`);
    },
  ],
  [
    'banks.delete',
    'no payout account has this id',
    'NOT_FOUND',
    (box) => box.call('DELETE', '/deletebankaccount?accountId=nothing'),
  ],
  [
    'banks.get',
    'no payout account has this id',
    'NOT_FOUND',
    (box) => box.call('GET', '/getbankaccounts?accountId=nothing'),
  ],
];

const precedence: readonly Precedence[] = [
  [
    'an empty label before an unknown account',
    (box) => box.call('PUT', '/updatebankaccount', { accountId: 'nothing', label: '' }),
    'VALIDATION_ERROR',
    /^label/,
  ],
  [
    'pending payouts, by their name in the specification',
    async (box) => {
      const bankAccountId = await seededAccount(box);
      await box.ask(startPayout, { amount: 1_000_000, bankAccountId });
      return box.call('DELETE', `/deletebankaccount?accountId=${bankAccountId}`);
    },
    'PENDING_TRANSACTIONS',
    /^PENDING_TRANSACTIONS/,
  ],
];

async function walk(_box: TestSandbox, ask: Ask) {
  const { accountId } = await ask(addBankAccount, { accountNumber: '1234567890', bankCode: '000015' });
  await ask(updateBankAccount, { accountId: accountId ?? '', label: 'payroll', isDefault: true });
  await ask(getBankAccount, { accountId: accountId ?? '' });
  await ask(deleteBankAccount, { accountId: accountId ?? '' });
}

export const rows: GroupRows = { declared, precedence, walk, unproduced: {}, unreached: {} };
