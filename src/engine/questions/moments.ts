import type { Operation } from '../../journal/operations.ts';
import type { OperationState } from '../../journal/states.ts';
import { amount, isAsset } from '../../money/amount.ts';
import { scaledInteger } from '../../money/decimal.ts';
import { valueAt } from '../../present/fields.ts';
import { isPlainAmount, isPlainObject, type Plain } from '../../present/plain.ts';
import type { InboxEvent } from '../../webhooks/inbox/events.ts';
import type { Account } from '../account.ts';
import { wrongPaymentText } from '../operations/payments-in.ts';
import type { Found } from './in-mirror.ts';
import type { Kind } from './kinds.ts';
import { timeOf } from './look.ts';
import { reasonIn, textIn } from './words.ts';

type Row = Readonly<Record<string, Plain>>;

/** Something that happened. */
export interface Moment {
  /** ISO 8601 in UTC; null if nothing says when. */
  readonly at: string | null;
  readonly what: string;
  /** Who says so. */
  readonly source: 'journal' | 'service' | 'mirror' | 'inbox';
  /** Why it failed, if this says so. */
  readonly reason?: string;
}

/** What the journal says of the states of an operation. */
const STATES: Readonly<Record<OperationState, string>> = {
  prepared: 'recorded',
  sent: 'sent to the service',
  accepted: 'accepted by the service',
  settled: 'ended well',
  failed: 'failed',
  refused: 'refused',
  unknown: 'the outcome is unknown',
  resolved: 'decided by a person',
};

/** Who ran, planned, signed and applied operations, and what became of them. */
export async function journalMoments(
  { existingJournal }: Pick<Account, 'existingJournal'>,
  operations: readonly Operation[],
): Promise<Moment[]> {
  const journal = operations.length > 0 ? await existingJournal() : undefined;
  const moments: Moment[] = [];
  for (const operation of operations) {
    const { authority, operator, host, createdAt, operationId, summary } = operation;
    const { author, signers } = authority ?? { author: undefined, signers: [] };
    for (const { name, role, signedAt } of signers)
      moments.push({
        at: signedAt,
        what: `the plan was signed by ${name}${role === 'author' ? ', its author' : ''}`,
        source: 'journal',
      });
    const planned = author && `; planned by ${author.user} on ${author.host}`;
    const ran = planned ? 'applied' : 'run';
    moments.push({
      at: createdAt,
      what: `${ran} by ${operator} on ${host}${planned ?? ''}: ${summary}`,
      source: 'journal',
    });
    for (const { state, at, requestId, detail } of (await journal?.transitions(operationId)) ?? []) {
      if (state === 'prepared') continue;
      const more = [requestId && state === 'accepted' ? `as ${requestId}` : '', detail ?? '']
        .filter(Boolean)
        .join('; ');
      const isFailure = (state === 'failed' || state === 'refused') && detail !== null;
      moments.push({
        at,
        what: `${STATES[state]}${more && ` ${more}`}`,
        source: 'journal',
        ...(isFailure ? { reason: detail } : {}),
      });
    }
  }
  return moments;
}

/** What the times of a row say. */
export function timeMoments(kind: Kind, row: Row, source: 'service' | 'mirror'): Moment[] {
  return kind.times.flatMap(([title, ...fields], index): Moment[] => {
    const at = textIn(row, fields);
    if (at === undefined) return [];
    const sum = index === 0 ? textIn(row, kind.amount ?? []) : undefined;
    const who = index === 0 ? textIn(row, kind.who ?? []) : undefined;
    const way = kind.name === 'deposit' ? 'from' : 'for';
    return [{ at, what: `${title}${sum ? `: ${sum}${who ? ` ${way} ${who}` : ''}` : ''}`, source }];
  });
}

