import { addExternalWallet, setExternalWalletStatus } from '../../../../src/contract/endpoints/external-wallets.ts';
import { payoutStatus, startPayout } from '../../../../src/contract/endpoints/payouts.ts';
import { recoverRequest, recoverRequestByPost } from '../../../../src/contract/endpoints/recovery.ts';
import { transferToWallet } from '../../../../src/contract/endpoints/transfers.ts';
import { getFintechAccount } from '../../../../src/contract/endpoints/virtual-accounts.ts';
import { withdrawAsset } from '../../../../src/contract/endpoints/withdrawals.ts';
import type { Reply, TestSandbox } from '../../../support/sandbox.ts';
import { deactivate, fund, onboardUser, pass, settle } from '../../steps.ts';
import { addAccount, managedAddress, seededAccount } from '../../transfers/steps.ts';
import type { Ask, Declared, GroupRows, Precedence } from './group.ts';

const ADDRESS = `0x${'AB'.repeat(20)}`;
const OWNER = `0x${'0e'.repeat(20)}`;
const MILLION_CNGN = 1_000_000_000_000;

async function payoutOf(box: TestSandbox, amount: number): Promise<Reply> {
  return box.call('POST', '/initiateofframp', { amount, bankAccountId: await seededAccount(box) });
}

/** Withdraws from the managed wallet of a new user with 100 cNGN. */
async function withdrawalOf(box: TestSandbox, request: object): Promise<Reply> {
  const user = await onboardUser(box);
  await fund(box, user, 100, { sweepToOfframp: true });
  return box.call('POST', '/withdrawasset', {
    userId: user.userId,
    internalWallet: await managedAddress(box, user.userId),
    destinationWallet: ADDRESS,
    amount: 1,
    ticker: 'CNGN',
    ...request,
  });
}

async function transferOf(box: TestSandbox, amount: number, more: object = {}): Promise<Reply> {
  await box.ask(addExternalWallet, { address: ADDRESS, blockchain: 'base', type: 'hot' });
  return box.call('POST', '/fintechtransfer', { destinationAddress: ADDRESS, amount, ...more });
}

const declared: readonly Declared[] = [
  ['transactions.fintech-offramp', 'the amount is not greater than 0', 'VALIDATION_ERROR', (box) => payoutOf(box, 0)],
  [
    'transactions.fintech-offramp',
    'no payout account has this id',
    'BANK_ACCOUNT_NOT_FOUND',
    (box) => box.call('POST', '/initiateofframp', { amount: 10_000, bankAccountId: 'nothing' }),
  ],
  [
    'transactions.fintech-offramp',
    'the cNGN balance of the account wallet is too low',
    'SHORT_BALANCE',
    (box) => payoutOf(box, 6 * MILLION_CNGN),
  ],
  [
    'transactions.fintech-offramp-status',
    'the request id is unknown',
    'NOT_FOUND',
    (box) => box.call('GET', '/getofframpstatus?requestId=nothing'),
  ],
  [
    'transactions.withdraw-asset',
    'a field is missing or invalid, such as an amount of 0',
    'VALIDATION_ERROR',
    (box) => withdrawalOf(box, { amount: 0 }),
  ],
  [
    'transactions.withdraw-asset',
    'the user is unknown or not verified',
    'USER_NOT_FOUND',
    (box) => withdrawalOf(box, { userId: 'nobody' }),
  ],
  [
    'transactions.withdraw-asset',
    'the balance of the source wallet is too low',
    'SHORT_BALANCE',
    (box) => withdrawalOf(box, { amount: 100.000001 }),
  ],
  [
    'transactions.fintech-transfer',
    'the destination is not a registered external wallet',
    'VALIDATION_ERROR',
    (box) => box.call('POST', '/fintechtransfer', { destinationAddress: ADDRESS, amount: 1 }),
  ],
  [
    'transactions.fintech-transfer',
    'the balance not reserved by orders and escrows is too low',
    'SHORT_BALANCE',
    (box) => transferOf(box, 5 * MILLION_CNGN + 1),
  ],
  [
    'transactions.recover-status',
    'the request id is unknown',
    'NOT_FOUND',
    (box) => box.call('GET', '/manualstatusrecovery?requestId=nothing'),
  ],
  [
    'transactions.recover-status-post',
    'the request id is unknown',
    'NOT_FOUND',
    (box) => box.call('POST', '/manualstatusrecovery', { requestId: 'nothing' }),
  ],
];

