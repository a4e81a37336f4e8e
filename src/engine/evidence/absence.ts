import type { Profile } from '../../account/profile.ts';
import { unknownPolicyOf } from '../../account/stored-profile.ts';
import type { Baseline } from '../../journal/intent.ts';
import type { Operation } from '../../journal/operations.ts';
import type { Account } from '../account.ts';
import { clockDifference, clockDistance } from '../connection/service-time.ts';
import { markOf, SERVICE_SKEW_MS, WHOLE_MS } from './listing.ts';
import type { Found, ListRow } from './work.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * How long after a request's time limit (`sentByMs`) the last look is made at the earliest, by the mode of the profile: `embedded` is the sandbox of this
 * process, also that of the built-in profile, which is called `sandbox`; `sandbox` is one that is reached over HTTP. The help of `ops reconcile` is made of
 * these times; docs/money.md and docs/contributing/inferred.md repeat them. Source: inferred.
 */
export const VISIBLE_AFTER_MS = { live: HOUR_MS, sandbox: 10 * MINUTE_MS, embedded: 10 * MINUTE_MS } as const;

/** Two looks are at least this far apart. Source: inferred. */
const APART_MS = MINUTE_MS;

/** A row shows that a list is up to date if it is later than the request by more than this. Source: inferred. */
const LATER_MS = MINUTE_MS;

/** The most rows that are looked through for an operation that was sent later. */
const MAX_LATER = 1_000;

/** Something that must hold before a request that was not found counts as not done, and what is known of it in a sentence. */
export interface Condition {
  readonly name: 'automatic' | 'listed' | 'clocks' | 'whole' | 'unchanged' | 'back' | 'current' | 'twice';
  readonly holds: boolean;
  readonly says: string;
}

/** What is known of a request that was not found. */
export interface Absent {
  readonly conditions: readonly Condition[];
  /** When it can be looked for again, by the service's time; undefined if another look changes nothing. */
  readonly lookAgainMs: number | undefined;
}

const condition = (name: Condition['name'], holds: boolean, yes: string, no: string): Condition => ({
  name,
  holds,
  says: holds ? yes : no,
});

const rowsText = (count: number): string => (count === 1 ? '1 row' : `${count} rows`);

const timeText = (atMs: number): string => new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z');

/** From when on a list is read as a whole, by the service's time; undefined if that was not known. */
export const wholeFromMs = ({ baseline }: Operation): number | undefined =>
  baseline?.serviceAtMs === undefined ? undefined : baseline.serviceAtMs - WHOLE_MS;

/** Until when a request may have been sent, by the service's time: also the second time, under its idempotency key. */
function sentByMs({ baseline, busyUntil, createdAt }: Operation): number {
  return (baseline?.serviceAtMs ?? Infinity) + (busyUntil - Date.parse(createdAt));
}

/**
 * Returns what must hold for a request of which the list has no row, with what was read of the list as a whole (`whole`) and back to the request
 * (`found`).
 */
export async function listConditions(
  account: Account,
  operation: Operation,
  found: Found,
  whole: Found,
): Promise<readonly Condition[]> {
  const clock = (await clockProblem(account, operation.baseline ?? {})) ?? found.wrongTimes ?? whole.wrongTimes;
  return [
    automatic(account),
    clocks(clock),
    wholeList(found, whole),
    unchanged(operation, whole),
    back(operation, found, whole),
    await current(account, operation, whole),
  ];
}

/** Returns what must hold for a change of a thing that is not as the change leaves it. */
export async function changeConditions(account: Account, { baseline }: Operation): Promise<readonly Condition[]> {
  // The thing itself has no time to be compared with that of the request, so it need not be known.
  const serviceAtMs = baseline?.serviceAtMs ?? account.time.service.nowMs();
  return [automatic(account), clocks(await clockProblem(account, { ...baseline, serviceAtMs }))];
}

/** Returns why nothing is concluded of a request that no list shows before it is paid. */
export const unlistedConditions = ({ profile }: Pick<Account, 'profile'>, what: string): readonly Condition[] => [
  automatic({ profile }),
  condition('listed', false, '', `no list shows ${what} before it is paid`),
];

function automatic({ profile }: { readonly profile: Pick<Profile, 'stored'> }): Condition {
  const isAuto = unknownPolicyOf(profile) === 'auto';
  return condition('automatic', isAuto, 'the profile says --unknown auto', 'the profile says --unknown ask');
}

