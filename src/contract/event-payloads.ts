import type * as z from 'zod/mini';
import {
  anyText,
  flag,
  group,
  integer,
  list,
  money,
  moneyText,
  number,
  oneOf,
  optional,
  orNull,
  payload,
  percentFigure,
  timestamp,
} from './fields.ts';

// Source: public, unless a field says otherwise.

const words = () => anyText('public');
const at = () => timestamp('public');
const whole = () => integer('public');
const one = <const V extends string>(value: V) => oneOf('public', [value]);
const inNaira = () => money('public', 'naira', 'NGN');
const nairaText = () => moneyText('public', 'naira', 'NGN');
const cngnText = () => moneyText('public', 'token', 'CNGN');
const anyObject = () => group('public', {});
const error = () => group('public', { code: words(), message: words() });

const depositReceived = () =>
  payload({
    depositId: words(),
    virtualAccount: group('public', { accountNumber: words(), accountName: words() }),
    deposit: group('public', { amount: inNaira(), currency: one('NGN'), reference: words() }),
    depositor: group('public', { name: words(), accountNumber: words(), bankName: words(), bankCode: words() }),
    metadata: group('public', { provider: words(), receivedAt: at() }),
  });

/** The sender of a deposit that has ended; `name` is `accountName` here. */
const sender = () =>
  group('public', { accountNumber: words(), accountName: words(), bankCode: words(), bankName: words() });

const swap = () => ({
  walletAddress: words(),
  owner: words(),
  sellToken: words(),
  buyToken: words(),
  amountIn: moneyText('public', 'token', { field: 'sellToken' }),
});

const userTransfer = () => ({
  smartWalletAddress: words(),
  destinationAddress: words(),
  amount: moneyText('public', 'token', { field: 'ticker' }),
  ticker: words(),
  tokenAddress: words(),
  network: words(),
});

const vaultPayout = () => ({
  payoutId: words(),
  vaultReturnId: words(),
  amount: nairaText(),
  recipientAccountNumber: words(),
  recipientBankCode: words(),
});

const payee = () => ({ accountNumber: words(), accountName: words(), bankName: words() });
const payer = () => group('public', { source: one('system_wallet'), address: words(), network: words() });
function burn<S extends z.ZodMiniType<string>>(status: S) {
  return { txHash: words(), status, cNgnAmount: money('public', 'base', 'CNGN') };
}

const bankPayout = <const V extends string>(status: V) =>
  group('public', { reference: words(), provider: words(), status: one(status) });

const offramp = <const V extends string>(status: V) => ({
  amount: inNaira(),
  currency: one('NGN'),
  status: one(status),
});

/** Content that no public text describes. Source: inferred. */
const bridgeNotice = <const V extends string>(status: V) => ({
  callbackUrl: anyText('inferred'),
  requestId: anyText('inferred'),
  transactionId: anyText('inferred'),
  reference: anyText('inferred'),
  token: anyText('inferred'),
  fromNetwork: anyText('inferred'),
  toNetwork: anyText('inferred'),
  amount: moneyText('inferred', 'decimal-string', 'CNGN'),
  status: oneOf('inferred', [status]),
});

