import { Fault } from '../../contract/faults.ts';
import { amount, toWireNumber } from '../../money/amount.ts';
import { cngnBaseFromKobo } from '../../money/rates.ts';
import { bankByCode, VIRTUAL_ACCOUNT_BANK } from '../banks/banks.ts';
import { type Context, isoTime } from '../context.ts';
import { emit } from '../events/deliveries.ts';
import { feesOn } from '../fees/fees.ts';
import { BANK, balanceOf, hasRoomFor } from '../ledger.ts';
import { fire, schedule } from '../machine.ts';
import { type OnrampRow, onramp, totalKobo } from '../onramp/machine.ts';
import { insertRow, walletAddressOf } from '../rows.ts';
import { SHOWN_STATE_MS } from '../settings.ts';
import { isTestAmount, type PersonName } from '../values.ts';
import { announceArrival, book, type DepositRow, deposit } from './machine.ts';
import type { VirtualAccountRow } from './virtual-accounts.ts';

/** An incoming bank transfer. */
interface Payment {
  readonly accountNumber: string;
  readonly amountKobo: bigint;
  readonly senderName: string;
}

/** The outcome: accepted for minting, or refunded with a reason. */
interface Receipt {
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

interface Addressee {
  readonly account: VirtualAccountRow;
  /** Undefined for the fintech's own account. */
  readonly owner: Owner | undefined;
  /** The onramp of a temporary account. */
  readonly row: OnrampRow | undefined;
}

/**
 * Posts a bank transfer into a virtual account and starts the work that follows. Throws Fault NOT_FOUND for an unknown
 * account, VALIDATION_ERROR for more Naira than the sandbox can hold.
 */
export function receivePayment(context: Context, payment: Payment): Receipt {
  const addressee = addresseeOf(context, payment.accountNumber);
  if (!hasRoomFor(cngnBaseFromKobo(balanceOf(context.store, BANK)), cngnBaseFromKobo(payment.amountKobo)))
    throw new Fault('VALIDATION_ERROR', 'amount: the sandbox cannot hold more Naira');
  const judgement = judge(context, addressee, payment);
  const depositId = context.ids.uuid();
  const arrival: Arrival = { ...addressee, payment, depositId, judgement };
  const deposited = recordDeposit(context, arrival);
  if (deposited.state === 'pending') awaitBank(context, deposited);
  else receive(context, arrival, deposited);
  return { depositId, outcome: judgement.reason === null ? 'accepted' : 'refunded', reason: judgement.reason };
}

/** A temporary account accepts the exact total, once, within its 30 minutes. Source: interface (deposit rule 2). */
function judgeTemporary(context: Context, account: VirtualAccountRow, row: OnrampRow, amountKobo: bigint): Judgement {
  if (account.status === 'used') return { reason: 'already_paid' };
  const isOpen = account.status === 'created' || account.status === 'active';
  if (!isOpen || context.nowMs >= Number(account.expires_at)) return { reason: 'account_expired' };
  return { reason: amountKobo === totalKobo(row) ? null : 'amount_mismatch' };
}

function words(name: string): string[] {
  const plain = name
    .normalize('NFD')
    .replace(/[\p{M}'’`.]/gu, '')
    .toUpperCase();
  return plain.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
}

/** Returns the Levenshtein distance between two words. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Scores two words: 1 if they are equal, less for each differing letter, 0 if they are different words. */
function likeness(a: string, b: string): number {
  const longest = Math.max(a.length, b.length);
  const allowed = longest >= 8 ? 2 : longest >= 4 ? 1 : 0;
  const distance = editDistance(a, b);
  return distance > allowed ? 0 : 1 - distance / longest;
}

interface NameMatch {
  readonly isMatch: boolean;
  /** From 0 to 100. */
  readonly scorePercent: number;
}

/**
 * Matches a depositor's name against a BVN record, in any word order, with or without the middle name, allowing small
 * misspellings. Source: interface (deposit rule 1); the measure is inferred.
 */
function matchName(sender: string, person: PersonName): NameMatch {
  // A bank may write OKORO-BELLO with the hyphen, as two words, or as one.
  const [apart, together] = [' ', ''].map((hyphen) => {
    const plain = (text: string) => text.replaceAll('-', hyphen);
    return matchWords(plain(sender), {
      first: plain(person.first),
      middle: plain(person.middle),
      last: plain(person.last),
    });
  });
  const ways = [apart, together].filter((way) => way !== undefined);
  return (
    ways.toSorted((a, b) => Number(b.isMatch) - Number(a.isMatch) || b.scorePercent - a.scorePercent)[0] ?? NO_MATCH
  );
}

const NO_MATCH: NameMatch = { isMatch: false, scorePercent: 0 };

function matchWords(sender: string, person: PersonName): NameMatch {
  const senderWords = words(sender);
  const own = [...words(person.first), ...words(person.last)];
  const all = [...own, ...words(person.middle)];
  const best = (word: string, among: readonly string[]) => Math.max(0, ...among.map((other) => likeness(word, other)));
  const scores = own.map((word) => best(word, senderWords));
  const score = own.length === 0 ? 0 : scores.reduce((sum, each) => sum + each, 0) / own.length;
  // A company's name contains words that match no part of the person's name.
  const hasForeignWord = senderWords.some((word) => word.length > 1 && best(word, all) === 0);
  return {
    isMatch: scores.every((each) => each > 0) && own.length > 0 && !hasForeignWord,
    scorePercent: Math.round(score * (hasForeignWord ? 50 : 100)),
  };
}

/** A permanent account accepts any amount from the person in the BVN record. Source: interface (deposit rule 1). */
function judgePermanent(owner: Owner, senderName: string): Judgement {
  const match = matchName(senderName, { first: owner.first_name, middle: owner.middle_name, last: owner.last_name });
  return { reason: match.isMatch ? null : 'bvn_name_mismatch', scorePercent: match.scorePercent };
}

/** The fintech's own account accepts any amount from any sender. Source: interface. */
function judge(context: Context, { account, owner, row }: Addressee, payment: Payment): Judgement {
  if (!owner) return { reason: null };
  if (!owner.active) return { reason: 'user_inactive' };
  return row ? judgeTemporary(context, account, row, payment.amountKobo) : judgePermanent(owner, payment.senderName);
}

/** Returns the owner of a virtual account. Throws Fault NOT_FOUND for an unknown account. */
function addresseeOf({ store }: Context, accountNumber: string): Addressee {
  const account = store.get<VirtualAccountRow>('SELECT * FROM virtual_account WHERE number = ?', accountNumber);
  if (!account) throw new Fault('NOT_FOUND', 'no virtual account has this number');
  return {
    account,
    owner: store.get<Owner>(
      'SELECT user_id, first_name, middle_name, last_name, active FROM user WHERE id = ?',
      account.user,
    ),
    row: store.get<OnrampRow>('SELECT * FROM onramp WHERE id = ?', account.onramp),
  };
}

/** The sender's bank confirms or cancels the transfer later; no money has moved. */
function awaitBank(context: Context, { id, amount_kobo }: DepositRow): void {
  const isCancelled = isTestAmount('depositCancelled', amount('NGN', amount_kobo));
  schedule(context, deposit.name, id, isCancelled ? 'cancelled' : 'confirmed', SHOWN_STATE_MS);
}

/** Books a transfer that has arrived, announces it and starts the work that follows. */
function receive(context: Context, arrival: Arrival, deposited: DepositRow): void {
  book(context, deposited);
  announce(context, arrival, deposited);
  if (arrival.judgement.reason !== null) {
    schedule(context, deposit.name, deposited.id, 'refunded', context.pace.refund);
  } else if (arrival.row) {
    fire(context, onramp, arrival.row.id, 'paid');
  } else {
    schedule(context, deposit.name, deposited.id, 'minted', context.pace.mint);
  }
}

/** Only accepted transfers of the test amounts into permanent accounts wait for the bank. */
function firstState({ row, judgement, payment }: Arrival): 'pending' | 'processing' | 'refunding' {
  if (judgement.reason !== null) return 'refunding';
  const paid = amount('NGN', payment.amountKobo);
  const isAwaited = isTestAmount('depositPends', paid) || isTestAmount('depositCancelled', paid);
  return !row && isAwaited ? 'pending' : 'processing';
}

interface Arrival extends Addressee {
  readonly payment: Payment;
  readonly depositId: string;
  readonly judgement: Judgement;
}

/** The bank of the sandbox's senders. */
const SENDER_BANK_CODE = '000013';

const SENDER_ACCOUNT = '0123456789';

/** Returns the fees of a deposit, in kobo. On its own deposits a fintech pays the platform fee only. */
function feesOf({ store }: Context, { account, owner, row, payment, judgement }: Arrival) {
  if (judgement.reason !== null) return { platformKobo: 0n, fintechKobo: 0n };
  if (row) return { platformKobo: row.platform_fee_kobo, fintechKobo: row.fintech_fee_kobo };
  const { platform, fintech } = feesOn(store, account.fintech, 'onramp', payment.amountKobo);
  // Caps the total at the deposit, because a fintech's own fee may be up to 100%.
  const leftKobo = payment.amountKobo - platform.kobo;
  const ownKobo = fintech.kobo < leftKobo ? fintech.kobo : leftKobo;
  return { platformKobo: platform.kobo, fintechKobo: owner ? ownKobo : 0n };
}

function recordDeposit(context: Context, arrival: Arrival): DepositRow {
  const { store, nowMs, ids } = context;
  const { account, row, payment, depositId, judgement } = arrival;
  const isRefund = judgement.reason !== null;
  const { platformKobo, fintechKobo } = feesOf(context, arrival);
  return insertRow<DepositRow>(store, 'deposit', {
    deposit_id: depositId,
    fintech: account.fintech,
    user: account.user,
    virtual_account: account.id,
    onramp: row?.id,
    state: firstState(arrival),
    amount_kobo: payment.amountKobo,
    platform_fee_kobo: platformKobo,
    fintech_fee_kobo: fintechKobo,
    sender_name: payment.senderName,
    sender_account: SENDER_ACCOUNT,
    sender_bank_code: SENDER_BANK_CODE,
    sender_bank_name: bankByCode(SENDER_BANK_CODE)?.name ?? '',
    reference: bankReference(context),
    refund_reason: judgement.reason,
    refund_reference: isRefund ? ids.uuid() : null,
    name_score_percent: judgement.scorePercent,
    created_at: nowMs,
  });
}

/** Returns a 30-digit bank session reference, like those of Nigerian bank transfers. */
function bankReference({ ids, nowMs }: Context): string {
  const digits = [...ids.bytes(11)].map((byte) => String(byte % 100).padStart(2, '0')).join('');
  return `${String(nowMs).slice(-8).padStart(8, '0')}${digits}`;
}

/** Emits the event for the arrival; minting has not started. */
function announce(context: Context, { account, row, judgement, owner }: Arrival, deposited: DepositRow): void {
  if (!row) announceArrival(context, deposited);
  if (!row || judgement.reason !== null) return;
  const at = isoTime(context.nowMs);
  emit(context, {
    fintech: account.fintech,
    ...(owner ? { userId: owner.user_id } : {}),
    requestId: row.request_id,
    event: 'payments.confirmed',
    data: {
      txRef: deposited.deposit_id,
      reference: row.request_id,
      amount: toWireNumber(amount('NGN', deposited.amount_kobo), 'naira'),
      currency: 'NGN',
      status: 'confirmed',
      confirmedAt: at,
      paymentTimestamp: at,
      metadata: {
        vaId: account.id.toString(),
        provider: VIRTUAL_ACCOUNT_BANK.provider,
        walletAddress: walletAddressOf(context.store, row.wallet),
      },
    },
  });
}
