import { CliError } from '../../base/errors.ts';
import { agrees } from '../../contract/compare.ts';
import type { ResponseOf } from '../../contract/endpoint.ts';
import { onrampStatus } from '../../contract/endpoints/onramp.ts';
import { getVirtualAccount } from '../../contract/endpoints/virtual-accounts.ts';
import { listUserWallets } from '../../contract/endpoints/wallets.ts';
import { BASE } from '../../contract/networks.ts';
import { type Amount, amount as amountIn } from '../../money/amount.ts';
import { isEvmAddress } from '../../things/fields.ts';
import { amountAt, compared, matchOf, type Wanted } from '../../things/likeness.ts';
import { onramp as anOnramp, isAccountClosed, waitsForPayment } from '../../things/onramp.ts';
import { outcomeIn } from '../../things/states.ts';
import type { Account } from '../account.ts';
import { saysMore } from '../lists/pages.ts';
import { PREVIEW_READ } from '../previews/previews.ts';
import { futureIn, timesOf } from './listing.ts';
import { followedWorkOf, statusColumns } from './of-thing.ts';
import { watchPaymentsIn } from './payments-in.ts';
import type { EvidenceQuery, WorkCandidate } from './work.ts';

/** Whether two flags are equal; one that is missing says nothing. */
const agreesFlag = (one: unknown, other: unknown): boolean =>
  typeof one !== 'boolean' || typeof other !== 'boolean' || one === other;

const cngnOfNaira = (naira: Amount | undefined) => naira && amountIn('CNGN', naira.minor * 10_000n);

/** Whoever starts an onramp has to pay exactly this, so it is printed in every format. */
const TO_PAY = {
  endpoint: getVirtualAccount,
  fields: ['totalAmountWithFee', 'accountNumber', 'bankName', 'accountName', 'expiresAt'],
} as const;

type OnrampStatus = ResponseOf<typeof onrampStatus>;

const PAY_TO = [
  ['Account number', 'wallet.virtualAccountDetails.accountNumber'],
  ['Bank', 'wallet.virtualAccountDetails.bankName'],
  ['Account name', 'wallet.virtualAccountDetails.accountName'],
] as const;

/** The account comes first while it can be paid; afterwards nobody needs it. Every field is in the other formats. */
function columnsOf(data: OnrampStatus) {
  const facts = statusColumns(anOnramp, data).filter(({ field }) => !field.startsWith('wallet.virtualAccount'));
  const payTo = PAY_TO.map(([title, field]) => ({ title, field }));
  return waitsForPayment(data) && !isAccountClosed(data) ? [...facts.slice(0, 2), ...payTo, ...facts.slice(2)] : facts;
}

/**
 * Naira that becomes cNGN once it is paid. Each start makes a wallet of its own, which is among the user's wallets (source:
 * inferred), and the status of an onramp can be read by its wallet.
 */
export const onramp = followedWorkOf(anOnramp, {
  also: TO_PAY,
  status: {
    watch: watchPaymentsIn,
    columns: columnsOf,
  },
  evidence: 'fiatrail wallets list USER_ID',
  find: async (account, query) => {
    const { data } = await account.call(listUserWallets, { userId: String(query.request['userId']) });
    const wallets = data.wallets ?? [];
    const candidates: WorkCandidate[] = [];
    for (const wallet of wallets) {
      const { walletAddress, createdAt } = wallet;
      if (!isEvmAddress(walletAddress) || query.before?.ids.includes(walletAddress)) continue;
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
});

/** The token that an onramp buys, if its request says so and not the user's settings. */
const boughtBy = ({ autoSwap, assetSwap }: Wanted): unknown => (autoSwap === true ? assetSwap : undefined);

/** Whether a wallet may be the one that a request made, as far as the list shows it. */
const isOfOnramp = (wallet: UserWallet, request: Wanted): boolean =>
  agrees(wallet.owner, request['owner']) &&
  agrees(wallet.tokenBuy, boughtBy(request)) &&
  agrees(wallet.blockchain, BASE.key);

type UserWallet = NonNullable<ResponseOf<typeof listUserWallets>['wallets']>[number];

/** Returns the onramp that made a wallet, if it is like the request; undefined for another wallet. */
async function onrampOf(
  account: Account,
  address: string,
  { request }: EvidenceQuery,
): Promise<WorkCandidate | undefined> {
  const { data } = await account
    .call(onrampStatus, { requestId: address, walletAddress: address })
    .catch((error: unknown) => {
      // The user's own wallet was not made by an onramp.
      if (error instanceof CliError && error.category === 'rejected') return { data: undefined };
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
  const outcome = outcomeIn(anOnramp, state ?? '');
  const { requestId } = data;
  return isLike
    ? { requestId, createdAt: undefined, state: state ?? 'unknown', outcome, isExact: false, isPartial }
    : undefined;
}
