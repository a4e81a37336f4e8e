import { amount, toWireNumber, toWireText } from '../../money/amount.ts';
import { cngnBaseFromKobo } from '../../money/rates.ts';
import type { Database } from '../../sqlite/database.ts';
import { VIRTUAL_ACCOUNT_BANK } from '../banks/banks.ts';
import { type Context, isoTime, newTxHash } from '../context.ts';
import { emit } from '../events/deliveries.ts';
import { collectFees } from '../fees/fees.ts';
import { BANK, INCOMING, post, REFUNDS, RESERVE, SUPPLY } from '../ledger.ts';
import { type Machine, schedule } from '../machine.ts';
import { update, userIdOf } from '../rows.ts';
import { type DepositState, IS_OPEN_DEPOSIT } from '../schema/schema.ts';
import { accountAt, type DeliveryWallet, deliveryFor, smartWallet } from '../wallets/wallets.ts';

export interface DepositRow {
  readonly id: bigint;
  readonly deposit_id: string;
  readonly fintech: bigint;
  /** Null for a deposit into the fintech's own account. */
  readonly user: bigint | null;
  readonly virtual_account: bigint;
  readonly onramp: bigint | null;
  readonly state: DepositState;
  readonly amount_kobo: bigint;
  readonly platform_fee_kobo: bigint;
  readonly fintech_fee_kobo: bigint;
  readonly sender_name: string;
  readonly sender_account: string;
  readonly sender_bank_code: string;
  readonly sender_bank_name: string;
  readonly reference: string;
  readonly refund_reason: string | null;
  readonly refund_reference: string | null;
  readonly name_score_percent: bigint | null;
  readonly created_at: bigint;
}

const DEPOSIT_TABLE = `
CREATE TABLE deposit (
  id INTEGER PRIMARY KEY, deposit_id TEXT NOT NULL UNIQUE, fintech INTEGER NOT NULL, user INTEGER REFERENCES user,
  virtual_account INTEGER NOT NULL REFERENCES virtual_account, onramp INTEGER REFERENCES onramp, state TEXT NOT NULL,
  amount_kobo INTEGER NOT NULL, platform_fee_kobo INTEGER NOT NULL, fintech_fee_kobo INTEGER NOT NULL,
  sender_name TEXT NOT NULL, sender_account TEXT NOT NULL, sender_bank_code TEXT NOT NULL, sender_bank_name TEXT NOT NULL,
  reference TEXT NOT NULL, refund_reason TEXT, refund_reference TEXT, name_score_percent INTEGER, delivered_to TEXT, tx_hash TEXT,
  created_at INTEGER NOT NULL, ended_at INTEGER) STRICT;
CREATE INDEX deposit_by_account ON deposit (virtual_account);
CREATE INDEX deposit_in_flight ON deposit (fintech, state) WHERE ${IS_OPEN_DEPOSIT};
CREATE INDEX deposit_by_onramp ON deposit (onramp) WHERE onramp IS NOT NULL;`;

/**
 * A bank transfer that arrived. Its onramp continues a deposit into a temporary account; a deposit into a permanent
 * account mints by itself. A pending one has not
 * moved any money yet. Source: interface (deposit rules), inferred (the states).
 */
export const deposit: Machine<DepositRow, DepositState> = {
  name: 'deposit',
  table: 'deposit',
  idColumn: 'deposit_id',
  schema: DEPOSIT_TABLE,
  transitions: [
    { on: 'confirmed', from: ['pending'], to: 'processing', effect: accept },
    { on: 'cancelled', from: ['pending'], to: 'cancelled', stamp: 'ended_at' },
    { on: 'minted', from: ['processing'], to: 'completed', stamp: 'ended_at', effect: mint },
    { on: 'refunded', from: ['refunding'], to: 'refunded', stamp: 'ended_at', effect: refund },
  ],
};

/** Books a transfer that arrived: to be minted, or to be refunded if it has a reason for that. */
export function book(context: Context, row: DepositRow): void {
  post(context, 'deposit.received', row.deposit_id, [
    { account: BANK, minor: -row.amount_kobo },
    { account: row.refund_reason === null ? INCOMING : REFUNDS, minor: row.amount_kobo },
  ]);
}

/** Starts the minting of a deposit into a permanent account. */
function accept(context: Context, row: DepositRow): void {
  book(context, row);
  announceArrival(context, row);
  schedule(context, deposit.name, row.id, 'minted', context.pace.mint);
}

