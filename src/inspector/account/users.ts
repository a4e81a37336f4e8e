import { marks } from '../../copy/questions/in-copy.ts';
import { hasFailed, isDone, stored } from '../../copy/schema.ts';
import { TABLES, tableOf } from '../../copy/tables.ts';
import type { Account } from '../../engine/account.ts';
import type { Queries } from '../../journal/store.ts';
import { type Asset, amount, amountForPeople } from '../../money/amount.ts';
import { offramp } from '../../things/bank-transfers.ts';
import { deposits } from '../../things/deposits.ts';
import { user as userThing } from '../../things/users.ts';
import { type List, newestOf, type RowFilter } from '../source.ts';
import { inCopy } from './in-copy.ts';

interface UserRow {
  readonly id: string;
  readonly at: string | null;
  readonly who: string | null;
  readonly active: bigint | null;
  readonly accountNumber: string | null;
  readonly accountName: string | null;
  readonly bank: string | null;
  readonly evm: string | null;
  readonly solana: string | null;
  readonly bantu: string | null;
}

const users = () => tableOf(userThing);

/** The lists in which something of a user goes on or has ended. */
const listsOfUsers = () =>
  TABLES.filter(({ columns, hasStates }) => hasStates && columns.some(({ name }) => name === 'user_id'));

const ROW = `id, created_at AS at, coalesce(account_name, trim(coalesce(first_name, '') || ' ' || coalesce(last_name, ''))) AS who, is_active AS active,
  account_number AS "accountNumber", account_name AS "accountName", bank_name AS bank, evm_wallet AS evm, solana_wallet AS solana, bantu_wallet AS bantu`;

/** Every text of a user, in which words are looked for. */
const foundIn = () =>
  users()
    .columns.filter(({ kind }) => kind === 'text')
    .map(({ name }) => `coalesce(${name}, '')`)
    .join(` || ' ' || `);

const NONE = { total: 0, rows: [], generation: 0 };

/** The users of the account, as its local copy has them. `copied` has what each of them did. */
export function copiedUsers(account: Account, copied: List): List {
  return {
    page: (query) =>
      inCopy(
        account,
        (copy) =>
          copy.read(async (queries) => {
            const { sql, values } = matching(query);
            const total = await queries.get<{ n: bigint | string }>(`SELECT count(*) AS n FROM ${sql}`, ...values);
            const page = `SELECT ${ROW} FROM ${sql} ORDER BY coalesce(created_at, ''), id LIMIT ? OFFSET ?`;
            const rows = await queries.all<UserRow>(page, ...values, query.limit, query.from);
            const totals = await totalsOf(
              queries,
              rows.map(({ id }) => id),
            );
            const count = Number(total?.n ?? 0n);
            return { total: count, rows: rows.map((row) => shownRow(account, row, totals)), generation: count };
          }),
        NONE,
      ),
    detail: (id) => inCopy(account, (copy) => copy.read((queries) => userOf(account, queries, copied, id)), undefined),
  };
}

function matching({ text, state }: Pick<RowFilter, 'text' | 'state'>) {
  const words = text.toLowerCase().replace(/[!%_]/g, '!$&');
  const found = text === '' ? '' : ` AND lower(id || ' ' || ${foundIn()}) LIKE ? ESCAPE '!'`;
  const active = state === '' ? '' : ` AND ${state === 'active' ? '' : 'NOT '}is_active = 1`;
  return {
    sql: `${stored(users())} WHERE deleted_at IS NULL${found}${active}`,
    values: text === '' ? [] : [`%${words}%`],
  };
}

type Totals = Awaited<ReturnType<typeof totalsOf>>;

/** What these users paid in and were paid out by bank, and how much of theirs goes on. */
async function totalsOf(queries: Queries, ids: readonly string[]) {
  // A list of none is written so too: PostgreSQL knows no empty one.
  const ofThese = `user_id IN (${ids.length === 0 ? 'NULL' : marks(ids)}) AND deleted_at IS NULL`;
  const paid = async (table: (typeof TABLES)[number]) => {
    const sums = await queries.all<{ user_id: string; asset: Asset; minor: bigint | string }>(
      `SELECT user_id, amount_asset AS asset, sum(amount_minor) AS minor FROM ${stored(table)}
       WHERE ${ofThese} AND ${isDone(table)} AND amount_minor IS NOT NULL GROUP BY user_id, amount_asset`,
      ...ids,
    );
    return new Map(sums.map(({ user_id: id, asset, minor }) => [id, amountForPeople(amount(asset, BigInt(minor)))]));
  };
  const open = new Map<string, number>();
  for (const table of listsOfUsers())
    for (const { user_id: id, n } of await queries.all<{ user_id: string; n: bigint | string }>(
      `SELECT user_id, count(*) AS n FROM ${stored(table)}
       WHERE ${ofThese} AND NOT (${isDone(table)}) AND NOT (${hasFailed(table)}) GROUP BY user_id`,
      ...ids,
    ))
      open.set(id, (open.get(id) ?? 0) + Number(n));
  return {
    paidIn: await paid(tableOf({ list: deposits, name: deposits.name })),
    paidOut: await paid(tableOf(offramp)),
    open,
  };
}

const shownRow = (
  { profile }: Account,
  { id, at, who, active, accountNumber }: UserRow,
  { paidIn, paidOut, open }: Totals,
) => ({
  ...{ id, at, who, accountNumber, of: profile.name },
  ...{ state: active === 1n ? 'active' : 'inactive', look: active === 1n ? 'done' : 'bad' },
  ...{ paidIn: paidIn.get(id) ?? null, paidOut: paidOut.get(id) ?? null, open: String(open.get(id) ?? 0) },
});

const MOST_WORK = 20;

/** A user, with the wallets, what they hold as far as it was read, the permanent account, and the newest work. */
async function userOf(account: Account, queries: Queries, copied: List, id: string) {
  const row = await queries.get<UserRow>(`SELECT ${ROW} FROM ${stored(users())} WHERE id = ?`, id);
  if (!row) return undefined;
  const { evm, solana, bantu, accountNumber, accountName, bank } = row;
  const held = await queries.all<{ asset: Asset; minor: bigint | string | null; at: string }>(
    'SELECT asset, minor, at FROM stored_owed WHERE user_id = ? ORDER BY asset',
    id,
  );
  const work = await newestOf(copied, { text: '', state: '', user: id, limit: MOST_WORK });
  return {
    ...shownRow(account, row, await totalsOf(queries, [id])),
    list: 'copied',
    holds: held.flatMap(({ asset, minor, at }) =>
      minor === null || BigInt(minor) === 0n ? [] : [{ amount: amountForPeople(amount(asset, BigInt(minor))), at }],
    ),
    wallets: Object.entries({ EVM: evm, Solana: solana, Bantu: bantu }).flatMap(([kind, address]) =>
      address === null ? [] : [{ address, kind, balances: [] }],
    ),
    accounts: accountNumber === null ? [] : [{ accountNumber, accountName, kind: 'permanent', status: bank ?? '' }],
    work: work.rows.toReversed(),
  };
}
