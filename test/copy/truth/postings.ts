import { DatabaseSync } from 'node:sqlite';

/** What the sandbox's own ledger says of the account. It knows nothing of local copies: only postings, and the work that they are of. */

export const ASSETS = ['CNGN', 'USDC', 'USDT', 'NGN'] as const;
export type Asset = (typeof ASSETS)[number];

/** A period from a moment, not included, to another, included, in milliseconds. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

interface PostingRow {
  readonly at: bigint;
  readonly event: string;
  readonly subject: string;
  readonly code: string;
  readonly asset: Asset;
  readonly minor: bigint;
}

interface Work {
  readonly id: string;
  readonly kind: string;
  readonly user: string | null;
  readonly asset: Asset;
  readonly minor: bigint;
  readonly state: string;
  readonly made: bigint;
  readonly ended: bigint | null;
}

const userOf = (column: string) => `(SELECT user_id FROM user WHERE user.id = ${column})`;
const ended = (event: string, subject: string) =>
  `(SELECT created_at FROM posting_set WHERE event = '${event}' AND subject = ${subject} ORDER BY id LIMIT 1)`;

/** Everything that begins and ends, as its table has it. */
const WORK = `
  SELECT deposit_id AS id, CASE WHEN user IS NULL THEN 'deposits of the account' ELSE 'deposits of users' END AS kind, ${userOf('user')} AS user,
    'NGN' AS asset, amount_kobo AS minor, state, created_at AS made, ended_at AS ended FROM deposit WHERE fintech = 1
  UNION ALL SELECT request_id, 'offramps of users', ${userOf('user')}, 'NGN', amount_kobo, state, created_at, updated_at FROM offramp WHERE fintech = 1
  UNION ALL SELECT request_id, 'payouts of the account', NULL, 'NGN', amount_kobo, state, created_at, updated_at FROM payout WHERE fintech = 1
  UNION ALL SELECT trade_id, 'trades', NULL, 'CNGN', cngn_base, state, created_at, coalesce(failed_at, updated_at) FROM fx_trade WHERE fintech = 1
  UNION ALL SELECT request_id, CASE WHEN user IS NULL THEN 'transfers of the account' ELSE 'withdrawals of users' END, ${userOf('user')}, asset,
    amount_base, state, created_at, coalesce(completed_at, ${ended('withdrawal.returned', 'request_id')}) FROM withdrawal WHERE fintech = 1
  UNION ALL SELECT withdrawal_id, 'fee withdrawals', NULL, 'NGN', amount_kobo, state, created_at, processed_at FROM fee_withdrawal WHERE fintech = 1
  UNION ALL SELECT request_id, 'swaps', ${userOf('user')}, sell_asset, amount_in_base, state, created_at, updated_at FROM swap WHERE fintech = 1
  UNION ALL SELECT request_id, 'bridge transfers', NULL, 'CNGN', amount_base, state, created_at,
    coalesce(completed_at, ${ended('bridge.returned', 'request_id')}) FROM bridge WHERE fintech = 1`;

const DONE = ['completed'];
const FAILED = ['failed', 'cancelled', 'reversed', 'refunded', 'expired'];

/** The lines of an asset in a period: what the balance fell by is negative. */
export interface Lines {
  readonly opening: bigint;
  readonly in: bigint;
  readonly earned: bigint;
  readonly out: bigint;
  readonly fees: bigint;
  readonly traded: bigint;
  readonly refunds: bigint;
  readonly unlisted: bigint;
  readonly inFlight: bigint;
  readonly closing: bigint;
}

export interface OfUser {
  readonly onramps: number;
  readonly amount: bigint;
  readonly offramps: number;
  readonly paidOut: bigint;
  readonly withdrawals: number;
}

export interface OfKind {
  readonly completed: number;
  readonly amount: bigint;
  readonly failed: number;
}

