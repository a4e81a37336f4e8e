import type { LocalCopy } from '../../copy/database.ts';
import { existingCopy } from '../../copy/open.ts';
import { type FindMatch, lookLocally, withOperations } from '../../copy/questions/look.ts';
import { storyOf } from '../../copy/questions/story.ts';
import { asId, textIn } from '../../copy/questions/typed.ts';
import { stored } from '../../copy/schema.ts';
import { type CopyTable, TABLES } from '../../copy/tables.ts';
import type { Account } from '../../engine/account.ts';
import { type Asset, amountForPeople, amount as amountOf } from '../../money/amount.ts';
import { scaledInteger } from '../../money/decimal.ts';
import { amountWords, isPlainAmount } from '../../present/plain.ts';
import { THINGS, thingOfRow } from '../../things/index.ts';
import { goesOn, waitOf } from '../../things/states.ts';
import { cutBody } from '../bodies.ts';
import { type ShownAmount, shownFacts } from '../facts.ts';
import { lookOf, lookOfOperation } from '../look.ts';
import type { List, Page, Row, RowFilter, RowQuery, RowSum } from '../source.ts';
import { typedSums } from '../typed.ts';
import { bookedIn } from './books.ts';
import { rowOfEvent } from './events.ts';
import { inCopy } from './in-copy.ts';

interface CopiedRow {
  readonly id: string;
  readonly list: string;
  readonly type: string | null;
  readonly state: string | null;
  readonly at: string | null;
  readonly endedAt: string | null;
  readonly who: string | null;
  readonly for: string | null;
  readonly user: string | null;
  readonly minor: bigint | null;
  readonly asset: Asset | null;
}

/** The things of a list. */
const thingsOf = ({ name }: CopyTable) => THINGS.filter(({ list }) => list?.name === name);

/** What a row is paid into, or between what it moves: the columns that say it. */
const TARGETS = ['bank_name', 'account_number', 'to_address', 'pair', 'network'];

/** SQL that selects the rows of a list with the columns that all lists have here, which its records name. */
function selected(table: CopyTable): string {
  const { name, columns } = table;
  const things = thingsOf(table);
  const columnOf = (fields: readonly string[]) => columns.find(({ field }) => fields.includes(field))?.name;
  const sums = things.flatMap(({ amount }) => amount);
  const sum = columns.find(({ field, kind }) => kind === 'amount' && sums.includes(field))?.name;
  const ended = things[0]?.facts.find(({ isEnd, column }) => isEnd && column !== undefined)?.column;
  const has = (column: string) => columns.some((each) => each.name === column);
  const targets = TARGETS.filter(has).map((column) => `coalesce(${column} || ' · ', '')`);
  const text = columns.flatMap(({ name: column, kind }) => (kind === 'text' ? [`coalesce(${column}, '')`] : []));
  return `SELECT id, '${name}' AS list, ${has('type') ? 'type' : 'NULL'} AS type, status AS state, created_at AS at,
    ${ended ?? 'NULL'} AS ended_at, ${columnOf(things.flatMap(({ who }) => who)) ?? 'NULL'} AS who, ${targets.join(' || ') || 'NULL'} AS target,
    ${has('user_id') ? 'user_id' : 'NULL'} AS user_id, ${sum ? `${sum}_minor` : 'NULL'} AS minor, ${sum ? `${sum}_asset` : 'NULL'} AS asset,
    ${text.join(` || ' ' || `) || `''`} AS found FROM ${stored(table)}`;
}

const NOBODY = { total: 0, rows: [], generation: 0 };

/** The rows of the copied lists; what is known of each is its story. */
export function storyList(account: Account): List {
  return {
    kinds: TABLES.map(({ name }) => name),
    filters: ['look', 'time', 'user', 'amount'],
    page: async (query) => ({
      ...(await inCopy(account, (copy) => pageOf(copy, query), NOBODY)),
      now: new Date(account.world.clock.now()).toISOString(),
    }),
    sums: (filter) => inCopy(account, (copy) => sumsOf(copy, filter), []),
    detail: (id, isBrief = false) => storyWith(account, id, isBrief),
  };
}

