import type { Pair, Side } from '../../contract/fx.ts';
import type { Asset } from '../../money/amount.ts';
import type { Context } from '../context.ts';
import { escrow, type Posting, platformTokens, post } from '../ledger.ts';
import { type Machine, schedule } from '../machine.ts';
import { update } from '../rows.ts';
import { IS_OPEN_TRADE } from '../schema/schema.ts';
import { tradeOutcome } from '../values.ts';
import { accountAt } from '../wallets/wallets.ts';
import { legsOf, requiredTradingAccount } from './order-book.ts';
import { recordSigning, signersOf, type VaultRow } from './signing.ts';

export interface TradeRow {
  readonly id: bigint;
  readonly trade_id: string;
  readonly fintech: bigint;
  readonly pair: Pair;
  readonly side: Side;
  readonly target_order: string | null;
  readonly cngn_base: bigint;
  readonly token_base: bigint;
  readonly price_micro: bigint;
  readonly fee_millionths: bigint;
  /** The amount that arrives, in base units of the bought asset. */
  readonly net_base: bigint;
  readonly destination: string | null;
  readonly lock_id: string;
  readonly auto_signed: bigint;
  readonly state: string;
  readonly expires_at: bigint;
  readonly error_message: string | null;
  readonly failed_at: bigint | null;
  readonly input: string;
  readonly created_at: bigint;
  readonly updated_at: bigint;
}

export interface SliceRow {
  readonly maker: bigint;
  readonly cngn_base: bigint;
  readonly token_base: bigint;
}

const isElapsed = ({ nowMs }: Context, row: TradeRow) => nowMs >= Number(row.expires_at);

const TRADE_TABLES = `
CREATE TABLE fx_trade (
  id INTEGER PRIMARY KEY, trade_id TEXT NOT NULL UNIQUE, fintech INTEGER NOT NULL, pair TEXT NOT NULL, side TEXT NOT NULL, target_order TEXT,
  cngn_base INTEGER NOT NULL, token_base INTEGER NOT NULL, price_micro INTEGER NOT NULL, fee_millionths INTEGER NOT NULL, net_base INTEGER NOT NULL,
  destination TEXT, lock_id TEXT NOT NULL, auto_signed INTEGER NOT NULL, state TEXT NOT NULL, expires_at INTEGER NOT NULL,
  error_message TEXT, failed_at INTEGER, idempotency_key TEXT, input TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
CREATE UNIQUE INDEX fx_trade_once ON fx_trade (fintech, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX fx_trade_by_fintech ON fx_trade (fintech, id);
CREATE INDEX fx_trade_open ON fx_trade (fintech, state) WHERE ${IS_OPEN_TRADE};
-- Each order's part of a trade. The escrow contains both legs of every open trade.
CREATE TABLE fx_slice (
  trade INTEGER NOT NULL REFERENCES fx_trade, position INTEGER NOT NULL, fx_order INTEGER NOT NULL REFERENCES fx_order, maker INTEGER NOT NULL REFERENCES fintech,
  price_micro INTEGER NOT NULL, cngn_base INTEGER NOT NULL, token_base INTEGER NOT NULL, PRIMARY KEY (trade, position)) STRICT, WITHOUT ROWID;`;

/**
 * A trade between fintechs. Both legs are in escrow from the start and leave it on settlement, failure or expiry. A
 * lock that expires while the vault signs ends the trade only after the signing. Source: interface, inferred (that
 * opening the trade fills the escrow, and the delays).
 */
export const trade: Machine<TradeRow> = {
  name: 'trade',
  table: 'fx_trade',
  idColumn: 'trade_id',
  schema: TRADE_TABLES,
  stamp: 'updated_at',
  transitions: [
    { on: 'locked', from: ['pending'], to: 'locked', effect: askForSignature },
    { on: 'approved', from: ['locked'], to: 'signing', effect: sign },
    { on: 'lock-elapsed', from: ['locked'], to: 'expired', effect: release },
    { on: 'signed', from: ['signing'], to: 'expired', when: isElapsed, effect: endLate },
    { on: 'signed', from: ['signing'], to: 'settling', effect: submit },
    { on: 'signing-failed', from: ['signing'], to: 'expired', when: isElapsed, effect: release },
    { on: 'signing-failed', from: ['signing'], to: 'failed', effect: failedBecause('MPC signing failed') },
    { on: 'confirmed', from: ['settling'], to: 'completed', effect: settle },
    {
      on: 'reverted',
      from: ['settling'],
      to: 'failed',
      effect: failedBecause('the transaction was reverted on-chain'),
    },
  ],
};

/** An automatic signer proceeds by itself; otherwise the vault waits for manual approval. */
function askForSignature(context: Context, row: TradeRow): void {
  if (row.auto_signed) schedule(context, trade.name, row.id, 'approved', context.pace.lock);
}

/** Longer than the lock, for the test trades whose lock expires. */
const LATE_SIGNATURE_MS = 6 * 60_000;