export interface Postings {
  lines(period: Period): ReadonlyMap<Asset, Lines>;
  balance(asset: Asset, atMs: number): bigint;
  users(period: Period): ReadonlyMap<string, OfUser>;
  /** By kind and asset. What a payout that came back had paid out counts when it did, unless it came back in the same period. */
  kinds(period: Period): ReadonlyMap<string, OfKind>;
  /** How much of each kind had begun and not ended at a moment. What a bank sent back later had ended. */
  openAt(atMs: number): ReadonlyMap<string, number>;
  /** What has not ended, by id. */
  open(): ReadonlyMap<string, Work>;
  /** What users' wallets hold, by asset. */
  held(atMs: number): ReadonlyMap<Asset, bigint>;
  /** What the account earned, by user, by day in Lagos, or by kind. */
  income(period: Period, by: 'user' | 'day' | 'kind'): ReadonlyMap<string, bigint>;
}

const EARNING = ['deposit.minted', 'onramp.minted', 'offramp.settled'];
const OWN_FEES = 'fees/fintech/1/';
const CNGN_OF_KOBO = 10_000n;

function rowsOf(database: DatabaseSync, sql: string): readonly never[] {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  return statement.all() as unknown as readonly never[];
}

/** Reads all of it. */
export function postingsIn(path: string): Postings {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows: readonly PostingRow[] = rowsOf(
      database,
      `SELECT created_at AS at, event, subject, code, account.asset, minor FROM posting_set JOIN posting ON posting_set = posting_set.id
       JOIN account ON account.id = account ORDER BY posting_set.id`,
    );
    const wallets: Read['wallets'] = rowsOf(
      database,
      `SELECT id, kind, ${userOf('user')} AS user FROM wallet WHERE fintech = 1`,
    );
    const work: readonly Work[] = rowsOf(database, WORK);
    const fees: Read['fees'] = rowsOf(
      database,
      `SELECT deposit_id AS id, platform_fee_kobo AS platform, ${userOf('user')} AS user FROM deposit
       UNION ALL SELECT request_id, platform_fee_kobo, NULL FROM payout
       UNION ALL SELECT request_id, platform_fee_kobo, ${userOf('user')} FROM offramp
       UNION ALL SELECT request_id, platform_fee_kobo, ${userOf('user')} FROM onramp`,
    );
    const bridges: readonly Bridge[] = rowsOf(database, BRIDGES);
    return postingsOf({ rows, wallets, work, fees, bridges });
  } finally {
    database.close();
  }
}

/** A bridge transaction; `transfer` is that of the account which paid it. */
interface Bridge {
  readonly id: string;
  readonly received: bigint | null;
  readonly released: bigint | null;
  readonly isOwn: bigint;
  readonly transfer: string | null;
  readonly ended: bigint | null;
}

const BRIDGES = `SELECT request_id AS id, received_base AS received, released_base AS released, completed_at AS ended,
  EXISTS (SELECT 1 FROM wallet WHERE lower(address) = lower(to_address) AND kind = 'fintech' AND wallet.fintech = 1) AS isOwn,
  (SELECT w.request_id FROM withdrawal w WHERE w.user IS NULL AND w.state = 'completed' AND lower(w.destination) = lower(receivable_address)) AS transfer
  FROM bridge WHERE fintech = 1`;

interface Read {
  readonly bridges: readonly Bridge[];
  readonly rows: readonly PostingRow[];
  readonly wallets: readonly { id: bigint; kind: string; user: string | null }[];
  readonly work: readonly Work[];
  readonly fees: readonly { id: string; platform: bigint; user: string | null }[];
}

/** A part of what an own balance changed by, or of what left it for good. */
interface Part {
  readonly atMs: number;
  readonly asset: Asset;
  readonly line: keyof Lines;
  readonly minor: bigint;
  readonly subject: string;
  readonly event: string;
}

const isIn = ({ fromMs, toMs }: Period, at: bigint | number | null) =>
  at !== null && Number(at) > fromMs && Number(at) <= toMs;

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const dayOf = (atMs: number) => new Date(Math.floor((atMs + HOUR_MS) / DAY_MS) * DAY_MS).toISOString().slice(0, 10);