/** The statuses that syncs saw, and the sync that missed the row. */
export function mirrorMoments(
  statuses: readonly { readonly status: string; readonly seen_at: string }[],
  found: Found | undefined,
  status: string | undefined,
): Moment[] {
  return [
    ...statuses.map((each): Moment => ({ at: each.seen_at, what: `status: ${each.status}`, source: 'mirror' })),
    ...(found && statuses.length === 0 && status !== undefined && status !== found.status
      ? [{ at: null, what: `status: ${status}`, source: 'service' } as const]
      : []),
    ...(found?.goneAt ? [{ at: found.goneAt, what: 'the service no longer lists it', source: 'mirror' } as const] : []),
  ];
}

/** How long a temporary account can be paid. Source: interface (deposit rule 2). */
const PAYABLE_MS = 30 * 60_000;

/** The payments into the account of an onramp: the right one, and those that the service refunds. */
export function paymentMoments(belongings: readonly Found[], row: Row, recorded: Row): Moment[] {
  const total = nairaAt(recorded, 'feeBreakdown.totalAmount') ?? nairaAt(row, 'totalAmountWithFee');
  const started = textIn(row, ['wallet.createdAt', 'createdAt']);
  const expiresAtMs = Date.parse(started ?? '') + PAYABLE_MS;
  const right = belongings.find(({ kind, status }) => kind.name === 'deposit' && status === 'completed');
  const paidAtMs = right ? Date.parse(right.createdAt ?? '') : Infinity;
  return belongings.map(({ kind, id, row: each, status, createdAt }): Moment => {
    const paid = nairaAt(each, 'amount');
    const sender = textIn(each, ['depositor.name']);
    const isPayment = kind.name === 'deposit' && paid !== undefined;
    const wrong =
      isPayment && total
        ? wrongPaymentText({ paid, status, createdAt, sender }, { total, expiresAtMs, paidAtMs })
        : undefined;
    const text = textIn(each, kind.amount ?? []) ?? '';
    const what = isPayment
      ? `${text}${sender ? ` from ${sender}` : ''} arrived; status: ${status}`
      : `${kind.name}: ${text}; status: ${status}`;
    return { at: createdAt, what: `${wrong ?? what} (${kind.name} ${id})`, source: 'mirror' };
  });
}

function nairaAt(row: Row, field: string) {
  const value = valueAt(row as Plain, field.split('.'));
  const minor =
    isPlainAmount(value) && value.asset === 'NGN' && isAsset('NGN') ? scaledInteger(value.value, 2) : undefined;
  return minor === undefined ? undefined : amount('NGN', minor);
}

/** Where events say why something failed. */
const EVENT_REASONS = ['refundReason', 'error.message', 'failureReason', 'reason', 'message'];

/** What arrived of the service's events, and where each of them went. */
export function eventMoments(events: Iterable<InboxEvent>): Moment[] {
  return [...events].map((event): Moment => {
    const { id, copies, forwards, text } = event;
    const went = forwards.map(({ target, state, attempts, problem }) => {
      const tries = attempts > 1 ? ` after ${attempts} attempts` : '';
      return `${WENT[state]} ${target}${tries}${problem ? ` (${problem})` : ''}`;
    });
    const again = copies > 0 ? [`delivered ${copies + 1} times`] : [];
    const reason = reasonIn(contentOf(text), EVENT_REASONS);
    return {
      at: timeOf(event),
      what: [`event ${event.event ?? event.mark} (no. ${id})`, reason, ...again, ...went].filter(Boolean).join('; '),
      source: 'inbox',
      ...(reason === undefined ? {} : { reason }),
    };
  });
}

const WENT = { waiting: 'waits to be forwarded to', acknowledged: 'forwarded to', dead: 'given up for' } as const;

/** The data of an event; empty if it cannot be read. */
function contentOf(text: string | null): Row {
  if (text === null) return {};
  const body = JSON.parse(text) as Plain;
  const data = isPlainObject(body) ? (body['data'] ?? body) : {};
  return isPlainObject(data) ? data : {};
}
