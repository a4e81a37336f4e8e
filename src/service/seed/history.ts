import type { Direction } from '../../contract/values.ts';
import { cngnBaseFromKobo } from '../../money/rates.ts';
import { bankByCode } from '../banks/banks.ts';
import { type Call, hex } from '../context.ts';
import { collectFees, feesOn } from '../fees/fees.ts';
import { BANK, type Posting, post, RESERVE, SUPPLY, walletAccount } from '../ledger.ts';
import { smartWallet } from '../wallets/wallets.ts';

/** A part of a history: transactions `first` to `end` (exclusive) of `total`, spread evenly between two times. */
interface HistoryPart {
  readonly first: number;
  readonly end: number;
  readonly total: number;
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * Which of every ten transactions are user payouts and which is the fintech's own deposit; the rest are user deposits.
 */
const PAYOUTS = '6, 7, 8';
const OWN = 9;

/** Amounts in whole Naira. Three payouts never exceed the six deposits before them, so no wallet goes below zero. */
const DEPOSITS: readonly bigint[] = Array.from({ length: 31 }, (_each, index) => 5_000n + 7_350n * BigInt(index));
const OFFRAMPS: readonly bigint[] = Array.from({ length: 29 }, (_each, index) => 1_000n + 275n * BigInt(index));

/**
 * Adds completed deposits and payouts in the past: rows in bulk, their sums as one posting set, no events. A part must
 * start at a multiple of ten transactions.
 */
export function addHistory(call: Call, users: readonly bigint[], part: HistoryPart): void {
  const { store } = call;
  if (part.end <= part.first) return;
  prepare(call, users);
  const before = { deposit: lastId(call, 'deposit'), offramp: lastId(call, 'offramp') };
  insertDeposits(call, users.length, part);
  insertOfframps(call, users.length, part);
  store.run(
    `INSERT INTO offramp_source (offramp, wallet, network, amount_base)
     SELECT offramp.id, holder.wallet, 'base', (amount_kobo + platform_fee_kobo + fintech_fee_kobo) * ${cngnBaseFromKobo(1n)}
     FROM offramp JOIN temp.history_holder AS holder ON holder.user = offramp.user WHERE offramp.id > ?`,
    before.offramp,
  );
  book(call, before);
  renumberMovements(call, part);
  store.exec('DROP TABLE temp.history_holder; DROP TABLE temp.history_amount');
}

const lastId = ({ store }: Call, table: 'deposit' | 'offramp') =>
  store.get<{ id: bigint | null }>(`SELECT MAX(id) AS id FROM ${table}`)?.id ?? 0n;

/** Fills temporary tables with the senders and recipients (the fintech at position 0) and with the fees of each amount. */
function prepare(call: Call, users: readonly bigint[]): void {
  const { store, fintech } = call;
  store.exec(`CREATE TEMP TABLE history_holder (position INTEGER PRIMARY KEY, user INTEGER UNIQUE, account INTEGER, name TEXT, wallet INTEGER, address TEXT);
    CREATE TEMP TABLE history_amount (direction TEXT, position INTEGER, kobo INTEGER, platform_kobo INTEGER, fintech_kobo INTEGER,
      PRIMARY KEY (direction, position)) WITHOUT ROWID`);
  const smart = smartWallet(store, fintech.id);
  store.run(
    `INSERT INTO temp.history_holder SELECT 0, NULL, id, name, ?, ? FROM virtual_account WHERE fintech = ? AND kind = 'fintech_permanent'`,
    smart.id,
    smart.address,
    fintech.id,
  );
  for (const [index, user] of users.entries()) {
    store.run(
      `INSERT INTO temp.history_holder SELECT ?, user.id, account.id, account.name, wallet.id, wallet.address FROM user
       JOIN virtual_account AS account ON account.user = user.id AND account.kind = 'user_permanent'
       JOIN wallet ON wallet.user = user.id AND wallet.kind = 'managed' WHERE user.id = ?`,
      index + 1,
      user,
    );
  }
  for (const [direction, amounts] of [
    ['onramp', DEPOSITS],
    ['offramp', OFFRAMPS],
  ] as const) {
    for (const [index, naira] of amounts.entries()) {
      const kobo = naira * 100n;
      const { platform, fintech: own } = feesOn(store, fintech.id, direction, kobo);
      const values = [direction, index, kobo, platform.kobo, own.kobo];
      store.run('INSERT INTO temp.history_amount VALUES (?, ?, ?, ?, ?)', ...values);
    }
  }
}

const STEPS = `WITH RECURSIVE step(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM step WHERE i + 1 < ?2),
  timed AS (SELECT i, ?4 + i * (?5 - ?4) / ?3 AS at FROM step)`;

/** Uses bigint because SQLite treats a JavaScript number as a float. */
const stepValues = ({ first, end, total, fromMs, untilMs }: HistoryPart) =>
  [first, end, total, fromMs, untilMs].map(BigInt);

/** Builds a UUID from the row's time and number and from random digits shared by the whole part. */
const uuid = (chance: string) =>
  `printf('%08x-%04x-7%03x-8%s-%s%08x', at >> 16, at & 65535, i & 4095, substr(${chance}, 1, 3), substr(${chance}, 4, 4), i)`;
const txHash = (chance: string) => `'0x' || ${chance} || printf('%016x', i)`;

/** Picks amounts in no obvious order. */
const indexOf = (amounts: readonly bigint[]) => `(i * 7919 + i / 10) % ${amounts.length}`;

const SENDER_BANK = '000013';

function insertDeposits(call: Call, users: number, part: HistoryPart): void {
  const { store, ids, fintech } = call;
  store.run(
    `${STEPS}
     INSERT INTO deposit (deposit_id, fintech, user, virtual_account, state, amount_kobo, platform_fee_kobo, fintech_fee_kobo,
       sender_name, sender_account, sender_bank_code, sender_bank_name, reference, name_score_percent, delivered_to, tx_hash, created_at, ended_at)
     SELECT ${uuid('?7')}, ?6, user, account, 'completed', kobo, platform_kobo, CASE WHEN user IS NULL THEN 0 ELSE fintech_kobo END,
       name, printf('%010d', 1000000000 + account), '${SENDER_BANK}', ?9,
       '${SENDER_BANK}' || strftime('%Y%m%d%H%M%S', at / 1000, 'unixepoch') || printf('%04d%06d', ?11, i % 1000000), CASE WHEN user IS NOT NULL THEN 100 END,
       address, ${txHash('?8')}, at, at + 60000
     FROM timed JOIN temp.history_holder AS holder ON holder.position = CASE i % 10 WHEN ${OWN} THEN 0 ELSE 1 + i / 10 % ?10 END
     JOIN temp.history_amount AS amount ON amount.direction = 'onramp' AND amount.position = ${indexOf(DEPOSITS)}
     WHERE i % 10 NOT IN (${PAYOUTS}) ORDER BY i`,
    ...stepValues(part),
    fintech.id,
    hex(ids.bytes(4)),
    hex(ids.bytes(24)),
    bankByCode(SENDER_BANK)?.name ?? '',
    BigInt(users),
    BigInt(Buffer.from(ids.bytes(2)).readUInt16BE() % 10_000),
  );
}

function insertOfframps(call: Call, users: number, part: HistoryPart): void {
  const { store, ids, fintech } = call;
  store.run(
    `${STEPS}
     INSERT INTO offramp (request_id, fintech, user, state, amount_kobo, platform_fee_kobo, fintech_fee_kobo, account_number, bank_code,
       account_name, tx_hash, block_number, payout_reference, transferred_at, created_at, updated_at)
     SELECT ${uuid('?7')}, ?6, user, 'completed', kobo, platform_kobo, fintech_kobo, printf('%010d', 1000000000 + account), '${SENDER_BANK}',
       name, ${txHash('?8')}, (at - ${Date.UTC(2023, 5, 15)}) / 2000, ${uuid('?9')}, at, at, at + 120000
     FROM timed JOIN temp.history_holder AS holder ON holder.position = 1 + i / 10 % ?10
     JOIN temp.history_amount AS amount ON amount.direction = 'offramp' AND amount.position = ${indexOf(OFFRAMPS)}
     WHERE i % 10 IN (${PAYOUTS}) ORDER BY i`,
    ...stepValues(part),
    fintech.id,
    hex(ids.bytes(4)),
    hex(ids.bytes(24)),
    hex(ids.bytes(4)),
    BigInt(users),
  );
}

interface WalletSums {
  readonly wallet: bigint;
  readonly transactions: bigint;
  /** Transactions that earned the fintech a fee. */
  readonly earning: bigint;
  readonly kobo: bigint;
  readonly platform: bigint;
  readonly fintech: bigint;
}

/** Sums the rows after `id` by wallet. */
function sumsOf({ store }: Call, table: 'deposit' | 'offramp', id: bigint): WalletSums[] {
  return store.all<WalletSums>(
    `SELECT holder.wallet, COUNT(*) AS transactions, SUM(fintech_fee_kobo > 0) AS earning, SUM(amount_kobo) AS kobo,
       SUM(platform_fee_kobo) AS platform, SUM(fintech_fee_kobo) AS fintech
     FROM ${table} AS moved JOIN temp.history_holder AS holder ON holder.user IS moved.user WHERE moved.id > ? GROUP BY holder.wallet`,
    id,
  );
}

/**
 * Posts what the transactions would have posted one by one: a deposit pays its fees out of the amount, a payout on top
 * of it.
 */
function book(call: Call, before: { readonly deposit: bigint; readonly offramp: bigint }): void {
  const deposits = sumsOf(call, 'deposit', before.deposit).flatMap((sums) => {
    const minted = sums.kobo - sums.platform - sums.fintech;
    return movedBy(sums.wallet, minted, -sums.kobo);
  });
  const offramps = sumsOf(call, 'offramp', before.offramp).flatMap((sums) => {
    const burned = sums.kobo + sums.platform + sums.fintech;
    return movedBy(sums.wallet, -burned, sums.kobo);
  });
  const fees = [
    feesOf(call, 'onramp', sumsOf(call, 'deposit', before.deposit)),
    feesOf(call, 'offramp', sumsOf(call, 'offramp', before.offramp)),
  ];
  post(call, 'history.seeded', 'seed', [...deposits, ...offramps, ...fees.flat()]);
}

/** Postings that move cNGN into a wallet, with its Naira reserve and the Naira at the banks. */
function movedBy(wallet: bigint, mintedKobo: bigint, bankKobo: bigint): Posting[] {
  const base = cngnBaseFromKobo(mintedKobo);
  return [
    { account: BANK, minor: bankKobo },
    { account: RESERVE, minor: mintedKobo },
    { account: SUPPLY, minor: -base },
    { account: walletAccount(wallet, 'base', 'CNGN'), minor: base },
  ];
}

function feesOf(call: Call, direction: Direction, sums: readonly WalletSums[]): Posting[] {
  const sum = (of: 'platform' | 'fintech' | 'earning') => sums.reduce((total, each) => total + each[of], 0n);
  const postings = collectFees(call, call.fintech.id, direction, sum('platform'), sum('fintech'));
  // Collecting all fees at once counted them as one transaction.
  const more = sum('earning') - (sum('fintech') > 0n ? 1n : 0n);
  call.store.run(
    'UPDATE fee_tally SET transactions = transactions + ? WHERE fintech = ? AND direction = ?',
    more,
    call.fintech.id,
    direction,
  );
  return postings;
}

/** Keeps the list of movements in time order: renumbers everything newer than the start of the part. */
function renumberMovements({ store, fintech }: Call, { first, total, fromMs, untilMs }: HistoryPart): void {
  // Uses bigint to match how SQLite computes the times of the rows.
  const startsAt = BigInt(fromMs) + (BigInt(first) * BigInt(untilMs - fromMs)) / BigInt(total);
  const older =
    store.get<{ position: bigint }>(
      'SELECT position FROM movement WHERE fintech = ? AND created_at < ? ORDER BY position DESC LIMIT 1',
      fintech.id,
      startsAt,
    )?.position ?? 0n;
  // Negative positions first, because they cannot collide with existing ones.
  store.run(
    `UPDATE movement SET position = -ranked.position, direction_position = -ranked.direction_position
     FROM (SELECT id, ?2 + row_number() OVER (ORDER BY created_at, id) AS position,
         MIN(direction_position) OVER (PARTITION BY direction) - 1
           + row_number() OVER (PARTITION BY direction ORDER BY created_at, id) AS direction_position
       FROM movement WHERE fintech = ?1 AND position > ?2) AS ranked
     WHERE ranked.id = movement.id`,
    fintech.id,
    older,
  );
  store.run(
    'UPDATE movement SET position = -position, direction_position = -direction_position WHERE fintech = ? AND position < 0',
    fintech.id,
  );
}
