import type { RequestOf } from '../../contract/endpoint.ts';
import { Fault } from '../../contract/faults.ts';
import type { startOnramp as startOnrampEndpoint } from '../../contract/transactions.ts';
import { amount, amountForPeople } from '../../money/amount.ts';
import { trimDecimal } from '../../money/decimal.ts';
import { cngnBaseFromKobo } from '../../money/rates.ts';
import { toWireNumber, toWireText } from '../../money/units.ts';
import { VIRTUAL_ACCOUNT_BANK } from '../banks.ts';
import { type Call, hex, isoTime, isoTimeOrNull, orderedBytes } from '../context.ts';
import { type Fees, feesOn } from '../fees.ts';
import { schedule } from '../machine.ts';
import type { OnrampRow } from '../machines/onramp.ts';
import { fullName } from '../names.ts';
import type { Operations } from '../operation.ts';
import { emit } from '../outbox.ts';
import { TEMPORARY_ACCOUNT_MS } from '../pace.ts';
import { openVirtualAccount, type VirtualAccountRow } from '../virtual-accounts.ts';
import type { WalletRow } from '../wallets.ts';
import { koboOf } from './amounts.ts';
import { requireActive, type UserRow, userOf } from './users.ts';

const naira = (kobo: bigint) => toWireNumber(amount('NGN', kobo), 'naira');

type OnrampRequest = RequestOf<typeof startOnrampEndpoint>;

/** What the sandbox cannot do yet, and what makes no sense together, is refused rather than half done. */
function checkOnramp({ autoSwap, sweepToOfframp, owner }: OnrampRequest): void {
  if (autoSwap) throw new Fault('VALIDATION_ERROR', 'autoSwap: this sandbox has no order book to swap on');
  if (owner !== undefined && sweepToOfframp) {
    throw new Fault('VALIDATION_ERROR', 'owner: the service cannot sweep a wallet that somebody else owns');
  }
}

function createOnramp(call: Call, user: UserRow, request: OnrampRequest, baseKobo: bigint, fees: Fees) {
  const { store, ids, nowMs, fintech } = call;
  const requestId = ids.uuid();
  const walletAddress = `0x${hex(orderedBytes(call, 20))}`;
  const wallet = store.insert(
    `INSERT INTO wallet (address, fintech, user, kind, blockchain, custom_owner, token_buy, created_at) VALUES (?, ?, ?, 'generated', 'base', ?, 'CNGN', ?)`,
    walletAddress,
    fintech.id,
    user.id,
    request.owner?.toLowerCase() ?? null,
    nowMs,
  );
  const id = store.insert(
    `INSERT INTO onramp (request_id, fintech, user, wallet, state, base_kobo, platform_fee_kobo, fintech_fee_kobo,
       platform_percent_millionths, fintech_percent_millionths, platform_capped, fintech_capped, sweep, auto_swap, target_asset,
       slippage_millionths, created_at)
     VALUES (?, ?, ?, ?, 'requested', ?, ?, ?, ?, ?, ?, ?, ?, 0, 'CNGN', 0, ?)`,
    requestId,
    fintech.id,
    user.id,
    wallet,
    baseKobo,
    fees.platform.kobo,
    fees.fintech.kobo,
    fees.platform.percent,
    fees.fintech.percent,
    fees.platform.capped ? 1 : 0,
    fees.fintech.capped ? 1 : 0,
    request.sweepToOfframp ? 1 : 0,
    nowMs,
  );
  return { id, requestId, walletAddress };
}

