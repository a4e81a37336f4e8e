import type { Queries } from '../journal/store.ts';
import { ENTRY_KINDS, type EntryKind, type EntrySet, type Move } from './entry-kinds.ts';
import { isThing, stored } from './schema.ts';
import { tableOf } from './tables.ts';

type Engine = Queries['engine'];

/** The day in Lagos of a time: an SQL expression. */
const dayOf = (engine: Engine, time: string): string =>
  engine === 'sqlite'
    ? `date(${time}, '+1 hour')`
    : `to_char(substr(${time}, 1, 19)::timestamp without time zone + '01:00:00'::interval, 'YYYY-MM-DD')`;

/** Why the time of a set is not known exactly: it may be on another day. */
const END_BETWEEN = 'END_BETWEEN';

/** Why an amount is not known that its row does not have. */
const AMOUNT_NOT_STATED = 'AMOUNT_NOT_STATED';

/** The entry of one side of a move, as a SELECT: what leaves has its sign changed. */
function entryOf(engine: Engine, { thing, user }: EntryKind, set: EntrySet, move: Move, side: 'from' | 'to'): string {
  const { asset } = move;
  const unknown =
    move.unknown === undefined ? `'${AMOUNT_NOT_STATED}'` : `coalesce(${move.unknown}, '${AMOUNT_NOT_STATED}')`;
  const minor = `(${move.minor})`;
  const between = set.bound === undefined ? 'NULL' : betweenDays(engine, set.at, set.bound);
  return `SELECT ${set.at} AS at, ${dayOf(engine, set.at)} AS day, ${move[side]} AS account, ${side === 'from' ? '-' : ''}${minor} AS amount_minor,
    ${asset} AS asset, '${thing.name}' AS thing, id, ${user ?? 'CAST(NULL AS TEXT)'} AS user_id, '${set.step}' AS step, CAST(NULL AS TEXT) AS note,
    CASE WHEN ${minor} IS NULL THEN ${unknown} ELSE ${between} END AS known
  FROM ${stored(tableOf(thing))} WHERE ${isThing(thing)} AND ${set.where} AND ${set.at} IS NOT NULL AND coalesce(${minor}, 1) <> 0`;
}

const betweenDays = (engine: Engine, at: string, bound: string) =>
  `CASE WHEN ${bound} IS NOT NULL AND ${dayOf(engine, bound)} <> ${dayOf(engine, at)} THEN '${END_BETWEEN}' END`;

/** Returns all entries, as one SELECT: each move of each set of each row, twice. */
export function bookEntries(engine: Engine): string {
  const entries = ENTRY_KINDS.flatMap((kind) =>
    kind.sets.flatMap((set) =>
      set.moves.flatMap((move) => (['from', 'to'] as const).map((side) => entryOf(engine, kind, set, move, side))),
    ),
  );
  return entries.join('\nUNION ALL ');
}
