import { Fault } from '../contract/faults.ts';
import { amount } from '../money/amount.ts';
import { toWireNumber } from '../money/units.ts';
import { bankByCode, VIRTUAL_ACCOUNT_BANK } from './banks.ts';
import { type Context, isoTime } from './context.ts';
import { feesOn } from './fees.ts';
import { BANK, INCOMING, post, REFUNDS } from './ledger.ts';
import { fire, schedule } from './machine.ts';
import { deposit } from './machines/deposit.ts';
import { type OnrampRow, onramp, totalKobo } from './machines/onramp.ts';
import { matchName } from './names.ts';
import { emit } from './outbox.ts';
import type { VirtualAccountRow } from './virtual-accounts.ts';

/** A bank transfer from outside. */
export interface Payment {
  readonly accountNumber: string;
  readonly amountKobo: bigint;
  readonly senderName: string;
}

/** What became of it: on its way to cNGN, or back to the sender with the reason. */
export interface Receipt {
  readonly depositId: string;
  readonly outcome: 'accepted' | 'refunded';
  readonly reason: string | null;
}

interface Judgement {
  readonly reason: string | null;
  readonly scorePercent?: number;
}

interface Owner {
  readonly user_id: string;
  readonly first_name: string;
  readonly middle_name: string;
  readonly last_name: string;
  readonly active: bigint;
}

/** A temporary account: the exact total, once, within its 30 minutes. Source: interface (deposit rule 2). */
function judgeTemporary(context: Context, account: VirtualAccountRow, row: OnrampRow, amountKobo: bigint): Judgement {
  if (account.status === 'used') return { reason: 'already_paid' };
  const isOpen = account.status === 'created' || account.status === 'active';
  if (!isOpen || context.nowMs >= Number(account.expires_at)) return { reason: 'account_expired' };
  return { reason: amountKobo === totalKobo(row) ? null : 'amount_mismatch' };
}

/** A permanent account: any amount, from the person of the BVN record. Source: interface (deposit rule 1). */
function judgePermanent(owner: Owner, senderName: string): Judgement {
  const match = matchName(senderName, { first: owner.first_name, middle: owner.middle_name, last: owner.last_name });
  return { reason: match.isMatch ? null : 'bvn_name_mismatch', scorePercent: match.scorePercent };
}

/** Books a bank transfer into a virtual account and starts what follows. Throws Fault NOT_FOUND for an account nobody has. */
export function receivePayment(context: Context, payment: Payment): Receipt {
  const { store } = context;
  const account = store.get<VirtualAccountRow>('SELECT * FROM virtual_account WHERE number = ?', payment.accountNumber);
  if (!account) throw new Fault('NOT_FOUND', 'no virtual account has this number');
  const owner = store.get<Owner>(
    'SELECT user_id, first_name, middle_name, last_name, active FROM user WHERE id = ?',
    account.user,
  );
  const row =
    account.onramp === null ? undefined : store.get<OnrampRow>('SELECT * FROM onramp WHERE id = ?', account.onramp);
  if (!owner) throw new Error('a virtual account without an owner');
  const judge = () =>
    row ? judgeTemporary(context, account, row, payment.amountKobo) : judgePermanent(owner, payment.senderName);
  const judgement = owner.active ? judge() : { reason: 'user_inactive' };
  const depositId = context.ids.uuid();
  const id = recordDeposit(context, { account, row, payment, depositId, judgement });
  post(context, 'deposit.received', depositId, [
    { account: BANK, minor: -payment.amountKobo },
    { account: judgement.reason === null ? INCOMING : REFUNDS, minor: payment.amountKobo },
  ]);
  announce(context, { account, row, payment, depositId, judgement, owner });
  if (judgement.reason !== null) {
    schedule(context, deposit.name, id, 'refunded', context.pace.refund);
  } else if (row) {
    fire(context, onramp, row.id, 'paid');
  } else {
    schedule(context, deposit.name, id, 'minted', context.pace.mint);
  }
  return { depositId, outcome: judgement.reason === null ? 'accepted' : 'refunded', reason: judgement.reason };
}

interface Arrival {
  readonly account: VirtualAccountRow;
  readonly row: OnrampRow | undefined;
  readonly payment: Payment;
  readonly depositId: string;
  readonly judgement: Judgement;
}

/** The bank the sandbox's payers bank with. */
const SENDER_BANK_CODE = '000013';
const SENDER_ACCOUNT = '0123456789';

function recordDeposit(context: Context, { account, row, payment, depositId, judgement }: Arrival): bigint {
  const { store, nowMs, ids } = context;
  const isRefund = judgement.reason !== null;
  const fees = row || isRefund ? undefined : feesOn(store, account.fintech, 'onramp', payment.amountKobo);
  return store.insert(
    `INSERT INTO deposit (deposit_id, fintech, user, virtual_account, onramp, state, amount_kobo, platform_fee_kobo, fintech_fee_kobo,
       sender_name, sender_account, sender_bank_code, sender_bank_name, reference, refund_reason, refund_reference, name_score_percent, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    depositId,
    account.fintech,
    account.user,
    account.id,
    row?.id ?? null,
    isRefund ? 'refunding' : 'processing',
    payment.amountKobo,
    isRefund ? 0n : (row?.platform_fee_kobo ?? fees?.platform.kobo ?? 0n),
    isRefund ? 0n : (row?.fintech_fee_kobo ?? fees?.fintech.kobo ?? 0n),
    payment.senderName,
    SENDER_ACCOUNT,
    SENDER_BANK_CODE,
    bankByCode(SENDER_BANK_CODE)?.name ?? '',
    bankReference(context),
    judgement.reason,
    isRefund ? ids.uuid() : null,
    judgement.scorePercent ?? null,
    nowMs,
  );
}

/** A bank session reference of 30 digits, as the rails give. */
function bankReference({ ids, nowMs }: Context): string {
  const digits = [...ids.bytes(11)].map((byte) => String(byte % 100).padStart(2, '0')).join('');
  return `${String(nowMs).slice(-8).padStart(8, '0')}${digits}`;
}

/** The event of the arrival: minting has not begun. */
function announce(
  context: Context,
  { account, row, payment, depositId, judgement, owner }: Arrival & { owner: Owner },
): void {
  const about = { fintech: account.fintech, userId: owner.user_id };
  const naira = toWireNumber(amount('NGN', payment.amountKobo), 'naira');
  const at = isoTime(context.nowMs);
  if (!row) {
    emit(context, {
      ...about,
      requestId: depositId,
      event: 'fintech.user.deposit.received',
      data: {
        depositId,
        virtualAccount: { accountNumber: account.number, accountName: account.name },
        deposit: { amount: naira, currency: 'NGN', reference: depositId },
        depositor: {
          name: payment.senderName,
          accountNumber: SENDER_ACCOUNT,
          bankCode: SENDER_BANK_CODE,
          bankName: bankByCode(SENDER_BANK_CODE)?.name,
        },
        metadata: { provider: VIRTUAL_ACCOUNT_BANK.provider, receivedAt: at },
      },
    });
  } else if (judgement.reason === null) {
    emit(context, {
      ...about,
      requestId: row.request_id,
      event: 'payments.confirmed',
      data: {
        txRef: depositId,
        reference: row.request_id,
        amount: naira,
        currency: 'NGN',
        status: 'confirmed',
        confirmedAt: at,
        paymentTimestamp: at,
        metadata: { vaId: account.id.toString(), provider: VIRTUAL_ACCOUNT_BANK.provider },
      },
    });
  }
}