const clocks = (why: string | undefined): Condition =>
  condition(
    'clocks',
    why === undefined,
    'the clocks of this machine, the journal and the service agreed and agree',
    why ?? '',
  );

function wholeList(found: Found, whole: Found): Condition {
  const count = new Set(whole.rows?.map(({ requestId }) => requestId)).size;
  return condition(
    'whole',
    found.isComplete && whole.isComplete,
    `the list was read to its end (${rowsText(count)})`,
    'the list could not be read to its end',
  );
}

/** The marks of rows. */
const marksIn = (rows: readonly ListRow[] = []): ReadonlySet<string> =>
  new Set(rows.flatMap(({ requestId }) => (requestId ? [markOf(requestId)] : [])));

/** Whether a row was in the list before the request, as far as that is known. */
function wasListed({ baseline }: Operation): (row: ListRow) => boolean {
  const { ids = [], marks = [] } = baseline?.before ?? {};
  const [known, due] = [new Set(ids), new Set(marks)];
  return ({ requestId }) => requestId != null && (known.has(requestId) || due.has(markOf(requestId)));
}

/** Whether the rows of the look before the request are still there, as far as they are in what was read. */
function unchanged({ baseline }: Operation, whole: Found): Condition {
  const marks = baseline?.before?.marks;
  if (!marks) return condition('unchanged', false, '', 'the list was not read before the request was sent');
  const there = marksIn(whole.rows);
  const missing = marks.filter((mark) => !there.has(mark));
  return condition(
    'unchanged',
    missing.length === 0,
    `every row that it had before the request is still there (${rowsText(marks.length)})`,
    `${missing.length} of ${rowsText(marks.length)} that the list had before the request are missing`,
  );
}

/** Whether a list that may be cut off goes back to before the request, or says that it has no more rows. */
function back(operation: Operation, found: Found, whole: Found): Condition {
  const wasThere = wasListed(operation);
  const beforeMs = (operation.baseline?.serviceAtMs ?? -Infinity) - SERVICE_SKEW_MS;
  const isBefore = (row: ListRow) => wasThere(row) || readingsOf(row.createdAt ?? '').every((atMs) => atMs < beforeMs);
  const goesBack = [...(found.rows ?? []), ...(whole.rows ?? [])].some(isBefore);
  const saysAll = whole.isComplete && (whole.total ?? 0) > 0;
  return condition(
    'back',
    goesBack || saysAll,
    goesBack ? 'it goes back to before the request' : 'it says how many rows it has, and all were read',
    'nothing shows that the list goes back to before the request, or says how many rows it has',
  );
}

/** Whether something that came after the request shows that the list is up to date. */
async function current(account: Account, operation: Operation, whole: Found): Promise<Condition> {
  const says = 'came after the request, and is in the list';
  const row = laterRow(operation, whole);
  const id = row?.requestId ?? (await laterOperation(account, operation, whole.rows ?? []))?.requestId;
  return condition(
    'current',
    id != null,
    `${id} ${says}`,
    'nothing in the list is known to have come after the request, so it may be late; a later one of this kind would show that it is not',
  );
}

/** What a time without an offset may mean: UTC, or the time of Lagos, which is an hour ahead. Some services write the latter with a Z. */
function readingsOf(createdAt: string): readonly number[] {
  if (/[+-]\d\d:?\d\d$/.test(createdAt)) return [Date.parse(createdAt)];
  const utcMs = Date.parse(/z$/i.test(createdAt) ? createdAt : `${createdAt}Z`);
  return [utcMs, utcMs - HOUR_MS];
}

/** Returns a row that was not in the list before the request and is later, however its time is read. */
function laterRow(operation: Operation, { rows = [] }: Found): ListRow | undefined {
  if (!operation.baseline?.before) return undefined;
  const wasThere = wasListed(operation);
  const afterMs = sentByMs(operation) + LATER_MS;
  const isLater = ({ createdAt }: ListRow) => readingsOf(createdAt ?? '').every((atMs) => atMs > afterMs);
  return rows.find((row) => row.requestId && !wasThere(row) && isLater(row));
}

