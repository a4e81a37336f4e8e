import { type Ask, bookedBy, COMPARED, earnedIn, expectBalanced, lessBy, type Moment, type Sums } from '../ledger.ts';
import { ASSETS, type Postings } from './postings.ts';
import type { Tally } from './tally.ts';

/**
 * Compares the books of a copy with the ledger: what each account changed by until each of some moments, and what was earned by each row. What
 * balances say and no list does is compared with the reports.
 */
export function compareEntries(
  ask: Ask,
  path: string,
  postings: Postings,
  { before, moments }: { readonly before: Moment; readonly moments: readonly Moment[] },
  tally: Tally,
): void {
  expectBalanced(ask);
  const begun = bookedBy(ask, before.at).sums;
  const betweenAt = endsBetween(ask);
  for (const { at, sums: then } of moments) {
    const period = { fromMs: Date.parse(before.at), toMs: Date.parse(at) };
    const lines = postings.lines(period);
    const truth = { ...lessBy(then, before.sums) };
    for (const asset of ASSETS)
      if (asset !== 'NGN') {
        const name = `assets:wallet ${asset}`;
        truth[name] = (truth[name] ?? 0n) - (lines.get(asset)?.unlisted ?? 0n);
      }
    const { sums: all, unknown } = bookedBy(ask, at);
    const sums = lessBy(all, begun);
    const between = betweenAt(at);
    compareSums(`book_entries until ${at.slice(0, 10)}`, truth, { sums, unknown: { ...between, ...unknown } }, tally);
  }
  compareEarned(ask, path, tally);
}

/** Returns what says which accounts have entries around a time that say of themselves that they may have been on another day. */
function endsBetween(ask: Ask): (at: string) => Readonly<Record<string, string>> {
  const rows = ask(
    `SELECT DISTINCT account || ' ' || asset, known, at FROM book_entries WHERE known = 'END_BETWEEN' AND thing <> 'balance'`,
  );
  const isNear = (time: string, at: string) => Math.abs(Date.parse(time) - Date.parse(at)) < LONGEST_MS;
  return (at) =>
    Object.fromEntries(rows.flatMap(([name = '', known = '', time = '']) => (isNear(time, at) ? [[name, known]] : [])));
}

/** Nothing of which no list says when it ended takes longer. */
const LONGEST_MS = 2 * 86_400_000;

const isCompared = (name: string) =>
  COMPARED.some((account) => name === account || name.startsWith(`${account}:`) || name.startsWith(`${account} `));

function compareSums(where: string, truth: Sums, { sums, unknown }: ReturnType<typeof bookedBy>, tally: Tally): void {
  for (const name of new Set([...Object.keys(truth), ...Object.keys(sums)])) {
    if (!isCompared(name)) continue;
    const why = unknown[name];
    if (why !== undefined) {
      const line = `book_entries, ${name}: ${why}`;
      tally.unknown.set(line, (tally.unknown.get(line) ?? 0) + 1);
    } else if ((sums[name] ?? 0n) === (truth[name] ?? 0n)) tally.equal += 1;
    else tally.wrong.push(`${where}, ${name}: said ${sums[name] ?? 0n}, is ${truth[name] ?? 0n}`);
  }
}

function compareEarned(ask: Ask, path: string, tally: Tally): void {
  const earned = earnedIn(path);
  const rows = ask(
    `SELECT id, coalesce(CAST(amount_minor AS TEXT), ''), coalesce(known, '') FROM book_entries
     WHERE account = 'assets:fees' AND thing IN ('deposit', 'offramp') AND step = 'done'`,
  );
  for (const [id = '', kobo = '', why = ''] of rows) {
    if (kobo === '') {
      const line = `book_entries, earned by a row: ${why}`;
      tally.unknown.set(line, (tally.unknown.get(line) ?? 0) + 1);
    } else if (BigInt(kobo) === earned.get(id)) tally.equal += 1;
    else tally.wrong.push(`book_entries, earned by ${id}: said ${kobo}, is ${earned.get(id)}`);
  }
}
