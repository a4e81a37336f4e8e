import type { Source } from './fields.ts';

/** One kind of event that a webhook can subscribe to. */
export interface EventKind {
  readonly name: string;
  /** Whether a user is behind it, whose id goes with it. */
  readonly scope: 'user' | 'fintech';
  readonly source: Source;
  readonly means: string;
  /** Public text has another name for it. */
  readonly otherName?: string;
}

/** Every event the service is known to deliver to a webhook. The interface calls its own list incomplete. */
export const EVENTS: readonly EventKind[] = [
  { name: 'user.onboarded', scope: 'user', source: 'interface', means: 'the onboarding of a user has finished' },
  {
    name: 'virtual.account.created',
    scope: 'user',
    source: 'public',
    means: 'a virtual account was made for a user',
  },
  {
    name: 'payments.confirmed',
    scope: 'user',
    source: 'public',
    means: 'a payment into a temporary virtual account was confirmed',
  },
  {
    name: 'fintech.virtual_account.deposit.received',
    scope: 'fintech',
    source: 'interface',
    means: "money arrived on the fintech's permanent account",
  },
  {
    name: 'fintech.user.deposit.received',
    scope: 'user',
    source: 'interface',
    means: "money arrived on a user's permanent account; minting has not begun",
  },
  {
    name: 'fintech.user.deposit.funding.completed',
    scope: 'user',
    source: 'interface',
    means: 'a user deposit was turned into cNGN and delivered',
  },
  {
    name: 'fintech.user.deposit.funding.refunded',
    otherName: 'fintech.user.deposit.refunded',
    scope: 'user',
    source: 'interface',
    means: 'a user deposit was sent back, since the name is not that of the BVN',
  },
  {
    name: 'wallet.funding.completed',
    scope: 'user',
    source: 'public',
    means: 'cNGN was minted to a wallet after a payment into a temporary account',
  },
  { name: 'swap.completed', scope: 'user', source: 'public', means: 'a swap has succeeded' },
  { name: 'swap.failed', scope: 'user', source: 'public', means: 'a swap has failed' },
  {
    name: 'fintech.asset.transfer.completed',
    scope: 'fintech',
    source: 'public',
    means: 'a transfer to a registered external wallet has succeeded',
  },
  {
    name: 'fintech.asset.transfer.failed',
    scope: 'fintech',
    source: 'public',
    means: 'a transfer to a registered external wallet has failed',
  },
  {
    name: 'fintech.user.asset.transfer.completed',
    scope: 'user',
    source: 'public',
    means: "a withdrawal from a user's wallet has succeeded",
  },
  {
    name: 'fintech.user.asset.transfer.failed',
    scope: 'user',
    source: 'public',
    means: "a withdrawal from a user's wallet has failed",
  },
  {
    name: 'vault.return.transfer.confirmed',
    scope: 'user',
    source: 'interface',
    means: 'the cNGN of a user offramp has moved; the first event of it',
  },
  {
    name: 'vault.return.payout.completed',
    scope: 'user',
    source: 'interface',
    means: 'the bank payout of a user offramp has settled',
  },
  {
    name: 'vault.return.payout.failed',
    scope: 'user',
    source: 'public',
    means: 'the bank payout of a user offramp has failed',
  },
  { name: 'fintech.offramp.initiated', scope: 'fintech', source: 'public', means: 'a fintech offramp was asked for' },
  {
    name: 'fintech.offramp.transfer.completed',
    scope: 'fintech',
    source: 'public',
    means: 'the cNGN of a fintech offramp has moved; the payout has not begun',
  },
  {
    name: 'fintech.offramp.payout.initiated',
    scope: 'fintech',
    source: 'public',
    means: 'the payout of a fintech offramp was handed to the bank',
  },
  { name: 'fintech.offramp.completed', scope: 'fintech', source: 'public', means: 'a fintech offramp is finished' },
  { name: 'fintech.offramp.failed', scope: 'fintech', source: 'public', means: 'a fintech offramp has failed' },
];

/** The subscription to every event, alone in its list. Source: interface. */
export const ALL_EVENTS = 'all';

/** The event of this name or of its other name. */
export function eventOf(name: string): EventKind | undefined {
  return EVENTS.find((event) => event.name === name || event.otherName === name);
}
