import type * as z from 'zod/mini';
import * as f from './fields.ts';
import { type OnUncertain, readUnits } from './reading/units.ts';
import type { Fields } from './reading/values.ts';

// Source: public, unless a field says otherwise.

const words = (personal?: f.PersonalKind) => f.anyText('public', personal && { personal });
const digits = () => f.accountDigits('public');
const at = () => f.timestamp('public');
const whole = () => f.integer('public');
const one = <const V extends string>(value: V) => f.oneOf('public', [value]);
const inNaira = () => f.money('public', 'naira', 'NGN');
const nairaText = () => f.moneyText('public', 'naira', 'NGN');
const cngnText = () => f.moneyText('public', 'token', 'CNGN');
const anyObject = () => f.group('public', {});
const error = () => f.group('public', { code: words(), message: words('text') });

const depositReceived = () =>
  f.payload({
    depositId: words(),
    virtualAccount: f.group('public', { accountNumber: digits(), accountName: words('name') }),
    deposit: f.group('public', { amount: inNaira(), currency: one('NGN'), reference: words('reference') }),
    depositor: f.group('public', {
      name: words('name'),
      accountNumber: digits(),
      bankName: words(),
      bankCode: words(),
    }),
    metadata: f.group('public', { provider: words(), receivedAt: at() }),
  });

/** The sender of a deposit that has ended; `name` is `accountName` here. */
const sender = () =>
  f.group('public', {
    accountNumber: digits(),
    accountName: words('name'),
    bankCode: words(),
    bankName: words(),
  });

const swap = () => ({
  walletAddress: words('address'),
  owner: words('address'),
  sellToken: words(),
  buyToken: words(),
  amountIn: f.moneyText('public', 'token', { field: 'sellToken' }),
});

const userTransfer = () => ({
  smartWalletAddress: words('address'),
  destinationAddress: words('address'),
  amount: f.moneyText('public', 'token', { field: 'ticker' }),
  ticker: words(),
  tokenAddress: words('address'),
  network: words(),
});

const vaultPayout = () => ({
  payoutId: words(),
  vaultReturnId: words(),
  amount: nairaText(),
  recipientAccountNumber: digits(),
  recipientBankCode: words(),
});

const payee = () => ({ accountNumber: digits(), accountName: words('name'), bankName: words() });
const payer = () => f.group('public', { source: one('system_wallet'), address: words('address'), network: words() });
function burn<S extends z.ZodMiniType<string>>(status: S) {
  // The example is neither base units nor 18 decimals of the payout's amount.
  const cNgnAmount = f.money('public', 'base', 'CNGN', { isUnitUnclear: true, isNamedAfterAsset: true });
  return { txHash: words('hash'), status, cNgnAmount };
}

const bankPayout = <const V extends string>(status: V) =>
  f.group('public', { reference: words('reference'), provider: words(), status: one(status) });

const offramp = <const V extends string>(status: V) => ({
  amount: inNaira(),
  currency: one('NGN'),
  status: one(status),
});

/** Content that no public text describes. Source: inferred. */
const bridgeNotice = <const V extends string>(status: V) => ({
  callbackUrl: f.anyText('inferred', { personal: 'url' }),
  requestId: f.anyText('inferred'),
  transactionId: f.anyText('inferred'),
  reference: f.anyText('inferred', { personal: 'reference' }),
  token: f.anyText('inferred'),
  fromNetwork: f.anyText('inferred'),
  toNetwork: f.anyText('inferred'),
  amount: f.moneyText('inferred', 'decimal-string', 'CNGN'),
  status: f.oneOf('inferred', [status]),
});

