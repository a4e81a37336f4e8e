import {
  sandboxAdvance,
  sandboxClock,
  sandboxPay,
  sandboxReset,
  sandboxSeed,
  sandboxStatus,
} from '../../../../src/contract/control.ts';
import type { RequestOf } from '../../../../src/contract/endpoint.ts';
import { balanceMulti, balanceUser } from '../../../../src/contract/endpoints/balances.ts';
import { addBankAccount, listBankAccounts, listBanks } from '../../../../src/contract/endpoints/banks.ts';
import { accumulatedFees, getFees } from '../../../../src/contract/endpoints/fees.ts';
import { offrampStatus, startOfframp } from '../../../../src/contract/endpoints/offramp.ts';
import { onrampStatus, startOnramp } from '../../../../src/contract/endpoints/onramp.ts';
import { listUsers } from '../../../../src/contract/endpoints/user-list.ts';
import { getDetails, onboard, onboardStatus } from '../../../../src/contract/endpoints/users.ts';
import { getVirtualAccount } from '../../../../src/contract/endpoints/virtual-accounts.ts';
import { getFintechWallet, listUserWallets } from '../../../../src/contract/endpoints/wallets.ts';
import { TOKENS } from '../../../../src/money/amount.ts';
import type { Reply, TestSandbox } from '../../../support/sandbox.ts';
import { deactivate, fund, onboardUser, pass, settle } from '../../steps.ts';
import type { Ask, Declared, GroupRows, Precedence } from './group.ts';

const OLDER = 'an older shape that one client reads';
const NEVER_MOVED = "the fintech's wallet is created with the sandbox and never replaced";
const EVM_ONLY = 'cNGN is minted on Base only, so wallets on other chains are empty';
const NO_CHAIN = 'balances come from no chain, so no lookup can fail';

const toBank = { accountNumber: '0123456789', bankCode: '000013', ticker: 'CNGN' };

async function offrampOf(box: TestSandbox, fundedNaira: number, request: object): Promise<Reply> {
  const user = await onboardUser(box);
  if (fundedNaira > 0) await fund(box, user, fundedNaira);
  return box.call('POST', '/cngnofframp', { userId: user.userId, ...toBank, ...request });
}

/** An input for every declared refusal, in order of precedence within an endpoint. */
const declared: readonly Declared[] = [
  [
    'banks.add',
    'the account number does not have 10 digits',
    'VALIDATION_ERROR',
    (box) => box.call('POST', '/addbankaccount', { accountNumber: '123456789', bankCode: '000013' }),
  ],
  [
    'banks.add',
    'the bank does not have this account',
    'VALIDATION_ERROR',
    (box) => box.call('POST', '/addbankaccount', { accountNumber: '0000000000', bankCode: '000013' }),
  ],
  [
    'transactions.onramp',
    'a field is missing or invalid, such as an amount of 0',
    'VALIDATION_ERROR',
    (box) => box.call('POST', '/cngnonramp', { userId: 'nobody', amount: 0 }),
  ],
  [
    'transactions.onramp',
    'the user is unknown or not verified',
    'USER_NOT_FOUND',
    (box) => box.call('POST', '/cngnonramp', { userId: 'nobody', amount: 1 }),
  ],
  [
    'transactions.onramp-status',
    'no onramp has this request id',
    'NOT_FOUND',
    (box) => box.call('POST', '/cngnonrampstatus', { requestId: 'nothing' }),
  ],
  [
    'transactions.offramp',
    'a field is missing or invalid, such as a bank code with letters',
    'VALIDATION_ERROR',
    (box) => offrampOf(box, 0, { amount: 1, bankCode: 'GTB' }),
  ],
  [
    'transactions.offramp',
    'the user is unknown or not verified',
    'USER_NOT_FOUND',
    (box) => box.call('POST', '/cngnofframp', { userId: 'nobody', amount: 1, ...toBank }),
  ],
  [
    'transactions.offramp',
    "none of the user's wallets has a balance",
    'NO_FUNDED_WALLET',
    (box) => offrampOf(box, 0, { amount: 1 }),
  ],
  [
    'transactions.offramp',
    "the user's total balance on all networks is below the amount",
    'INSUFFICIENT_BALANCE',
    (box) => offrampOf(box, 100, { amount: 101 }),
  ],
  [
    'transactions.offramp-status',
    'the request id is unknown',
    'NOT_FOUND',
    (box) => box.call('POST', '/cngnofframpstatus', { requestId: 'nothing' }),
  ],
  [
    'users.onboard',
    'the BVN is missing or not exactly 11 digits',
    'VALIDATION_ERROR',
    (box) => box.call('POST', '/onboarduser', {}),
  ],
  [
    'users.onboard',
    'the BVN already belongs to a user',
    'VALIDATION_ERROR',
    async (box) => {
      await onboardUser(box, '22222222222');
      return box.call('POST', '/onboarduser', { bvn: '22222222222' });
    },
  ],
  [
    'users.onboard',
    'the identity provider cannot verify the BVN or cannot be reached',
    'INTERNAL_ERROR',
    (box) => box.call('POST', '/onboarduser', { bvn: '00000000001' }),
  ],
  [
    'users.onboard-status',
    'the request id is unknown',
    'NOT_FOUND',
    (box) => box.call('POST', '/onboardstatus', { requestId: 'nothing' }),
  ],
  [
    'users.get-details',
    'the user is unknown or not verified',
    'NOT_FOUND',
    (box) => box.call('POST', '/getuserdetails', { userId: 'nobody' }),
  ],
  [
    'users.list',
    'the limit, status or sort value is invalid',
    'VALIDATION_ERROR',
    (box) => box.call('POST', '/listfintechusers', { limit: 101 }),
  ],
  [
    'virtual-accounts.get',
    'the request id has no bank account',
    'NOT_FOUND',
    (box) => box.call('POST', '/getvirtualaccount', { requestId: 'nothing' }),
  ],
  [
    'virtual-accounts.get',
    'the bank account is older than 30 minutes',
    'VALIDATION_ERROR',
    async (box) => {
      const { userId } = await onboardUser(box);
      const { requestId } = await box.ask(startOnramp, { userId, amount: 1 });
      await pass(box, 30 * 60_000);
      return box.call('POST', '/getvirtualaccount', { requestId });
    },
  ],
  [
    'wallets.list-user',
    'the user is unknown or not verified',
    'NOT_FOUND',
    (box) => box.call('POST', '/listuserwallets', { userId: 'nobody' }),
  ],
  ['wallets.balance-user', 'the user is unknown', 'NOT_FOUND', (box) => box.call('GET', '/balance/user/nobody')],
];