function sign(context: Context, row: TradeRow): void {
  const outcome = tradeOutcome(row.cngn_base);
  const fails = outcome === 'signing-fails' || outcome === 'fails-late';
  const isLate = outcome === 'signs-late' || outcome === 'fails-late';
  const afterMs = isLate ? LATE_SIGNATURE_MS : context.pace.sign;
  schedule(context, trade.name, row.id, fails ? 'signing-failed' : 'signed', afterMs);
}

function submit(context: Context, row: TradeRow): void {
  noteSignatures(context, row);
  const event = tradeOutcome(row.cngn_base) === 'settling-fails' ? 'reverted' : 'confirmed';
  schedule(context, trade.name, row.id, event, context.pace.confirm);
}

function endLate(context: Context, row: TradeRow): void {
  noteSignatures(context, row);
  release(context, row);
}

function noteSignatures(context: Context, row: TradeRow): void {
  const tookMs = context.nowMs - Number(row.updated_at);
  for (const { fintech, tokenBase } of signersOf(row, slicesOf(context, row))) {
    recordSigning(context, { fintech, tokenBase, isAutomatic: row.auto_signed === 1n, tookMs });
  }
}

function failedBecause(reason: string) {
  return (context: Context, row: TradeRow): void => {
    release(context, row);
    update(context.store, 'fx_trade', row.id, { error_message: reason, failed_at: context.nowMs });
  };
}

function slicesOf({ store }: Context, row: TradeRow): SliceRow[] {
  return store.all<SliceRow>(
    'SELECT maker, cngn_base, token_base FROM fx_slice WHERE trade = ? ORDER BY position',
    row.id,
  );
}

const ofAsset = (asset: Asset, { cngn_base, token_base }: { cngn_base: bigint; token_base: bigint }) =>
  asset === 'CNGN' ? cngn_base : token_base;

/** The postings that move both legs into escrow: the taker's whole leg and each maker's share of the other. */
export function lockPostings({ store }: Context, row: TradeRow, slices: readonly SliceRow[]): Posting[] {
  const { gives, gets } = legsOf(row.side, row.pair);
  return [
    { account: requiredTradingAccount(store, row.fintech, gives), minor: -ofAsset(gives, row) },
    { account: escrow(gives), minor: ofAsset(gives, row) },
    ...slices.map((slice) => ({
      account: requiredTradingAccount(store, slice.maker, gets),
      minor: -ofAsset(gets, slice),
    })),
    { account: escrow(gets), minor: ofAsset(gets, row) },
  ];
}

/** Returns both legs to their owners. */
function release(context: Context, row: TradeRow): void {
  const back = lockPostings(context, row, slicesOf(context, row)).map(({ account, minor }) => ({
    account,
    minor: -minor,
  }));
  post(context, 'fx.released', row.trade_id, back);
}

/** Pays each maker its share of the taker's leg, and pays the taker the other leg less the platform fee. */
function settle(context: Context, row: TradeRow): void {
  const { store } = context;
  const { gives, gets } = legsOf(row.side, row.pair);
  const received = ofAsset(gets, row);
  const own = requiredTradingAccount(store, row.fintech, gets);
  post(context, 'fx.settled', row.trade_id, [
    { account: escrow(gives), minor: -ofAsset(gives, row) },
    ...slicesOf(context, row).map((slice) => ({
      account: requiredTradingAccount(store, slice.maker, gives),
      minor: ofAsset(gives, slice),
    })),
    { account: escrow(gets), minor: -received },
    { account: row.destination === null ? own : accountAt(store, row.destination, 'base', gets), minor: row.net_base },
    { account: platformTokens(gets), minor: received - row.net_base },
  ]);
}

const VAULT_TABLE = `
-- Only the masked form of the vault's two secrets is stored.
CREATE TABLE fx_vault (
  id INTEGER PRIMARY KEY, fintech INTEGER NOT NULL UNIQUE REFERENCES fintech, vault_id TEXT NOT NULL,
  usdc_wallet INTEGER NOT NULL REFERENCES wallet, usdt_wallet INTEGER NOT NULL REFERENCES wallet, api_key_shown TEXT NOT NULL, private_key_shown TEXT NOT NULL,
  signer_public_key TEXT NOT NULL, notification_emails TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('pending', 'active', 'inactive')),
  auto_signing INTEGER NOT NULL, usd_threshold_cents INTEGER NOT NULL, created_at INTEGER NOT NULL) STRICT;`;

/** An MPC vault waits for approval by the service's staff. Source: public. */
export const vault: Machine<VaultRow> = {
  name: 'vault',
  table: 'fx_vault',
  idColumn: 'vault_id',
  schema: VAULT_TABLE,
  transitions: [
    { on: 'approved', from: ['pending'], to: 'active' },
    // Source: public for the state, inferred for the transition.
    { on: 'rejected', from: ['pending'], to: 'inactive' },
  ],
};