/** The payload of each event, by name. */
export const EVENT_PAYLOADS = {
  'user.onboarded': () =>
    payload({ userId: anyText('inferred'), firstName: words(), lastName: words(), onboardedAt: at() }),
  'virtual.account.created': () =>
    payload({ vaId: words(), accountNumber: words(), bankName: words(), accountName: words(), createdAt: at() }),
  'payments.confirmed': () =>
    payload({
      txRef: words(),
      reference: words(),
      amount: inNaira(),
      currency: one('NGN'),
      status: one('confirmed'),
      confirmedAt: at(),
      paymentTimestamp: at(),
      metadata: group('public', { vaId: words(), provider: words(), walletAddress: words() }),
    }),
  'fintech.virtual_account.deposit.received': depositReceived,
  'fintech.user.deposit.received': depositReceived,
  'fintech.user.deposit.funding.completed': () =>
    payload({
      depositId: words(),
      amount: nairaText(),
      currency: one('NGN'),
      transactionReference: words(),
      smartWalletAddress: anyText('interface'),
      transactionHash: words(),
      depositor: sender(),
      bvnVerified: flag('public'),
      completedAt: at(),
    }),
  'fintech.user.deposit.funding.refunded': () =>
    payload({
      depositId: words(),
      amount: inNaira(),
      currency: one('NGN'),
      transactionReference: words(),
      refundReference: words(),
      refundReason: one('bvn_name_mismatch'),
      accountType: words(),
      depositor: sender(),
      bvnVerification: group('public', {
        isMatch: flag('public'),
        confidenceScore: number('public'),
        rejectionReasons: list('public', words()),
      }),
      refundedAt: at(),
      metadata: anyObject(),
    }),
  'wallet.funding.completed': () =>
    payload({ walletAddress: words(), amount: cngnText(), transactionHash: words(), completedAt: at() }),
  'swap.completed': () =>
    payload({
      ...swap(),
      amountOut: moneyText('public', 'token', { field: 'buyToken' }),
      swapTxHash: words(),
      transferTxHash: words(),
      completedAt: at(),
      smartWalletContext: group('public', { smartWalletAddress: words(), managedWalletAddress: words() }),
      swapMetrics: group('public', {
        executionTime: whole(),
        gasUsed: words(),
        slippage: percentFigure('public', 'the slippage that was accepted, in percent'),
      }),
    }),
  'swap.failed': () =>
    payload({
      ...swap(),
      failedAt: at(),
      error: error(),
      retryable: flag('public'),
      metadata: group('public', { attemptNumber: whole(), pool: orNull(words()) }),
    }),
  'fintech.asset.transfer.completed': () =>
    payload({
      smartWalletAddress: words(),
      destinationAddress: words(),
      destinationLabel: orNull(words()),
      amount: moneyText('public', 'token', { field: 'ticker' }),
      ticker: words(),
      tokenAddress: words(),
      transactionHash: words(),
      blockNumber: whole(),
      gasUsed: words(),
      commitmentsSafeguarded: group('public', {
        activeOrders: whole(),
        activeEscrows: whole(),
        totalCommitted: moneyText('public', 'base', { field: 'ticker' }),
        remainingBalance: moneyText('public', 'base', { field: 'ticker' }),
      }),
      note: orNull(words()),
      completedAt: at(),
    }),
  'fintech.asset.transfer.failed': () => payload({ error: words(), failedAt: at() }),
  'fintech.user.asset.transfer.completed': () =>
    payload({ ...userTransfer(), transactionHash: words(), blockNumber: words(), gasUsed: words(), completedAt: at() }),
  'fintech.user.asset.transfer.failed': () => payload({ ...userTransfer(), error: words(), failedAt: at() }),
  'vault.return.transfer.confirmed': () =>
    payload({
      transferId: words(),
      vaultReturnId: words(),
      amount: cngnText(),
      tokenAddress: words(),
      transactionHash: words(),
      confirmedAt: at(),
      blockNumber: whole(),
      metadata: anyObject(),
    }),
  'vault.return.payout.completed': () =>
    payload({ ...vaultPayout(), transactionReference: words(), completedAt: at(), metadata: anyObject() }),
  'vault.return.payout.failed': () =>
    payload({ ...vaultPayout(), failedAt: at(), error: error(), retryable: flag('public'), metadata: anyObject() }),
  'fintech.offramp.initiated': () =>
    payload({
      ...offramp('pending'),
      bankAccount: group('public', payee()),
      wallet: payer(),
      metadata: group('public', { description: words(), initiatedBy: words() }),
    }),
  'fintech.offramp.transfer.completed': () =>
    payload({
      ...offramp('initiating_payout'),
      burnDetails: group('public', { ...burn(one('confirmed')), blockNumber: whole(), confirmations: whole() }),
      metadata: group('public', { gasUsed: words(), transferredAt: at() }),
    }),
  'fintech.offramp.payout.initiated': () =>
    payload({
      ...offramp('payout_processing'),
      bankAccount: group('public', { ...payee(), bankCode: words() }),
      payoutDetails: bankPayout('processing'),
      metadata: group('public', { payoutInitiatedAt: at() }),
    }),
  'fintech.offramp.completed': () =>
    payload({
      ...offramp('completed'),
      bankAccount: group('public', payee()),
      wallet: payer(),
      burnDetails: group('public', burn(one('confirmed'))),
      payoutDetails: bankPayout('completed'),
      completedAt: at(),
      metadata: group('public', { processingTime: whole() }),
    }),
  'fintech.offramp.failed': () =>
    payload({
      ...offramp('failed'),
      bankAccount: group('public', payee()),
      wallet: payer(),
      // Absent when it failed before the transfer. Source: inferred.
      burnDetails: optional(group('public', burn(words()))),
      error: error(),
      timestamp: at(),
      metadata: group('public', { failedAt: at(), retryable: flag('public'), attemptNumber: whole() }),
    }),
  // Sent to the callbackUrl of a bridge request, never to the webhook; they cannot be subscribed to.
  'bridge.completed': () =>
    payload({
      ...bridgeNotice('completed'),
      actualAmount: moneyText('inferred', 'decimal-string', 'CNGN'),
      txHash: anyText('inferred'),
      completedAt: timestamp('inferred'),
    }),
  'bridge.failed': () =>
    payload({ ...bridgeNotice('failed'), reason: anyText('inferred'), failedAt: timestamp('inferred') }),
} as const;

/** Every event that the sandbox may record. */
export type EventName = keyof typeof EVENT_PAYLOADS;
export type EventPayload<N extends EventName> = z.infer<ReturnType<(typeof EVENT_PAYLOADS)[N]>>;

/** The events that a webhook can subscribe to. */
export type WebhookEvent = Exclude<EventName, 'bridge.completed' | 'bridge.failed'>;
