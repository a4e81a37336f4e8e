import type { PayoutState } from '../../contract/endpoints/payouts.ts';
import { Fault } from '../../contract/faults.ts';
import { amount, amountForPeople, fromWire, toWireNumber } from '../../money/amount.ts';
import { cngnBaseFromKobo, wholeKoboFromCngnBase } from '../../money/rates.ts';
import { VIRTUAL_ACCOUNT_BANK } from '../banks/banks.ts';
import { type BankAccountRow, bankAccountById } from '../banks/operation.ts';
import { type Call, isoTime, isoTimeOrNull, newTxHash, type Operations, type OperationsOf } from '../context.ts';
import { feesOn } from '../fees/fees.ts';
import { commitments } from '../fx/order-book.ts';
import { post, VAULT, walletAccount } from '../ledger.ts';
import { insert, insertRow, ownRow } from '../rows.ts';
import { type FundsSource, holdings, smartWallet, takeInOrder, totalOf } from '../wallets/wallets.ts';
import { announceInitiated, bankAccountOf, begin, type PayoutRow, systemWallet } from './machine.ts';

/**
 * Returns the cNGN that the fintech can pay out: on Base whatever orders do not claim, because trades draw on Base,
 * then the other networks.
 */
function spendable(call: Call): FundsSource[] {
  const { store, fintech } = call;
  const wallet = smartWallet(store, fintech.id).id;
  const { totalBase: committed } = commitments(store, fintech.id, 'CNGN');
  const sources = holdings(store, wallet, 'CNGN').map(({ network, balance }) => ({ wallet, network, base: balance }));
  const free = (base: bigint) => (base > committed ? base - committed : 0n);
  return [
    ...sources.filter(({ network }) => network === 'base').map((source) => ({ ...source, base: free(source.base) })),
    ...sources.filter(({ network }) => network !== 'base'),
  ];
}

/** Takes `neededBase` from the account wallet. Throws SHORT_BALANCE. */
function draw(call: Call, neededBase: bigint): FundsSource[] {
  const sources = spendable(call);
  const available = totalOf(sources);
  if (available < neededBase) {
    const people = (base: bigint) => amountForPeople(amount('CNGN', base));
    throw new Fault(
      'SHORT_BALANCE',
      `${people(neededBase)} needed including the fee; ${people(available)} available, excluding what active orders may take`,
    );
  }
  return takeInOrder(sources, neededBase);
}

function createPayout(call: Call, account: BankAccountRow, amountKobo: bigint, feeKobo: bigint): PayoutRow {
  const { store, ids, nowMs, fintech } = call;
  return insertRow<PayoutRow>(store, 'payout', {
    request_id: ids.uuid(),
    fintech: fintech.id,
    bank_account: account.id,
    state: 'pending',
    amount_kobo: amountKobo,
    platform_fee_kobo: feeKobo,
    account_number: account.number,
    bank_code: account.bank_code,
    account_name: account.verified_name,
    tx_hash: newTxHash(call),
    payout_reference: ids.uuid(),
    created_at: nowMs,
    updated_at: nowMs,
  });
}

function moveToVault(call: Call, row: PayoutRow, sources: readonly FundsSource[]): void {
  for (const { network, base } of sources) {
    insert(call.store, 'payout_source', { payout: row.id, network, amount_base: base });
  }
  post(call, 'payout.taken', row.request_id, [
    ...sources.map(({ wallet, network, base }) => ({ account: walletAccount(wallet, network, 'CNGN'), minor: -base })),
    { account: VAULT, minor: totalOf(sources) },
  ]);
}

const start: Operations['transactions.fintech-offramp'] = (call, request) => {
  const base = fromWire(request.amount, 'base', 'CNGN')?.minor ?? 0n;
  const amountKobo = wholeKoboFromCngnBase(base);
  if (amountKobo === undefined)
    throw new Fault(
      'VALIDATION_ERROR',
      'amount: expected a multiple of 10,000 base units, because banks pay whole kobo',
    );
  const account = bankAccountById(call, request.bankAccountId, 'BANK_ACCOUNT_NOT_FOUND');
  const feeKobo = feesOn(call.store, call.fintech.id, 'offramp', amountKobo).platform.kobo;
  const sources = draw(call, cngnBaseFromKobo(amountKobo + feeKobo));
  const row = createPayout(call, account, amountKobo, feeKobo);
  moveToVault(call, row, sources);
  announceInitiated(call, row, call.fintech.fintechId);
  begin(call, row);
  return {
    requestId: row.request_id,
    amount: toWireNumber(amount('NGN', amountKobo), 'naira'),
    walletSource: 'system_wallet',
    status: row.state,
    message: `the cNGN and a fee of ${amountForPeople(amount('NGN', feeKobo))} were set aside; the bank payout follows`,
  };
};

/** The two statuses of a payout that ended before the transfer. Source: inferred. */
const NEVER_TRANSFERRED = ['failed', 'failed'] as const;

/** The transfer and bank statuses of a payout in each of its states. Source: inferred. */
export const HALVES = {
  pending: ['pending', 'pending'],
  processing: ['pending', 'pending'],
  transferring_cngn: ['pending', 'pending'],
  initiating_payout: ['confirmed', 'pending'],
  payout_processing: ['confirmed', 'processing'],
  completed: ['confirmed', 'completed'],
  pending_manual_review: ['confirmed', 'pending'],
  cancelled: NEVER_TRANSFERRED,
  failed: ['confirmed', 'failed'],
  reversed: ['confirmed', 'failed'],
} as const satisfies Readonly<Record<PayoutState, readonly [transfer: string, bank: string]>>;

const hasEndedEarly = ({ state, transferred_at }: PayoutRow) =>
  (state === 'failed' || state === 'cancelled') && transferred_at === null;

const status: Operations['transactions.fintech-offramp-status'] = (call, { requestId }) => {
  const row = ownRow<PayoutRow>(call, ['payout', 'request_id', requestId], 'no payout has this request id');
  const isEarly = hasEndedEarly(row);
  const [transfer, bank] = isEarly ? NEVER_TRANSFERRED : HALVES[row.state];
  return {
    requestId: row.request_id,
    status: row.state,
    amount: toWireNumber(amount('NGN', row.amount_kobo), 'naira'),
    currency: 'NGN',
    bankAccount: bankAccountOf(row),
    wallet: systemWallet(call, row),
    transferDetails: { txHash: isEarly ? null : row.tx_hash, status: transfer },
    payoutDetails: { reference: row.payout_reference, provider: VIRTUAL_ACCOUNT_BANK.provider, status: bank },
    initiatedAt: isoTime(row.created_at),
    completedAt: isoTimeOrNull(row.completed_at),
  };
};

export const payoutsOperations = {
  'transactions.fintech-offramp': start,
  'transactions.fintech-offramp-status': status,
} satisfies OperationsOf<'payouts'>;
