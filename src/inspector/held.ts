import type { Clock } from '../base/world.ts';
import { amount, amountForPeople, isAsset, millionthsOf } from '../money/amount.ts';
import { scaledInteger } from '../money/decimal.ts';
import type { Asked, FilterName, List, Row, RowFilter, RowQuery, RowSum } from './source.ts';
import { typedSums } from './typed.ts';

/** Rows that are held in memory, the oldest first, and whether there are older ones. */
export interface Held {
  readonly rows: readonly Row[];
  readonly hasOlder: boolean;
}

/** A list has no more rows than this: what is older is found by the search. */
export const MOST_HELD = 5_000;

/** Reads something again whenever its version has changed, so that it is never partly old. `generation` counts the readings. */
export function heldWhile<T>(version: () => Promise<string>, read: () => Promise<T>) {
  let known: { readonly version: string; readonly held: Promise<T> } | undefined;
  let generation = 0;
  return async (): Promise<{ readonly value: T; readonly generation: number }> => {
    const now = await version();
    if (known?.version !== now) {
      const held = read();
      known = { version: now, held };
      generation += 1;
      // What could not be read, such as a file that was busy, is read again when it is asked for.
      held.catch(() => {
        if (known?.held === held) known = undefined;
      });
    }
    return { value: await known.held, generation };
  };
}

/** What took long to read is not read again for this many times as long, so that an open page leaves everything else its time. */
const RESTS = 8;

/** Reads something again once it has rested. */
export function rested<T>(clock: Clock, read: () => Promise<T>): () => Promise<T> {
  let known: { readonly untilMs: number; readonly value: T } | undefined;
  return async () => {
    const startMs = clock.now();
    if (known && startMs < known.untilMs) return known.value;
    const value = await read();
    const endMs = clock.now();
    known = { value, untilMs: endMs + RESTS * (endMs - startMs) };
    return value;
  };
}

/** Answers to so many questions are remembered. */
const MOST_QUESTIONS = 8;

/** Returns what reads the answer to a question, and again whenever the version has changed. */
export function heldByQuestion<T>(version: () => Promise<string>, read: (asked: Asked) => Promise<T>) {
  const known = new Map<string, () => Promise<{ readonly value: T }>>();
  return async (asked: Asked): Promise<T> => {
    const question = JSON.stringify(Object.entries(asked).sort());
    const current = known.get(question) ?? heldWhile(version, () => read(asked));
    known.delete(question);
    known.set(question, current);
    for (const oldest of known.keys()) if (known.size > MOST_QUESTIONS) known.delete(oldest);
    return (await current()).value;
  };
}

/** A list that is read as a whole whenever its version has changed. */
export function heldList(
  version: () => Promise<string>,
  read: () => Promise<Held>,
  detail: (id: string) => Promise<unknown>,
  filters: readonly FilterName[] = [],
): List {
  const current = heldWhile(version, read);
  return {
    page: async (query) => {
      const { value, generation } = await current();
      return { ...pageOf(value.rows, query), hasOlder: value.hasOlder, generation };
    },
    detail,
    filters,
    ...(filters.includes('amount') && {
      sums: async (filter: RowFilter) => sumsIn((await current()).value.rows, filter),
    }),
  };
}

/** The rows of a page, among those that match. */
export function pageOf(rows: readonly Row[], query: RowQuery) {
  const matching = matchingOf(rows, query);
  return { total: matching.length, rows: matching.slice(query.from, query.from + query.limit) };
}

/** An amount of a row in millionths of its asset; undefined if it moves none. */
const millionthsIn = ({ asset, minor }: Row): bigint | undefined =>
  typeof asset === 'string' && typeof minor === 'string' && isAsset(asset)
    ? millionthsOf({ asset, minor: BigInt(minor) })
    : undefined;

const figureIn = (text: string) => scaledInteger(text.replace(/[, ]/g, ''), 6);

/** The rows that match. What is no time and no figure matches nothing. */
function matchingOf(rows: readonly Row[], filter: RowFilter): readonly Row[] {
  const { text, state, look = '', since = '', until = '', user = '', least = '', most = '' } = filter;
  const wanted = text.toLowerCase();
  const sums = (text === '' ? [] : typedSums(text)).map(({ asset, minor }) => `${asset} ${minor}`);
  const isSum = ({ asset, minor }: Row) => sums.includes(`${asset} ${minor}`);
  const tests: ((row: Row) => boolean)[] = [];
  if (state !== '') tests.push((row) => row['state'] === state || row['kind'] === state);
  if (look !== '') tests.push((row) => row['look'] === look);
  if (since !== '') tests.push((row) => Date.parse(String(row['at'])) >= Date.parse(since));
  if (until !== '') tests.push((row) => Date.parse(String(row['at'])) < Date.parse(until));
  if (user !== '') tests.push((row) => row['user'] === user || row['who'] === user);
  for (const [figure, isWithin] of [
    [least, (sum: bigint, bound: bigint) => sum >= bound],
    [most, (sum: bigint, bound: bigint) => sum <= bound],
  ] as const) {
    const bound = figure === '' ? undefined : figureIn(figure);
    if (figure !== '')
      tests.push((row) => {
        const sum = millionthsIn(row);
        return sum !== undefined && bound !== undefined && isWithin(sum, bound);
      });
  }
  if (wanted !== '')
    tests.push((row) => Object.values(row).some((each) => String(each).toLowerCase().includes(wanted)) || isSum(row));
  return tests.length === 0 ? rows : rows.filter((row) => tests.every((test) => test(row)));
}

/** What matching rows move together, and how much of it has ended well. */
function sumsIn(rows: readonly Row[], filter: RowFilter): readonly RowSum[] {
  const moving = matchingOf(rows, filter).filter((row) => millionthsIn(row) !== undefined);
  return [...Map.groupBy(moving, ({ asset }) => String(asset))].flatMap(([asset, of]) => {
    if (!isAsset(asset)) return [];
    const total = (all: readonly Row[]) =>
      amountForPeople(
        amount(
          asset,
          all.reduce((sum, { minor }) => sum + BigInt(minor ?? 0), 0n),
        ),
      );
    return [{ asset, amount: total(of), done: total(of.filter(({ look }) => look === 'done')) }];
  });
}
