import type { RequestOf } from '../../contract/endpoint.ts';
import type { OfframpState, startOfframp as startOfframpEndpoint } from '../../contract/endpoints/offramp.ts';
import { Fault } from '../../contract/faults.ts';
import { amount, amountForPeople, toWireText } from '../../money/amount.ts';
import { trimDecimal } from '../../money/decimal.ts';
import { cngnBaseFromKobo } from '../../money/rates.ts';
import { resolveAccount } from '../banks/operation.ts';
import { type Call, isoTime, isoTimeOrNull, newTxHash, type Operations, type OperationsOf } from '../context.ts';
import { type Fees, feesOn } from '../fees/fees.ts';
import { post, VAULT, walletAccount } from '../ledger.ts';
import { insert, insertRow, ownRow, userIdOf } from '../rows.ts';
import { requireActive, type UserRow, userOf } from '../users/operation.ts';
import { blockNumber, GAS, TOKEN_ADDRESS } from '../wallets/addresses.ts';
import { type FundsSource, holdings, takeInOrder, totalOf, userWallets } from '../wallets/wallets.ts';
import { koboOf } from '../wire-values.ts';
import { begin, deductedKobo, firstState, type OfframpRow } from './machine.ts';

const VAULT_ADDRESS = `0x${'fa'.repeat(20)}`;

/**
 * Returns the cNGN that the service can sign for on all networks: the managed wallet first, then generated wallets
 * without a custom owner, then replaced wallets, then those on Bantu and Solana. Source: public (the balance is that of
 * all networks), inferred (the order).
 */
function spendable(call: Call, user: UserRow): FundsSource[] {
  const wallets = userWallets(call.store, user.id).filter(({ custom_owner }) => custom_owner === null);
  const inOrder = ['managed', 'generated', 'replaced', 'multi_chain'].flatMap((wanted) =>
    wallets.filter(({ kind }) => kind === wanted),
  );
  return inOrder.flatMap(({ id }) =>
    holdings(call.store, id, 'CNGN').map(({ network, balance }) => ({ wallet: id, network, base: balance })),
  );
}

/** Takes `neededBase` from the sources in order. Throws NO_FUNDED_WALLET, INSUFFICIENT_BALANCE. */
function draw(sources: readonly FundsSource[], neededBase: bigint): FundsSource[] {
  const available = totalOf(sources);
  if (available === 0n)
    throw new Fault('NO_FUNDED_WALLET', 'the user has no cNGN in a wallet that the service can sign for');
  if (available < neededBase) {
    const people = (base: bigint) => amountForPeople(amount('CNGN', base));
    throw new Fault(
      'INSUFFICIENT_BALANCE',
      `${people(neededBase)} needed including fees; ${people(available)} available`,
    );
  }
  return takeInOrder(sources, neededBase);
}

/** A fintech needs a verified bank account before any payout. Source: interface. */
function requireVerifiedAccount(call: Call): void {
  if (!call.store.get('SELECT 1 FROM bank_account WHERE fintech = ? LIMIT 1', call.fintech.id)) {
    throw new Fault('VALIDATION_ERROR', 'the fintech needs a verified bank account; add one first');
  }
}

type OfframpRequest = RequestOf<typeof startOfframpEndpoint>;

function createOfframp(
  call: Call,
  user: UserRow,
  request: OfframpRequest,
  parts: { amountKobo: bigint; fees: Fees; holder: string; bankCode: string },
): OfframpRow {
  return insertRow<OfframpRow>(call.store, 'offramp', {
    request_id: call.ids.uuid(),
    fintech: call.fintech.id,
    user: user.id,
    state: firstState(request.accountNumber),
    amount_kobo: parts.amountKobo,
    platform_fee_kobo: parts.fees.platform.kobo,
    fintech_fee_kobo: parts.fees.fintech.kobo,
    account_number: request.accountNumber,
    bank_code: parts.bankCode,
    account_name: parts.holder,
    tx_hash: newTxHash(call),
    block_number: blockNumber(call),
    payout_reference: call.ids.uuid(),
    created_at: call.nowMs,
    updated_at: call.nowMs,
  });
}

function reserve(call: Call, row: OfframpRow, sources: readonly FundsSource[]): void {
  for (const { wallet, network, base } of sources) {
    insert(call.store, 'offramp_source', { offramp: row.id, wallet, network, amount_base: base });
  }
  const total = cngnBaseFromKobo(deductedKobo(row));
  post(call, 'offramp.taken', row.request_id, [
    ...sources.map(({ wallet, network, base }) => ({ account: walletAccount(wallet, network, 'CNGN'), minor: -base })),
    { account: VAULT, minor: total },
  ]);
}

