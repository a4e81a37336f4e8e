import type { WebhookEvent } from '../contract/event-payloads.ts';
import { eventOf } from '../contract/events.ts';

/** Work that one of the service's lists shows. */
export interface ListedWork {
  readonly kind: ListedWorkKind;
  /** Every id by which an event may name it; the first one is its own. */
  readonly ids: readonly string[];
  readonly status: string;
  readonly createdAt: string | null;
  /** Every later time that the list says of it. */
  readonly changedAt?: readonly (string | null | undefined)[];
  /** The user that it belongs to. */
  readonly userId?: string | null | undefined;
  /** The user's permanent bank account, or the account that a deposit was paid into. */
  readonly accountNumber?: string | null | undefined;
  /** Whether the cNGN of an offramp or a payout reached the vault. */
  readonly isTransferred?: boolean;
  /** Whether the sender of a deposit has the name of the account. */
  readonly isSentByOwner?: boolean;
}

/** An event of the inbox. */
interface ComparedEvent {
  readonly id: number;
  readonly event: string;
  /** Every text in it. */
  readonly texts: Iterable<string>;
  /** Whether the work that it is about should be listed. */
  readonly isExpected: boolean;
}

/** An event that should have come; any of the names would do. */
interface MissingEvent {
  readonly work: ListedWork;
  readonly events: Names;
  /** Whether the list and the event of the work's end agree, so that the missing event says nothing new. */
  readonly isClosed: boolean;
}

/** A period of the service's time, in milliseconds since the epoch, without its end. */
export interface ComparedPeriod {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Events of work that changed after this time may still be on their way. */
  readonly settledMs: number;
}

type Names = readonly WebhookEvent[];

/** The events of the inbox about some work. */
interface WorkEvents {
  has(name: WebhookEvent): boolean;
  /** The account that a deposit was paid into; undefined if nothing says which it was. */
  readonly account: 'temporary' | 'permanent' | undefined;
  /** Whether the account may have been created before the period. */
  readonly isOldAccount: boolean;
}

interface Expectation {
  /** The events about this kind of work. */
  readonly names: Names;
  /** The events of its end, of which one comes last. Left out, no event makes another one unnecessary. */
  readonly ends?: Readonly<Record<string, Names>>;
  /** The events that work in its state should have caused; of each list, any one would do. */
  readonly of: (work: ListedWork, events: WorkEvents) => readonly (Names | false)[];
}

const ended = (
  { status }: ListedWork,
  [completed, failed]: readonly [WebhookEvent, WebhookEvent],
): readonly (Names | false)[] => [status === 'completed' && [completed], status === 'failed' && [failed]];

const TRANSFER = ['fintech.asset.transfer.completed', 'fintech.asset.transfer.failed'] as const;
const WITHDRAWAL = ['fintech.user.asset.transfer.completed', 'fintech.user.asset.transfer.failed'] as const;
const SWAP = ['swap.completed', 'swap.failed'] as const;
const TEMPORARY = ['payments.confirmed', 'wallet.funding.completed'] as const;
const PERMANENT = [
  'fintech.user.deposit.received',
  'fintech.user.deposit.funding.completed',
  'fintech.user.deposit.funding.refunded',
] as const;

/** A transfer that the bank has not confirmed, or that it cancelled, causes no event. */
const hasArrived = ({ status }: ListedWork) => status !== 'pending' && status !== 'cancelled';

/**
 * Returns the events of a deposit into an account of a user. No list says whether the account was a temporary one; a payment that a
 * temporary account refuses causes no event.
 */
function expectedOfDeposit(work: ListedWork, { account, isOldAccount }: WorkEvents): readonly (Names | false)[] {
  const isCompleted = work.status === 'completed';
  const [received, minted, refunded] = PERMANENT;
  const [confirmed, funded] = TEMPORARY;
  if (account === 'temporary')
    return isCompleted ? [[confirmed], [funded], !isOldAccount && ['virtual.account.created']] : [];
  if (account === undefined && isCompleted)
    return [
      [received, confirmed],
      [minted, funded],
    ];
  // Only a name that does not match sends a refund event.
  const hasRefund = work.status === 'failed' && !work.isSentByOwner;
  return [hasArrived(work) && [received], isCompleted && [minted], hasRefund && [refunded]];
}

/** The events that each kind of work causes. Source: public for the events, inferred for their completeness. */
const EXPECTED = {
  user: {
    names: ['user.onboarded', 'virtual.account.created'],
    of: ({ accountNumber }) => [['user.onboarded'], accountNumber != null && ['virtual.account.created']],
  },
  fintech_deposit: {
    names: ['fintech.virtual_account.deposit.received'],
    of: (work) => [hasArrived(work) && ['fintech.virtual_account.deposit.received']],
  },
  user_onramp: {
    names: ['virtual.account.created', ...TEMPORARY, ...PERMANENT],
    ends: { completed: [TEMPORARY[1], PERMANENT[1]], failed: [PERMANENT[2]] },
    of: expectedOfDeposit,
  },
  user_offramp: {
    names: ['vault.return.transfer.confirmed', 'vault.return.payout.completed', 'vault.return.payout.failed'],
    ends: { completed: ['vault.return.payout.completed'], failed: ['vault.return.payout.failed'] },
    of: ({ status, isTransferred }) => [
      (status === 'completed' || (status === 'failed' && isTransferred === true)) && [
        'vault.return.transfer.confirmed',
      ],
      status === 'completed' && ['vault.return.payout.completed'],
      status === 'failed' && ['vault.return.payout.failed'],
    ],
  },
  fintech_offramp: {
    names: [
      'fintech.offramp.initiated',
      'fintech.offramp.transfer.completed',
      'fintech.offramp.payout.initiated',
      'fintech.offramp.completed',
      'fintech.offramp.failed',
    ],
    ends: { completed: ['fintech.offramp.completed'], failed: ['fintech.offramp.failed'] },
    of: ({ status, isTransferred }, events) => {
      // A payout that the bank sends back fails after it completed.
      const isPaid = status === 'completed' || events.has('fintech.offramp.completed');
      return [
        ['fintech.offramp.initiated'],
        (isPaid || (status === 'failed' && isTransferred === true)) && ['fintech.offramp.transfer.completed'],
        isPaid && ['fintech.offramp.payout.initiated'],
        isPaid && ['fintech.offramp.completed'],
        status === 'failed' && !isPaid && ['fintech.offramp.failed'],
      ];
    },
  },
  fintech_self_transfer: { names: TRANSFER, of: (work) => ended(work, TRANSFER) },
  fintech_user_withdrawal: { names: WITHDRAWAL, of: (work) => ended(work, WITHDRAWAL) },
  user_withdrawal: { names: WITHDRAWAL, of: (work) => ended(work, WITHDRAWAL) },
  swap: { names: SWAP, of: (work) => ended(work, SWAP) },
} as const satisfies Readonly<Record<string, Expectation>>;

