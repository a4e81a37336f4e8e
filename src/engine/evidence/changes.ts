import { CliError, unread } from '../../base/errors.ts';
import { matchesVisible, parseRange, parseVisible } from '../../contract/cidr.ts';
import { agrees, agreesBankCode, agreesNetwork } from '../../contract/compare.ts';
import { sandboxReset, sandboxRestore } from '../../contract/control.ts';
import type { Endpoint, RequestOf } from '../../contract/endpoint.ts';
import { ipAllowlist } from '../../contract/endpoints/allowlist.ts';
import { addBankAccount, deleteBankAccount, listBankAccounts } from '../../contract/endpoints/banks.ts';
import { getDefaultWallet, removeDefaultWallet, setDefaultWallet } from '../../contract/endpoints/default-wallets.ts';
import { removeExternalWallet } from '../../contract/endpoints/external-wallets.ts';
import { deleteOrder, listOrders, updateOrder } from '../../contract/endpoints/fx-orders.ts';
import { regenerateApiKey } from '../../contract/endpoints/management.ts';
import { getFintechWallet } from '../../contract/endpoints/wallets.ts';
import { type MoveTerms, replacedField } from '../../contract/moves.ts';
import { parseExactJson } from '../../money/decimal.ts';
import { allOf, amountAt, figuresMatch, type Match, percentMatch } from '../../things/likeness.ts';
import type { Account, AccountCallOptions } from '../account.ts';
import { readEntries } from './allowlist.ts';
import type { CheckResult, Work } from './work.ts';

type JournalRequest = Readonly<Record<string, unknown>>;

/** Makes a check of one that gets the request. It is unclear if the service no longer knows what the change was about. */
function looking(
  look: (account: Account, request: JournalRequest) => Promise<CheckResult>,
): NonNullable<Work['check']> {
  return async (account, { request }) => {
    try {
      return await look(account, parseExactJson(request) as JournalRequest);
    } catch (error) {
      if (error instanceof CliError && error.category === 'rejected') return 'unclear';
      throw error;
    }
  };
}

/** Whether something is gone from a list that was read as a whole. */
const goneFrom = (things: readonly (string | null | undefined)[] | null | undefined, thing: unknown): CheckResult => {
  if (!things || typeof thing !== 'string') return 'unclear';
  return things.some((each) => each != null && agrees(each, thing)) ? 'not-done' : 'done';
};

/** A registered wallet that was removed. */
const externalWalletRemoval: Work = {
  starts: [removeExternalWallet],
  evidence: 'fiatrail wallets show',
  check: looking(async (account, { address }) => {
    const { externalWallets } = (await account.call(getFintechWallet, {})).data;
    return goneFrom(
      externalWallets?.map((wallet) => wallet.address),
      address,
    );
  }),
};

/** A payout account that was added. Codes of banks have two lengths, which cannot be compared. */
const bankAccountAddition: Work = {
  starts: [addBankAccount],
  evidence: 'fiatrail bank-accounts list',
  check: looking(async (account, { accountNumber, bankCode }) => {
    const { accounts, total } = (await account.call(listBankAccounts, {})).data;
    if (!accounts || (typeof total === 'number' && total > accounts.length)) return 'unclear';
    const alike = accounts.filter((each) => agrees(each.accountNumber, accountNumber));
    if (alike.some((each) => each.accountNumber === accountNumber && each.bankCode === bankCode)) return 'done';
    return alike.some((each) => agreesBankCode(each.bankCode, bankCode)) ? 'unclear' : 'not-done';
  }),
};

/** A user's default wallet that was set. */
const defaultWalletChange: Work = {
  starts: [setDefaultWallet],
  evidence: 'fiatrail users default-wallet show USER_ID',
  check: looking(async (account, { userId, address, blockchain }) => {
    const { defaultWallet } = (await account.call(getDefaultWallet, { userId: String(userId) })).data;
    if (defaultWallet === undefined) return 'unclear';
    if (defaultWallet === null) return 'not-done';
    if (defaultWallet.address == null || defaultWallet.blockchain == null) return 'unclear';
    const isSame = agrees(defaultWallet.address, address) && agreesNetwork(defaultWallet.blockchain, blockchain);
    return isSame ? 'done' : 'not-done';
  }),
};

/** A payout account that was removed. */
const bankAccountRemoval: Work = {
  starts: [deleteBankAccount],
  evidence: 'fiatrail bank-accounts list',
  check: looking(async (account, { accountId }) => {
    const { accounts, total } = (await account.call(listBankAccounts, {})).data;
    if (typeof total === 'number' && total > (accounts?.length ?? 0)) return 'unclear';
    return goneFrom(
      accounts?.map((account) => account.accountId),
      accountId,
    );
  }),
};

