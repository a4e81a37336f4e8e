import type { Queries } from '../journal/store.ts';
import { insertion, type NewRow } from '../store/table.ts';
import { type Check, type CheckedBalance, checksSince, nameOf, SEEN_ACCOUNTS } from './balance-checks.ts';
import { bookOn, listedOn, movingAt, unknownIn } from './book-entries.ts';
import { bucketOf } from './bucket.ts';
import { readSetting } from './list-state.ts';
import { changesOf, isExplained } from './possible.ts';
import { CHANGED_FROM, SETTING, UNLISTED } from './schema.ts';

/** What entries say of a place in a part of time. */
interface PartSum {
  readonly account: string;
  readonly asset: string;
  readonly part: bigint;
  readonly minor: bigint;
}

const sumsIn = (queries: Queries, part: string, where: string, ...values: readonly string[]) =>
  queries.all<PartSum>(
    `SELECT account, asset, ${part} AS part, CAST(coalesce(sum(amount_minor), 0) AS BIGINT) AS minor
     FROM ${listedOn(queries.engine, SEEN_ACCOUNTS)} WHERE ${where} GROUP BY 1, 2, 3`,
    ...values,
  );

/**
 * Notes as entries what balances say and no list does: since the last look before anything that has changed. What was noted of earlier looks
 * stays as it is.
 */
export async function noteUnlisted(queries: Queries): Promise<void> {
  const changedFrom = (await readSetting(queries, CHANGED_FROM)) ?? LAST;
  if (changedFrom === LAST && (await isSeenAgain(queries))) return;
  const start = await startOf(queries, changedFrom);
  const { checks, balances } = await checksSince(queries, start ?? '');
  const [first, ...later] = checks;
  if (!first) return;
  await queries.run(
    `DELETE FROM ${UNLISTED.name} WHERE user_id = '' AND at ${start === undefined ? '>=' : '>'} ?`,
    first.at,
  );
  const rows = start === undefined ? await openingOf(queries, first, balances) : [];
  const left = start === undefined ? undefined : await leftAt(queries, first, balances);
  if (later.length > 0) rows.push(...(await changesSince(queries, checks, balances, left)));
  if (rows.length > 0) await queries.run(...insertion(UNLISTED, rows));
  await queries.run(`DELETE FROM ${SETTING.name} WHERE name = ?`, CHANGED_FROM);
}

/** No time comes after it. */
const LAST = '~';

/** Whether the last look saw what the one before it had seen. */
async function isSeenAgain(queries: Queries): Promise<boolean> {
  const row = await queries.get<{ check_at: string | null; balance_at: string | null; noted: bigint }>(
    `SELECT (SELECT max(at) FROM stored_balance_checks) AS check_at, (SELECT max(at) FROM stored_balances) AS balance_at,
       (SELECT count(*) FROM ${UNLISTED.name} WHERE user_id = '') AS noted`,
  );
  return row !== undefined && row.noted > 0n && (row.balance_at ?? '') < (row.check_at ?? '');
}

/** How long something may be under way that is looked back for. Source: inferred. */
const LONGEST_MS = 7 * 86_400_000;

/** The look from which on everything is compared again; undefined for all of them, from the first one on. */
async function startOf(queries: Queries, changedFrom: string): Promise<string | undefined> {
  const noted = await queries.get<{ at: string | null }>(
    `SELECT max(at) AS at FROM ${UNLISTED.name} WHERE user_id = ''`,
  );
  if (!noted?.at) return undefined;
  const last = await queries.get<{ at: string | null }>('SELECT max(at) AS at FROM stored_balance_checks');
  const recent = new Date(Date.parse(last?.at ?? noted.at) - LONGEST_MS).toISOString();
  const from = changedFrom < recent ? changedFrom : recent;
  const found = await queries.all<{ at: string }>(
    'SELECT at FROM stored_balance_checks WHERE at < ? ORDER BY at DESC LIMIT ?',
    from,
    BigInt(Math.max(...MOST_CHECKS)),
  );
  const times = found.map(({ at }) => at);
  for (const most of MOST_CHECKS) {
    const some = times.slice(0, most).toReversed();
    const moving = some.length > 0 ? await movingAt(queries, some) : [];
    const quiet = some.findLast((at) => underWayAt(at, moving).length === 0);
    if (quiet !== undefined) return quiet;
  }
  return times[0];
}

/** How many of the times at which balances were read are searched for one at which nothing was under way: whatever is seen later, it shows what it showed. */
const MOST_CHECKS = [1, 8, 50];

const underWayAt = (at: string, moving: Open['moving']) =>
  moving.filter(({ from, until }) => from <= at && at <= until);

