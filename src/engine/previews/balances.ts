import { advice } from '../../base/advice.ts';
import { unread } from '../../base/errors.ts';
import { balanceAddress, balanceMulti, balanceUser } from '../../contract/endpoints/balances.ts';
import { listOrders } from '../../contract/endpoints/fx-orders.ts';
import { listUserWallets } from '../../contract/endpoints/wallets.ts';
import { OF_TOKEN } from '../../contract/values.ts';
import { addressProblem } from '../../crypto/address.ts';
import {
  type Amount,
  ASSET_LABEL,
  amount,
  amountForPeople,
  fromWire,
  isUnknownFigure,
  printable,
  type StatedAsset,
  type Token,
  type UnknownFigure,
} from '../../money/amount.ts';
import { assetOf } from '../../present/plain.ts';
import type { Account, AccountCallOptions } from '../account.ts';
import { type BalanceChange, isUncertain, type ShownLine, type UncertainBalance } from '../plans/line.ts';
import { amountIn } from '../rules/fx-terms.ts';
import { PREVIEW_READ, readPreviews } from './previews.ts';

/** What a wallet holds. */
interface Holding extends Amount {
  /** Whether a network could not be read, so that it may hold more. */
  readonly isPartial?: boolean;
  /** The wallets of the user, if this is none of them. */
  readonly otherWallets?: readonly string[];
}

/** What the service says of a balance, as far as it can be believed. */
export type Stated = Holding | UncertainBalance;

/** Returns the preview of the balance that an amount is paid from; nothing if it cannot be read. */
export function paidFrom(read: () => Promise<Stated | undefined>, paid: Amount): () => Promise<readonly ShownLine[]> {
  return () =>
    readPreviews(async () => {
      const before = await read();
      return before ? [balanceLine(before, -paid.minor)] : [];
    });
}

/** `1,500.00 cNGN before, 1,480.00 cNGN after`, or the shortfall; without a change, only the current balance. */
export function balanceLine(
  before: Stated,
  changeMinor?: bigint,
  more: Pick<BalanceChange, 'isEstimate' | 'minimumMinor'> = {},
): ShownLine {
  if (isUncertain(before)) return ['balance', before.uncertainty, before];
  const now = `${amountForPeople(before)} before`;
  const { asset, minor: beforeMinor, isPartial = false, otherWallets } = before;
  const balance = { asset, beforeMinor, ...(isPartial ? { isPartial } : {}), otherWallets, ...more };
  if (changeMinor === undefined) return ['balance', now, { ...balance, afterMinor: undefined }];
  const after = amount(before.asset, before.minor + changeMinor);
  const known = { ...balance, afterMinor: after.minor };
  if (otherWallets) return ['balance', 'the wallet is not one of the user’s', known];
  if (after.minor >= 0n) return ['balance', `${now}, ${amountForPeople(after)} after`, known];
  return ['balance', `${now}, ${amountForPeople(amount(before.asset, -after.minor))} short`, known];
}

/** A token by network, as the service reports it. */
interface WalletBalances {
  readonly totalBalance?: string | UnknownFigure | null | undefined;
  readonly networkBalances?: readonly BalanceRow[] | null | undefined;
}

interface BalanceRow {
  readonly network?: string | null | undefined;
  readonly walletAddress?: string | null | undefined;
  readonly balance?: string | UnknownFigure | null | undefined;
  readonly error?: string | null | undefined;
}

/** The network from which the service sends what it takes from one network only. Source: public. */
const isOnBase = ({ network }: BalanceRow) => network?.toLowerCase() === 'base';

/**
 * Returns a balance of a response to a request for a token. One that the response does not say is undefined; one whose unit is not
 * known, or that is one of another token, is uncertain. `around` are the objects that may name the token, outermost first.
 */
export function balanceIn(
  balance: string | UnknownFigure | null | undefined,
  token: Token,
  around: readonly object[],
): Amount | UncertainBalance | undefined {
  if (balance === null || balance === undefined) return undefined;
  const named = assetOf(OF_TOKEN, [{ token }, ...around]);
  if (named !== token || (isUnknownFigure(balance) && balance.asset === null))
    return { uncertainty: `the service responded with a balance of ${labelOf(named)}, not of ${ASSET_LABEL[token]}` };
  if (isUnknownFigure(balance))
    return { uncertainty: `the balance is "${printable(balance.value)}", whose unit is not known` };
  return fromWire(balance, 'token', token);
}

const labelOf = (asset: StatedAsset | null): string => (asset === null ? 'an unknown asset' : ASSET_LABEL[asset]);

/** Returns the largest of some rows: what one wallet can pay from one network. Undefined if there is none, or one cannot be understood. */
function largestIn(rows: readonly BalanceRow[], token: Token, data: object): Stated | undefined {
  const all = rows.map((row) =>
    row.error ? { ...amount(token, 0n), isPartial: true } : balanceIn(row.balance, token, [data, row]),
  );
  const uncertain = all.find(isUncertain);
  if (uncertain) return uncertain;
  const known = all.flatMap((each): Holding[] => (each === undefined || isUncertain(each) ? [] : [each]));
  if (known.length === 0 || known.length < all.length) return undefined;
  const largest = known.reduce((one, other) => (other.minor > one.minor ? other : one));
  return { ...largest, ...(known.some(({ isPartial }) => isPartial) ? { isPartial: true } : {}) };
}

