import { type Amount, amountForPeople, amount as amountOf, type StatedAsset } from '../../../money/amount.ts';
import { cngnBaseFromKobo, wholeKoboFromCngnBase } from '../../../money/rates.ts';
import { exactAmount, isPlainAmount, type Plain, toPlain } from '../../../present/plain.ts';
import type { Thing } from '../../../things/thing.ts';
import { isFresh, type Reading, valuesIn } from './readings.ts';

interface Exact {
  readonly asset: StatedAsset;
  readonly minor: bigint;
}

/** Which source counts: what the service says now before what this machine knows. */
const SOURCES: readonly ((reading: Reading) => boolean)[] = [
  isFresh,
  ({ source }) => source === 'journal',
  ({ source }) => source === 'copy',
];

/**
 * The amounts at some fields, each once: of each asset those of the best source that states one. One whose unit or asset is not known counts
 * only if nothing better is known.
 */
export function amountsAt(all: readonly Reading[], fields: readonly string[]): readonly Plain[] {
  const found = new Map<StatedAsset, Map<bigint, Plain>>();
  let uncertain: Plain | undefined;
  for (const isOfSource of SOURCES) {
    const inSource = new Map<StatedAsset, Map<bigint, Plain>>();
    for (const { value } of all.filter(isOfSource).flatMap((reading) => valuesIn(reading, fields))) {
      if (!isPlainAmount(value)) continue;
      const exact: Exact | undefined = exactAmount(value);
      if (!exact) uncertain ??= value;
      else inSource.set(exact.asset, (inSource.get(exact.asset) ?? new Map()).set(exact.minor, value));
    }
    for (const [asset, values] of inSource) if (!found.has(asset)) found.set(asset, values);
  }
  const amounts = [...found.values()].flatMap((values) => [...values.values()]);
  // Naira first, in which most people count.
  const sorted = amounts.toSorted((a, b) => Number(isNaira(b)) - Number(isNaira(a)));
  return sorted.length > 0 || uncertain === undefined ? sorted : [uncertain];
}

const isNaira = (value: Plain): boolean => exactAmount(value)?.asset === 'NGN';

/** Adds what an amount became, where cNGN became as many Naira or Naira as many cNGN, and only one of them is stated. */
export function withConverted(amounts: readonly Plain[]): readonly Plain[] {
  const [only, ...others] = amounts;
  const exact = only === undefined || others.length > 0 ? undefined : exactAmount(only);
  const became = exact && counterpartOf(exact);
  if (!became) return amounts;
  return became.asset === 'NGN' ? [toPlain(became), ...amounts] : [...amounts, toPlain(became)];
}

function counterpartOf({ asset, minor }: Exact): Amount | undefined {
  if (asset === 'NGN') return amountOf('CNGN', cngnBaseFromKobo(minor));
  const kobo = asset === 'CNGN' ? wholeKoboFromCngnBase(minor) : undefined;
  return kobo === undefined ? undefined : amountOf('NGN', kobo);
}

/** Says which amount the service states in two ways; undefined if it contradicts itself in none. */
export function conflictIn(kind: Thing, all: readonly Reading[]): string | undefined {
  for (const { title, fields, kind: form, isFee } of kind.facts) {
    if (form !== 'amount' || isFee) continue;
    const stated = amountsAt(all.filter(isFresh), fields).map((each) => exactAmount(each));
    const several = Map.groupBy(stated, (each) => each?.asset);
    const conflict = [...several.values()].find(({ length }) => length > 1);
    if (conflict)
      return `${title.toLowerCase()} is ${conflict.map((each) => (each ? amountForPeople(each) : '')).join(' and ')}`;
  }
  return undefined;
}