/** What there was at the first look beside all that entries say. */
async function openingOf(
  queries: Queries,
  { at, held }: Check,
  balances: readonly CheckedBalance[],
): Promise<NewRow<typeof UNLISTED>[]> {
  const sums = new Map((await sumsIn(queries, '0', 'at <= ?', at)).map((sum) => [nameOf(sum), sum.minor]));
  const names = balances.map((place) => ({
    ...place,
    minor: (held.get(nameOf(place)) ?? 0n) - (sums.get(nameOf(place)) ?? 0n),
  }));
  return names.map(({ account, asset, minor }) => ({
    at,
    account,
    asset,
    user_id: '',
    step: 'opening',
    minor,
    since: at,
    known: null,
  }));
}

/** What a look saw of each balance beside what lists say and what was noted until then: what is under way made it, so it is no change. */
async function leftAt(
  queries: Queries,
  { at, held }: Check,
  balances: readonly CheckedBalance[],
): Promise<ReadonlyMap<string, bigint>> {
  const noted = await queries.all<PartSum>(
    `SELECT account, asset, 0 AS part, CAST(sum(minor) AS BIGINT) AS minor FROM ${UNLISTED.name} WHERE user_id = '' AND at <= ? GROUP BY 1, 2`,
    at,
  );
  const sums = Map.groupBy([...(await sumsIn(queries, '0', 'at <= ?', at)), ...noted], nameOf);
  const sumOf = (name: string) => (sums.get(name) ?? []).reduce((all, { minor }) => all + minor, 0n);
  return new Map(balances.map(nameOf).map((name) => [name, (held.get(name) ?? 0n) - sumOf(name)]));
}

/** What changed between looks beside all that entries say, and beside what was under way. With `left`, changes until the first look are noted. */
async function changesSince(
  queries: Queries,
  checks: readonly Check[],
  balances: readonly CheckedBalance[],
  left: ReadonlyMap<string, bigint> | undefined,
): Promise<readonly NewRow<typeof UNLISTED>[]> {
  const times = checks.map(({ at }) => at);
  const [first = '', last = ''] = [times[0], times.at(-1)];
  const sums = Map.groupBy(await sumsIn(queries, bucketOf('at', times), 'at > ? AND at <= ?', first, last), nameOf);
  const moving = await movingAt(queries, times);
  const unknown = Map.groupBy(await unknownIn(queries, first, last), nameOf);
  return balances.flatMap((place) => {
    const name = nameOf(place);
    const listed = new Map((sums.get(name) ?? []).map(({ part, minor }) => [Number(part), minor]));
    const own = { moving: moving.filter((each) => nameOf(each) === name), unknown: unknown.get(name) ?? [] };
    return changesAt(checks, place, listed, { ...own, left: left && (left.get(name) ?? 0n) });
  });
}

/** What is under way of a balance, and what is not known of it. */
interface Open {
  readonly moving: Awaited<ReturnType<typeof movingAt>>;
  readonly unknown: Awaited<ReturnType<typeof unknownIn>>;
  /** What the first look saw beside what was noted until then; undefined if nothing was. */
  readonly left?: bigint | undefined;
}

/** What may have changed a balance at a look or not, and by how much at least and at most. */
function openAt(at: string, { moving, unknown }: Open) {
  const under = underWayAt(at, moving);
  const taken = unknown.filter((each) => each.at <= at).map(({ minor }) => minor);
  const added = (some: readonly bigint[]) => some.reduce((all, minor) => all + minor, 0n);
  const sets = Map.groupBy(under, ({ name }) => name);
  return {
    effects: [...sets.values()].map((own) => added(own.map((each) => (each.at <= at ? each.minor : -each.minor)))),
    room: [added(taken.filter((minor) => minor < 0n)), added(taken.filter((minor) => minor > 0n))] as const,
  };
}

/** The changes of one balance that no list shows, and those that amounts made which are not known. */
function changesAt(
  checks: readonly Check[],
  place: CheckedBalance,
  listed: ReadonlyMap<number, bigint>,
  { moving, unknown, left }: Open,
): readonly NewRow<typeof UNLISTED>[] {
  const name = nameOf(place);
  const start = checks[0]?.held.get(name) ?? 0n;
  let sum = 0n;
  const parts = checks.map(({ at, held }, index) => {
    sum += listed.get(index) ?? 0n;
    // What was noted until the first look stays as it is, whatever later ones say of what was under way then.
    if (index === 0 && left !== undefined) return { at, likely: 0n, effects: [], room: [0n, 0n] as const };
    const likely = (left ?? 0n) + (held.get(name) ?? 0n) - start - sum;
    return { at, likely, ...openAt(at, { moving, unknown }) };
  });
  const row = { account: place.account, asset: place.asset, user_id: '' };
  const changes = changesOf(parts, 0n).map((change) => ({ ...row, ...change, step: 'unlisted' }));
  return [...changes, ...unknownChanges(parts, changes, unknown).map((change) => ({ ...row, ...change }))];
}

