import type { WebhookEvent } from './event-payloads.ts';
import type { Source } from './fields.ts';

/** A kind of event that a webhook can subscribe to. */
interface EventKind {
  readonly name: WebhookEvent;
  /** `user` events carry the id of a user. */
  readonly scope: 'user' | 'fintech';
  readonly source: Source;
  readonly means: string;
  /** The name that public documentation uses instead. */
  readonly otherName?: string;
}

/** Every event the service is known to deliver. The interface says that its own list is incomplete. */
export const EVENTS: readonly EventKind[] = [
  { name: 'user.onboarded', scope: 'user', source: 'interface', means: 'the onboarding of a user finished' },
  {
    name: 'virtual.account.created',
    scope: 'user',
    source: 'public',
    means: 'a virtual account was created for a user',
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
    means: "money arrived in the fintech's permanent account",
  },
  {
    name: 'fintech.user.deposit.received',
    scope: 'user',
    source: 'interface',
    means: "money arrived in a user's permanent account; cNGN is not minted yet",
  },
  {
    name: 'fintech.user.deposit.funding.completed',
    scope: 'user',
    source: 'interface',
    means: 'a user deposit was converted to cNGN and delivered',
  },
  {
    name: 'fintech.user.deposit.funding.refunded',
    otherName: 'fintech.user.deposit.refunded',
    scope: 'user',
    source: 'interface',
    means: "a user deposit was refunded because the sender's name does not match the BVN",
  },
  {
    name: 'wallet.funding.completed',
    scope: 'user',
    source: 'public',
    means: 'cNGN was minted to a wallet after a payment into a temporary account',
  },
  { name: 'swap.completed', scope: 'user', source: 'public', means: 'a swap completed' },
  { name: 'swap.failed', scope: 'user', source: 'public', means: 'a swap failed' },
  {
    name: 'fintech.asset.transfer.completed',
    scope: 'fintech',
    source: 'public',
    means: 'a transfer to a registered external wallet completed',
  },
  {
    name: 'fintech.asset.transfer.failed',
    scope: 'fintech',
    source: 'public',
    means: 'a transfer to a registered external wallet failed',
  },
  {
    name: 'fintech.user.asset.transfer.completed',
    scope: 'user',
    source: 'public',
    means: "a withdrawal from a user's wallet completed",
  },
  {
    name: 'fintech.user.asset.transfer.failed',
    scope: 'user',
    source: 'public',
    means: "a withdrawal from a user's wallet failed",
  },
  {
    name: 'vault.return.transfer.confirmed',
    scope: 'user',
    source: 'interface',
    means: "the cNGN of a user's offramp was transferred; the first event of an offramp",
  },
  {
    name: 'vault.return.payout.completed',
    scope: 'user',
    source: 'interface',
    means: "the bank payout of a user's offramp completed",
  },
  {
    name: 'vault.return.payout.failed',
    scope: 'user',
    source: 'public',
    means: "the bank payout of a user's offramp failed",
  },
  { name: 'fintech.offramp.initiated', scope: 'fintech', source: 'public', means: 'a fintech offramp was requested' },
  {
    name: 'fintech.offramp.transfer.completed',
    scope: 'fintech',
    source: 'public',
    means: 'the cNGN of a fintech offramp was transferred; the payout has not started',
  },
  {
    name: 'fintech.offramp.payout.initiated',
    scope: 'fintech',
    source: 'public',
    means: 'the payout of a fintech offramp was sent to the bank',
  },
  { name: 'fintech.offramp.completed', scope: 'fintech', source: 'public', means: 'a fintech offramp completed' },
  { name: 'fintech.offramp.failed', scope: 'fintech', source: 'public', means: 'a fintech offramp failed' },
];

/** Subscribes to every event; must be the only entry in the list. Source: interface. */
export const ALL_EVENTS = 'all';

/** Returns the event with this name or alternative name. */
export function eventOf(name: string): EventKind | undefined {
  return EVENTS.find((event) => event.name === name || event.otherName === name);
}