function postingsOf({ rows, wallets, work, fees, bridges }: Read): Postings {
  const walletById = new Map(wallets.map((wallet) => [String(wallet.id), wallet]));
  const walletOf = (code: string) => walletById.get(/^wallet\/(\d+)\//.exec(code)?.[1] ?? '');
  const isOwn = ({ code }: PostingRow) =>
    code.startsWith(OWN_FEES) || ['fintech', 'vault'].includes(walletOf(code)?.kind ?? '');
  const own = rows.filter(isOwn);
  const userById = new Map([...fees, ...work].map(({ id, user }) => [id, user]));
  const parts = partsOf(rows, own, work, new Map(fees.map(({ id, platform }) => [id, platform])), bridges);
  const balance: Postings['balance'] = (asset, atMs) =>
    own.filter((row) => row.asset === asset && Number(row.at) <= atMs).reduce((sum, { minor }) => sum + minor, 0n);
  return {
    balance,
    lines: (period) =>
      new Map(
        ASSETS.map((asset) => {
          const sums = { in: 0n, earned: 0n, out: 0n, fees: 0n, traded: 0n, refunds: 0n, unlisted: 0n } as Record<
            string,
            bigint
          >;
          for (const { atMs, line, minor, ...part } of parts)
            if (part.asset === asset && isIn(period, atMs)) sums[line] = (sums[line] ?? 0n) + minor;
          const [opening, closing] = [balance(asset, period.fromMs), balance(asset, period.toMs)];
          // What the account began with came before anything that it can know of.
          const begun = own
            .filter((row) => row.event.startsWith('seed.') && row.asset === asset && isIn(period, row.at))
            .reduce((sum, { minor }) => sum + minor, 0n);
          const moved = Object.values(sums).reduce((sum, each) => sum + each, begun);
          return [asset, { ...sums, opening, closing, inFlight: closing - opening - moved } as unknown as Lines];
        }),
      ),
    users: (period) => usersOf(period, work),
    kinds: (period) => kindsOf(period, work, rows),
    open: () =>
      new Map(work.filter(({ state }) => ![...DONE, ...FAILED].includes(state)).map((each) => [each.id, each])),
    openAt: (atMs) => {
      const paidAt = new Map(
        rows.filter(({ event }) => event === 'payout.settled').map((row) => [row.subject, row.at]),
      );
      const open = work.filter(({ id, state, made, ended: at }) => {
        const isFinal = [...DONE, ...FAILED].includes(state);
        const over = state === 'reversed' ? (paidAt.get(id) ?? at) : at;
        return Number(made) <= atMs && (!isFinal || over === null || Number(over) > atMs);
      });
      return new Map([...Map.groupBy(open, ({ kind }) => kind)].map(([kind, own]) => [kind, own.length]));
    },
    held: (atMs) => {
      const sums = new Map<Asset, bigint>();
      for (const { code, asset, minor, at } of rows)
        if (walletOf(code)?.user && Number(at) <= atMs) sums.set(asset, (sums.get(asset) ?? 0n) + minor);
      return sums;
    },
    income: (period, by) => {
      const sums = new Map<string, bigint>();
      for (const { atMs, line, minor, subject, event } of parts) {
        if (line !== 'earned' || !isIn(period, atMs)) continue;
        const kind = event === 'offramp.settled' ? 'offramp' : 'onramp';
        const name = by === 'kind' ? kind : by === 'day' ? dayOf(atMs) : String(userById.get(subject));
        sums.set(name, (sums.get(name) ?? 0n) + minor);
      }
      return sums;
    },
  };
}

function partsOf(
  rows: readonly PostingRow[],
  own: readonly PostingRow[],
  work: readonly Work[],
  platformOf: ReadonlyMap<string, bigint>,
  bridges: readonly Bridge[],
): readonly Part[] {
  const feeOf = (subject: string) => (platformOf.get(subject) ?? 0n) * CNGN_OF_KOBO;
  const locked = new Map(own.filter(({ event }) => event === 'fx.locked').map((row) => [row.subject, row]));
  const taken = new Map(
    rows
      .filter(({ event, code }) => event === 'fx.settled' && code.startsWith('fees/platform/tokens'))
      .map(({ subject, minor }) => [subject, minor]),
  );
  // Bridging that the account itself paid is neither income nor spending, except for what the bridge keeps, until it is released elsewhere.
  const sentTo = new Map(bridges.filter(({ transfer }) => transfer !== null).map((bridge) => [bridge.id, bridge]));
  const toBridges = new Set([...sentTo.values()].map(({ transfer }) => transfer));
  const linesOf = ({ event, subject, minor, asset }: PostingRow): readonly (readonly [keyof Lines, bigint])[] => {
    if (event === 'deposit.minted' && asset === 'CNGN')
      return [
        ['in', minor + feeOf(subject)],
        ['fees', -feeOf(subject)],
      ];
    if (EARNING.includes(event) && asset === 'NGN') return [['earned', minor]];
    if (event === 'bridge.released') return sentTo.has(subject) ? [] : [['in', minor]];
    if (event === 'payout.reversed') return [['refunds', minor]];
    if (event === 'tokens.received') return [['unlisted', minor]];
    if (event === 'fx.settled')
      return [
        ['traded', minor + (taken.get(subject) ?? 0n)],
        ['fees', -(taken.get(subject) ?? 0n)],
      ];
    return [];
  };
  const parts = own.flatMap((row): Part[] => {
    const { asset, subject, event } = row;
    return linesOf(row).map(([line, minor]) => ({ atMs: Number(row.at), asset, line, minor, subject, event }));
  });
  // What was taken before counts when its work ends.
  for (const [subject, { asset, minor }] of locked) {
    const settled = rows.find((row) => row.event === 'fx.settled' && row.subject === subject);
    if (settled) parts.push({ atMs: Number(settled.at), asset, line: 'traded', minor, subject, event: 'fx.settled' });
  }
  for (const { event, subject, at } of new Map(rows.map((row) => [`${row.event} ${row.subject}`, row])).values()) {
    if (event !== 'payout.settled') continue;
    const minor = work.find(({ id }) => id === subject)?.minor ?? 0n;
    const about = { atMs: Number(at), asset: 'CNGN', subject, event } as const;
    parts.push({ ...about, line: 'out', minor: -minor * CNGN_OF_KOBO });
    parts.push({ ...about, line: 'fees', minor: -feeOf(subject) });
  }
  for (const { id, released, received, isOwn, ended } of sentTo.values()) {
    if (released === null || received === null) continue;
    const about = { atMs: Number(ended), asset: 'CNGN', subject: id, event: 'bridge.released' } as const;
    parts.push({ ...about, line: 'fees', minor: released - received });
    if (isOwn === 0n) parts.push({ ...about, line: 'out', minor: -released });
  }
  for (const { id, kind, state, asset, minor, ended: atMs } of work)
    if (DONE.includes(state) && ['transfers of the account', 'fee withdrawals'].includes(kind) && !toBridges.has(id))
      parts.push({ atMs: Number(atMs), asset, line: 'out', minor: -minor, subject: id, event: kind });
  return parts;
}

function usersOf(period: Period, work: readonly Work[]): ReadonlyMap<string, OfUser> {
  const users = new Map<string, { -readonly [name in keyof OfUser]: OfUser[name] }>();
  for (const { kind, user, state, minor, ended: at } of work) {
    if (user === null || !DONE.includes(state) || !isIn(period, at)) continue;
    const of = users.get(user) ?? { onramps: 0, amount: 0n, offramps: 0, paidOut: 0n, withdrawals: 0 };
    users.set(user, of);
    if (kind === 'deposits of users') {
      of.onramps += 1;
      of.amount += minor;
    }
    if (kind === 'offramps of users') {
      of.offramps += 1;
      of.paidOut += minor;
    }
    if (kind === 'withdrawals of users') of.withdrawals += 1;
  }
  return users;
}

function kindsOf(period: Period, work: readonly Work[], rows: readonly PostingRow[]): ReadonlyMap<string, OfKind> {
  const kinds = new Map<string, { -readonly [name in keyof OfKind]: OfKind[name] }>();
  const settledAt = new Map(rows.filter(({ event }) => event === 'payout.settled').map((row) => [row.subject, row.at]));
  for (const { id, kind, asset, state, minor, ended: at } of work) {
    const hasCompleted = DONE.includes(state) && isIn(period, at);
    const hasFailed = FAILED.includes(state) && isIn(period, at);
    const cameBackLater = state === 'reversed' && isIn(period, settledAt.get(id) ?? null) && !hasFailed;
    if (!hasCompleted && !hasFailed && !cameBackLater) continue;
    const of = kinds.get(`${kind} ${asset}`) ?? { completed: 0, amount: 0n, failed: 0 };
    kinds.set(`${kind} ${asset}`, of);
    if (hasFailed) of.failed += 1;
    else {
      of.completed += 1;
      of.amount += minor;
    }
  }
  return kinds;
}
