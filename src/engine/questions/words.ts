import { isWireNumber, wireNumberText } from '../../money/decimal.ts';
import { valueAt } from '../../present/content.ts';
import { amountWords, isPlainAmount, type Plain, type PlainObject } from '../../present/plain.ts';
import { spanText } from '../../present/times.ts';
import type { Kind } from './kinds-of-work.ts';

/** What the service waits for or does, by kind and status, or by status. */
const GOES_ON: Readonly<Record<string, string>> = {
  'onramp requested': 'waits for its payment',
  'onramp pending': 'waits for its payment',
  'onramp processing': 'was paid, and the service mints the tokens',
  'onramp funded': 'its wallet was funded',
  'offramp pending': 'waits for the transfer of the tokens, and then for the bank',
  'payout pending': 'waits for the transfer of the tokens, and then for the bank',
  'trade pending': 'waits for the tokens of both sides to be exchanged',
  'deposit pending': 'waits for the bank to confirm it',
  'deposit processing': 'is being minted, or returned if the service does not accept it',
  'bridge transfer initiated': 'waits for the tokens to arrive',
  'bridge transfer pending': 'has the tokens, and releases them on the other network',
  'onboarding processing': 'waits for the BVN to be verified',
  pending_manual_review: 'waits for a manual review by the service',
  bank_verification: 'waits for the bank account to be verified',
  transfer_pending: 'waits for the transfer of the tokens',
  transferring_cngn: 'waits for the transfer of the tokens',
  transfer_confirmed: 'has the tokens, and waits for the bank to be asked',
  initiating_payout: 'has the tokens, and waits for the bank to be asked',
  payout_pending: 'waits for the bank to pay',
  payout_processing: 'waits for the bank to pay',
  swap_queued: 'waits for its tokens to be swapped',
  swap_processing: 'waits for its tokens to be swapped',
  locked: 'has its price, and waits for the signature',
  signing: 'waits for the signature',
  settling: 'waits for the network',
  processing: 'is being worked on by the service',
};

/** What a person has to do about it. */
const TO_DO: Readonly<Record<string, (id: string) => string>> = {
  'waits for its payment': (id) => `what to pay: fiatrail onramp account ${id}`,
  'waits for the tokens to arrive': () => 'send them to the address that is shown',
};

/** What reasons of the service mean; an empty text means none. */
const REASONS: Readonly<Record<string, string>> = {
  bvn_name_mismatch: 'the sender’s name is not the user’s',
  amount_mismatch: 'its amount is not the one that is due',
  already_paid: 'the account was paid before',
  expired: 'the account was not paid in time',
  ...{ used: '', active: '', created: '' },
};

/** The first of some fields that has a text or an amount, as people read it. */
export function textIn(row: PlainObject, fields: readonly string[]): string | undefined {
  for (const field of fields) {
    const value = valueAt(row as Plain, field.split('.'));
    if (isPlainAmount(value)) return amountWords(value);
    if (isWireNumber(value)) return wireNumberText(value);
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** The first of some fields that has an amount; null if none has. */
export function amountIn(row: PlainObject, fields: readonly string[]): Plain {
  const values = fields.map((field) => valueAt(row as Plain, field.split('.')));
  return values.find((value) => value !== undefined && value !== null) ?? null;
}

/** The service's reason in words; undefined if it gives none. */
export function reasonIn(row: PlainObject, fields: readonly string[]): string | undefined {
  const text = textIn(row, fields);
  return (text !== undefined && Object.hasOwn(REASONS, text) ? REASONS[text] : text) || undefined;
}

/** What is known of where something stands. Times are in milliseconds since the epoch. */
interface StatusAt {
  readonly kind: Kind;
  readonly id: string;
  readonly status: string | undefined;
  /** Since when it has this status; NaN if nothing says it. */
  readonly sinceMs: number;
  readonly nowMs: number;
  readonly reason: string | undefined;
}

/** Whether its status may still change by itself; undefined if it has none. */
export function goesOn({ ends }: Kind, status: string | undefined): boolean | undefined {
  if (!ends || status === undefined) return undefined;
  return ![...ends.done, ...ends.failed].includes(status);
}

/** Says what open work waits for: by the first of its statuses that says it. */
export function waitOf(kind: string, statuses: readonly (string | null)[]): string {
  const [found] = statuses.flatMap((status) => GOES_ON[`${kind} ${status}`] ?? GOES_ON[status ?? ''] ?? []);
  return found ?? 'waits for the service';
}

/** Says what a status means and what to do about it; undefined for things, which have none. */
export function meaningOf({ kind, id, status, sinceMs, nowMs, reason }: StatusAt): string | undefined {
  const isOpen = goesOn(kind, status);
  if (isOpen === undefined || status === undefined) return undefined;
  if (isOpen) {
    const what = waitOf(kind.name, [status]);
    const span = spanText(nowMs - sinceMs);
    const since = span === undefined ? '' : ` (for ${span})`;
    const todo = TO_DO[what]?.(id) ?? 'nothing to do';
    const follow = kind.isFollowed ? `; \`fiatrail ${kind.shows} ${id} --wait\` follows it` : '';
    return `${what}${since}; ${todo}${follow}`;
  }
  if (kind.ends?.done.includes(status)) return 'has completed';
  return [
    `${status === 'failed' ? 'has failed' : `has failed (${status})`}: ${reason ?? kind.usualReason ?? 'the service gives no reason'}`,
  ]
    .concat(kind.afterFailure ?? [])
    .join('; ');
}