const startOnramp: Operations['transactions.onramp'] = (call, request) => {
  const { nowMs, fintech } = call;
  const baseKobo = koboOf(request.amount);
  checkOnramp(request);
  const user = userOf(call, request.userId, 'USER_NOT_FOUND');
  requireActive(user);
  const fees = feesOn(call.store, fintech.id, 'onramp', baseKobo);
  const { id, requestId, walletAddress } = createOnramp(call, user, request, baseKobo, fees);
  const account = openVirtualAccount(call, {
    kind: 'temporary',
    fintech: fintech.id,
    user: user.id,
    onramp: id,
    name: `${fintech.name}/${fullName({ first: user.first_name, middle: user.middle_name, last: user.last_name })}`,
    status: 'created',
    expiresAtMs: nowMs + TEMPORARY_ACCOUNT_MS,
  });
  schedule(call, 'onramp', id, 'account-ready', call.pace.openAccount);
  schedule(call, 'onramp', id, 'expired', TEMPORARY_ACCOUNT_MS);
  emit(call, {
    fintech: fintech.id,
    event: 'virtual.account.created',
    requestId,
    userId: user.user_id,
    data: {
      vaId: account.id.toString(),
      accountNumber: account.number,
      bankName: VIRTUAL_ACCOUNT_BANK.name,
      accountName: account.name,
      createdAt: isoTime(nowMs),
    },
  });
  const totalKobo = baseKobo + fees.totalKobo;
  return {
    requestId,
    walletAddress,
    status: 'requested',
    version: '1.0.0',
    message: `pay exactly ${amountForPeople(amount('NGN', totalKobo))} within 30 minutes`,
    autoSwapEnabled: false,
    sweepToOfframpEnabled: request.sweepToOfframp ?? false,
    targetAsset: 'CNGN',
    feeBreakdown: {
      baseAmount: naira(baseKobo),
      fintechFee: naira(fees.fintech.kobo),
      platformFee: naira(fees.platform.kobo),
      totalFee: naira(fees.totalKobo),
      totalAmount: naira(totalKobo),
    },
  };
};

/** What an onramp asked for in cNGN, and where it went. */
function onrampWallet(call: Call, row: OnrampRow, wallet: WalletRow | undefined, tokens: string) {
  const account = call.store.get<VirtualAccountRow>('SELECT * FROM virtual_account WHERE onramp = ?', row.id);
  return {
    walletAddress: wallet?.address,
    owner: wallet?.custom_owner ?? 'service-managed',
    tokenBuy: wallet?.token_buy,
    autoSwap: false,
    sweepToOfframp: row.sweep === 1n,
    amount: trimDecimal(tokens),
    createdAt: isoTime(row.created_at),
    fundingRequestedAt: isoTimeOrNull(row.funding_requested_at),
    fundedAt: isoTimeOrNull(row.funded_at),
    transactionHash: row.tx_hash,
    virtualAccountDetails: account && {
      vaId: account.id.toString(),
      accountNumber: account.number,
      bankName: VIRTUAL_ACCOUNT_BANK.name,
      accountName: account.name,
      amount: naira(row.base_kobo),
      createdAt: isoTime(account.created_at),
    },
    virtualAccountStatus: account?.status,
  };
}

const onrampStatus: Operations['transactions.onramp-status'] = (call, { requestId }) => {
  const row = call.store.get<OnrampRow>(
    'SELECT * FROM onramp WHERE request_id = ? AND fintech = ?',
    requestId,
    call.fintech.id,
  );
  if (!row) throw new Fault('NOT_FOUND', 'no onramp has this request id');
  const wallet = call.store.get<WalletRow>('SELECT * FROM wallet WHERE id = ?', row.wallet);
  const minted = amount('CNGN', cngnBaseFromKobo(row.base_kobo));
  return {
    requestId: row.request_id,
    status: row.state,
    walletAddress: wallet?.address ?? '',
    amount: toWireText(minted, 'base'),
    swapCompleted: false,
    finalAsset: 'CNGN',
    txHash: row.tx_hash,
    completedAt: isoTimeOrNull(row.completed_at),
    version: '1.0.0',
    metadata: { tokenBuy: 'CNGN', autoSwap: false, sweepToOfframp: row.sweep === 1n },
    wallet: onrampWallet(call, row, wallet, toWireText(minted, 'token')),
    fxQuote: null,
  };
};

export const onrampOperations = {
  'transactions.onramp': startOnramp,
  'transactions.onramp-status': onrampStatus,
} satisfies Partial<Operations>;