const precedence: readonly Precedence[] = [
  [
    'a fraction of a kobo before an unknown payout account',
    (box) => box.call('POST', '/initiateofframp', { amount: 10_001, bankAccountId: 'nothing' }),
    'VALIDATION_ERROR',
    /^amount: .*whole kobo/,
  ],
  [
    'an unknown payout account before an insufficient balance',
    (box) => box.call('POST', '/initiateofframp', { amount: 6 * MILLION_CNGN, bankAccountId: 'nothing' }),
    'BANK_ACCOUNT_NOT_FOUND',
    /no payout account/,
  ],
  [
    'an address of another network before an unknown user',
    (box) => withdrawalOf(box, { userId: 'nobody', network: 'sol' }),
    'VALIDATION_ERROR',
    /^destinationWallet: .*Solana/,
  ],
  [
    'an unknown user before an unknown wallet',
    (box) => withdrawalOf(box, { userId: 'nobody', internalWallet: OWNER }),
    'USER_NOT_FOUND',
    /no verified user/,
  ],
  [
    'an inactive user before an unknown wallet',
    async (box) => {
      const { userId } = await onboardUser(box);
      await deactivate(box, userId);
      return withdrawalOf(box, { userId, internalWallet: OWNER });
    },
    'VALIDATION_ERROR',
    /inactive/,
  ],
  [
    'an unknown wallet before an insufficient balance',
    (box) => withdrawalOf(box, { internalWallet: OWNER, amount: 1000 }),
    'VALIDATION_ERROR',
    /^internalWallet: expected the address of a wallet of the user/,
  ],
  [
    'a wallet of another user',
    async (box) => {
      const { userId } = await onboardUser(box);
      return withdrawalOf(box, { userId });
    },
    'VALIDATION_ERROR',
    /^internalWallet: expected the address of a wallet of the user/,
  ],
  [
    'a wallet with a custom owner',
    async (box) => {
      const user = await onboardUser(box);
      const { walletAddress } = await fund(box, user, 50, { owner: OWNER });
      return withdrawalOf(box, { userId: user.userId, internalWallet: walletAddress });
    },
    'VALIDATION_ERROR',
    /cannot sign/,
  ],
  [
    'a withdrawal to its own source',
    (box) => withdrawalOf(box, { internalWallet: ADDRESS, destinationWallet: ADDRESS.toLowerCase() }),
    'VALIDATION_ERROR',
    /^destinationWallet/,
  ],
  [
    'an inactive destination before an insufficient balance',
    async (box) => {
      await box.ask(addExternalWallet, { address: ADDRESS, blockchain: 'base', type: 'hot' });
      await box.ask(setExternalWalletStatus, { address: ADDRESS, status: 'inactive' });
      return box.call('POST', '/fintechtransfer', { destinationAddress: ADDRESS, amount: 6 * MILLION_CNGN });
    },
    'VALIDATION_ERROR',
    /inactive/,
  ],
  [
    'an unknown request, by the older field name',
    (box) => box.call('GET', '/manualstatusrecovery?uuid=nothing'),
    'NOT_FOUND',
    /no request/,
  ],
];

/** Reads a payout in each of its states: four steps of 100 ms, then the bank. */
async function walkPayout(box: TestSandbox, ask: Ask) {
  const { requestId } = await ask(startPayout, { amount: 1_000_000_000, bankAccountId: await seededAccount(box) });
  await ask(payoutStatus, { requestId });
  for (let step = 0; step < 4; step++) {
    await pass(box, 100);
    await ask(payoutStatus, { requestId });
  }
  await settle(box);
  await ask(payoutStatus, { requestId });
  return requestId;
}

/** Reads a payout to a test account after its steps, and again 3 days later. */
async function walkPayoutTo(box: TestSandbox, ask: Ask, accountNumber: string) {
  const bankAccountId = await addAccount(box, accountNumber);
  const { requestId } = await ask(startPayout, { amount: 1_000_000_000, bankAccountId });
  await settle(box);
  await ask(payoutStatus, { requestId });
  await pass(box, 3 * 86_400_000);
  await ask(payoutStatus, { requestId });
}

/** Their payouts fail at the bank, are cancelled, fail during the transfer, are reversed, and are reviewed. */
const TEST_ACCOUNTS = ['0000000009', '0000000012', '0000000013', '0000000014', '0000000015'];

async function walk(box: TestSandbox, ask: Ask) {
  const requestId = await walkPayout(box, ask);
  for (const accountNumber of TEST_ACCOUNTS) await walkPayoutTo(box, ask, accountNumber);
  const user = await onboardUser(box);
  await fund(box, user, 100, { sweepToOfframp: true });
  const internalWallet = await managedAddress(box, user.userId);
  const from = { userId: user.userId, internalWallet, destinationWallet: ADDRESS };
  await ask(withdrawAsset, { ...from, amount: 10.5, ticker: 'CNGN' });
  await ask(withdrawAsset, { ...from, amount: 10.5, ticker: 'CNGN', network: 'eth' });
  await box.ask(addExternalWallet, { address: ADDRESS, blockchain: 'base', type: 'hot', label: 'treasury' });
  await ask(transferToWallet, { destinationAddress: ADDRESS, amount: 5_000_000, note: 'sweep' });
  await ask(recoverRequest, { requestId });
  await ask(recoverRequestByPost, { requestId });
  await ask(getFintechAccount, {});
}

export const rows: GroupRows = {
  declared,
  precedence,
  walk,
  unproduced: {},
  unreached: {},
};
