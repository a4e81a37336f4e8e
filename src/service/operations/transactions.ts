import type { RequestOf } from '../../contract/endpoint.ts';
import { Fault } from '../../contract/faults.ts';
import type {
  startOfframp as startOfframpEndpoint,
  startOnramp as startOnrampEndpoint,
} from '../../contract/transactions.ts';
import { amount, amountForPeople } from '../../money/amount.ts';
import { trimDecimal } from '../../money/decimal.ts';
import { cngnBaseFromKobo } from '../../money/rates.ts';
import { fromWire, toWireNumber, toWireText } from '../../money/units.ts';
import { VIRTUAL_ACCOUNT_BANK } from '../banks.ts';
import { type Call, hex, isoTime, isoTimeOrNull, newTxHash } from '../context.ts';
import { type Fees, feesOn } from '../fees.ts';
import { post, VAULT, walletAccount } from '../ledger.ts';
import { schedule } from '../machine.ts';
import { deductedKobo, type OfframpRow } from '../machines/offramp.ts';
import type { OnrampRow } from '../machines/onramp.ts';
import { fullName } from '../names.ts';
import type { Operations } from '../operation.ts';
import { emit } from '../outbox.ts';
import { TEMPORARY_ACCOUNT_MS } from '../pace.ts';
import { payoutFails } from '../values.ts';
import { openVirtualAccount, type VirtualAccountRow } from '../virtual-accounts.ts';
import { holdings, userWallets, type WalletRow } from '../wallets.ts';
import { resolveAccount } from './banks.ts';
import { requireActive, type UserRow, userOf } from './users.ts';

const naira = (kobo: bigint) => toWireNumber(amount('NGN', kobo), 'naira');

/** The sandbox's cNGN contract and the vault that offramped cNGN goes to. No chain behind either. */
const CNGN_TOKEN_ADDRESS = `0x${'c0'.repeat(20)}`;
const VAULT_ADDRESS = `0x${'fa'.repeat(20)}`;