/** A user's default wallet that was removed. */
const defaultWalletRemoval: Work = {
  starts: [removeDefaultWallet],
  evidence: 'fiatrail users default-wallet show USER_ID',
  check: looking(async (account, { userId }) => {
    const { defaultWallet } = (await account.call(getDefaultWallet, { userId: String(userId) })).data;
    if (defaultWallet === undefined) return 'unclear';
    return defaultWallet === null ? 'done' : 'not-done';
  }),
};

/** An address that was removed from the allowlist. The list shows addresses masked, and an index says nothing afterwards. */
const allowlistRemoval: Work = {
  starts: [ipAllowlist],
  evidence: 'fiatrail ip list',
  check: looking(async (account, { ipAddress }) => {
    const removed = typeof ipAddress === 'string' ? parseRange(ipAddress) : undefined;
    if (!removed) return 'unclear';
    const entries = (await readEntries(account)).map(({ ip }) => parseVisible(ip));
    // An entry that looks like it may be another one.
    return entries.some((entry) => !entry || matchesVisible(removed, entry)) ? 'unclear' : 'done';
  }),
};

type OrderPage = RequestOf<typeof listOrders>;
const PAGE = 100;
const MAX_PAGES = 100;

/** Returns one of the account's orders; undefined if it is not in the list. */
async function orderNamed(account: Account, orderId: unknown, options: AccountCallOptions = {}) {
  let request: OrderPage = { limit: PAGE };
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const orders = (await account.call(listOrders, request, options)).data.orders ?? [];
    const found = orders.find((order) => order.orderId === orderId);
    const startAfter = orders.at(-1)?.orderId;
    if (found || orders.length < PAGE || startAfter == null) return found;
    request = { limit: PAGE, startAfter };
  }
  return undefined;
}

/** Returns the terms of the order that a request replaces, as they are now; undefined if it replaces none, or the order cannot be read. */
export async function replacedTerms(
  account: Account,
  { moves }: Endpoint,
  request: unknown,
): Promise<MoveTerms | undefined> {
  const { dryRun, testsRules } = account.globals;
  // A dry run reads nothing.
  if (!moves?.replaces || (dryRun && !testsRules)) return undefined;
  const { orderId } = (request ?? {}) as { readonly orderId?: unknown };
  const order = (await orderNamed(account, orderId, { isBeforehand: true }).catch(unread)) as
    | Readonly<Record<string, unknown>>
    | undefined;
  const named = moves.replaces.map((name) => [replacedField(name), order?.[name]] as const);
  return Object.fromEntries(named.filter((each): each is readonly [string, string] => typeof each[1] === 'string'));
}

/** An order that was removed from the order book; the list shows it as deleted. */
const orderRemoval: Work = {
  starts: [deleteOrder],
  evidence: 'fiatrail fx orders list',
  check: looking(async (account, { orderId }) => {
    const order = await orderNamed(account, orderId);
    if (!order?.status) return 'unclear';
    return order.status === 'deleted' ? 'done' : 'not-done';
  }),
};

/** What a comparison of a thing with a change of it shows. */
const CHECK_RESULTS = { equal: 'done', other: 'not-done', unknown: 'unclear' } as const;

/** Compares two words, such as states. */
function wordMatch(one: unknown, other: unknown): Match {
  if (typeof one !== 'string') return 'unknown';
  return one === other ? 'equal' : 'other';
}

/** An order whose terms were changed; it has all of them if the change was made, by whomever. */
const orderUpdate: Work = {
  starts: [updateOrder],
  evidence: 'fiatrail fx orders list',
  check: looking(async (account, { orderId, status, spread, ...amounts }) => {
    const order = await orderNamed(account, orderId);
    if (!order || order.status === 'deleted') return 'unclear';
    const given = (['price', 'minAmount', 'maxAmount'] as const).filter((name) => amounts[name] !== undefined);
    const match = allOf([
      figuresMatch(given.map((name) => [order[name], amountAt(amounts[name], 'decimal-string', 'CNGN')])),
      status === undefined ? 'equal' : wordMatch(order.status, status),
      spread === undefined ? 'equal' : percentMatch(order.spread, spread),
    ]);
    return CHECK_RESULTS[match];
  }),
};

/** A key that was replaced. Its rotation is finished by a command of its own. */
const keyRotation: Work = {
  starts: [regenerateApiKey],
  evidence: 'fiatrail keys rotate --resume',
  isFinishedApart: true,
};

/** A sandbox that was reset or restored. */
const sandboxReplacement: Work = { starts: [sandboxReset, sandboxRestore], evidence: 'fiatrail sandbox status' };

/** The changes whose outcome is looked for by reading what they changed. */
export const changes: readonly Work[] = [
  externalWalletRemoval,
  bankAccountAddition,
  bankAccountRemoval,
  defaultWalletChange,
  defaultWalletRemoval,
  allowlistRemoval,
  orderRemoval,
  orderUpdate,
  keyRotation,
  sandboxReplacement,
];
