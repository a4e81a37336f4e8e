import { type Endpoint, FAILS, type RequestOf, type ResponseOf } from '../contract/endpoint.ts';
import type { WebhookEvent } from '../contract/event-payloads.ts';
import type { EventContent, Likeness, Wanted } from './likeness.ts';

/** What a state means: how it ended, or what it waits for. Texts follow the name of the thing. */
type Meaning =
  | { readonly ends: 'good' }
  /** Why it ended so, where the service does not say it; and whether it had ended well before. */
  | { readonly ends: 'bad'; readonly because?: string; readonly isUndone?: true }
  /** What a person has to do meanwhile; `ID` stands for its id. */
  | {
      readonly waits: string;
      readonly todo?: string;
      /** Its list says so of whatever goes on, where nothing is said that is more exact. */
      readonly isUsual?: true;
    };

export const good: Meaning = { ends: 'good' };

export const bad = (because?: string): Meaning => ({ ends: 'bad', ...(because === undefined ? {} : { because }) });

/** It had ended well, and did not stay so. */
export const undone = (because: string): Meaning => ({ ends: 'bad', because, isUndone: true });

export const waits = (what: string, todo?: string): Meaning => ({
  waits: what,
  ...(todo === undefined ? {} : { todo }),
});

/** What its list says as long as it goes on, if nothing more exact is known. */
export const working = (what: string): Meaning => ({ waits: what, isUsual: true });

/** The states in which it has failed: those with which the endpoint that shows it says so. */
export const failing = ({ fails = FAILS }: Pick<Endpoint, 'fails'>): Readonly<Record<string, Meaning>> =>
  Object.fromEntries((fails['status'] ?? []).map((state) => [String(state), bad()]));

type FactKind = 'text' | 'time' | 'amount' | 'flag';

/** How the copy of the account keeps a fact. */
interface Copied {
  /** Its column. An amount has two: `NAME_minor`, an integer in the smallest unit, and `NAME_asset`. */
  readonly column?: string;
  /** Rows are looked up by it: an id, a hash, an address, an account number, a sum. */
  readonly isKey?: true;
  /** Only one row has it. */
  readonly isUnique?: true;
  /** Kept only as long as personal data is. */
  readonly isPersonal?: true;
  /** A text of which people remember a part: the name of a person or a company, a label, a narration. */
  readonly isName?: true;
  /** It names whose the row is: a user, or the wallet or the account of one. */
  readonly isOwner?: true;
  /** No row of the list says it, but whatever else reads one of its things. */
  readonly isElsewhere?: true;
}

/** What a fact says that a receipt says in a place of its own. */
interface InReceipt {
  /** What it cost whoever pays for it. */
  readonly isFee?: true;
  /** When it ended, however it did. */
  readonly isEnd?: true;
  /** Naira that became as many cNGN, or cNGN that became as many Naira. */
  readonly isConverted?: true;
}

/** Something that is known of a thing. */
export interface Fact<Field extends string = string> extends Copied, InReceipt {
  /** For people: `Account number`. That of a time says what happened then: `Completed`. */
  readonly title: string;
  /** Where a row of its list has it, and then where other responses do: a dot selects a nested field. The first one with a value counts. */
  readonly fields: readonly [Field, ...string[]];
  readonly kind: FactKind;
}

type FactOf = <const Field extends string>(
  title: string,
  fields: Field | readonly [Field, ...string[]],
  copied?: (Copied & InReceipt) | string,
) => Fact<Field>;

const factOf =
  (kind: FactKind, marks: Copied & InReceipt = {}): FactOf =>
  (title, fields, copied) => ({
    title,
    kind,
    ...marks,
    fields: typeof fields === 'string' ? [fields] : fields,
    ...(typeof copied === 'string' ? { column: copied } : copied),
  });

