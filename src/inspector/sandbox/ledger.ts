import { type Asset, amount, amountForPeople } from '../../money/amount.ts';
import type { Service } from '../../service/service.ts';
import type { Database } from '../../sqlite/database.ts';
import { pageOfMatches, rememberMatches } from '../matches.ts';
import type { List } from '../source.ts';
import { areThere, type Ends, endsOf } from './added.ts';

interface SetRow {
  readonly id: bigint;
  readonly event: string;
  readonly subject: string;
  readonly created_at: bigint;
}

const rowOf = ({ id, event, subject, created_at: at }: SetRow) => ({
  id: String(id),
  at: new Date(Number(at)).toISOString(),
  event,
  subject,
});

const TABLES = [{ table: 'posting_set', name: `event || ' ' || subject || ' ' || created_at` }];

/** The posting sets of the ledger. */
export function ledgerList(service: Service): List {
  const { store } = service;
  const matches = rememberMatches<bigint, Ends>({
    find: ({ text }, since) => {
      const last = endsOf(store, TABLES);
      const isMatch = text === '' ? '' : `AND instr(lower(event || ' ' || subject), ?) > 0`;
      const sql = `SELECT id FROM posting_set WHERE id > ? ${isMatch} ORDER BY id`;
      const values = text === '' ? [] : [text.toLowerCase()];
      return { items: store.all<{ id: bigint }>(sql, since?.[0]?.id ?? 0n, ...values).map(({ id }) => id), last };
    },
    isStill: (last) => areThere(store, TABLES, last),
  });
  return {
    page: (query) =>
      service.submit('read', () =>
        pageOfMatches(matches(query), query, (id) => {
          const row = store.get<SetRow>('SELECT * FROM posting_set WHERE id = ?', id);
          return row && rowOf(row);
        }),
      ),
    detail: (id) => service.submit('read', () => setOf(store, id)),
  };
}

interface PostingRow {
  readonly code: string;
  readonly asset: Asset;
  readonly minor: bigint;
  readonly after: bigint;
}

/** A set's postings, each with the balance that it left, and what they sum to. */
function setOf(store: Database, id: string) {
  const set = store.get<SetRow>('SELECT * FROM posting_set WHERE id = ?', Number(id));
  if (!set) return undefined;
  // Balances are known as they are now, so what came later is taken off.
  const postings = store.all<PostingRow>(
    `SELECT code, asset, minor, balance - coalesce((
       SELECT sum(later.minor) FROM posting AS later WHERE later.posting_set > ?1 AND later.account = account.id), 0) AS after
     FROM posting JOIN account ON account.id = posting.account WHERE posting_set = ?1 ORDER BY asset, minor`,
    set.id,
  );
  const assets = [...new Set(postings.map(({ asset }) => asset))];
  return {
    ...rowOf(set),
    postings: postings.map(({ code, asset, minor, after }) => ({
      account: code,
      asset,
      minor: String(minor),
      amount: signed(asset, minor),
      after: signed(asset, after),
    })),
    sums: assets.map((asset) =>
      sumOf(
        asset,
        postings.filter((each) => each.asset === asset).map(({ minor }) => minor),
      ),
    ),
  };
}

function sumOf(asset: Asset, minors: readonly bigint[]) {
  const sum = minors.reduce((all, each) => all + each, 0n);
  return { asset, sum: signed(asset, sum), isZero: sum === 0n };
}

export const signed = (asset: Asset, minor: bigint) =>
  minor < 0n ? `−${amountForPeople(amount(asset, -minor))}` : amountForPeople(amount(asset, minor));

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
        accounts: accounts.map(({ code, balance }) => ({ account: code, balance: signed(asset, balance) })),
        others: others === 0n ? null : signed(asset, others),
      };
    });
  });
