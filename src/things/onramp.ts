import { onrampStatus, startOnramp } from '../contract/endpoints/onramp.ts';
import { REFUSED_PAYMENTS } from './deposits.ts';
import { meaningIn } from './states.ts';
import { amount, ended, failing, fee, good, text, thing, time, waits } from './thing.ts';

const SWAP = waits('waits for its tokens to be swapped');

interface Shown {
  readonly status?: string | null | undefined;
  readonly wallet?: { readonly virtualAccountStatus?: string | null | undefined } | null | undefined;
}

const TO_PAY = waits('waits for its payment', 'what to pay: fiatrail onramp account ID');

/** Naira that becomes cNGN once it is paid. No list has it: its payment is a deposit. */
export const onramp = thing({
  name: 'onramp',
  isSpecial: true,
  of: 'user',
  starts: [startOnramp],
  // The specification describes the address as another value of requestId, public documentation as a field of its own.
  read: { endpoint: onrampStatus, id: 'requestId', wallet: 'walletAddress' },
  states: {
    requested: TO_PAY,
    pending: TO_PAY,
    processing: waits('was paid, and the service mints the tokens'),
    funded: waits('its wallet was funded'),
    swap_queued: SWAP,
    swap_processing: SWAP,
    completed: good,
    ...failing(onrampStatus),
  },
  amount: ['wallet.virtualAccountDetails.amount', 'amount', 'wallet.amount'],
  who: ['wallet.virtualAccountDetails.accountName'],
  facts: [
    amount('Amount', ['amount', 'wallet.amount'], { isConverted: true }),
    amount('To pay', 'feeBreakdown.totalAmount'),
    fee('Fee', 'feeBreakdown.totalFee'),
    text('Account to pay', ['wallet.virtualAccountDetails.accountNumber', 'accountNumber']),
    text('Bank', ['wallet.virtualAccountDetails.bankName', 'bankName']),
    text('Account name', ['wallet.virtualAccountDetails.accountName', 'accountName']),
    text('Account status', 'wallet.virtualAccountStatus'),
    text('Asset', ['finalAsset', 'wallet.tokenBuy', 'metadata.tokenBuy']),
    text('Quote', 'fxQuote'),
    text('Wallet', ['walletAddress', 'wallet.walletAddress'], { isOwner: true }),
    text('Owner', 'wallet.owner'),
    text('Swapped', 'swapCompleted'),
    text('Tx hash', ['txHash', 'wallet.transactionHash']),
    time('Started', ['wallet.createdAt', 'createdAt']),
    time('Paid', 'wallet.fundingRequestedAt'),
    time('Funded', 'wallet.fundedAt'),
    ended('Completed', 'completedAt'),
  ],
  reason: ['wallet.virtualAccountStatus'],
  reasons: {
    ...REFUSED_PAYMENTS,
    used: '',
    active: '',
    created: '',
  },
  links: ['walletAddress', 'wallet.virtualAccountDetails.accountNumber', 'accountNumber'],
  lists: 'onramp list',
  shows: 'onramp status',
  whileOpen: ['onramp account ID'],
  events: { 'payments.confirmed': { outcome: 'accepted' }, 'wallet.funding.completed': { outcome: 'settled' } },
});

/** Whether its payment may still be missing, by its state. */
export const waitsForPayment = ({ status }: Shown): boolean =>
  status != null && meaningIn(onramp.states ?? {}, status) === TO_PAY;

/** Whether its account was paid or not paid in time, and so takes no other payment. Source: inferred. */
export const isAccountClosed = ({ wallet }: Shown): boolean =>
  ['used', 'expired'].includes(wallet?.virtualAccountStatus ?? '');
