import { isOneEditApart } from '../../base/edit-distance.ts';
import type { Queries } from '../../journal/store.ts';
import type { SqlValue } from '../../sqlite/database.ts';
import { stored } from '../schema.ts';
import type { CopyTable } from '../tables.ts';
import { anyOf, type FoundRows, foundBy, inTables, keysWhere, marks, rowKeyOf } from './in-copy.ts';

/** More names than this have a part in common that says too little. */
const MOST_NAMES = 500;

/** Names that have all words, and those that have each one; undefined if too many have all. */
type Names = { readonly whole: readonly string[]; readonly byWord: readonly (readonly string[])[] } | undefined;

/** Returns the names in which each of these folded words occurs. The names are scanned, of which there are fewer than rows. */
export async function namesWith(queries: Queries, words: readonly string[]): Promise<Names> {
  // Needs no escaping, unlike LIKE.
  const has = placeIn(queries);
  const namesOf = async (parts: readonly string[]) => {
    const conditions = parts.map(() => `${has}(folded, ?) > 0`).join(' AND ');
    const sql = `SELECT name FROM person_name WHERE ${conditions} LIMIT ${MOST_NAMES + 1}`;
    return (await queries.all<{ name: string }>(sql, ...parts)).map(({ name }) => name);
  };
  if (words.length === 0) return { whole: [], byWord: [] };
  const whole = await namesOf(words);
  if (whole.length > MOST_NAMES) return undefined;
  // Where first and last name are columns of their own, no single name has all the words.
  return { whole, byWord: words.length > 1 ? await Promise.all(words.map(async (word) => namesOf([word]))) : [] };
}

/** The function that says where a text is in another one. */
const placeIn = ({ engine }: Queries) => (engine === 'sqlite' ? 'instr' : 'strpos');

/** Shorter words with another letter are other words. */
const SHORTEST_ALIKE = 4;

/**
 * Returns the names in which each of these folded words occurs, or is one letter off. One half of such a word is as it was typed, unless
 * the two letters between the halves changed places; so a scan of the names compares few of them letter by letter.
 */
export async function namesAlike(queries: Queries, words: readonly string[]): Promise<Names> {
  if (!words.some(({ length }) => length >= SHORTEST_ALIKE)) return { whole: [], byWord: [] };
  const has = placeIn(queries);
  const byWord: (readonly string[])[] = [];
  for (const word of words) {
    const half = Math.floor(word.length / 2);
    const [first, last] = [word.slice(0, half), word.slice(half)];
    const swapped = first.slice(0, -1) + last.slice(0, 1) + first.slice(-1) + last.slice(1);
    const [conditions, parts] =
      word.length < SHORTEST_ALIKE
        ? [`${has}(folded, ?) > 0`, [word]]
        : [
            `${has}(' ' || folded, ?) > 0 OR ${has}(folded || ' ', ?) > 0 OR ${has}(folded, ?) > 0`,
            [` ${first}`, word.length < 6 ? `${last} ` : last, swapped],
          ];
    const sql = `SELECT name, folded FROM person_name WHERE ${conditions}`;
    const found = await queries.all<{ name: string; folded: string }>(sql, ...parts);
    byWord.push(found.flatMap((each) => (isAlike(word, each.folded) ? [each.name] : [])));
  }
  const [least = [], ...others] = byWord.toSorted((a, b) => a.length - b.length).map((names) => new Set(names));
  const whole = [...least].filter((name) => others.every((names) => names.has(name)));
  if (whole.length > MOST_NAMES) return undefined;
  return { whole, byWord: words.length > 1 ? byWord : [] };
}

/** Whether a name has a word, or one that is or begins with one letter off. */
function isAlike(word: string, name: string): boolean {
  if (word.length < SHORTEST_ALIKE) return name.includes(word);
  const starts = word.length > SHORTEST_ALIKE ? [-1, 0, 1].map((more) => word.length + more) : [];
  return name
    .split(/[^\p{L}\p{N}]+/u)
    .some((each) => isOneEditApart(word, each) || starts.some((length) => isOneEditApart(word, each.slice(0, length))));
}

/** Finds the rows that have names: one of `whole`, or, of a user, one with each word in the first name and in the last. */
export async function rowsWithName(queries: Queries, names: NonNullable<Names>, limit: number): Promise<FoundRows> {
  const { whole, byWord } = names;
  const isNarrow = byWord.length > 0 && byWord.every((each) => each.length > 0 && each.length <= MOST_NAMES);
  const parts = isNarrow ? byWord : [];
  const all = new Set([...whole, ...parts.flat()]);
  return inTables(async (table) => {
    const columns = table.columns.filter(({ isName }) => isName).map(({ name }) => name);
    if (columns.length === 0) return undefined;
    const one = (each: readonly string[]) =>
      anyOf(columns.map((column) => keysWhere(queries, table, `${column} IN (${marks(each)})`)));
    const rowKey = rowKeyOf(queries);
    const every = parts.map((each) => `${rowKey} IN (${one(each)})`).join(' AND ');
    const valuesOf = (each: readonly string[]) => columns.flatMap(() => each);
    const newest = await newestNamed(queries, table, columns, whole, limit);
    const queriesOf = [
      ...(newest.length > 0 ? [marks(newest)] : []),
      ...(parts.length > 0 ? [keysWhere(queries, table, every)] : []),
    ];
    if (queriesOf.length === 0) return undefined;
    const values = [...newest, ...parts.flatMap(valuesOf)];
    const where = queriesOf.join(`) OR ${rowKey} IN (`);
    return foundBy(queries, table, [where, values], limit, (row) =>
      columns.filter((name) => all.has(String(row[name]))),
    );
  });
}

/** SQLite takes at most 500 selects in one. */
const MOST_SELECTS = 250;

/** Returns the keys of the newest rows that have one of these names. A name may be in a tenth of all rows, so the index has their order. */
async function newestNamed(
  queries: Queries,
  table: CopyTable,
  columns: readonly string[],
  names: readonly string[],
  limit: number,
): Promise<SqlValue[]> {
  const each = columns.flatMap((column) => names.map((name) => ({ column, name })));
  const newest = new Map<SqlValue, string>();
  const rowKey = rowKeyOf(queries);
  for (let at = 0; at < each.length; at += MOST_SELECTS) {
    const part = each.slice(at, at + MOST_SELECTS);
    const selects = part.map(
      ({ column }) =>
        `SELECT row_key, created_at FROM (SELECT ${rowKey} AS row_key, created_at FROM ${stored(table)} WHERE ${column} = ? ORDER BY created_at DESC, id LIMIT ${limit + 1}) AS newest`,
    );
    const found = await queries.all<{ row_key: SqlValue; created_at: string | null }>(
      selects.join(' UNION ALL '),
      ...part.map(({ name }) => name),
    );
    for (const { row_key: key, created_at: at } of found) newest.set(key, at ?? '');
  }
  const isBefore = ([, one]: readonly [SqlValue, string], [, other]: readonly [SqlValue, string]) =>
    one < other ? 1 : one > other ? -1 : 0;
  return [...newest]
    .toSorted(isBefore)
    .slice(0, limit + 1)
    .map(([key]) => key);
}
