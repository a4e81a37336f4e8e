import type { LocalCopy } from '../../copy/database.ts';
import { existingCopy } from '../../copy/open.ts';
import { lookLocally, withOperations } from '../../copy/questions/look.ts';
import { storyOf } from '../../copy/questions/story.ts';
import { asId } from '../../copy/questions/typed.ts';
import { stored } from '../../copy/schema.ts';
import { type CopyTable, TABLES } from '../../copy/tables.ts';
import type { Account } from '../../engine/account.ts';
import { type Asset, amountForPeople, amount as amountOf } from '../../money/amount.ts';
import { amountWords, isPlainAmount } from '../../present/plain.ts';
import { factsIn } from '../../things/fields.ts';
import { THINGS } from '../../things/index.ts';
import { cutBody } from '../bodies.ts';
import type { List, RowQuery } from '../source.ts';

interface CopiedRow {
  readonly id: string;
  readonly kind: string;
  readonly state: string | null;
  readonly at: string | null;
  readonly minor: bigint | null;
  readonly asset: Asset | null;
}

/** The column with the sum that the things of a list move; undefined if they move none. */
function sumOf({ name, columns }: CopyTable): string | undefined {
  const sums = THINGS.filter(({ list }) => list?.name === name).flatMap(({ amount }) => amount);
  return columns.find(({ field, kind }) => kind === 'amount' && sums.includes(field))?.name;
}

/** The rows of the copied lists; what is known of each is its story. */
export function storyList(account: Account): List {
  const { world, profile } = account;
  return {
    page: async (query) => {
      const copy = await existingCopy(world, profile);
      try {
        return copy ? await pageOf(copy, query) : { total: 0, rows: [], generation: 0 };
      } finally {
        await copy?.close();
      }
    },
    detail: (id) => storyWith(account, id),
  };
}

async function pageOf(copy: LocalCopy, { text, state, from, limit }: RowQuery) {
  const tables = state === '' ? TABLES : TABLES.filter(({ name }) => name === state);
  const all = tables
    .map((table) => {
      const sum = sumOf(table);
      const [minor, asset] = sum === undefined ? ['NULL', 'NULL'] : [`${sum}_minor`, `${sum}_asset`];
      return `SELECT id, '${table.name}' AS kind, status AS state, created_at AS at, ${minor} AS minor, ${asset} AS asset FROM ${stored(table)}`;
    })
    .join(' UNION ALL ');
  if (all === '') return { total: 0, rows: [], generation: 0 };
  const where = text === '' ? '' : `WHERE lower(id || ' ' || kind || ' ' || coalesce(state, '')) LIKE ? ESCAPE '!'`;
  const values = text === '' ? [] : [`%${text.toLowerCase().replace(/[!%_]/g, '!$&')}%`];
  return copy.read(async (queries) => {
    const total = await queries.get<{ n: bigint }>(`SELECT count(*) AS n FROM (${all}) AS row ${where}`, ...values);
    const sql = `SELECT * FROM (${all}) AS row ${where} ORDER BY coalesce(at, ''), id LIMIT ? OFFSET ?`;
    const rows = (await queries.all<CopiedRow>(sql, ...values, limit, from)).map(({ minor, asset, ...row }) => ({
      ...row,
      amount: minor === null || asset === null ? null : amountForPeople(amountOf(asset, minor)),
    }));
    // A sync may put a row anywhere.
    return { total: Number(total?.n ?? 0n), rows, generation: Number(total?.n ?? 0n) };
  });
}

/** Tells what this machine knows; the service is not asked, so it says when it was so. */
async function storyWith(account: Account, id: string) {
  const { matches } = await lookLocally(account, asId(id));
  const [match] = matches.filter((each) => each.found?.id === id);
  if (!match) return undefined;
  const story = await storyOf(account, await withOperations(account, match), undefined, undefined);
  const { kind, status: state, means, amount, user, row, asOf, timeline, next } = story;
  return {
    id,
    kind,
    state,
    means,
    amount: isPlainAmount(amount) ? amountWords(amount) : null,
    // Not their values: what is personal is recognised by its field.
    facts: factsIn(match.kind, row),
    user: user?.name ?? user?.userId ?? null,
    asOf,
    timeline,
    next,
    row: cutBody(JSON.stringify(row)),
  };
}