/** Returns an operation of the same endpoint that was sent later, that the service accepted in its response, and whose row was read. */
async function laterOperation(
  account: Account,
  operation: Operation,
  rows: readonly ListRow[],
): Promise<Operation | undefined> {
  const journal = await account.journal();
  const ids = await journal.accountIds(await account.accountNames());
  const wasThere = wasListed(operation);
  const fresh = new Set(rows.flatMap((row) => (row.requestId && !wasThere(row) ? [row.requestId] : [])));
  for (const requestId of [...fresh].slice(0, MAX_LATER))
    for (const each of await journal.list({ account: ids, requestId, limit: 2 })) {
      const sentMs = each.baseline?.serviceAtMs ?? -Infinity;
      if (each.endpoint !== operation.endpoint || sentMs <= sentByMs(operation)) continue;
      // One that was found by its likeness may have the row of another request.
      const states = await journal.transitions(each.operationId);
      if (states.every(({ state }) => state !== 'unknown')) return each;
    }
  return undefined;
}

/** When the row of a request should be in the lists, by the service's time. */
function visibleFromMs({ profile }: { readonly profile: Pick<Profile, 'mode'> }, operation: Operation): number {
  // What has no time of its own is looked for from the first look on.
  const { unseenSinceMs } = operation.searchState;
  const sentMs = operation.baseline?.serviceAtMs === undefined ? unseenSinceMs : sentByMs(operation);
  return (sentMs ?? -Infinity) + VISIBLE_AFTER_MS[profile.mode];
}

/**
 * Returns whether a request was looked for twice, the last time late enough for its row to be there, and when to look again if it was not. `isLook`: in
 * this look, everything held but that the list is up to date. Without it, another look only helps before its row should be there.
 */
export function twice(
  account: Pick<Account, 'profile'>,
  operation: Operation,
  nowMs: number,
  isLook: boolean,
): Condition & Pick<Absent, 'lookAgainMs'> {
  const { unseenSinceMs: firstMs = nowMs } = operation.searchState;
  const visibleMs = visibleFromMs(account, operation);
  const dueMs = isLook ? Math.max(visibleMs, firstMs + APART_MS) : visibleMs;
  const isDue = nowMs >= dueMs;
  const wait = clockDistance(VISIBLE_AFTER_MS[account.profile.mode]);
  const found = condition(
    'twice',
    isDue && isLook,
    `it was looked for at ${timeText(firstMs)} and at ${timeText(nowMs)}, the last time more than ${wait} after it was sent`,
    isDue
      ? 'the conditions above were not all met each of the two times'
      : `it has to be looked for again, at ${timeText(dueMs)} or later`,
  );
  return { ...found, lookAgainMs: isDue ? undefined : dueMs };
}

/** Clocks that differ by more than this prove nothing about what is missing from a list. */
const MAX_DISTANCE_MS = 5_000;

/** A clock, and how far it is from the service's. */
type Distance = readonly [clock: string, aheadMs: number | undefined];

/**
 * Returns why the clocks do not allow to conclude that a request is in no list: one of them was wrong when the request was sent or is wrong now, or the service's
 * own time contradicts itself. Undefined if they are right.
 */
export async function clockProblem(
  { time: { service }, journal }: Pick<Account, 'time' | 'journal'>,
  { serviceAtMs, hostAheadMs, journalAheadMs }: Baseline,
): Promise<string | undefined> {
  const nowMs = service.nowMs();
  const hostNowMs = service.hostAheadMs();
  if (nowMs === undefined || hostNowMs === undefined) return 'the service does not say its time';
  if (serviceAtMs === undefined) return 'the service’s time when the request was sent is not known';
  const jumpMs = service.jumpMs();
  if (jumpMs !== 0) return `the service’s clock was set ${jumpMs > 0 ? 'forward' : 'back'} by ${clockDistance(jumpMs)}`;
  const then = far([
    ['this machine’s', hostAheadMs],
    ['the journal’s', journalAheadMs],
  ]);
  if (then) return `when the request was sent, ${then[0]} clock was ${clockDifference(then[1])}`;
  const now = far([
    ['this machine’s', hostNowMs],
    ['the journal’s', hostNowMs + (await journal()).aheadMs()],
  ]);
  if (now) return `${now[0]} clock is ${clockDifference(now[1])}`;
  const aheadMs = serviceAtMs - nowMs;
  if (aheadMs <= SERVICE_SKEW_MS) return undefined;
  return `the request was sent ${clockDistance(aheadMs)} after the time that the service says it is now`;
}

function far(distances: readonly Distance[]): readonly [clock: string, aheadMs: number] | undefined {
  return distances
    .map(([clock, aheadMs = 0]) => [clock, aheadMs] as const)
    .find(([, aheadMs]) => Math.abs(aheadMs) > MAX_DISTANCE_MS);
}
