import { CliError } from '../../base/errors.ts';
import type { ResponseOf } from '../../contract/endpoint.ts';
import { listDeposits } from '../../contract/endpoints/history.ts';
import { onrampStatus, startOnramp } from '../../contract/endpoints/onramp.ts';
import { getVirtualAccount } from '../../contract/endpoints/virtual-accounts.ts';
import { listUserWallets } from '../../contract/endpoints/wallets.ts';
import { BASE } from '../../contract/networks.ts';
import { type Amount, amount, amountForPeople, fromWire } from '../../money/amount.ts';
import type { Account, AccountCallOptions } from '../account.ts';
import { saysMore } from '../lists/pages.ts';
import { PREVIEW_READ } from '../previews.ts';
import type { Meanwhile } from './follow.ts';
import { futureIn, isPast, timesOf, workOutcomeOf } from './listing.ts';
import { agrees, amountAt, compared, matchOf } from './rows.ts';
import { type EvidenceQuery, type FollowedWork, status, type WorkCandidate } from './work.ts';

const isEvmAddress = (text: unknown): text is string => typeof text === 'string' && /^0x[\da-f]{40}$/i.test(text);

/** The specification describes the address as another value of requestId, public documentation as a field of its own. */
const byIdOrAddress = (requestId: string) =>
  isEvmAddress(requestId) ? { requestId, walletAddress: requestId } : { requestId };

const ENDS = { done: ['completed'], failed: ['failed'] } as const;

/** Whoever starts an onramp has to pay exactly this, so it is printed in every format. */
const TO_PAY = {
  endpoint: getVirtualAccount,
  fields: ['totalAmountWithFee', 'accountNumber', 'bankName', 'accountName', 'expiresAt'],
} as const;

type OnrampStatus = ResponseOf<typeof onrampStatus>;

/** What a person reads of an onramp, each thing once: the title, and where the two forms of the status have it. */
const PAY_TO = [
  ['Account number', 'wallet.virtualAccountDetails.accountNumber'],
  ['Bank', 'wallet.virtualAccountDetails.bankName'],
  ['Account name', 'wallet.virtualAccountDetails.accountName'],
] as const;
const SHOWN = [
  ['Amount', 'amount', 'wallet.amount'],
  ['Asset', 'finalAsset', 'wallet.tokenBuy', 'metadata.tokenBuy'],
  ['Quote', 'fxQuote'],
  ['Wallet', 'walletAddress', 'wallet.walletAddress'],
  ['Owner', 'wallet.owner'],
  ['Swapped', 'swapCompleted'],
  ['Tx hash', 'txHash', 'wallet.transactionHash'],
  ['Started', 'wallet.createdAt'],
  ['Paid', 'wallet.fundingRequestedAt'],
  ['Funded', 'wallet.fundedAt'],
  ['Completed', 'completedAt'],
] as const;

/** The account comes first while it can be paid; afterwards nobody needs it. Every field is in the other formats. */
function columnsOf(data: OnrampStatus) {
  const isClosed = ['used', 'expired'].includes(data.wallet?.virtualAccountStatus ?? '');
  const isDue = !isClosed && ['requested', 'pending'].includes(data.status ?? '');
  const valueAt = (path: string) =>
    path
      .split('.')
      .reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], data);
  const rows = [['Request ID', 'requestId'], ['Status', 'status'], ...(isDue ? PAY_TO : []), ...SHOWN] as const;
  return rows.flatMap(([title, ...fields]) => {
    const field = fields.find((path) => (valueAt(path) ?? null) !== null);
    return field === undefined ? [] : [{ title, field }];
  });
}

/** How often the deposits are read: soon enough to be useful, and far below their rate limit. */
const PACE_MS = 5_000;
/** The clock of the service may be behind ours by this much. */
const SKEW_MS = 5 * 60_000;
const PAGE_ROWS = 100;

type Deposit = NonNullable<ResponseOf<typeof listDeposits>['deposits']>[number];

interface Due {
  readonly accountNumber: string;
  readonly total: Amount;
  readonly sinceMs: number;
  readonly expiresAtMs: number;
}

/**
 * Watches the account of an onramp that waits for its payment, and reports each payment that the service will refund: of a wrong
 * amount, too late, or refused. The status of the onramp does not show them. Source: interface (deposit rule 2), inferred (an
 * account that is used or expired accepts no other payment).
 */
