import type { WebhookEvent } from '../contract/event-payloads.ts';

/** Names of events of which any one would do. */
export type EventNames = readonly WebhookEvent[];

/** What a list says of work, as far as it decides which events it should have caused. */
export interface NotedRow {
  readonly status: string;
  /** The user's permanent bank account, or the account that a deposit was paid into. */
  readonly accountNumber?: string | null | undefined;
  /** Whether the cNGN of an offramp or a payout reached the vault. */
  readonly isTransferred?: boolean;
  /** Whether the sender of a deposit has the name of the account. */
  readonly isSentByOwner?: boolean;
}

/** The events that have come about some work. */
export interface EventsCome {
  has(name: WebhookEvent): boolean;
  /** The account that a deposit was paid into; undefined if nothing says which it was. */
  readonly account: 'temporary' | 'permanent' | undefined;
  /** Whether the account may have been created before the period. */
  readonly isOldAccount: boolean;
}

/** The events that work should have caused; of each list, any one would do. */
export type Due = (row: NotedRow, come: EventsCome) => readonly (EventNames | false)[];