export const text = factOf('text');
export const time = factOf('time');
export const amount = factOf('amount');
export const flag = factOf('flag');
/** When it ended. */
export const ended = factOf('time', { isEnd: true });
/** What it cost. */
export const fee = factOf('amount', { isFee: true });
/** What no row of the list says, but whatever reads one of its things. */
export const elsewhere = (fact: Fact) => ({ ...fact, isElsewhere: true }) as const;
/** A text that rows are looked up by. */
export const key = factOf('text', { isKey: true });
/** A user, or a wallet, to whom rows belong. */
export const ownerKey = factOf('text', { isKey: true, isOwner: true });
/** A text that only one row has, and is looked up by. */
export const uniqueKey = factOf('text', { isKey: true, isUnique: true });
/** An amount that people look rows up by. */
export const sum = factOf('amount', { isKey: true });
/** Such an amount, of which as much is Naira as is cNGN. */
export const converted = factOf('amount', { isKey: true, isConverted: true });
export const personalKey = factOf('text', { isKey: true, isPersonal: true });
export const personName = factOf('text', { isName: true, isPersonal: true });
/** What someone wrote, of which people remember a part. */
export const remembered = factOf('text', { isName: true, isPersonal: true });

/** How the service's list is cut into pages. */
type Pages =
  /** `limit` and `offset`. */
  | 'offset'
  /** `limit` and `page`. */
  | 'page'
  /** `limit`, and `startAfter` the id of a row. */
  | 'after'
  /** `limit` alone: it returns the newest rows. */
  | 'limit'
  /** Everything at once. */
  | 'whole';

/** How new and changed rows are found without reading the whole list. */
type ReadBy =
  /** The service filters by period: the newest rows, and the time of each row that is open. */
  | 'dated'
  /** Newest first without a period: from the start back to the oldest row that is open. */
  | 'newest'
  /** Rows change at any age: from the start until the count agrees, and the whole list once a day. */
  | 'count'
  /** A short list, each time to its end. */
  | 'whole';

/** A column of the printed list: a field of a row; with `isWide`, only where there is room. */
type ListColumn<Field extends string = string> = Field | { readonly field: Field; readonly isWide: true };

/** A list of the service. Its rows are one kind of thing, or several, which `types` of a thing tell apart. */
export interface ServiceList<E extends Endpoint = Endpoint, Row = unknown> {
  /** The name of its view in the copy of the account: `payouts`. */
  readonly name: string;
  /** What it has, for the docs. */
  readonly about: string;
  readonly endpoint: E;
  /** The field of the response with the rows. */
  readonly rows: keyof ResponseOf<E> & string;
  readonly pages: Pages;
  readonly readBy: ReadBy;
  /** The fields with the id of a row, its status ('' if it has none) and the time it was made. */
  readonly id: string;
  readonly status: string;
  readonly createdAt: string;
  /** A row of a list that does not say when it ended has ended so long after it was made. Source: inferred. */
  readonly endsWithinMs?: number;
  /** The field that says more exactly than the status how far a row is that goes on. */
  readonly stage?: string;
  /** The statuses of rows that are there no more, although the list has them. */
  readonly gone?: readonly string[];
  /** The fields of the request of whoever reads all of it. */
  readonly request?: Readonly<Record<string, unknown>>;
  /** What its ids begin with, which people leave out. Source: inferred. */
  readonly idStarts?: readonly string[];
  /** The other fields by which events name a row. */
  readonly otherIds?: readonly string[];
  /** The fields by which a person recognises a row: what completion and questions show beside its id. Never a secret, and of a person only the name. */
  readonly label: readonly string[];
  readonly facts: readonly Fact[];
  readonly columns: readonly ListColumn[];
  /** Never set: carries the type of a row. */
  readonly row?: Row;
}

/** The rows of a list. */
type RowIn<E extends Endpoint, K extends keyof ResponseOf<E>> =
  NonNullable<ResponseOf<E>[K]> extends readonly (infer Row)[] ? Row : never;

export type RowOf<L> = L extends ServiceList<infer _E, infer Row> ? Row : never;

/** The fields that the contract names. */
type Documented<T> = { [K in keyof T as string extends K ? never : K]-?: NonNullable<T[K]> };