function watchPaymentsIn(account: Account, requestId: string) {
  const { clock } = account.world;
  const reported = new Set<string>();
  let due: Due | undefined;
  let nextMs = 0;
  let wasHopeless = false;
  return async (data: ResponseOf<typeof onrampStatus>, leftMs: number): Promise<Meanwhile> => {
    const isOver = data.status === 'failed';
    const isAwaited = data.status === 'requested' || data.status === 'pending';
    if (!isOver && (!isAwaited || clock.now() < nextMs)) return { notes: [] };
    const read = { totalMs: Math.min(PREVIEW_READ.totalMs, leftMs) };
    try {
      // An account that has expired can no longer be read.
      due ??= isOver ? undefined : await dueFor(account, requestId, read);
      if (!due) return { notes: [] };
      const { paid, isComplete } = await paymentsInto(account, due, read);
      const wrong = paid.flatMap((each) => wrongPayment(each, due as Due) ?? []);
      const fresh = wrong.filter(({ id }) => !reported.has(id));
      for (const { id } of fresh) reported.add(id);
      const isClosed = ['used', 'expired'].includes(data.wallet?.virtualAccountStatus ?? '');
      const isHopeless = isClosed && isComplete && paid.length > 0 && wrong.length === paid.length;
      // The payment that closed the account may show later in the list than in the status.
      const isSure = isHopeless && wasHopeless;
      wasHopeless = isHopeless;
      return {
        notes: fresh.map(({ says }) => `warning: ${says}`),
        ...(isAwaited && isSure ? { end: 'no valid payment arrived, and its account accepts no more' } : {}),
      };
    } catch (error) {
      if (error instanceof CliError) return { notes: [] };
      throw error;
    } finally {
      // From its end, so that a list that takes long does not keep the status from being read.
      nextMs = clock.now() + PACE_MS;
    }
  };
}

async function dueFor(account: Account, requestId: string, read: AccountCallOptions): Promise<Due | undefined> {
  const { data } = await account.call(getVirtualAccount, { requestId }, read);
  const { accountNumber, totalAmountWithFee, createdAt } = data.virtualAccount;
  const total = fromWire(totalAmountWithFee, 'naira', 'NGN');
  const openedMs = Date.parse(createdAt ?? '');
  return (
    total && {
      ...{ accountNumber, total, expiresAtMs: Date.parse(data.expiresAt ?? '') },
      sinceMs:
        (Number.isNaN(openedMs) ? (account.time.service.nowMs() ?? account.world.clock.now()) : openedMs) - SKEW_MS,
    }
  );
}

async function paymentsInto(account: Account, { accountNumber, sinceMs }: Due, read: AccountCallOptions) {
  const request = { type: 'user_onramp', startDate: new Date(sinceMs).toISOString(), limit: PAGE_ROWS } as const;
  const { data } = await account.call(listDeposits, request, read);
  const all = data.deposits ?? [];
  const paid = all.filter(({ virtualAccountNumber }) => virtualAccountNumber === accountNumber);
  return { paid, isComplete: all.length < PAGE_ROWS };
}

/** Returns what is wrong with a payment; undefined if it is right, or if the service does not say what was paid. */
function wrongPayment(deposit: Deposit, { total, expiresAtMs }: Due): { id: string; says: string } | undefined {
  const paid = deposit.amount == null ? undefined : fromWire(deposit.amount, 'naira', 'NGN');
  if (!paid) return undefined;
  const { id, transactionReference, createdAt, depositor, status } = deposit;
  // What the service took is right, even if its amount is meant without fees.
  if (status === 'completed') return undefined;
  const why = () => {
    if (paid.minor !== total.minor) return `but exactly ${amountForPeople(total)} is due`;
    if (Date.parse(createdAt ?? '') >= expiresAtMs) return 'but too late';
    if (status !== 'failed' && status !== 'cancelled') return undefined;
    return `but the service refused it (status: ${status}); the sender's name may not be the user's`;
  };
  const reason = why();
  const sender = depositor?.name ? ` from ${depositor.name}` : '';
  const says = `${amountForPeople(paid)}${sender} arrived, ${reason}; the service refunds it`;
  return reason === undefined ? undefined : { id: id ?? transactionReference ?? says, says };
}

/**
 * Naira that becomes cNGN once it is paid. Each start makes a wallet of its own, which is among the user's wallets (source:
 * inferred), and the status of an onramp can be read by its wallet.
 */