const startOfframp: Operations['transactions.offramp'] = (call, request) => {
  const amountKobo = koboOf(request.amount);
  if (request.ticker.toUpperCase() !== 'CNGN') throw new Fault('VALIDATION_ERROR', 'ticker: expected CNGN');
  requireVerifiedAccount(call);
  const user = userOf(call, request.userId, 'USER_NOT_FOUND');
  requireActive(user);
  const { bank, holder } = resolveAccount(request.accountNumber, request.bankCode);
  const fees = feesOn(call.store, call.fintech.id, 'offramp', amountKobo);
  const sources = draw(spendable(call, user), cngnBaseFromKobo(amountKobo + fees.totalKobo));
  const row = createOfframp(call, user, request, { amountKobo, fees, holder, bankCode: bank.code });
  reserve(call, row, sources);
  begin(call, row);
  const isTransferred = row.state === 'payout_pending';
  const from = userWallets(call.store, user.id).find(({ id }) => id === sources[0]?.wallet);
  return {
    requestId: row.request_id,
    status: row.state,
    stage: STAGES[row.state],
    message: isTransferred
      ? 'the cNGN was transferred; the bank payout is pending'
      : 'the cNGN was set aside; the transfer and the bank payout follow',
    tokenAddress: TOKEN_ADDRESS.CNGN,
    vaultAddress: VAULT_ADDRESS,
    transactionHash: isTransferred ? row.tx_hash : undefined,
    smartWalletAddress: from?.address,
    executedAt: isoTime(call.nowMs),
    ...GAS,
    blockNumber: isTransferred ? row.block_number.toString() : undefined,
    duration: 0,
    userId: user.user_id,
    amount: toWireText(amount('CNGN', cngnBaseFromKobo(amountKobo)), 'token'),
    tokenSymbol: 'CNGN',
    verifiedAccountDetails: {
      accountNumber: row.account_number,
      bankCode: row.bank_code,
      accountHolderName: holder,
      verificationTimestamp: isoTime(call.nowMs),
    },
  };
};

/** The bank status of each state. Source: inferred. */
export const OFFRAMP_BANK_STATUS = {
  pending: 'pending',
  processing: 'pending',
  bank_verification: 'pending',
  transfer_pending: 'pending',
  transfer_confirmed: 'pending',
  payout_pending: 'pending',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'failed',
} as const satisfies Readonly<Record<OfframpState, string>>;

const isOver = (state: OfframpState) => OFFRAMP_BANK_STATUS[state] !== 'pending';

/** The stage of each state; a state that ends an offramp is its own stage. Source: public (payout), inferred. */
const STAGES: Readonly<Record<OfframpState, string>> = {
  pending: 'request',
  processing: 'request',
  bank_verification: 'verification',
  transfer_pending: 'transfer',
  transfer_confirmed: 'transfer',
  payout_pending: 'payout',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** Formats the transfer of the cNGN, which has a hash and a block once it is confirmed. */
function transferOf(row: OfframpRow) {
  const isConfirmed = row.transferred_at !== null;
  return {
    status: isConfirmed ? 'confirmed' : isOver(row.state) ? 'failed' : 'pending',
    transactionHash: isConfirmed ? row.tx_hash : null,
    blockNumber: isConfirmed ? row.block_number.toString() : null,
    timestamp: isoTimeOrNull(row.transferred_at),
  };
}

/** Formats the bank payout; an offramp that ended before the transfer never had an attempt. */
function payoutOf(row: OfframpRow) {
  const isAttempted = isOver(row.state) && row.transferred_at !== null;
  return {
    status: OFFRAMP_BANK_STATUS[row.state],
    reference: row.payout_reference,
    transactionId: isAttempted ? row.payout_reference : null,
    timestamp: isOver(row.state) ? isoTime(row.updated_at) : null,
    attempts: isAttempted ? 1 : 0,
  };
}

const offrampStatus: Operations['transactions.offramp-status'] = (call, { requestId }) => {
  const row = ownRow<OfframpRow>(call, ['offramp', 'request_id', requestId], 'no offramp has this request id');
  const source = call.store.get<{ address: string }>(
    'SELECT address FROM offramp_source JOIN wallet ON wallet.id = offramp_source.wallet WHERE offramp = ? ORDER BY wallet.id LIMIT 1',
    row.id,
  );
  return {
    requestId: row.request_id,
    status: row.state,
    stage: STAGES[row.state],
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    userWalletAddress: source?.address,
    vaultAddress: VAULT_ADDRESS,
    tokenAddress: TOKEN_ADDRESS.CNGN,
    amount: trimDecimal(toWireText(amount('CNGN', cngnBaseFromKobo(row.amount_kobo)), 'token')),
    fintechUserId: userIdOf(call.store, row.user),
    tokenTransfer: transferOf(row),
    payout: payoutOf(row),
  };
};

export const offrampOperations = {
  'transactions.offramp': startOfframp,
  'transactions.offramp-status': offrampStatus,
} satisfies OperationsOf<'offramp'>;
