import { type Asset, amount, amountForPeople } from '../../money/amount.ts';
import type { Database } from '../../sqlite/database.ts';

export const signed = (asset: Asset, minor: bigint) =>
  minor < 0n ? `−${amountForPeople(amount(asset, -minor))}` : amountForPeople(amount(asset, minor));

/** An account of the ledger, in words: whose it is, and what it is for. */
interface NamedAccount {
  readonly account: string;
  /** The user whose wallet it is, or the account of the sandbox. */
  readonly who: string | null;
  readonly is: string;
}

const ACCOUNTS: readonly (readonly [code: RegExp, is: string])[] = [
  [/^bank$/, 'Banks'],
  [/^reserve$/, 'Naira backing the cNGN'],
  [/^incoming$/, 'Naira not minted yet'],
  [/^refunds$/, 'Naira being refunded'],
  [/^supply$/, 'cNGN in circulation'],
  [/^vault$/, 'cNGN waiting for its payout'],
  [/^escrow$/, 'Escrow of open trades'],
  [/^swapping$/, 'Tokens in swaps'],
  [/^bridging$/, 'cNGN between networks'],
  [/^chain$/, 'Wallets outside the service'],
  [/^fees\/platform\/tokens$/, 'Service fees in tokens'],
  [/^fees\/platform\/(\w+)$/, 'Service fees on $1s'],
  [/^fees\/gateway$/, 'Payment gateway fees'],
  [/^fees\/fintech\/\d+\/(\w+)$/, 'Fees earned on $1s'],
  [/^fees\/withdrawing\/\d+\/(\w+)$/, 'Fees being withdrawn from $1s'],
];

/** The kinds of wallets, in words. */
export const WALLET_KINDS: Readonly<Record<string, string>> = {
  ...{ fintech: 'account wallet', vault: 'trading wallet', managed: 'user wallet', generated: 'onramp wallet' },
  ...{ multi_chain: 'user wallet', replaced: 'replaced user wallet' },
};

interface WalletOwner {
  readonly kind: string;
  readonly who: string | null;
}

/** Says whose an account is. */
export function namedAccount(store: Database, code: string): NamedAccount {
  const [, wallet, network] = /^wallet\/(\d+)\/(.+)$/.exec(code) ?? [];
  if (wallet !== undefined) {
    const owner = store.get<WalletOwner>(
      `SELECT wallet.kind, CASE WHEN user.id IS NULL THEN fintech.name ELSE concat_ws(' ', first_name, last_name) END AS who
       FROM wallet LEFT JOIN user ON user.id = wallet.user LEFT JOIN fintech ON fintech.id = wallet.fintech WHERE wallet.id = ?`,
      BigInt(wallet),
    );
    return {
      account: code,
      who: owner?.who ?? null,
      is: `${WALLET_KINDS[owner?.kind ?? ''] ?? 'wallet'} on ${network}`,
    };
  }
  const [form, is = code] = ACCOUNTS.find(([each]) => each.test(code)) ?? [];
  const whose = /^fees\/(?:fintech|withdrawing)\/(\d+)\//.exec(code)?.[1];
  const who = whose && store.get<{ name: string }>('SELECT name FROM fintech WHERE id = ?', BigInt(whose))?.name;
  return { account: code, who: who ?? null, is: form ? code.replace(form, is) : code };
}

interface PostingRow {
  readonly posting_set: bigint;
  readonly account: bigint;
  readonly code: string;
  readonly asset: Asset;
  readonly minor: bigint;
  readonly balance: bigint;
}

export interface SetRow {
  readonly id: bigint;
  readonly event: string;
  readonly subject: string;
  readonly created_at: bigint;
}

type ShownPostings = ReturnType<typeof shownOf>;

/** Sets whose postings are remembered: they are final, and the balance after one takes a look at all that came later. */
const MOST_SETS = 500;

/** Returns what reads the postings of sets, each with the balance that it left, and what they sum to. */
export function postingReader(store: Database): (sets: readonly SetRow[]) => readonly (SetRow & ShownPostings)[] {
  const known = new Map<string, ShownPostings>();
  const keyOf = ({ id, event, subject, created_at: at }: SetRow) => `${id} ${event} ${subject} ${at}`;
  return (sets) => {
    const missing = sets.filter((set) => !known.has(keyOf(set)));
    for (const [set, shown] of missing.length > 0 ? readSets(store, missing) : []) known.set(keyOf(set), shown);
    const all = sets.map((set) => ({ ...set, ...(known.get(keyOf(set)) ?? shownOf(store, [], new Map())) }));
    for (const oldest of known.keys()) if (known.size > MOST_SETS) known.delete(oldest);
    return all;
  };
}

/** Reads sets in one pass through the ledger. Balances are known as they are now, so what came later is taken off. */
function readSets(store: Database, sets: readonly SetRow[]): readonly (readonly [SetRow, ShownPostings])[] {
  const ids = sets.map(({ id }) => id);
  const marks = ids.map(() => '?').join(', ');
  const postings = store.all<PostingRow>(
    `SELECT posting_set, account, code, asset, minor, balance FROM posting JOIN account ON account.id = posting.account
     WHERE posting_set IN (${marks}) ORDER BY asset, minor`,
    ...ids,
  );
  const accounts = [...new Set(postings.map(({ account }) => account))];
  const sums = ids.map((_, at) => `coalesce(sum(CASE WHEN posting_set > ?${at + 1} THEN minor END), 0) AS after_${at}`);
  const first = ids.reduce((least, id) => (id < least ? id : least), ids[0] ?? 0n);
  const later = store.all<Readonly<Record<string, bigint>>>(
    `SELECT account, ${sums.join(', ')} FROM posting WHERE posting_set > ${first} AND account IN (${accounts.join(', ') || 'NULL'}) GROUP BY account`,
    ...ids,
  );
  return sets.map((set, at) => {
    const since = new Map(later.map((row) => [row['account'] ?? 0n, row[`after_${at}`] ?? 0n]));
    return [
      set,
      shownOf(
        store,
        postings.filter(({ posting_set: id }) => id === set.id),
        since,
      ),
    ] as const;
  });
}

function shownOf(store: Database, postings: readonly PostingRow[], since: ReadonlyMap<bigint, bigint>) {
  const assets = [...new Set(postings.map(({ asset }) => asset))];
  return {
    postings: postings.map(({ account, code, asset, minor, balance }) => ({
      ...namedAccount(store, code),
      asset,
      minor: String(minor),
      amount: signed(asset, minor),
      after: signed(asset, balance - (since.get(account) ?? 0n)),
    })),
    sums: assets.map((asset) =>
      sumOf(
        asset,
        postings.filter((each) => each.asset === asset).map(({ minor }) => minor),
      ),
    ),
  };
}

export function sumOf(asset: Asset, minors: readonly bigint[]) {
  const sum = minors.reduce((all, each) => all + each, 0n);
  return { asset, sum: signed(asset, sum), isZero: sum === 0n };
}
