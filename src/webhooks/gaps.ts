import type { WebhookEvent } from '../contract/event-payloads.ts';
import { eventOf } from '../contract/events.ts';

/** Work that one of the service's lists shows. */
export interface ListedWork {
  readonly kind: WorkKind;
  /** Every id by which an event may name it. */
  readonly ids: readonly string[];
  readonly status: string;
  readonly createdAt: string | null;
  /** Whether its events should have come: it is as old as the comparison asks. Older work only explains events. */
  readonly isExpected: boolean;
}

/** An event of the inbox: its name, and every text in it. */
export interface ToldEvent {
  readonly id: number;
  readonly event: string;
  readonly texts: ReadonlySet<string>;
}

/** An event that should have come; any of the names would do. */
interface Missing {
  readonly work: ListedWork;
  readonly events: readonly string[];
}

type Names = readonly WebhookEvent[];

interface Expected {
  readonly always?: readonly Names[];
  readonly completed?: readonly Names[];
  readonly failed?: readonly Names[];
}

/**
 * The events that each kind of work causes, by how it ended. A payment into a temporary account has other events than one into a
 * permanent account, and no list says which it was. Source: public for the events, inferred for their completeness.
 */
const EXPECTED = {
  user: { always: [['user.onboarded']] },
  fintech_deposit: { always: [['fintech.virtual_account.deposit.received']] },
  user_onramp: {
    always: [['fintech.user.deposit.received', 'payments.confirmed']],
    completed: [['fintech.user.deposit.funding.completed', 'wallet.funding.completed']],
    failed: [['fintech.user.deposit.funding.refunded']],
  },
  user_offramp: {
    completed: [['vault.return.transfer.confirmed'], ['vault.return.payout.completed']],
    failed: [['vault.return.payout.failed']],
  },
  fintech_offramp: {
    always: [['fintech.offramp.initiated']],
    completed: [
      ['fintech.offramp.transfer.completed'],
      ['fintech.offramp.payout.initiated'],
      ['fintech.offramp.completed'],
    ],
    failed: [['fintech.offramp.failed']],
  },
  fintech_self_transfer: {
    completed: [['fintech.asset.transfer.completed']],
    failed: [['fintech.asset.transfer.failed']],
  },
  fintech_user_withdrawal: {
    completed: [['fintech.user.asset.transfer.completed']],
    failed: [['fintech.user.asset.transfer.failed']],
  },
  user_withdrawal: {
    completed: [['fintech.user.asset.transfer.completed']],
    failed: [['fintech.user.asset.transfer.failed']],
  },
  swap: { completed: [['swap.completed']], failed: [['swap.failed']] },
} as const satisfies Readonly<Record<string, Expected>>;

export type WorkKind = keyof typeof EXPECTED;

export const isWorkKind = (text: string): text is WorkKind => Object.hasOwn(EXPECTED, text);

const namesOf = ({ always = [], completed = [], failed = [] }: Expected): Names =>
  [...always, ...completed, ...failed].flat();

/** The events that the comparison looks at: the others belong to nothing that a list shows. */
const COMPARED: ReadonlySet<string> = new Set(Object.values(EXPECTED).flatMap(namesOf));

/** Returns the events that listed work should have caused and did not, and the events that belong to no listed work. */
export function compare(
  works: readonly ListedWork[],
  events: readonly ToldEvent[],
): { readonly missing: readonly Missing[]; readonly unlisted: readonly ToldEvent[] } {
  const byName = Map.groupBy(events, ({ event }) => nameOf(event));
  const about = (names: Names, ids: readonly string[]) =>
    names.flatMap((name) => byName.get(name) ?? []).filter(({ texts }) => ids.some((id) => texts.has(id)));
  // Every event of its kind, because work may fail after it was confirmed.
  const explained = new Set(
    works.flatMap(({ kind, ids }) => about(namesOf(EXPECTED[kind]), ids).map((event) => event.id)),
  );
  const missing = works
    .filter(({ isExpected }) => isExpected)
    .flatMap((work) =>
      expectedOf(work)
        .filter((names) => about(names, work.ids).length === 0)
        .map((names) => ({ work, events: names })),
    );
  const unlisted = events.filter(({ id, event }) => COMPARED.has(nameOf(event)) && !explained.has(id));
  return { missing, unlisted };
}

function expectedOf({ kind, status }: ListedWork): readonly Names[] {
  const { always = [], completed = [], failed = [] }: Expected = EXPECTED[kind];
  return [...always, ...(status === 'completed' ? completed : status === 'failed' ? failed : [])];
}

const nameOf = (event: string): string => eventOf(event)?.name ?? event;

/** Returns every text in JSON. */
export function textsIn(json: unknown): string[] {
  if (typeof json === 'string') return [json];
  return typeof json === 'object' && json !== null ? Object.values(json).flatMap(textsIn) : [];
}
