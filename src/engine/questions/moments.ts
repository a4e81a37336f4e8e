import type { Transition } from '../../journal/operations.ts';
import type { OperationState } from '../../journal/states.ts';
import { isPlainObject, type Plain } from '../../present/plain.ts';
import type { InboxEvent } from '../../webhooks/inbox/events.ts';
import { shownTarget } from '../inbox.ts';
import { wrongPaymentText } from '../operations/payments-in.ts';
import type { Found } from './in-mirror.ts';
import type { Kind } from './kind.ts';
import { type DuePayment, nairaAt, type Recorded } from './known.ts';
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
export function journalMoments(recorded: readonly Recorded[]): Moment[] {
  return recorded.flatMap(({ operation, transitions }) => {
    const { authority, operator, host, createdAt, summary } = operation;
    const signed = (authority?.signers ?? []).map(
      ({ name, role, signedAt }): Moment => ({
        at: signedAt,
        what: `the plan was signed by ${name}${role === 'author' ? ', its author' : ''}`,
        source: 'journal',
      }),
    );
    const { author } = authority ?? {};
    const planned = author && `planned by ${author.user} on ${author.host}`;
    const ran = planned ? `applied by ${operator} on ${host}, ${planned}` : `run by ${operator} on ${host}`;
    return [
      ...signed,
      { at: createdAt, what: `${ran}: ${summary}`, source: 'journal' } as const,
      ...transitions.filter(({ state }) => state !== 'prepared').map(transitionMoment),
    ];
  });
}

function transitionMoment({ state, at, requestId, detail }: Transition): Moment {
  const id = requestId && state === 'accepted' ? ` as ${requestId}` : '';
  const hasReason = (state === 'failed' || state === 'refused') && detail !== null;
  return {
    ...{ at, what: `${STATES[state]}${id}${detail ? `; ${detail}` : ''}`, source: 'journal' },
    ...(hasReason ? { reason: detail } : {}),
  };
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
): Moment[] {
  const gone: Moment[] = found?.goneAt
    ? [{ at: found.goneAt, what: 'the service no longer lists it', source: 'mirror' }]
    : [];
  return [
    ...statuses.map((each): Moment => ({ at: each.seen_at, what: `status: ${each.status}`, source: 'mirror' })),
    ...gone,
  ];
}

/** Says what is wrong with a deposit, and what becomes of it; undefined if it is right. */
export function wrongPayment(
  { row, status, createdAt }: Found,
  due: DuePayment & { readonly paidAtMs?: number },
): string | undefined {
  const paid = nairaAt(row, 'amount');
  return paid && wrongPaymentText({ paid, status, createdAt, sender: textIn(row, ['depositor.name']) }, due);
}

/** The payments into the account of an onramp: the right one, and those that the service refunds. */
export function paymentMoments(belongings: readonly Found[], due: DuePayment | undefined): Moment[] {
  const right = belongings.find(({ kind, status }) => kind.name === 'deposit' && status === 'completed');
  const paidAtMs = right ? Date.parse(right.createdAt ?? '') : Infinity;
  return belongings.map((each): Moment => {
    const { kind, id, row, status, createdAt } = each;
    const sender = textIn(row, ['depositor.name']);
    const sum = textIn(row, kind.amount ?? []) ?? '';
    const isPayment = kind.name === 'deposit';
    const wrong = isPayment && due ? wrongPayment(each, { ...due, paidAtMs }) : undefined;
    const what = isPayment ? `${sum}${sender ? ` from ${sender}` : ''} arrived` : `${kind.name} of ${sum}`;
    return { at: createdAt, what: `${wrong ?? `${what}; status: ${status}`} (${kind.name} ${id})`, source: 'mirror' };
  });
}

/** Where events say why something failed. */
const EVENT_REASONS = ['refundReason', 'error.message', 'failureReason', 'reason', 'message'];

/** What arrived of the service's events, and where each of them went. */
export function eventMoments(events: Iterable<InboxEvent>): Moment[] {
  return [...events].map((event): Moment => {
    const { id, copies, forwards, text } = event;
    const went = forwards.map(({ target, state, attempts, problem }) => {
      const tries = attempts > 1 ? ` after ${attempts} attempts` : '';
      return `${WENT[state]} ${shownTarget(target)}${tries}${problem ? ` (${problem})` : ''}`;
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