/** Emits the event for a transfer into a permanent account; minting has not started. */
export function announceArrival(context: Context, row: DepositRow): void {
  const { store, nowMs } = context;
  const account = store.get<{ number: string; name: string }>(
    'SELECT number, name FROM virtual_account WHERE id = ?',
    row.virtual_account,
  );
  if (!account) throw new Error('the deposit has no account');
  emit(context, {
    fintech: row.fintech,
    requestId: row.deposit_id,
    ...(row.user === null ? {} : { userId: userIdOf(store, row.user) }),
    event: row.user === null ? 'fintech.virtual_account.deposit.received' : 'fintech.user.deposit.received',
    data: {
      depositId: row.deposit_id,
      virtualAccount: { accountNumber: account.number, accountName: account.name },
      deposit: {
        amount: toWireNumber(amount('NGN', row.amount_kobo), 'naira'),
        currency: 'NGN',
        reference: row.deposit_id,
      },
      depositor: {
        name: row.sender_name,
        accountNumber: row.sender_account,
        bankCode: row.sender_bank_code,
        bankName: row.sender_bank_name,
      },
      metadata: { provider: VIRTUAL_ACCOUNT_BANK.provider, receivedAt: isoTime(nowMs) },
    },
  });
}

function depositor(row: DepositRow) {
  return {
    accountNumber: row.sender_account,
    accountName: row.sender_name,
    bankCode: row.sender_bank_code,
    bankName: row.sender_bank_name,
  };
}

/**
 * Returns where Naira paid into a fintech's own account arrives as cNGN: its default external wallet, or else its smart
 * wallet. Source: interface.
 */
function fintechDelivery(store: Database, fintech: bigint): DeliveryWallet {
  const external = store.get<{ address: string; blockchain: string }>(
    `SELECT address, blockchain FROM external_wallet WHERE fintech = ? AND is_default = 1 AND status = 'active'`,
    fintech,
  );
  return external
    ? { address: external.address, network: external.blockchain, isExternal: true }
    : { address: smartWallet(store, fintech).address, network: 'base', isExternal: false };
}

/** Fees come out of a deposit, because its sender chose the amount: 1000 sent, 17 fee, 983 minted. */
function mint(context: Context, row: DepositRow): void {
  const { store, nowMs } = context;
  const mintedKobo = row.amount_kobo - row.platform_fee_kobo - row.fintech_fee_kobo;
  const base = cngnBaseFromKobo(mintedKobo);
  const to = row.user === null ? fintechDelivery(store, row.fintech) : deliveryFor(store, row.user);
  const txHash = newTxHash(context);
  post(context, 'deposit.minted', row.deposit_id, [
    { account: INCOMING, minor: -row.amount_kobo },
    { account: RESERVE, minor: mintedKobo },
    ...collectFees(context, row.fintech, 'onramp', row.platform_fee_kobo, row.fintech_fee_kobo),
    { account: SUPPLY, minor: -base },
    { account: accountAt(store, to.address, to.network, 'CNGN'), minor: base },
  ]);
  update(store, 'deposit', row.id, { tx_hash: txHash, delivered_to: to.address });
  // There is no documented event for the end of a deposit into the fintech's own account.
  if (row.user === null) return;
  emit(context, {
    fintech: row.fintech,
    event: 'fintech.user.deposit.funding.completed',
    requestId: row.deposit_id,
    userId: userIdOf(store, row.user),
    data: {
      depositId: row.deposit_id,
      amount: toWireText(amount('NGN', mintedKobo), 'naira'),
      currency: 'NGN',
      transactionReference: row.reference,
      smartWalletAddress: to.address,
      transactionHash: txHash,
      depositor: depositor(row),
      bvnVerified: true,
      completedAt: isoTime(nowMs),
    },
  });
}

function refund(context: Context, row: DepositRow): void {
  const { store, nowMs } = context;
  post(context, 'deposit.refunded', row.deposit_id, [
    { account: REFUNDS, minor: -row.amount_kobo },
    { account: BANK, minor: row.amount_kobo },
  ]);
  if (row.refund_reason !== 'bvn_name_mismatch') return;
  emit(context, {
    fintech: row.fintech,
    event: 'fintech.user.deposit.funding.refunded',
    requestId: row.deposit_id,
    userId: userIdOf(store, row.user),
    data: {
      depositId: row.deposit_id,
      amount: toWireNumber(amount('NGN', row.amount_kobo), 'naira'),
      currency: 'NGN',
      transactionReference: row.reference,
      refundReference: row.refund_reference ?? '',
      refundReason: row.refund_reason,
      accountType: 'user_permanent',
      depositor: depositor(row),
      bvnVerification: {
        isMatch: false,
        confidenceScore: Number(row.name_score_percent ?? 0n) / 100,
        rejectionReasons: ['name_mismatch'],
      },
      refundedAt: isoTime(nowMs),
      metadata: { provider: VIRTUAL_ACCOUNT_BANK.provider },
    },
  });
}