/** The fields of a row by their dotted paths, down to the third level. */
type RowField<Row, Depth extends readonly 0[] = []> = Depth['length'] extends 3
  ? never
  : Row extends readonly unknown[]
    ? never
    : Row extends object
      ? {
          [K in keyof Documented<Row> & string]: K | `${K}.${RowField<Documented<Row>[K], [...Depth, 0]>}`;
        }[keyof Documented<Row> & string]
      : never;

/** What is said of a list whose rows have these fields. */
interface ListOf<Field extends string> {
  readonly id: Field;
  readonly status: Field | '';
  readonly createdAt: Field;
  readonly stage?: Field;
  readonly otherIds?: readonly Field[];
  readonly label: readonly Field[];
  readonly facts: readonly (Fact<Field> | (Fact & { readonly isElsewhere: true }))[];
  readonly columns: readonly ListColumn<Field>[];
}

/** Declares a list of the service. What names a field that its rows do not have does not compile. */
export function listedBy<E extends Endpoint, K extends keyof ResponseOf<E> & string>(
  endpoint: E,
  list: Omit<ServiceList<E>, 'endpoint' | 'rows' | 'row' | keyof ListOf<string>> &
    ListOf<RowField<RowIn<E, K>>> & { readonly rows: K },
): ServiceList<E, RowIn<E, K>> {
  return { endpoint, ...list };
}

/** What an event means for the thing that it is about. */
export interface EventMeaning {
  /** Whether the work is in progress or how it ended, when the event is sent. */
  readonly outcome: WorkOutcome;
  /** Its request id is that of something else. */
  readonly namesAnother?: true;
  /** Compares it with a request. Left out if it says too little: a person may know more. */
  readonly compare?: (event: EventContent, request: Wanted) => Likeness;
  /** Text of it that may contain the tag. */
  readonly textOf?: (event: EventContent) => unknown;
}

/** Whether work is in progress or how it ended, in the journal's words. */
export type WorkOutcome = 'accepted' | 'settled' | 'failed';

/** Which rows of its list may be a request for it. */
export interface RowLikeness<Row = unknown> {
  /** What the list is asked for, besides the type. */
  readonly asked?: (request: Wanted) => Readonly<Record<string, unknown>>;
  readonly compare: (row: Row, request: Wanted) => Likeness;
  /** Text of a row that may contain the tag, null if there is none. */
  readonly textOf?: (row: Row) => string | null;
  /** The id of a row that may lack the usual one. */
  readonly idOf?: (row: Row) => string | null | undefined;
}

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

/** Where the state of a thing is read by its id. */
export interface StatusRead {
  readonly endpoint: Endpoint;
  /** The field of its request with the id. */
  readonly id: string;
  /** The field of its request with the address of its wallet, which names it as its id does. */
  readonly wallet?: string;
  /** The object of the response with the state, if it is not the response itself. */
  readonly in?: string;
  /** The field of that object with the time at which it was started. */
  readonly createdAt?: string;
  /** The field of that object with the user whose it is. */
  readonly user?: string;
}