/** The statuses of a list that look so; of those that are still going on, any that no record knows is one. */
function isLooking(table: CopyTable, look: string): string {
  const things = thingsOf(table);
  const states = [...new Set(things.flatMap(({ states: all = {} }) => Object.keys(all)))];
  const is = (wanted: (of: string) => boolean) =>
    states.filter((state) => things.some((each) => wanted(lookOf(each, state)))).map((state) => `'${state}'`);
  if (!table.hasStates) return look === 'none' ? 'true' : 'false';
  if (look === 'open') return `state NOT IN (${is((of) => of !== 'open').join(', ') || `''`})`;
  return `state IN (${is((of) => of === look).join(', ') || `''`})`;
}

const figureIn = (text: string) => scaledInteger(text.replace(/[, ]/g, ''), 6);

/** SQL of all rows that match, and its values. What is no time and no figure matches nothing. */
function matching({ text, state, look = '', since = '', until = '', user = '', least = '', most = '' }: RowFilter) {
  const tables = state === '' ? TABLES : TABLES.filter(({ name }) => name === state);
  const all = tables.map(
    (table) => `SELECT * FROM (${selected(table)}) AS of_list${look ? ` WHERE ${isLooking(table, look)}` : ''}`,
  );
  const conditions: string[] = [];
  const values: (string | bigint)[] = [];
  const add = (condition: string, ...of: (string | bigint)[]) => {
    conditions.push(condition);
    values.push(...of);
  };
  for (const [time, sign] of [
    [since, '>='],
    [until, '<'],
  ] as const)
    if (time !== '') {
      const isTime = !Number.isNaN(Date.parse(time));
      add(isTime ? `at ${sign} ?` : 'false', ...(isTime ? [new Date(time).toISOString()] : []));
    }
  if (user !== '') add('user_id = ?', user);
  for (const [figure, sign] of [
    [least, '>='],
    [most, '<='],
  ] as const)
    if (figure !== '') {
      const bound = figureIn(figure);
      add(bound === undefined ? 'false' : `minor * CASE asset WHEN 'NGN' THEN 10000 ELSE 1 END ${sign} ${bound}`);
    }
  if (text !== '') {
    const sums = typedSums(text);
    const words = `lower(id || ' ' || list || ' ' || coalesce(state, '') || ' ' || coalesce(who, '') || ' ' || found) LIKE ? ESCAPE '!'`;
    const like = `%${text.toLowerCase().replace(/[!%_]/g, '!$&')}%`;
    add(
      `(${[words, ...sums.map(() => '(minor = ? AND asset = ?)')].join(' OR ')})`,
      like,
      ...sums.flatMap(({ minor, asset }) => [minor, asset]),
    );
  }
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  return all.length === 0 ? undefined : { sql: `(${all.join(' UNION ALL ')}) AS row ${where}`, values };
}

const SHOWN = 'id, list, type, state, at, ended_at AS "endedAt", who, target AS "for", user_id AS "user", minor, asset';

async function pageOf(copy: LocalCopy, query: RowQuery): Promise<Page> {
  const { sql, values } = matching(query) ?? {};
  if (sql === undefined || values === undefined) return NOBODY;
  return copy.read(async (queries) => {
    const total = await queries.get<{ n: bigint }>(`SELECT count(*) AS n FROM ${sql}`, ...values);
    const page = `SELECT ${SHOWN} FROM ${sql} ORDER BY coalesce(at, ''), id LIMIT ? OFFSET ?`;
    const rows = (await queries.all<CopiedRow>(page, ...values, query.limit, query.from)).map(rowOf);
    // A sync may put a row anywhere.
    return { total: Number(total?.n ?? 0n), rows, generation: Number(total?.n ?? 0n) };
  });
}

