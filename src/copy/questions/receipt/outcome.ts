import type { Account } from '../../../engine/account.ts';
import { reasonIn } from '../../../things/fields.ts';
import { goesOn, meaningIn, outcomeIn, undoneStatesOf, waitOf } from '../../../things/states.ts';
import type { Thing, WorkOutcome } from '../../../things/thing.ts';
import { existingCopy } from '../../open.ts';
import { knownInCopy, type Recorded } from '../known.ts';
import { eventsAbout, type FindMatch, timeOf } from '../look.ts';
import { textIn } from '../typed.ts';
import { conflictIn } from './amounts.ts';
import { isFresh, type Reading, type Readings, valuesIn } from './readings.ts';

/**
 * How a thing stands, for someone who relies on it. `completed` is final. `returned`: it had completed, and did not stay so. `unconfirmed`: the
 * service could not be asked, so that what is known may be out of date.
 */
export type ReceiptOutcome = 'completed' | 'open' | 'failed' | 'returned' | 'unconfirmed';

/** When something was seen to have ended. */
interface Sight {
  readonly at: string;
  readonly outcome: WorkOutcome;
}

/** How a thing stands, since when, and why. Times are ISO 8601 in UTC. */
export interface ReceiptStatus {
  readonly outcome: ReceiptOutcome;
  readonly status: string | null;
  /** Why, in one sentence. */
  readonly says: string;
  /** Since when it is final; null if the service does not say it. */
  readonly finalSince: string | null;
  /** When it had completed, of one that came back later; null if nothing says it. */
  readonly completedAt: string | null;
}

/** Says how a thing stands. It is final only if everything that the service says of it agrees. */
export function receiptStatusOf(kind: Thing, readings: Readings, sights: readonly Sight[]): ReceiptStatus {
  const fresh = readings.all.filter(isFresh);
  const known = fresh.length > 0 ? fresh : readings.all;
  const statuses = known.flatMap(({ row }) => textIn(row, ['status']) ?? []);
  const doubt = doubtOf(kind, readings, statuses);
  if (doubt) return { ...doubt, status: statuses[0] ?? null, finalSince: null, completedAt: null };
  return endOf(kind, fresh, statuses, sights);
}

/** Why nobody can rely on what is known; undefined if the service says one thing, and it has ended. */
function doubtOf(
  kind: Thing,
  { all, failures, problem }: Readings,
  statuses: readonly string[],
): Pick<ReceiptStatus, 'outcome' | 'says'> | undefined {
  const it = `the ${kind.name}`;
  const [status] = statuses;
  if (problem !== undefined || !all.some(isFresh)) {
    const why = problem ? 'could not be asked about' : 'does not show';
    const last = status === undefined ? '' : `; the last status that this machine knows is ${status}`;
    return { outcome: 'unconfirmed', says: `the service ${why} ${it}${last}` };
  }
  if (status === undefined) return { outcome: 'open', says: `the service states no status of ${it}` };
  const outcomes = new Set([
    ...statuses.map((each) => outcomeIn(kind, each)),
    ...failures.map(() => 'failed' as const),
  ]);
  const amounts = conflictIn(kind, all);
  if (outcomes.size > 1 || amounts !== undefined) {
    const contradictions = [
      ...new Set([...statuses.map((each) => `status is ${each}`), ...failures, ...(amounts ? [amounts] : [])]),
    ];
    return {
      outcome: 'open',
      says: `the service contradicts itself about ${it}: ${contradictions.join(', ')}`,
    };
  }
  if (goesOn(kind, status) !== false) return { outcome: 'open', says: `${it} ${waitOf(kind, statuses).waits}` };
  return undefined;
}

/** How it ended, and since when. */
function endOf(
  kind: Thing,
  fresh: readonly Reading[],
  statuses: readonly string[],
  sights: readonly Sight[],
): ReceiptStatus {
  const it = `the ${kind.name}`;
  const [status = null] = statuses;
  const [end = null] = fresh.flatMap((each) => endIn(kind, each));
  const base = { status, finalSince: end, completedAt: null };
  if (statuses.every((each) => outcomeIn(kind, each) === 'settled'))
    return { ...base, outcome: 'completed', says: `${it} has completed`, completedAt: end };
  const settled = sights.find(({ outcome }) => outcome === 'settled');
  const why = whyFailed(kind, statuses, fresh);
  if (!settled && !statuses.some((each) => undoneStatesOf(kind).includes(each)))
    return { ...base, outcome: 'failed', says: `${it} has failed: ${why}` };
  const undone = sights.find(({ outcome, at }) => outcome === 'failed' && at > (settled?.at ?? ''));
  return {
    status,
    outcome: 'returned',
    says: `${it} had completed, and came back: ${why}`,
    finalSince: undone?.at ?? null,
    completedAt: end ?? settled?.at ?? null,
  };
}

/** When a row says that it ended. */
const endIn = ({ facts }: Thing, reading: Pick<Reading, 'row'>): readonly string[] =>
  facts
    .filter(({ isEnd }) => isEnd)
    .flatMap(({ fields }) => valuesIn(reading, fields))
    .flatMap(({ value }) => (typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? [value] : []));

const endOfRow = (kind: Thing, row: Reading['row']): string | undefined => endIn(kind, { row })[0];

/** Why it failed, and what becomes of it. */
function whyFailed(kind: Thing, statuses: readonly string[], fresh: readonly Reading[]): string {
  const stated = fresh.map(({ row }) => reasonIn(kind, row)).find((each) => each !== undefined);
  const meant = statuses.flatMap((each) => {
    const meaning = meaningIn(kind.states ?? {}, each);
    return meaning && 'because' in meaning ? (meaning.because ?? []) : [];
  });
  const why = stated ?? meant[0] ?? kind.usualReason ?? 'the service gives no reason';
  const isSentBack = !statuses.some((each) => kind.sentBackUnless?.includes(each));
  return kind.afterFailure && isSentBack ? `${why}; ${kind.afterFailure}` : why;
}

/** When the copy, the journal and the inbox saw that it had ended, the earliest first, and when the copy was read. Sends nothing. */
export async function sightsOf(account: Account, match: FindMatch, recorded: readonly Recorded[]) {
  const { kind, id, found } = match;
  const copy = await existingCopy(account.world, account.profile);
  const { statuses, syncedAt } = await knownInCopy(copy, match, {}).finally(() => copy?.close());
  const events = [...match.events, ...(await eventsAbout(account, [id]))];
  const meanings: Readonly<Record<string, { readonly outcome: WorkOutcome } | undefined>> = kind.events;
  const sights: Sight[] = [
    ...(found?.status
      ? [{ at: endOfRow(kind, found.row) ?? found.changedAt, outcome: outcomeIn(kind, found.status) }]
      : []),
    ...statuses.map(({ status, seen_at: at }) => ({ at, outcome: outcomeIn(kind, status) })),
    ...recorded.flatMap(({ transitions }) =>
      transitions.flatMap(({ state, at }) =>
        state === 'settled' || state === 'failed' ? [{ at, outcome: state }] : [],
      ),
    ),
    ...events.flatMap((each) => {
      const meaning = Object.hasOwn(meanings, each.event ?? '') ? meanings[each.event ?? ''] : undefined;
      return meaning && each.requestId === id && each.quarantined === null
        ? [{ at: timeOf(each), outcome: meaning.outcome }]
        : [];
    }),
  ];
  const ended = sights.filter(({ outcome }) => outcome !== 'accepted');
  return { sights: ended.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)), copiedAt: syncedAt };
}