type ListedWorkKind = keyof typeof EXPECTED;

export const isWorkKind = (text: string): text is ListedWorkKind => Object.hasOwn(EXPECTED, text);

/** An account that nobody paid into is in no list, so this event may well belong to nothing that is listed. */
const MAY_BE_UNLISTED: string = 'virtual.account.created' satisfies WebhookEvent;

/** The events whose work is in a list; no other event is compared. */
const COMPARED: ReadonlySet<string> = new Set(
  Object.values(EXPECTED)
    .flatMap(({ names }: Expectation) => names)
    .filter((name) => name !== MAY_BE_UNLISTED),
);

/** How long a temporary account lives. Source: interface. */
const ACCOUNT_MS = 30 * 60_000;

/**
 * Compares listed work with the events of an inbox. Memory grows with the work alone: `see` takes the events one by one, and `end`
 * returns what should have come and did not, the events that belong to no listed work, and how much work lacks an event that may still be
 * on its way. Work that began outside the period only explains events.
 */
export function comparison(works: readonly ListedWork[], { sinceMs, untilMs, settledMs }: ComparedPeriod) {
  const eventsOf = new Map<ListedWork, Set<string>>();
  const byId = indexed(works, ({ ids }) => ids);
  const byAccount = indexed(works, ({ accountNumber }) => accountNumber ?? []);
  const created = new Set<string>();
  const unlisted: Pick<ComparedEvent, 'id' | 'event'>[] = [];
  const see = (event: ComparedEvent) => {
    const name = eventOf(event.event)?.name ?? event.event;
    // An account number is in the events of all its deposits; only the event about the account itself is found by it.
    const isAccount = name === MAY_BE_UNLISTED;
    let isListed = false;
    for (const text of event.texts) {
      if (isAccount && /^\d+$/.test(text)) created.add(text);
      for (const work of (isAccount ? byAccount : byId).get(text) ?? [])
        if ((EXPECTED[work.kind].names as Names).some((each) => each === name)) {
          eventsOf.set(work, (eventsOf.get(work) ?? new Set()).add(name));
          isListed = true;
        }
    }
    if (!isListed && event.isExpected && COMPARED.has(name)) unlisted.push({ id: event.id, event: event.event });
  };
  const end = () => {
    const accountOf = accountsIn(works, created);
    let unsettled = 0;
    const missing = works.flatMap((work): MissingEvent[] => {
      const createdMs = Date.parse(work.createdAt ?? '');
      if (!(createdMs >= sinceMs && createdMs < untilMs)) return [];
      const has = (name: string) => eventsOf.get(work)?.has(name) ?? false;
      const { of, ends = {} }: Expectation = EXPECTED[work.kind];
      const isClosed = (ends[work.status] ?? []).some(has);
      const account = TEMPORARY.some(has) ? 'temporary' : PERMANENT.some(has) ? 'permanent' : accountOf(work);
      const lacking = of(work, { has, account, isOldAccount: createdMs - ACCOUNT_MS < sinceMs })
        .filter((events) => events !== false)
        .filter((events) => !events.some(has))
        .map((events) => ({ work, events, isClosed }));
      if (lacking.length === 0 || timesOf(work).every((time) => !(time > settledMs))) return lacking;
      unsettled += 1;
      return [];
    });
    return { missing, unlisted, unsettled };
  };
  return { see, end };
}

const timesOf = ({ createdAt, changedAt = [] }: ListedWork) =>
  [createdAt, ...changedAt].map((time) => Date.parse(time ?? ''));

function indexed(works: readonly ListedWork[], keysOf: (work: ListedWork) => string | readonly string[]) {
  const index = new Map<string, ListedWork[]>();
  for (const work of works)
    for (const key of [keysOf(work)].flat()) {
      const found = index.get(key);
      if (found) found.push(work);
      else index.set(key, [work]);
    }
  return index;
}

/** Finds out from the listed users and the recently created accounts which account a deposit was paid into. */
function accountsIn(works: readonly ListedWork[], created: ReadonlySet<string>) {
  const users = works.filter(({ kind }) => kind === 'user');
  const ids = new Set(users.map(({ userId }) => userId));
  const permanent = new Set(users.map(({ accountNumber }) => accountNumber));
  return ({ accountNumber, userId }: ListedWork): WorkEvents['account'] => {
    if (accountNumber == null) return undefined;
    if (permanent.has(accountNumber)) return 'permanent';
    return created.has(accountNumber) || ids.has(userId) ? 'temporary' : undefined;
  };
}
