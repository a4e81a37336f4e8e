import type { EventKind } from './received.ts';

/** The state of an event: one word for what becomes of it. An event that no target wants has none. */
export const EVENT_STATES = {
  quarantined: 'waits for a person to decide, and is not forwarded',
  pending: 'waits to be forwarded to a target',
  dead: 'was given up for a target',
  forwarded: 'was taken by every target',
} as const;

export type EventState = keyof typeof EVENT_STATES;

/** Why an event is quarantined. The first reason that applies counts. */
export const QUARANTINE_REASONS = {
  encrypted: 'no key decrypts it',
  unreadable: 'its body is no event',
  foreign: 'it is about another account',
  unencrypted: 'it is not encrypted, and the profile requires encryption',
  late: 'it was sent more than 5 minutes before it arrived, and cannot be told from a copy',
  early: 'it was sent more than a minute after it arrived, by this machine’s clock, and cannot be told from a copy',
} as const;

export type QuarantineReason = keyof typeof QUARANTINE_REASONS;

/** What decides whether an event is quarantined, as far as it is known. */
interface Judged {
  readonly kind: EventKind;
  readonly fintechId: string | undefined;
  readonly isEncrypted: boolean;
  readonly isLate: boolean;
  readonly isEarly: boolean;
}

/** What the account says about its events. */
export interface Expected {
  /** The account’s own fintech id; undefined if it is not known. */
  readonly fintechId?: string | undefined;
  /** Whether its events must be encrypted. */
  readonly needsEncryption?: boolean | undefined;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether an event names another account. An id in another form may still be this account’s. */
const isForeign = (named: string | undefined, own: string | undefined) =>
  named !== undefined &&
  own !== undefined &&
  UUID.test(named) &&
  UUID.test(own) &&
  named.toLowerCase() !== own.toLowerCase();

/**
 * Returns why an event is quarantined; undefined if it goes on. `isNew` says whether its event id was never kept: then a late or early delivery is
 * surely no copy, however old its signature is.
 */
export function quarantineReasonOf(
  { kind, fintechId, isEncrypted, isLate, isEarly }: Judged,
  expected: Expected,
  isNew: boolean,
): QuarantineReason | undefined {
  if (kind === 'encrypted' || kind === 'unreadable') return kind;
  if (isForeign(fintechId, expected.fintechId)) return 'foreign';
  if (expected.needsEncryption && !isEncrypted) return 'unencrypted';
  if (!isLate && !isEarly) return undefined;
  return isNew ? undefined : isLate ? 'late' : 'early';
}
