/** A figure as a command prints it as JSON. */
export interface Printed {
  readonly value: string | null;
  readonly asset?: string | null;
  readonly known?: { readonly is: string; readonly why: string };
}

/** How figures compare with the ledger. */
export interface Tally {
  equal: number;
  /** Not known, by where they stand and why. */
  readonly unknown: Map<string, number>;
  readonly wrong: string[];
}

export const newTally = (): Tally => ({ equal: 0, unknown: new Map(), wrong: [] });

const minorOf = (value: string): bigint => BigInt(value.replace('.', ''));

const count = (tally: Tally, name: string) => tally.unknown.set(name, (tally.unknown.get(name) ?? 0) + 1);

/** Compares a figure with what the ledger says: equal to the smallest unit, a bound that holds, or not known with a reason. */
export function compare(tally: Tally, where: string, printed: Printed | undefined | null, is: bigint): void {
  const wrong = (said: unknown) => tally.wrong.push(`${where}: said ${said}, is ${is}`);
  if (!printed) {
    wrong('nothing');
    return;
  }
  const { value, known } = printed;
  const line = where.split(' @ ', 1)[0] ?? where;
  if (!known) {
    if (value === null) wrong('null without a reason');
    else if (minorOf(value) === is) tally.equal += 1;
    else wrong(minorOf(value));
    return;
  }
  const minor = value === null ? undefined : minorOf(value);
  const holds =
    (known.is === 'no' && minor === undefined) ||
    (known.is === 'at least' && minor !== undefined && minor <= is) ||
    (known.is === 'at most' && minor !== undefined && minor >= is);
  if (!holds || !known.why) wrong(JSON.stringify(printed));
  else count(tally, `${line}: ${known.is === 'no' ? '' : `${known.is}, `}${known.why}`);
}

/** Compares a count. If a reason is given for which it is not exact, it is the least that it can be; or null, if nothing is known of it. */
export function compareCount(
  tally: Tally,
  where: string,
  said: number | null | undefined,
  is: number,
  reasons: readonly unknown[] = [],
): void {
  if (said === is) tally.equal += 1;
  else if (reasons.length > 0 && said !== undefined && (said === null || said < is))
    count(tally, `${where.split(' @ ', 1)[0]}: at least, ${whyOf(reasons[0])}`);
  else tally.wrong.push(`${where}: said ${said}, is ${is}`);
}

const whyOf = (reason: unknown) => (reason as Partial<NonNullable<Printed['known']>>).why ?? 'partial';

export function merged(tallies: readonly Tally[]): Tally {
  const all = newTally();
  for (const { equal, unknown, wrong } of tallies) {
    all.equal += equal;
    all.wrong.push(...wrong);
    for (const [name, n] of unknown) all.unknown.set(name, (all.unknown.get(name) ?? 0) + n);
  }
  return all;
}

/** `1,234 equal, 12 not known (closing: BEFORE_FIRST_SYNC 4, …), 0 wrong`. */
export function tallyText({ equal, unknown, wrong }: Tally): string {
  const total = [...unknown.values()].reduce((sum, n) => sum + n, 0);
  const share = equal + total === 0 ? 0 : (100 * equal) / (equal + total);
  const reasons = [...unknown].toSorted(([, a], [, b]) => b - a).map(([name, n]) => `${name} ${n}`);
  return `${equal} equal, ${total} not known (known ${share.toFixed(1)} %), ${wrong.length} wrong\n    ${reasons.join('\n    ')}`;
}