/** Requests with more than one problem, and which is reported first. */
const precedence: readonly Precedence[] = [
  [
    'a wrong key before a wrong field',
    (box) => box.call('POST', '/onboarduser', { bvn: 'x' }, 'sandbox_wrong'),
    'AUTHENTICATION_FAILED',
    /the API key is unknown/,
  ],
  [
    'a wrong field before an unknown user',
    (box) => box.call('POST', '/cngnonramp', { userId: 'nobody', amount: -1 }),
    'VALIDATION_ERROR',
    /^amount: expected/,
  ],
  [
    'an owner with sweep before an unknown user',
    (box) =>
      box.call('POST', '/cngnonramp', {
        userId: 'nobody',
        amount: 1,
        owner: `0x${'11'.repeat(20)}`,
        sweepToOfframp: true,
      }),
    'VALIDATION_ERROR',
    /^owner/,
  ],
  [
    'an inactive user',
    async (box) => {
      const { userId } = await onboardUser(box);
      await deactivate(box, userId);
      return box.call('POST', '/cngnonramp', { userId, amount: 1 });
    },
    'VALIDATION_ERROR',
    /inactive/,
  ],
  [
    'a wrong ticker before an unknown user',
    (box) => box.call('POST', '/cngnofframp', { userId: 'nobody', amount: 1, ...toBank, ticker: 'USDC' }),
    'VALIDATION_ERROR',
    /^ticker/,
  ],
  [
    'a fintech without a bank account before an unknown user',
    async (box) => {
      await box.inside(({ store }) => store.run('DELETE FROM bank_account'));
      return box.call('POST', '/cngnofframp', { userId: 'nobody', amount: 1, ...toBank });
    },
    'VALIDATION_ERROR',
    /needs a verified bank account/,
  ],
  [
    'an unknown user before an unknown bank',
    (box) => box.call('POST', '/cngnofframp', { userId: 'nobody', amount: 1, ...toBank, bankCode: '999999' }),
    'USER_NOT_FOUND',
    /no verified user/,
  ],
  [
    'an inactive user before an unknown bank',
    async (box) => {
      const { userId } = await onboardUser(box);
      await deactivate(box, userId);
      return box.call('POST', '/cngnofframp', { userId, amount: 1, ...toBank, bankCode: '999999' });
    },
    'VALIDATION_ERROR',
    /inactive/,
  ],
  [
    'an unknown bank before an empty wallet',
    (box) => offrampOf(box, 0, { amount: 1, bankCode: '999999' }),
    'VALIDATION_ERROR',
    /^bankCode: /,
  ],
  [
    'an account without a name before an empty wallet',
    (box) => offrampOf(box, 0, { amount: 1, accountNumber: '0000000000' }),
    'VALIDATION_ERROR',
    /^accountNumber: /,
  ],
  [
    'a BVN that is already in use before an unavailable provider',
    async (box) => {
      await onboardUser(box, '33333333333');
      return box.call('POST', '/onboarduser', { bvn: '33333333333' });
    },
    'VALIDATION_ERROR',
    /belongs to a user/,
  ],
  [
    'an unknown network',
    (box) => box.call('GET', '/balance/multi?networks=base,moon'),
    'VALIDATION_ERROR',
    /^networks/,
  ],
];