function totalOf(data: WalletBalances, token: Token): Stated | undefined {
  const total = balanceIn(data.totalBalance, token, [data]);
  if (!total || isUncertain(total)) return total;
  return { ...total, ...(data.networkBalances?.some(({ error }) => error) ? { isPartial: true } : {}) };
}

/** Reads what all of a user's wallets hold of a token. */
export async function userBalance(account: Account, userId: string, token: Token): Promise<Stated | undefined> {
  return totalOf((await account.call(balanceUser, { userId, token }, PREVIEW_READ)).data, token);
}

/**
 * Reads what a user's wallet holds of a token on Base or, with `anyNetwork`, on the network where it holds most. Without the address of the
 * wallet, returns the largest balance of one: it cannot hold more.
 */
export async function userWalletBalance(
  account: Account,
  userId: string,
  token: Token,
  where: 'base' | 'anyNetwork',
  address?: string | Promise<string | undefined>,
): Promise<Stated | undefined> {
  const { data } = await account.call(balanceUser, { userId, token }, PREVIEW_READ);
  const wallet = (await address)?.toLowerCase();
  const all = data.networkBalances ?? [];
  const rows = all.filter((each) => !wallet || each.walletAddress?.toLowerCase() === wallet);
  const paying = where === 'base' ? rows.filter(isOnBase) : rows;
  // Rows that all name their wallet, without one of this wallet, say that it holds none of the token.
  const isNone =
    wallet !== undefined && paying.length === 0 && all.length > 0 && all.every((each) => each.walletAddress);
  return isNone ? amount(token, 0n) : largestIn(paying, token, data);
}

/**
 * Reads what a user's wallet holds of a token on the network where it holds most, and whether it is one of the user's. What cannot be read is left
 * open. Throws CliError interrupted.
 */
export async function withdrawableFrom(
  account: Account,
  userId: string,
  address: string,
  token: Token,
): Promise<Stated | undefined> {
  const read =
    addressProblem('evm', address) === undefined
      ? walletBalance(account, address, token, 'anyNetwork')
      : userWalletBalance(account, userId, token, 'anyNetwork', address);
  const [held, reply] = await Promise.all([
    read.catch(unread),
    account.call(listUserWallets, { userId }, PREVIEW_READ).catch(unread),
  ]);
  const rows = reply?.data.wallets ?? [];
  const wallets = rows.flatMap(({ walletAddress }) => walletAddress ?? []);
  const isTheirs = wallets.some((each) => each.toLowerCase() === address.toLowerCase());
  // A wallet without an address may be this one.
  return isTheirs || wallets.length === 0 || wallets.length < rows.length
    ? held
    : { ...amount(token, 0n), otherWallets: wallets };
}

/** Reads what a wallet on EVM networks holds of a token on Base or, with `anyNetwork`, on the network where it holds most. */
export async function walletBalance(
  account: Account,
  address: string,
  token: Token,
  where: 'base' | 'anyNetwork',
): Promise<Stated | undefined> {
  const { data } = await account.call(balanceAddress, { address, token }, PREVIEW_READ);
  const rows = data.networkBalances;
  const paying = where === 'base' ? rows?.filter(isOnBase) : rows;
  return paying?.length === 0 ? amount(token, 0n) : largestIn(paying ?? [], token, data);
}

/** Reads what the account wallet holds of a token on Base or, with `allNetworks`, in all. */
export async function accountBalance(
  account: Account,
  token: Token,
  where: 'base' | 'allNetworks',
  options: AccountCallOptions = PREVIEW_READ,
): Promise<Stated | undefined> {
  const { data } = await account.call(balanceMulti, { token }, options);
  if (where === 'allNetworks') return totalOf(data, token);
  const rows = (data.networkBalances ?? []).filter(isOnBase);
  return largestIn(rows.length > 0 ? rows : [{ balance: data.baseNetworkBalance }], token, data);
}

/** How many orders one request lists. */
const ORDERS_AT_ONCE = 100;

/** Reads the account's active orders, at most 100. */
export async function activeOrders(account: Account) {
  const { data } = await account.call(listOrders, { status: 'active', limit: ORDERS_AT_ONCE }, PREVIEW_READ);
  return data.orders ?? [];
}

/**
 * Returns the preview of the cNGN that an amount is paid from, of which active orders reserve what they may spend. Source: public (that they
 * reserve it), inferred (that each order reserves its maximum).
 */
export function paidFromUnreserved(account: Account, paid: Amount): () => Promise<readonly ShownLine[]> {
  return () =>
    readPreviews(async () => {
      const before = await accountBalance(account, 'CNGN', 'base');
      if (!before) return [];
      const line = balanceLine(before, -paid.minor);
      if (isUncertain(before) || before.isPartial || before.minor < paid.minor) return [line];
      const orders = (await activeOrders(account).catch(unread)) ?? [];
      const given = orders.filter(({ side }) => side === 'buy').map(({ maxAmount }) => amountIn(maxAmount, 'CNGN'));
      const reserved = given.reduce((sum, each) => sum + (each?.minor ?? 0n), 0n);
      if (before.minor - reserved >= paid.minor) return [line];
      const words = `${amountForPeople(amount('CNGN', reserved))} of it is reserved by active orders`;
      const obstacle = {
        code: 'BALANCE_TOO_LOW',
        message: `the balance is ${amountForPeople(before)}, ${words}, and this takes ${amountForPeople(paid)}`,
        hint: advice`choose a smaller amount, or pause orders; list them with: [fiatrail fx orders list --status active]`,
      };
      return [line, ['reserved', words, undefined, obstacle]];
    });
}