/** The payload of each event, by name. */
export const EVENT_PAYLOADS = {
  'user.onboarded': () =>
    f.payload({ userId: f.anyText('inferred'), firstName: words('name'), lastName: words('name'), onboardedAt: at() }),
  'virtual.account.created': () =>
    f.payload({
      vaId: words(),
      accountNumber: digits(),
      bankName: words(),
      accountName: words('name'),
      createdAt: at(),
    }),
  'payments.confirmed': () =>
    f.payload({
      txRef: words('reference'),
      reference: words('reference'),
      amount: inNaira(),
      currency: one('NGN'),
      status: one('confirmed'),
      confirmedAt: at(),
      paymentTimestamp: at(),
      metadata: f.group('public', { vaId: words(), provider: words(), walletAddress: words('address') }),
    }),
  'fintech.virtual_account.deposit.received': depositReceived,
  'fintech.user.deposit.received': depositReceived,
  'fintech.user.deposit.funding.completed': () =>
    f.payload({
      depositId: words(),
      amount: nairaText(),
      currency: one('NGN'),
      transactionReference: words('reference'),
      smartWalletAddress: f.anyText('interface', { personal: 'address' }),
      transactionHash: words('hash'),
      depositor: sender(),
      bvnVerified: f.flag('public'),
      completedAt: at(),
    }),
  'fintech.user.deposit.funding.refunded': () =>
    f.payload({
      depositId: words(),
      amount: inNaira(),
      currency: one('NGN'),
      transactionReference: words('reference'),
      refundReference: words('reference'),
      refundReason: one('bvn_name_mismatch'),
      accountType: words(),
      depositor: sender(),
      bvnVerification: f.group('public', {
        isMatch: f.flag('public'),
        confidenceScore: f.number('public'),
        rejectionReasons: f.list('public', words('text')),
      }),
      refundedAt: at(),
      metadata: anyObject(),
    }),
  'wallet.funding.completed': () =>
    f.payload({
      walletAddress: words('address'),
      amount: cngnText(),
      transactionHash: words('hash'),
      completedAt: at(),
    }),
  'swap.completed': () =>
    f.payload({
      ...swap(),
      amountOut: f.moneyText('public', 'token', { field: 'buyToken' }),
      swapTxHash: words('hash'),
      transferTxHash: words('hash'),
      completedAt: at(),
      smartWalletContext: f.group('public', {
        smartWalletAddress: words('address'),
        managedWalletAddress: words('address'),
      }),
      swapMetrics: f.group('public', {
        executionTime: whole(),
        gasUsed: words(),
        slippage: f.anyText('public', { unit: 'percent', rule: 'the slippage that was accepted, in percent' }),
      }),
    }),
  'swap.failed': () =>
    f.payload({
      ...swap(),
      failedAt: at(),
      error: error(),
      retryable: f.flag('public'),
      metadata: f.group('public', { attemptNumber: whole(), pool: f.orNull(words()) }),
    }),
  'fintech.asset.transfer.completed': () =>
    f.payload({
      smartWalletAddress: words('address'),
      destinationAddress: words('address'),
      destinationLabel: f.orNull(words('text')),
      amount: f.moneyText('public', 'token', { field: 'ticker' }),
      ticker: words(),
      tokenAddress: words('address'),
      transactionHash: words('hash'),
      blockNumber: whole(),
      gasUsed: words(),
      commitmentsSafeguarded: f.group('public', {
        activeOrders: whole(),
        activeEscrows: whole(),
        totalCommitted: f.moneyText('public', 'base', { field: 'ticker' }),
        remainingBalance: f.moneyText('public', 'base', { field: 'ticker' }),
      }),
      note: f.orNull(words('text')),
      completedAt: at(),
    }),
  'fintech.asset.transfer.failed': () => f.payload({ error: words('text'), failedAt: at() }),
  'fintech.user.asset.transfer.completed': () =>
    f.payload({
      ...userTransfer(),
      transactionHash: words('hash'),
      blockNumber: words(),
      gasUsed: words(),
      completedAt: at(),
    }),
  'fintech.user.asset.transfer.failed': () => f.payload({ ...userTransfer(), error: words('text'), failedAt: at() }),
  'vault.return.transfer.confirmed': () =>
    f.payload({
      transferId: words(),
      vaultReturnId: words(),
      amount: cngnText(),
      tokenAddress: words('address'),
      transactionHash: words('hash'),
      confirmedAt: at(),
      blockNumber: whole(),
      metadata: anyObject(),
    }),
  'vault.return.payout.completed': () =>
    f.payload({ ...vaultPayout(), transactionReference: words('reference'), completedAt: at(), metadata: anyObject() }),
  'vault.return.payout.failed': () =>
    f.payload({ ...vaultPayout(), failedAt: at(), error: error(), retryable: f.flag('public'), metadata: anyObject() }),
  'fintech.offramp.initiated': () =>
    f.payload({
      ...offramp('pending'),
      bankAccount: f.group('public', payee()),
      wallet: payer(),
      metadata: f.group('public', { description: words('text'), initiatedBy: words('name') }),
    }),
  'fintech.offramp.transfer.completed': () =>
    f.payload({
      ...offramp('initiating_payout'),
      burnDetails: f.group('public', { ...burn(one('confirmed')), blockNumber: whole(), confirmations: whole() }),
      metadata: f.group('public', { gasUsed: words(), transferredAt: at() }),
    }),
  'fintech.offramp.payout.initiated': () =>
    f.payload({
      ...offramp('payout_processing'),
      bankAccount: f.group('public', { ...payee(), bankCode: words() }),
      payoutDetails: bankPayout('processing'),
      metadata: f.group('public', { payoutInitiatedAt: at() }),
    }),
  'fintech.offramp.completed': () =>
    f.payload({
      ...offramp('completed'),
      bankAccount: f.group('public', payee()),
      wallet: payer(),
      burnDetails: f.group('public', burn(one('confirmed'))),
      payoutDetails: bankPayout('completed'),
      completedAt: at(),
      metadata: f.group('public', { processingTime: whole() }),
    }),
  'fintech.offramp.failed': () =>
    f.payload({
      ...offramp('failed'),
      bankAccount: f.group('public', payee()),
      wallet: payer(),
      // Absent when it failed before the transfer. Source: inferred.
      burnDetails: f.optional(f.group('public', burn(words()))),
      error: error(),
      timestamp: at(),
      metadata: f.group('public', { failedAt: at(), retryable: f.flag('public'), attemptNumber: whole() }),
    }),
  // Sent to the callbackUrl of a bridge request, never to the webhook; they cannot be subscribed to.
  'bridge.completed': () =>
    f.payload({
      ...bridgeNotice('completed'),
      actualAmount: f.moneyText('inferred', 'decimal-string', 'CNGN'),
      txHash: f.anyText('inferred', { personal: 'hash' }),
      completedAt: f.timestamp('inferred'),
    }),
  'bridge.failed': () =>
    f.payload({
      ...bridgeNotice('failed'),
      reason: f.anyText('inferred', { personal: 'text' }),
      failedAt: f.timestamp('inferred'),
    }),
} as const;

/** Returns the data of an event with each figure that cannot be believed as an unknown one. `onUncertain` is told what is uncertain. */
export const readEventData = (name: EventName, data: Fields, onUncertain: OnUncertain = () => {}): Fields =>
  readUnits(EVENT_PAYLOADS[name](), data, onUncertain) as Fields;

/** Every event that the sandbox may record. */
export type EventName = keyof typeof EVENT_PAYLOADS;
export type EventPayload<N extends EventName> = z.infer<ReturnType<(typeof EVENT_PAYLOADS)[N]>>;

/** The events that a webhook can subscribe to. */
export type WebhookEvent = Exclude<EventName, 'bridge.completed' | 'bridge.failed'>;
