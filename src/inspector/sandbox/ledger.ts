import type { Asset } from '../../money/amount.ts';
import type { Service } from '../../service/service.ts';
import type { Database, SqlValue } from '../../sqlite/database.ts';
import { pageOfMatches, rememberMatches } from '../matches.ts';
import type { List } from '../source.ts';
import { typedSums } from '../typed.ts';
import { areThere, type Ends, endsOf } from './added.ts';
import { namedAccount, type postingReader, type SetRow, signed, sumOf } from './postings.ts';

const rowOf = ({ id, event, subject, created_at: at }: SetRow) => ({
  id: String(id),
  at: new Date(Number(at)).toISOString(),
  event,
  subject,
});

const TABLES = [{ table: 'posting_set', name: `event || ' ' || subject || ' ' || created_at` }];

/** The posting sets of the ledger. */
export function ledgerList(service: Service, read: ReturnType<typeof postingReader>): List {
  const { store } = service;
  const setWith = (id: string) => {
    const row = store.get<SetRow>('SELECT * FROM posting_set WHERE id = ?', Number(id));
    const [set] = row ? read([row]) : [];
    return row && set && { ...rowOf(row), postings: set.postings, sums: set.sums };
  };
  const matches = rememberMatches<bigint, Ends>({
    find: ({ text, isDeep = false }, since) => {
      const last = endsOf(store, TABLES);
      const { sql, values } = matching(text, isDeep);
      const rows = store.all<{ id: bigint }>(
        `SELECT id FROM posting_set WHERE id > ? ${sql} ORDER BY id`,
        since?.[0]?.id ?? 0n,
        ...values,
      );
      return { items: rows.map(({ id }) => id), last };
    },
    isStill: (last) => areThere(store, TABLES, last),
  });
  return {
    page: (query) =>
      service.submit('read', () =>
        pageOfMatches(matches(query), query, (id) => {
          const row = store.get<SetRow>('SELECT * FROM posting_set WHERE id = ?', id);
          return row && { ...rowOf(row), ...movedBy(store, row.id) };
        }),
      ),
    detail: (id) => service.submit('read', () => setWith(id)),
  };
}

/** The condition of sets with a text: in their event and subject and, where it is deep, in the accounts and the sums of their postings. */
function matching(text: string, isDeep: boolean): { readonly sql: string; readonly values: SqlValue[] } {
  if (text === '') return { sql: '', values: [] };
  const words = `instr(lower(event || ' ' || subject), ?) > 0`;
  if (!isDeep) return { sql: `AND ${words}`, values: [text.toLowerCase()] };
  const sums = typedSums(text);
  const moves = ['code = ?', ...sums.map(() => '(abs(minor) = ? AND asset = ?)')];
  const posted = `id IN (SELECT posting_set FROM posting JOIN account ON account.id = posting.account WHERE ${moves.join(' OR ')})`;
  return {
    sql: `AND (${words} OR ${posted})`,
    values: [text.toLowerCase(), text, ...sums.flatMap(({ minor, asset }) => [minor, asset])],
  };
}

/** What a set moves, in short: the largest sum that arrives, in a wallet if one is among the accounts, and where it comes from. */
function movedBy(store: Database, set: bigint) {
  const largest = (isWanted: string) =>
    store.get<{ code: string; asset: Asset; minor: bigint }>(
      `SELECT code, asset, minor FROM posting JOIN account ON account.id = posting.account WHERE posting_set = ? AND ${isWanted}
       ORDER BY code LIKE 'wallet/%' DESC, abs(minor) * CASE asset WHEN 'NGN' THEN 10000 ELSE 1 END DESC LIMIT 1`,
      set,
    );
  const to = largest('minor > 0');
  const from = to && largest(`minor < 0 AND asset = '${to.asset}'`);
  if (!to || !from) return {};
  const [arrives, leaves] = [namedAccount(store, to.code), namedAccount(store, from.code)];
  return { amount: signed(to.asset, to.minor), who: arrives.who ?? leaves.who, for: `${leaves.is} → ${arrives.is}` };
}

/** How many accounts of an asset are listed one by one; the rest is one line. */
const MOST_ACCOUNTS = 30;

/** Every account with a balance, and that all of an asset sum to zero. */
export const balancesOf = (service: Service) => () =>
  service.submit('read', ({ store }) => {
    const assets = store.all<{ asset: Asset }>('SELECT DISTINCT asset FROM account ORDER BY asset');
    return assets.map(({ asset }) => {
      const sum = store.get<{ n: bigint }>('SELECT coalesce(sum(balance), 0) AS n FROM account WHERE asset = ?', asset);
      const accounts = store.all<{ code: string; balance: bigint }>(
        'SELECT code, balance FROM account WHERE asset = ? AND balance <> 0 ORDER BY abs(balance) DESC, code LIMIT ?',
        asset,
        MOST_ACCOUNTS,
      );
      const listed = accounts.reduce((all, { balance }) => all + balance, 0n);
      const total = sum?.n ?? 0n;
      const others = total - listed;
      return {
        ...sumOf(asset, [total]),
        accounts: accounts.map(({ code, balance }) => ({
          ...namedAccount(store, code),
          balance: signed(asset, balance),
        })),
        others: others === 0n ? null : signed(asset, others),
      };
    });
  });