/** One kind of thing of the business. All readers derive from it: commands, waiting, evidence, the copy, reports, completion, docs. */
export interface Thing<Name extends string = string, Event extends WebhookEvent = WebhookEvent> {
  /** `payout`. */
  readonly name: Name;
  /** Whose money or whose own it is. */
  readonly of: 'account' | 'user';
  /** The endpoints that start or add it. */
  readonly starts: readonly Endpoint[];
  readonly read?: StatusRead;
  /** The list that has it, and the values of `type` in its rows; without `types`, every row of the list is one. */
  readonly list?: ServiceList;
  readonly types?: readonly string[];
  /** What each state means. Without states, it does not begin and end: it is there or not. */
  readonly states?: Readonly<Record<string, Meaning>>;
  /** Where the sum is that it moves. */
  readonly amount: readonly string[];
  /** Whose name tells it from others, and how that follows the sum: `for`, `from`. */
  readonly who: readonly string[];
  readonly way: 'for' | 'from';
  readonly facts: readonly Fact[];
  /** Where responses say why it failed; what their words mean ('' for one that is no reason), and why it fails if they do not say it. */
  readonly reason: readonly string[];
  readonly reasons?: Readonly<Record<string, string>>;
  readonly usualReason?: string;
  /** What becomes of it after it failed, and the command that helps then. */
  readonly afterFailure?: string;
  /** What failed of it goes back to the bank account that it came from, unless it ended in one of these: nothing had arrived then. */
  readonly sentBackUnless?: readonly string[];
  readonly ifFailed: readonly string[];
  /** Where the values are that other rows have too: what those rows move belongs to it. */
  readonly links: readonly string[];
  /** The command that lists it. */
  readonly lists?: string;
  /** The command that shows it; its id follows. With `--wait` it follows it to its end. */
  readonly shows?: string;
  /** Other commands, with `ID` in place of its id; and those that help as long as it goes on. */
  readonly more: readonly string[];
  readonly whileOpen: readonly string[];
  /** Those for what someone can deactivate, as long as it is active or is not. */
  readonly ifActive: readonly string[];
  readonly ifInactive: readonly string[];
  readonly events: Readonly<Partial<Record<Event, EventMeaning>>>;
  /** Which events a row of its list should have caused, if not the one of its end alone. Source: public for the events, inferred for their completeness. */
  readonly due?: Due;
  readonly likeness?: RowLikeness;
  /** More has to be known of its work than is said here: engine/evidence/find-work.ts says where. */
  readonly isSpecial?: boolean;
}

type Left =
  | 'amount'
  | 'who'
  | 'way'
  | 'reason'
  | 'ifFailed'
  | 'links'
  | 'more'
  | 'whileOpen'
  | 'ifActive'
  | 'ifInactive'
  | 'facts';

type Inferred = 'name' | 'list' | 'read' | 'events' | 'likeness' | 'isSpecial' | 'starts';

type Given = Omit<Thing, Left | Inferred> & Partial<Pick<Thing, Left>>;

/** Where a state is read, by fields that the endpoint has. */
interface ReadOf<Q extends Endpoint> extends StatusRead {
  readonly endpoint: Q;
  readonly id: RowField<RequestOf<Q>>;
  readonly wallet?: RowField<RequestOf<Q>>;
  readonly in?: RowField<ResponseOf<Q>>;
  readonly user?: RowField<ResponseOf<Q>>;
}

/** What is started is found again after a response that was lost: by the rows of its list, or by a reader of its own. */
type Started<Row> =
  | { readonly starts?: undefined; readonly likeness?: undefined }
  | { readonly starts: readonly Endpoint[]; readonly likeness: RowLikeness<Row> }
  | { readonly starts: readonly Endpoint[]; readonly likeness?: undefined; readonly isSpecial: true };

/** Declares a kind of thing. What its list's rows have, it has. */
export function thing<
  Name extends string,
  E extends Endpoint,
  Row,
  Q extends Endpoint,
  Event extends WebhookEvent = never,
  Special extends boolean = false,
>(
  record: Given &
    Started<Row> & {
      readonly name: Name;
      readonly list?: ServiceList<E, Row>;
      readonly read?: ReadOf<Q>;
      readonly events?: { readonly [K in Event]: EventMeaning };
      readonly isSpecial?: Special;
    },
): Thing<Name, Event> & { readonly isSpecial: Special } {
  const whole = {
    starts: [],
    amount: [],
    who: [],
    way: 'for',
    reason: [],
    ifFailed: [],
    links: [],
    more: [],
    whileOpen: [],
    ifActive: [],
    ifInactive: [],
    events: {},
    isSpecial: false,
    ...record,
    facts: [...(record.list?.facts ?? []), ...(record.facts ?? [])],
  };
  return whole as unknown as Thing<Name, Event> & { readonly isSpecial: Special };
}