function rowOf({ list, type, minor, asset, ...row }: CopiedRow): Row {
  const thing = thingOfRow(list, type);
  return {
    ...row,
    kind: thing.name,
    look: lookOf(thing, row.state),
    for: row.for?.replace(/ · $/, '') || null,
    amount: minor === null || asset === null ? null : amountForPeople(amountOf(asset, minor)),
  };
}

/** What matching rows move, and how much of it has ended well. */
async function sumsOf(copy: LocalCopy, filter: RowFilter): Promise<readonly RowSum[]> {
  const { sql, values } = matching(filter) ?? {};
  if (sql === undefined || values === undefined) return [];
  const rows = await copy.read((queries) =>
    queries.all<Pick<CopiedRow, 'list' | 'type' | 'state'> & { asset: Asset; minor: bigint | string }>(
      `SELECT list, type, state, asset, sum(minor) AS minor FROM ${sql} GROUP BY list, type, state, asset HAVING asset IS NOT NULL`,
      ...values,
    ),
  );
  return [...Map.groupBy(rows, ({ asset }) => asset)].map(([asset, of]) => {
    const total = (all: typeof rows) =>
      amountForPeople(
        amountOf(
          asset,
          all.reduce((sum, { minor }) => sum + BigInt(minor), 0n),
        ),
      );
    const isDone = ({ list, type, state }: (typeof rows)[number]) => lookOf(thingOfRow(list, type), state) === 'done';
    return { asset, amount: total(of), done: total(of.filter(isDone)) };
  });
}

/** Tells what this machine knows; the service is not asked, so it says when it was so. */
async function storyWith(account: Account, id: string, isBrief: boolean) {
  const { matches } = await lookLocally(account, asId(id));
  const [match] = matches.filter((each) => each.found?.id === id);
  if (!match) return undefined;
  const whole = await withOperations(account, match);
  const story = await storyOf(account, whole, undefined, undefined);
  const copy = isBrief ? undefined : await existingCopy(account.world, account.profile);
  const { fees, postings } = await bookedIn(copy, match.kind, id).finally(() => copy?.close());
  const { kind, status: state, means, amount, user, row, asOf, timeline, next } = story;
  return {
    id,
    kind,
    state,
    look: lookOf(match.kind, state),
    at: match.at,
    now: asOf,
    means,
    waits: goesOn(match.kind, state) ? waitOf(match.kind, [state]).waits : null,
    amount: isPlainAmount(amount) ? amountWords(amount) : null,
    who: textIn(row, match.kind.who) ?? null,
    // Not their values: what is personal is recognised by its field.
    ...withFees(shownFacts(match.kind, row), fees),
    postings,
    belongings: [...whole.operations.map(operationLink), ...whole.events.map(eventLink)],
    user: user && { userId: user.userId, who: user.name },
    asOf,
    timeline: timeline.map(({ at, what, source }) => ({ at, what, source })),
    next,
    row: cutBody(JSON.stringify(row)),
  };
}

/** What the account and the service took takes the stead of what the service states in sum. */
function withFees<T extends { readonly amounts: readonly ShownAmount[] }>(shown: T, fees: readonly ShownAmount[]): T {
  const titles = new Set(fees.map(({ title }) => title));
  return { ...shown, amounts: [...shown.amounts.filter(({ title }) => !titles.has(title)), ...fees] };
}

/** Where the request of a thing is shown. */
const operationLink = (operation: FindMatch['operations'][number]) => ({
  ...{ list: 'operations', id: operation.operationId, at: operation.createdAt, what: operation.summary },
  ...{ state: operation.state, look: lookOfOperation(operation) },
});

const eventLink = (event: FindMatch['events'][number]) => {
  const { id, at, event: what, state, look } = rowOfEvent(event);
  return { list: 'events', id, at, what: what ?? 'an event without a name', state, look };
};