/** Rows that no input fills, and why. The test fails if one is filled after all. */
const unproduced: GroupRows['unproduced'] = {
  'virtual-accounts.get': {
    'virtualAccount.feePercentage': OLDER,
  },
  'wallets.balance-multi': { 'networkBalances[].error': NO_CHAIN },
  'wallets.balance-user': { 'networkBalances[].error': NO_CHAIN },
  'wallets.get-fintech': {
    'smartWallet.previousAddress': NEVER_MOVED,
    'smartWallet.deploymentTxHash': NEVER_MOVED,
  },
  'wallets.list-user': {
    'wallets[].balances.cngn': EVM_ONLY,
    'wallets[].balances.tokenBuy': EVM_ONLY,
  },
};

/** Enum rows with values that the sandbox never produces, and why. All other enums are covered completely. */
const unreached: GroupRows['unreached'] = {
  // Each control is called once.
  'sandbox.status pace': ['instant', 'real'],
  'sandbox.status rateLimits': ['on'],
  'sandbox.seed pace': ['instant', 'quick'],
  'sandbox.seed rateLimits': ['off'],
};

async function walkUsers(box: TestSandbox, ask: Ask) {
  const { requestId, userHash } = await ask(onboard, { bvn: '22222222222' });
  await ask(onboardStatus, { requestId });
  const failing = await ask(onboard, { bvn: '00000000000' });
  await settle(box);
  await ask(onboardStatus, { requestId });
  await ask(onboardStatus, { requestId: failing.requestId });
  const { virtualAccounts } = await ask(getDetails, { userId: userHash });
  await ask(getDetails, { userId: userHash, bvn: '22222222222' });
  await ask(listUsers, {});
  return { userId: userHash, account: virtualAccounts[0] };
}

async function walkOnramp(box: TestSandbox, ask: Ask, request: RequestOf<typeof startOnramp>) {
  const { requestId } = await ask(startOnramp, request);
  await ask(onrampStatus, { requestId });
  await pass(box, 150);
  const { virtualAccount } = await ask(getVirtualAccount, { requestId });
  await ask(onrampStatus, { requestId });
  const { accountNumber, totalAmountWithFee } = virtualAccount;
  await ask(sandboxPay, { accountNumber, amount: totalAmountWithFee as number, senderName: 'ANY PAYER' });
  await ask(sandboxPay, { accountNumber, amount: totalAmountWithFee as number, senderName: 'ANY PAYER' });
  await ask(onrampStatus, { requestId });
  await pass(box, 300);
  await ask(onrampStatus, { requestId });
  await settle(box);
  await ask(onrampStatus, { requestId });
  await ask(getVirtualAccount, { requestId });
}

async function walkOfframp(box: TestSandbox, ask: Ask, userId: string, accountNumber: string) {
  const request = { userId, amount: 300.5, accountNumber, bankCode: '058', ticker: 'cngn' };
  const { requestId } = await ask(startOfframp, request);
  await ask(offrampStatus, { requestId });
  await settle(box);
  await ask(offrampStatus, { requestId });
}

/** Reads an offramp in each of its states, one minute apart. */
async function walkShownOfframp(box: TestSandbox, ask: Ask, userId: string) {
  const request = { userId, amount: 300.5, accountNumber: '0000000011', bankCode: '058', ticker: 'CNGN' };
  const { requestId } = await ask(startOfframp, request);
  for (let minute = 0; minute <= 6; minute++) {
    await ask(offrampStatus, { requestId });
    await pass(box, 60_000);
  }
}

async function walkRest(ask: Ask, userId: string) {
  await ask(listBanks, {});
  await ask(addBankAccount, { accountNumber: '1234567890', bankCode: '000015', label: 'second', isDefault: true });
  await ask(listBankAccounts, {});
  await ask(getFintechWallet, {});
  await ask(listUserWallets, { userId });
  for (const token of TOKENS) {
    await ask(balanceMulti, { token });
    await ask(balanceUser, { userId, token });
  }
  await ask(getFees, {});
  await ask(accumulatedFees, {});
}

async function walkControls(ask: Ask) {
  await ask(sandboxStatus, { values: true });
  await ask(sandboxClock, {});
  await ask(sandboxAdvance, { durationMs: 1 });
  await ask(sandboxSeed, { users: 2, pace: 'real', rateLimits: true });
  await ask(sandboxReset, { pace: 'instant' });
}

async function walk(box: TestSandbox, ask: Ask) {
  const { userId } = await walkUsers(box, ask);
  await walkOnramp(box, ask, { userId, amount: 1234.56 });
  await walkOnramp(box, ask, { userId, amount: 100_000, sweepToOfframp: true });
  await walkOnramp(box, ask, { userId, amount: 1, owner: `0x${'AB'.repeat(20)}` });
  await walkOnramp(box, ask, { userId, amount: 1901 });
  const unpaid = await ask(startOnramp, { userId, amount: 5 });
  await walkOfframp(box, ask, userId, '0123456789');
  await walkOfframp(box, ask, userId, '0000000009');
  await walkOfframp(box, ask, userId, '0000000012');
  await walkShownOfframp(box, ask, userId);
  await ask(sandboxAdvance, { durationMs: 31 * 60_000 });
  await ask(onrampStatus, { requestId: unpaid.requestId });
  await walkRest(ask, userId);
  await walkControls(ask);
}

export const rows: GroupRows = { declared, precedence, walk, unproduced, unreached };