function koboOf(wire: Parameters<typeof fromWire>[0]): bigint {
  const value = fromWire(wire, 'naira', 'NGN');
  if (!value) throw new Fault('VALIDATION_ERROR', 'amount: at most two decimals');
  return value.minor;
}

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
  const walletAddress = `0x${hex(ids.bytes(20))}`;
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
       platform_percent_millionths, fintech_percent_millionths, platform_capped, fintech_capped, sweep, created_at)
     VALUES (?, ?, ?, ?, 'requested', ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
    targetAsset: request.assetSwap ?? 'CNGN',
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

interface Source {
  readonly wallet: bigint;
  readonly network: string;
  readonly base: bigint;
}

/** cNGN the service can sign for: the managed wallet first, then generated ones without an owner of their own. */
function spendable(call: Call, user: UserRow): Source[] {
  const wallets = userWallets(call.store, user.id).filter(
    ({ kind, custom_owner }) => kind === 'managed' || (kind === 'generated' && custom_owner === null),
  );
  const inOrder = [
    ...wallets.filter(({ kind }) => kind === 'managed'),
    ...wallets.filter(({ kind }) => kind === 'generated'),
  ];
  return inOrder.flatMap(({ id }) =>
    holdings(call.store, id, 'CNGN').map(({ network, balance }) => ({ wallet: id, network, base: balance })),
  );
}

/** Takes `neededBase` from the sources in order. Throws NO_FUNDED_WALLET, INSUFFICIENT_BALANCE. */
function draw(sources: readonly Source[], neededBase: bigint): Source[] {
  const available = sources.reduce((sum, { base }) => sum + base, 0n);
  if (available === 0n)
    throw new Fault('NO_FUNDED_WALLET', 'the user has no wallet with cNGN that the service can sign for');
  if (available < neededBase) {
    const people = (base: bigint) => amountForPeople(amount('CNGN', base));
    throw new Fault('INSUFFICIENT_BALANCE', `${people(neededBase)} needed with fees, ${people(available)} available`);
  }
  let left = neededBase;
  return sources.flatMap((source) => {
    const base = source.base < left ? source.base : left;
    left -= base;
    return base > 0n ? [{ ...source, base }] : [];
  });
}

/** A bank account of the fintech must be verified before anything is paid out. Source: interface. */
function requireVerifiedAccount(call: Call): void {
  if (!call.store.get('SELECT 1 FROM bank_account WHERE fintech = ? LIMIT 1', call.fintech.id)) {
    throw new Fault('VALIDATION_ERROR', 'add and verify a bank account of the fintech first');
  }
}

type OfframpRequest = RequestOf<typeof startOfframpEndpoint>;

function createOfframp(
  call: Call,
  user: UserRow,
  request: OfframpRequest,
  parts: { amountKobo: bigint; fees: Fees; holder: string; bankCode: string },
): OfframpRow {
  const requestId = call.ids.uuid();
  const id = call.store.insert(
    `INSERT INTO offramp (request_id, fintech, user, state, amount_kobo, platform_fee_kobo, fintech_fee_kobo, account_number, bank_code,
       account_name, tx_hash, block_number, payout_reference, created_at, updated_at)
     VALUES (?, ?, ?, 'payout_pending', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    requestId,
    call.fintech.id,
    user.id,
    parts.amountKobo,
    parts.fees.platform.kobo,
    parts.fees.fintech.kobo,
    request.accountNumber,
    parts.bankCode,
    parts.holder,
    newTxHash(call),
    blockNumber(call),
    call.ids.uuid(),
    call.nowMs,
    call.nowMs,
  );
  const row = call.store.get<OfframpRow>('SELECT * FROM offramp WHERE id = ?', id);
  if (!row) throw new Error('the offramp just made is gone');
  return row;
}

/** Blocks of two seconds, counted from a day in 2023, as the chain the wallets are on has them. */
function blockNumber({ nowMs }: Call): number {
  return Math.floor((nowMs - Date.UTC(2023, 5, 15)) / 2000);
}

function moveToVault(call: Call, row: OfframpRow, sources: readonly Source[]): void {
  for (const { wallet, network, base } of sources) {
    call.store.run(
      'INSERT INTO offramp_source (offramp, wallet, network, amount_base) VALUES (?, ?, ?, ?)',
      row.id,
      wallet,
      network,
      base,
    );
  }
  const total = cngnBaseFromKobo(deductedKobo(row));
  post(call, 'offramp.taken', row.request_id, [
    ...sources.map(({ wallet, network, base }) => ({ account: walletAccount(wallet, network, 'CNGN'), minor: -base })),
    { account: VAULT, minor: total },
  ]);
  emit(call, {
    fintech: row.fintech,
    event: 'vault.return.transfer.confirmed',
    requestId: row.request_id,
    data: {
      transferId: row.tx_hash,
      vaultReturnId: row.request_id,
      amount: toWireText(amount('CNGN', total), 'token'),
      tokenAddress: CNGN_TOKEN_ADDRESS,
      transactionHash: row.tx_hash,
      confirmedAt: isoTime(call.nowMs),
      blockNumber: Number(row.block_number),
      metadata: {},
    },
  });
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
  moveToVault(call, row, sources);
  schedule(call, 'offramp', row.id, payoutFails(request.accountNumber) ? 'payout-failed' : 'settled', call.pace.payout);
  const from = userWallets(call.store, user.id).find(({ id }) => id === sources[0]?.wallet);
  return {
    requestId: row.request_id,
    status: row.state,
    stage: 'payout',
    message: 'the cNGN was transferred; the bank payout is on its way',
    tokenAddress: CNGN_TOKEN_ADDRESS,
    vaultAddress: VAULT_ADDRESS,
    transactionHash: row.tx_hash,
    smartWalletAddress: from?.address,
    executedAt: isoTime(call.nowMs),
    gasUsed: '65000',
    effectiveGasPrice: '1000000',
    blockNumber: row.block_number.toString(),
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

const PAYOUT_STATUS: Readonly<Record<string, string>> = {
  payout_pending: 'pending',
  completed: 'completed',
  failed: 'failed',
};

const offrampStatus: Operations['transactions.offramp-status'] = (call, { requestId }) => {
  const row = call.store.get<OfframpRow>(
    'SELECT * FROM offramp WHERE request_id = ? AND fintech = ?',
    requestId,
    call.fintech.id,
  );
  if (!row) throw new Fault('NOT_FOUND', 'no offramp has this request id');
  const user = call.store.get<{ user_id: string }>('SELECT user_id FROM user WHERE id = ?', row.user);
  const source = call.store.get<{ address: string }>(
    'SELECT address FROM offramp_source JOIN wallet ON wallet.id = offramp_source.wallet WHERE offramp = ? ORDER BY wallet.id LIMIT 1',
    row.id,
  );
  const isOver = row.state !== 'payout_pending';
  return {
    requestId: row.request_id,
    status: row.state,
    stage: isOver ? row.state : 'payout',
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    userWalletAddress: source?.address,
    vaultAddress: VAULT_ADDRESS,
    tokenAddress: CNGN_TOKEN_ADDRESS,
    amount: trimDecimal(toWireText(amount('CNGN', cngnBaseFromKobo(row.amount_kobo)), 'token')),
    fintechUserId: user?.user_id,
    tokenTransfer: {
      status: 'confirmed',
      transactionHash: row.tx_hash,
      blockNumber: row.block_number.toString(),
      timestamp: isoTime(row.created_at),
    },
    payout: {
      status: PAYOUT_STATUS[row.state],
      reference: row.payout_reference,
      transactionId: isOver ? row.payout_reference : null,
      timestamp: isOver ? isoTime(row.updated_at) : null,
      attempts: isOver ? 1 : 0,
    },
  };
};

export const transactionsOperations = {
  'transactions.onramp': startOnramp,
  'transactions.onramp-status': onrampStatus,
  'transactions.offramp': startOfframp,
  'transactions.offramp-status': offrampStatus,
} satisfies Partial<Operations>;
