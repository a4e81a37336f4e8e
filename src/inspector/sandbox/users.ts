import { type Asset, amount, amountForPeople } from '../../money/amount.ts';
import { IS_OPEN_DEPOSIT, IS_OPEN_OFFRAMP, IS_OPEN_WITHDRAWAL } from '../../service/schema/schema.ts';
import type { Service } from '../../service/service.ts';
import type { Database } from '../../sqlite/database.ts';
import { pageOfMatches, rememberMatches } from '../matches.ts';
import type { List } from '../source.ts';
import { areThere, type Ends, endsOf } from './added.ts';
import { paymentOfUser } from './payments.ts';
import { WALLET_KINDS } from './postings.ts';
import { ALL_WORK, rowOfWork, type WorkRow } from './work-row.ts';

interface UserRow {
  readonly id: bigint;
  readonly user_id: string;
  readonly who: string;
  readonly active: bigint;
  readonly created_at: bigint;
  readonly number: string | null;
  readonly of: string;
}

const ROW = `SELECT user.id, user_id, concat_ws(' ', first_name, middle_name, last_name) AS who, active, user.created_at, fintech.name AS of,
  (SELECT number FROM virtual_account WHERE virtual_account.user = user.id AND kind = 'user_permanent' ORDER BY id DESC LIMIT 1) AS number
  FROM user JOIN fintech ON fintech.id = user.fintech`;

const TABLES = [{ table: 'user', name: 'user_id' }];

const isoTime = (timeMs: bigint) => new Date(Number(timeMs)).toISOString();

const rowOf = ({ user_id: id, who, active, created_at: at, number, of }: UserRow) => ({
  ...{ id, at: isoTime(at), who, state: active === 1n ? 'active' : 'inactive', look: active === 1n ? 'done' : 'bad' },
  ...{ accountNumber: number, of },
});

/** The users of every account of the sandbox. */
export function userList(service: Service): List {
  const { store } = service;
  const matches = rememberMatches<bigint, Ends>({
    find: ({ text }, since) => ({ last: endsOf(store, TABLES), items: idsAfter(store, text, since?.[0]?.id ?? 0n) }),
    isStill: (last) => areThere(store, TABLES, last),
  });
  return {
    page: (query) =>
      service.submit('read', () => {
        const open = query.limit === 0 ? new Map<bigint, bigint>() : openByUser(store);
        return pageOfMatches(matches(query), query, (id) => {
          const row = store.get<UserRow>(`${ROW} WHERE user.id = ?`, id);
          return row && shownRow(store, row, open);
        });
      }),
    detail: (id) => service.submit('read', ({ nowMs }) => userOf(store, id, nowMs)),
  };
}

function idsAfter(store: Database, text: string, after: bigint): bigint[] {
  const found = `instr(lower(concat_ws(' ', user_id, first_name, middle_name, last_name,
    (SELECT group_concat(address, ' ') FROM wallet WHERE wallet.user = user.id),
    (SELECT group_concat(number, ' ') FROM virtual_account WHERE virtual_account.user = user.id))), ?) > 0`;
  const sql = `SELECT id FROM user WHERE id > ? ${text === '' ? '' : `AND ${found}`} ORDER BY id`;
  const values = text === '' ? [] : [text.toLowerCase()];
  return store.all<{ id: bigint }>(sql, after, ...values).map(({ id }) => id);
}

/** What a user has paid in and been paid out by bank, with what was completed. */
function paidBy(store: Database, user: bigint) {
  const rows = store.all<{ direction: string; minor: bigint }>(
    `SELECT direction, sum(amount_kobo) AS minor FROM movement WHERE user = ? AND status = 'completed' GROUP BY direction`,
    user,
  );
  const paid = (direction: string) => {
    const minor = rows.find((each) => each.direction === direction)?.minor;
    return minor === undefined ? null : amountForPeople(amount('NGN', minor));
  };
  return { paidIn: paid('in'), paidOut: paid('out') };
}

/** Work of users that goes on, as the indexes have it. */
const OPEN_WORK: readonly (readonly [table: string, isOpen: string])[] = [
  ['onramp', `state NOT IN ('completed', 'failed')`],
  ['offramp', IS_OPEN_OFFRAMP],
  ['withdrawal', IS_OPEN_WITHDRAWAL],
  ['deposit', IS_OPEN_DEPOSIT],
  ['swap', `state NOT IN ('completed', 'failed')`],
];

/** How much work of each user goes on. */
function openByUser(store: Database): ReadonlyMap<bigint, bigint> {
  const sql = OPEN_WORK.map(([table, isOpen]) => `SELECT user FROM ${table} WHERE ${isOpen} AND user IS NOT NULL`);
  const rows = store.all<{ user: bigint; n: bigint }>(
    `SELECT user, count(*) AS n FROM (${sql.join(' UNION ALL ')}) GROUP BY user`,
  );
  return new Map(rows.map(({ user, n }) => [user, n]));
}

const shownRow = (store: Database, row: UserRow, open: ReadonlyMap<bigint, bigint>) => ({
  ...rowOf(row),
  ...paidBy(store, row.id),
  open: String(open.get(row.id) ?? 0n),
});

const MOST_WORK = 20;

/** A user, with the wallets and what is in them, the accounts to pay into, and the newest work. */
function userOf(store: Database, id: string, nowMs: number) {
  const row = store.get<UserRow>(`${ROW} WHERE user_id = ?`, id);
  if (!row) return undefined;
  const wallets = store.all<{ id: bigint; address: string; kind: string; blockchain: string }>(
    'SELECT id, address, kind, blockchain FROM wallet WHERE user = ? ORDER BY id DESC LIMIT 50',
    row.id,
  );
  const accounts = store.all<{ number: string; kind: string; status: string; name: string }>(
    'SELECT number, kind, status, name FROM virtual_account WHERE user = ? ORDER BY id DESC LIMIT 20',
    row.id,
  );
  const work = store.all<WorkRow>(
    `SELECT * FROM (${ALL_WORK}) WHERE user = ? ORDER BY created_at DESC LIMIT ?`,
    row.id,
    MOST_WORK,
  );
  return {
    ...shownRow(store, row, openByUser(store)),
    now: new Date(nowMs).toISOString(),
    wallets: wallets.map(({ id: wallet, kind, blockchain, address }) => ({
      address,
      kind: `${WALLET_KINDS[kind] ?? 'wallet'} on ${blockchain}`,
      balances: balancesIn(store, wallet),
    })),
    accounts: accounts.map(({ number: accountNumber, name: accountName, ...each }) => ({
      ...each,
      accountNumber,
      accountName,
    })),
    work: work.map(rowOfWork),
    pays: paymentOfUser(store, row),
  };
}

const balancesIn = (store: Database, wallet: bigint) =>
  store
    .all<{ code: string; asset: Asset; balance: bigint }>(
      `SELECT code, asset, balance FROM account WHERE code >= ? AND code < ? AND balance <> 0 ORDER BY asset`,
      `wallet/${wallet}/`,
      `wallet/${wallet}0`,
    )
    .map(({ code, asset, balance }) => ({
      network: code.split('/')[2] ?? '',
      amount: amountForPeople(amount(asset, balance)),
    }));
