import type { Queries } from '../journal/store.ts';
import { insertion, type NewRow } from '../store/table.ts';
import { type Check, type CheckedBalance, checksSince, nameOf, SEEN_ACCOUNTS } from './balance-checks.ts';
import { movingAt } from './book-entries.ts';
import { bucketOf } from './bucket.ts';
import { readSetting } from './list-state.ts';
import { changesOf } from './possible.ts';
import { CHANGED_FROM, SETTING, UNLISTED } from './schema.ts';

const OWN = `account IN ('${SEEN_ACCOUNTS.join("', '")}') AND thing <> 'balance'`;

/** What entries say of a place in a part of time. */
interface PartSum {
  readonly account: string;
  readonly asset: string;
  readonly part: bigint;
  readonly minor: bigint;
  /** Why an amount is not known that is in no sum. */
  readonly unknown: string | null;
}

const sumsIn = (queries: Queries, part: string, where: string, ...values: readonly string[]) =>
  queries.all<PartSum>(
    `SELECT account, asset, ${part} AS part, CAST(coalesce(sum(amount_minor), 0) AS BIGINT) AS minor,
       max(CASE WHEN amount_minor IS NULL THEN known END) AS unknown
     FROM book_entries WHERE ${OWN} AND ${where} GROUP BY 1, 2, 3`,
    ...values,
  );

/**
 * Notes as entries what balances say and no list does: since the last look before anything that has changed. What was noted of earlier looks
 * stays as it is.
 */
export async function noteUnlisted(queries: Queries): Promise<void> {
  const changedFrom = (await readSetting(queries, CHANGED_FROM)) ?? LAST;
  const start = await startOf(queries, changedFrom);
  const { checks, balances } = await checksSince(queries, start ?? '');
  const [first, ...later] = checks;
  if (!first) return;
  await queries.run(
    `DELETE FROM ${UNLISTED.name} WHERE user_id = '' AND at ${start === undefined ? '>=' : '>'} ?`,
    first.at,
  );
  const rows = start === undefined ? await openingOf(queries, first, balances) : [];
  if (later.length > 0) rows.push(...(await changesSince(queries, checks, balances)));
  if (rows.length > 0) await queries.run(...insertion(UNLISTED, rows));
  await queries.run(`DELETE FROM ${SETTING.name} WHERE name = ?`, CHANGED_FROM);
}

/** No time comes after it. */
const LAST = '~';

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
  const found = await queries.get<{ at: string | null }>(
    'SELECT max(at) AS at FROM stored_balance_checks WHERE at < ?',
    from,
  );
  return found?.at ?? undefined;
}

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

/** What changed between looks beside all that entries say, and beside what was under way. */
async function changesSince(
  queries: Queries,
  checks: readonly Check[],
  balances: readonly CheckedBalance[],
): Promise<readonly NewRow<typeof UNLISTED>[]> {
  const times = checks.map(({ at }) => at);
  const [first = '', last = ''] = [times[0], times.at(-1)];
  const sums = Map.groupBy(await sumsIn(queries, bucketOf('at', times), 'at > ? AND at <= ?', first, last), nameOf);
  const moving = await movingAt(queries, times);
  return balances.flatMap((place) => {
    const name = nameOf(place);
    const of = new Map((sums.get(name) ?? []).map((sum) => [Number(sum.part), sum]));
    const own = moving.filter((each) => nameOf(each) === name);
    const start = checks[0]?.held.get(name) ?? 0n;
    let listed = 0n;
    const parts = checks.map(({ at, held }, index) => {
      listed += of.get(index)?.minor ?? 0n;
      const effects = own.filter(({ from, until }) => from <= at && at <= until);
      return {
        at,
        likely: (held.get(name) ?? 0n) - start - listed,
        effects: effects.map((each) => (each.at <= at ? each.minor : -each.minor)),
      };
    });
    return changesOf(parts, 0n).map(({ at, since, minor }) => {
      const between = times.flatMap((time, index) => (time > since && time <= at ? [of.get(index)?.unknown] : []));
      const known = between.find((code) => code != null) ?? null;
      return { at, account: place.account, asset: place.asset, user_id: '', step: 'unlisted', minor, since, known };
    });
  });
}
