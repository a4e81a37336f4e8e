import { listDeposits, listPayouts, listTransactions } from '../../../../src/contract/endpoints/history.ts';
import { transferToWallet } from '../../../../src/contract/endpoints/transfers.ts';
import { getFintechAccount } from '../../../../src/contract/endpoints/virtual-accounts.ts';
import { listWithdrawals, withdrawAsset } from '../../../../src/contract/endpoints/withdrawals.ts';
import type { TestSandbox } from '../../../support/sandbox.ts';
import { fund, offramp, onboardUser, pass, payIn, settle } from '../../steps.ts';
import { addAccount, managedAddress, OUTSIDE, payOut, register } from '../../transfers/steps.ts';
import type { Ask, Declared, GroupRows, Precedence } from './group.ts';

const get = (path: string) => (box: TestSandbox) => box.call('GET', path);

const declared: readonly Declared[] = [
  [
    'transactions.list-deposits',
    'the type or status is unknown, or the limit is above 100',
    'VALIDATION_ERROR',
    get('/deposits?limit=101'),
  ],
  [
    'transactions.list-payouts',
    'the type or status is unknown, or the limit is above 100',
    'VALIDATION_ERROR',
    get('/payouts?type=user_onramp'),
  ],
  [
    'transactions.list',
    'the direction, type or status is unknown, or the limit is above 100',
    'VALIDATION_ERROR',
    get('/transactions?direction=up'),
  ],
  [
    'transactions.list-withdrawals',
    'the type or status is unknown',
    'VALIDATION_ERROR',
    get('/withdrawals?status=processing'),
  ],
];

const precedence: readonly Precedence[] = [
  [
    'a wrong status before a user without the type',
    get('/deposits?status=done&userId=nobody'),
    'VALIDATION_ERROR',
    /^status: expected/,
  ],
  [
    'a user without the type before dates in the wrong order',
    get('/deposits?userId=nobody&startDate=2026-02-01&endDate=2026-01-01'),
    'VALIDATION_ERROR',
    /^userId: .*user_onramp/,
  ],
  [
    'a user with another type',
    get('/payouts?userId=nobody&type=fintech_offramp'),
    'VALIDATION_ERROR',
    /^userId: .*user_offramp/,
  ],
  ...(['deposits', 'payouts', 'transactions', 'withdrawals'] as const).map(
    (list): Precedence => [
      `dates in the wrong order, ${list}`,
      get(`/${list}?startDate=2026-01-01T00:00:01Z&endDate=2026-01-01`),
      'VALIDATION_ERROR',
      /^startDate/,
    ],
  ),
];

async function walkLists(ask: Ask) {
  await ask(listDeposits, {});
  await ask(listPayouts, {});
  await ask(listTransactions, {});
  await ask(listWithdrawals, {});
}

/** Sends every filter, so that the response repeats each. */
async function walkFilters(ask: Ask, userId: string) {
  const filters = { userId, status: 'completed' as const, startDate: '2026-01-01', endDate: '2026-12-31' };
  await ask(listDeposits, { ...filters, type: 'user_onramp' });
  await ask(listPayouts, { ...filters, type: 'user_offramp' });
  await ask(listTransactions, { ...filters, type: 'user_onramp', direction: 'in' });
}

/** Reads each list while work is pending and after it is done. */
async function walk(box: TestSandbox, ask: Ask) {
  const user = await onboardUser(box);
  const { virtualAccount } = await box.ask(getFintechAccount, {});
  await fund(box, user, 10_000, { sweepToOfframp: true });
  await payIn(box, user.accountNumber, 100_000n, 'SOMEBODY ELSE');
  await payIn(box, virtualAccount.accountNumber, 50_000n);
  await payIn(box, user.accountNumber, 150_200n, user.name);
  await offramp(box, user.userId, 20_000n);
  await offramp(box, user.userId, 30_000n, '0000000009');
  await offramp(box, user.userId, 30_000n, '0000000012');
  await payOut(box, 10_000);
  await payOut(box, 10_000, await addAccount(box, '0000000009'));
  const from = { userId: user.userId, internalWallet: await managedAddress(box, user.userId) };
  const withdrawal = { ...from, destinationWallet: OUTSIDE, amount: 10.5, ticker: 'CNGN' as const };
  await box.ask(withdrawAsset, withdrawal);
  await box.ask(withdrawAsset, { ...withdrawal, network: 'eth' });
  await box.ask(withdrawAsset, { ...withdrawal, amount: 1601 });
  await register(box);
  await box.ask(transferToWallet, { destinationAddress: OUTSIDE, amount: 5_000_000 });
  await walkLists(ask);
  await settle(box);
  await pass(box, 60_000);
  await walkLists(ask);
  await walkFilters(ask, user.userId);
}

export const rows: GroupRows = {
  declared,
  precedence,
  walk,
  unproduced: {},
  unreached: {
    // Users start no withdrawals themselves.
    'transactions.list-withdrawals withdrawals[].type': ['user_withdrawal'],
    // The payouts are read twice, never while one is at the bank.
    'transactions.list-payouts payouts[].payoutStatus': ['processing'],
  },
};