export const onramp: FollowedWork = {
  starts: [startOnramp],
  also: TO_PAY,
  status: status({
    endpoint: onrampStatus,
    command: 'onramp status',
    input: byIdOrAddress,
    what: 'the onramp',
    watch: watchPaymentsIn,
    columns: columnsOf,
    words: ({ wallet }) =>
      wallet?.virtualAccountStatus === 'expired' ? 'the account was not paid in time' : undefined,
  }),
  events: { 'payments.confirmed': { outcome: 'accepted' }, 'wallet.funding.completed': { outcome: 'settled' } },
  evidence: 'fiatrail wallets list USER_ID',
  find: async (account, query) => {
    const { data } = await account.call(listUserWallets, { userId: String(query.request['userId']) });
    const wallets = data.wallets ?? [];
    const candidates: WorkCandidate[] = [];
    for (const wallet of wallets) {
      const { walletAddress, createdAt } = wallet;
      if (!isEvmAddress(walletAddress) || isPast(createdAt, query.sinceMs)) continue;
      if (!isOfOnramp(wallet, query.request)) continue;
      const found = await onrampOf(account, walletAddress, query);
      if (found) candidates.push({ ...found, createdAt, listedAs: walletAddress });
    }
    return {
      candidates,
      isComplete: data.wallets != null && !saysMore({ total: data.count }, wallets.length),
      wrongTimes: futureIn(timesOf(wallets), account.time.service.nowMs()),
    };
  },
  before: async (account, { userId }) => {
    const { data } = await account.call(listUserWallets, { userId: String(userId) }, PREVIEW_READ);
    if (!data.wallets || saysMore({ total: data.count }, data.wallets.length)) return undefined;
    return { ids: data.wallets.flatMap(({ walletAddress }) => walletAddress ?? []), sinceMs: null };
  },
};

/** The token that an onramp buys, if its request says so and not the user's settings. */
const boughtBy = ({ autoSwap, assetSwap }: EvidenceQuery['request']): unknown =>
  autoSwap === true ? assetSwap : undefined;

/** Whether a wallet may be the one that a request made, as far as the list shows it. */
const isOfOnramp = (wallet: UserWallet, request: EvidenceQuery['request']): boolean =>
  agrees(wallet.owner, request['owner']) &&
  agrees(wallet.tokenBuy, boughtBy(request)) &&
  agrees(wallet.blockchain, BASE.key);

type UserWallet = NonNullable<ResponseOf<typeof listUserWallets>['wallets']>[number];

/** Whether two flags are equal; one that is missing says nothing. */
const agreesFlag = (one: unknown, other: unknown): boolean =>
  typeof one !== 'boolean' || typeof other !== 'boolean' || one === other;

const cngnOfNaira = (naira: Amount | undefined) => naira && amount('CNGN', naira.minor * 10_000n);

/** Returns the onramp that made a wallet, if it is like the request; undefined for another wallet. */
async function onrampOf(
  account: Account,
  address: string,
  { request }: EvidenceQuery,
): Promise<WorkCandidate | undefined> {
  const { data } = await account.call(onrampStatus, byIdOrAddress(address)).catch((error: unknown) => {
    // The user's own wallet was not made by an onramp.
    if (error instanceof CliError && error.category === 'refused') return { data: undefined };
    throw error;
  });
  if (!data) return undefined;
  const { wallet, status: state } = data;
  const amount = amountAt(data.amount, 'base', 'CNGN') ?? amountAt(wallet?.amount, 'decimal-string', 'CNGN');
  const { isLike, isPartial } = compared(
    [matchOf(amount, cngnOfNaira(amountAt(request['amount'], 'naira', 'NGN')))],
    [
      agrees(wallet?.owner, request['owner']),
      // Without the flag nothing is swept; whether it is swapped, the user's settings decide.
      agreesFlag(wallet?.sweepToOfframp ?? data.metadata?.sweepToOfframp, request['sweepToOfframp'] ?? false),
      agreesFlag(wallet?.autoSwap ?? data.metadata?.autoSwap, request['autoSwap']),
      agrees(wallet?.tokenBuy ?? data.metadata?.tokenBuy, boughtBy(request)),
    ],
  );
  const outcome = workOutcomeOf(state ?? '', ENDS.done, ENDS.failed);
  const { requestId } = data;
  return isLike
    ? { requestId, createdAt: undefined, state: state ?? 'unknown', outcome, isExact: false, isPartial }
    : undefined;
}