/** What amounts that are not known made of a balance, at the look that saw it: so the books have the balance that it saw. */
function unknownChanges(
  parts: readonly { readonly at: string; readonly likely: bigint }[],
  changes: readonly { readonly at: string; readonly minor: bigint }[],
  unknown: Open['unknown'],
) {
  let noted = 0n;
  return parts.flatMap(({ at, likely }, index) => {
    const since = parts[index - 1]?.at ?? at;
    const [first] = unknown.filter((each) => each.at > since && each.at <= at);
    const unlisted = changes.reduce((all, change) => (change.at <= at ? all + change.minor : all), 0n);
    const minor = likely - unlisted - noted;
    if (!first || minor === 0n) return [];
    noted += minor;
    return [{ at, since, minor, step: 'unknown', known: first.why }];
  });
}

/** A balance that was read and is not what its entries come to, in the smallest unit. */
export interface ContradictedBalance extends CheckedBalance {
  readonly minor: bigint;
  readonly expected: bigint;
}

/**
 * Returns the balances that entries do not come to, at the first look since a moment and at one when all has ended that was under way then; if there
 * is none, at the last look. What was noted in a sync is an entry, so there are none unless rows were changed, removed or added behind its back.
 * `balances` are those of the entries at the moment.
 */
export async function contradictedAt(
  queries: Queries,
  at: string,
  balances: readonly StatedBalance[],
): Promise<readonly ContradictedBalance[]> {
  const later = new Date(Date.parse(at) + LONGEST_MS).toISOString();
  const found = await queries.get<{ first: string | null; second: string | null }>(
    `SELECT coalesce((SELECT min(at) FROM stored_balance_checks WHERE at >= ?), max(at)) AS first,
       coalesce((SELECT min(at) FROM stored_balance_checks WHERE at >= ?), max(at)) AS second FROM stored_balance_checks`,
    at,
    later,
  );
  if (!found?.first || !found.second) return [];
  const { checks, balances: seen } = await checksSince(queries, found.first);
  for (const time of new Set([found.first, found.second])) {
    const check = checks.find((each) => each.at === time);
    const wrong = check ? await contradictedBy(queries, check, seen, { at, balances }) : [];
    if (wrong.length > 0) return wrong;
  }
  return [];
}

/** What entries say of a balance. */
type StatedBalance = Pick<PartSum, 'account' | 'asset' | 'minor'>;

async function contradictedBy(
  queries: Queries,
  check: Check,
  seen: readonly CheckedBalance[],
  { at, balances }: { readonly at: string; readonly balances: readonly StatedBalance[] },
): Promise<readonly ContradictedBalance[]> {
  const isLater = check.at > at;
  const moved = await queries.all<StatedBalance>(
    `SELECT account, asset, CAST(coalesce(sum(amount_minor), 0) AS BIGINT) AS minor FROM ${bookOn(queries.engine, SEEN_ACCOUNTS)}
     WHERE at > ? AND at <= ? AND step <> 'opening' GROUP BY account, asset`,
    ...(isLater ? [at, check.at] : [check.at, at]),
  );
  const moving = await movingAt(queries, [check.at]);
  const own = <T extends { account: string; asset: string }>(all: readonly T[], place: CheckedBalance) =>
    all.filter((each) => nameOf(each) === nameOf(place));
  const sumOf = (all: readonly StatedBalance[]) => all.reduce((sum, each) => sum + each.minor, 0n);
  const all = seen.map((place) => ({
    ...place,
    minor: check.held.get(nameOf(place)) ?? 0n,
    expected: sumOf(own(balances, place)) + (isLater ? 1n : -1n) * sumOf(own(moved, place)),
  }));
  const notBy = (some: readonly ContradictedBalance[], unknown: Open['unknown']) =>
    some.filter((each) => {
      const open = openAt(check.at, { moving: own(moving, each), unknown: own(unknown, each) });
      return !isExplained({ at: check.at, likely: each.minor - each.expected, ...open });
    });
  const found = notBy(all, []);
  // Amounts that are not known are looked for only if something is left to explain: there may be many.
  return found.length > 0 ? notBy(found, await unknownIn(queries, '', check.at)) : [];
}
