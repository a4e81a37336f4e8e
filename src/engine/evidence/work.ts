import type { Hint } from '../../base/advice.ts';
import type { Endpoint, RequestWithoutConsent, ResponseOf } from '../../contract/endpoint.ts';
import { redact } from '../../contract/redact.ts';
import type { Baseline } from '../../journal/intent.ts';
import type { Operation } from '../../journal/operations.ts';
import type { AlsoPrinted } from '../../present/prints.ts';
import type { Likeness, Wanted } from '../../things/likeness.ts';
import type { Thing, WorkOutcome } from '../../things/thing.ts';
import type { Account } from '../account.ts';
import type { ListPeriod } from '../lists/cursor.ts';
import type { Following, Meanwhile } from './follow.ts';

/** How the end of asynchronous work is read. */
interface Status<E extends Endpoint>
  extends Pick<Following<E>, 'endpoint' | 'stateOf' | 'done' | 'failed' | 'what' | 'columns' | 'words'> {
  /** The command that shows it: `offramp status`. */
  readonly command: string;
  /** The field of its request with the id of the work. */
  readonly idField: string;
  readonly input: (requestId: string) => RequestWithoutConsent<E>;
  /** Finds names of tokens that the status lacks; they are added to the request that it answers. */
  readonly namesFor?: (account: Account, requestId: string, data: ResponseOf<E>) => Promise<object>;
  /** Watches, during one wait, for what the status does not show. */
  readonly watch?: (account: Account, requestId: string) => (data: ResponseOf<E>, leftMs: number) => Promise<Meanwhile>;
  /** When the work was started. */
  readonly createdOf?: (data: ResponseOf<E>) => string | null | undefined;
}

/** A request whose outcome is unknown, and where to look for it. */
export interface EvidenceQuery {
  /** The request as recorded: redacted, in wire form, with the terms that it only refers to. */
  readonly request: Wanted;
  /** The text that travelled with the request, if any. */
  readonly tag: string | undefined;
  /** How far back the list is read: a time of the service. */
  readonly sinceMs: number;
  /** The rows before the request left, if the list was read: their times decide what is older, whatever the service said that it was. */
  readonly before?: RowsBefore | undefined;
}

/** The rows of a list before a request left. */
export type RowsBefore = NonNullable<Baseline['before']>;

/** A row that may be the request. */
export interface WorkCandidate {
  readonly requestId: string;
  readonly createdAt: string | null | undefined;
  readonly state: string;
  readonly outcome: WorkOutcome;
  /** Whether it contains the tag, and so can be nothing else. */
  readonly isExact: boolean;
  /** Whether it says too little to be proof: it may be the request, and a person decides. */
  readonly isPartial?: boolean | undefined;
  /** How `RowsBefore` names it, if not by its request id. */
  readonly listedAs?: string;
}

/** The candidates of a request; `isComplete` if every row of the time was read, as far as the list shows it. */
export interface Found {
  readonly candidates: readonly WorkCandidate[];
  /** Rows from before the time that was looked through, which are like the request and no operation's. If the service's times disagree, one of them may be it. */
  readonly older?: readonly WorkCandidate[];
  readonly isComplete: boolean;
  /** All rows that were read of a list; undefined if it was not a list. */
  readonly rows?: readonly ListRow[];
  /** How many rows the list says that it has; 0 if it does not say it. */
  readonly total?: number;
  /** Why the times of the rows prove nothing, if they contradict each other or the service's own time. */
  readonly wrongTimes?: string | undefined;
  /** The service refuses to show the list, or has it no more. */
  readonly isRefused?: boolean;
}

/**
 * What a thing says about a change of it, such as a wallet that should be gone. `done`: it is as the change leaves it, whoever
 * made it so. `unclear`: it cannot be read, or may be another thing.
 */
export type CheckResult = 'done' | 'not-done' | 'unclear';

/**
 * A kind of work: the endpoints that start it, how its end is read, and where it shows if no response arrived: in a list
 * (`list`, or `find` where it takes more than one), or in the current state of what was changed (`check`).
 */
export interface Work {
  readonly starts: readonly Endpoint[];
  readonly status?: Status<Endpoint>;
  /** What is printed with its start besides the response to it. */
  readonly also?: AlsoPrinted;
  /** The events about it. */
  readonly events?: Thing['events'];
  /** The command that safely retries it, by its operation id or request id. */
  readonly retry?: (id: string) => Hint;
  /** Where a person looks if the service offers no list, or its list is not enough. */
  readonly evidence: string;
  /** The list that shows it. */
  list?(request: Wanted): EvidenceList;
  /** Reads the terms that a request only refers to, unless it has them: those of a bank account that was removed cannot be read. */
  terms?(account: Account, request: Wanted): Promise<Baseline['terms']>;
  find?(account: Account, query: EvidenceQuery): Promise<Found>;
  /** What was there, where `find` looks, before the request left. */
  before?(account: Account, request: Wanted): Promise<RowsBefore | undefined>;
  /** Says what a request of its kind gets now, for whoever agrees to send it again. Undefined if that cannot be known. */
  priceNow?(account: Account, request: Wanted): Promise<string | undefined>;
  check?(account: Account, operation: Pick<Operation, 'request'>): Promise<CheckResult>;
  /** A command of its own finishes it after the service accepted it. */
  readonly isFinishedApart?: true;
}

/** What a search reads of a row. */
export interface ListRow extends Likeness {
  readonly requestId: string | null | undefined;
  readonly createdAt: string | null | undefined;
  readonly state: string | null | undefined;
  /** Text that may contain the tag, null if there is none; undefined for a list that shows no texts. */
  readonly text?: string | null | undefined;
}

/** A list of the service that shows a kind of work, newest first as far as we know. */
export interface EvidenceList<L extends Endpoint = Endpoint, R = unknown> {
  readonly endpoint: L;
  /** The request for a page of a period, after `count` rows of which the last has the id `lastId`. A list that cannot be asked so has all times. */
  readonly page: (
    size: number,
    count: number,
    lastId: string | undefined,
    period: ListPeriod,
  ) => RequestWithoutConsent<L>;
  readonly rowsOf: (data: ResponseOf<L>) => readonly R[] | null | undefined;
  readonly read: (row: R) => ListRow;
  /** How work in a state stands. */
  readonly outcomeOf: (state: string) => WorkOutcome;
  /** The list has no pages: a larger limit is asked for until it is not full. */
  readonly isUnpaged?: boolean;
  /** The service counts pages, and not rows. */
  readonly isByPage?: boolean;
}

/** Work whose status can be read. */
export type FollowedWork = Work & { readonly status: Status<Endpoint> };

export const isFollowed = (work: Work | undefined): work is FollowedWork => work?.status !== undefined;

/** Whether work has ended as soon as the service accepts it: no status and no event says more of it later. */
export const endsAccepted = (work: Work | undefined): boolean =>
  work !== undefined && !work.status && !work.events && !work.isFinishedApart;

/** The service's data as the journal keeps it, with the endpoint whose contract describes it. */
export function resultOf(endpoint: Endpoint, data: unknown): string {
  return JSON.stringify({ endpoint: endpoint.id, data: redact(endpoint.response(), data) });
}
