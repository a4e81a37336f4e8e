import type { Chances } from './chances.ts';

/** What the commands of a campaign name: a user with money, their wallets, and the account's own places. */
export interface Place {
  readonly userId: string;
  readonly managedWallet: string;
  readonly onrampWallet: string;
  readonly bankAccountId: string;
  /** The flags of an account that fees are paid to. */
  readonly bank: string;
  /** A registered wallet. */
  readonly wallet: string;
  /** Where else tokens go. */
  readonly destination: string;
  /** An order of the account, if it has one. */
  readonly orderId?: string;
}

/** What a command line says. */
export interface Terms extends Place {
  /** Added to the least amount. */
  readonly more: number;
  /** The other side of a trade, or the other way of a bridge or swap. */
  readonly isOpposite: boolean;
  /** The flag of a fee withdrawal without a tag, or nothing. */
  readonly tag: '' | ' --no-tag';
  readonly bvn: string;
}

/** A command line that moves money once, and the endpoint that does it. */
export interface MoneyLine {
  readonly endpoint: string;
  readonly argv: readonly string[];
  readonly terms: Terms;
}

/** The commands of one group of endpoints, and what they leave in the sandbox. */
export interface Group {
  readonly name: string;
  readonly endpoints: readonly string[];
  /** Whether the commands accept --once. */
  readonly hasKeys: boolean;
  /** Whether the service lists this work, so that `ops reconcile` can find it. */
  hasEvidence(endpoint: string): boolean;
  /** Selects the id of each piece of work: by its posting in the ledger if starting it moves money, else by its row. */
  readonly work: string;
  /** `more` is added to the amount. */
  line(place: Place, chances: Chances, more?: number): MoneyLine;
  /** The same command with other terms. */
  like(line: MoneyLine, changed: Partial<Terms>): MoneyLine;
}

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const OTHER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const THIRD = '0xde709f2102306220921060314715629080e2fb77';

const words = (line: string) => line.split(' ');
const posted = (...events: readonly string[]) =>
  `SELECT subject AS id FROM posting_set WHERE event IN (${events.map((event) => `'${event}'`).join(', ')})`;

/** Equal amounts are frequent, because only equal requests can be confused. */
const oneOrSo = (chances: Chances) => chances.one([0, 0, 0, 1]);

const BANK = '--bank-code 000013 --account-number 0123456789';
const OTHER_BANK = '--bank-code 000013 --account-number 0123456790';

/** The command line of each endpoint. */
type Lines = Readonly<Record<string, (terms: Terms) => string>>;

function group(
  name: string,
  work: string,
  lines: Lines,
  { without = [] as readonly string[], hasKeys = true } = {},
): Group {
  const ids = Object.keys(lines);
  const lineOf = (endpoint: string, terms: Terms): MoneyLine => ({
    endpoint,
    terms,
    argv: words(lines[endpoint]?.(terms) ?? ''),
  });
  return {
    name,
    work,
    hasKeys,
    endpoints: ids,
    hasEvidence: (endpoint) => !without.includes(endpoint),
    line: (place, chances, more = oneOrSo(chances)) => {
      const bvn = String(40_000_000_000 + chances.below(1_000_000_000));
      const tag = chances.one(['', ' --no-tag'] as const);
      return lineOf(chances.one(ids), { ...place, more, isOpposite: false, tag, bvn });
    },
    like: ({ endpoint, terms }, changed) => lineOf(endpoint, { ...terms, ...changed }),
  };
}

const bought = ({ isOpposite }: Terms) => (isOpposite ? 'USDT' : 'USDC');
const TRADES = `${posted('fx.locked')} UNION ALL SELECT order_id FROM fx_order WHERE fintech = 1`;

/** Every group of endpoints that moves money, and the onboarding of users, which costs some. */
export const GROUPS: readonly Group[] = [
  group('onramp, offramp', `${posted('offramp.taken')} UNION ALL SELECT request_id FROM onramp`, {
    'transactions.onramp': ({ userId, more }) => `onramp create ${userId} --amount ${100 + more}`,
    'transactions.offramp': ({ userId, more, bank }) => `offramp create ${userId} --amount ${10 + more} ${bank}`,
  }),
  group('payouts', posted('payout.taken'), {
    'transactions.fintech-offramp': ({ bankAccountId, more }) =>
      `payout create --amount ${10 + more} --to ${bankAccountId}`,
  }),
  group('withdrawals, transfers', posted('withdrawal.sent', 'transfer.sent'), {
    'transactions.withdraw-asset': ({ userId, managedWallet, destination, more }) =>
      `withdrawals create ${userId} --amount ${10 + more} --token CNGN --from ${managedWallet} --to ${destination}`,
    'transactions.fintech-transfer': ({ wallet, more }) => `transfers create --amount ${10 + more} --to ${wallet}`,
  }),
  group('swaps', posted('swap.taken'), {
    'swaps.create': (terms) =>
      `swaps create ${terms.userId} --sell CNGN --buy ${bought(terms)} --amount ${2_000 + terms.more}`,
    'swaps.trigger': (terms) =>
      `swaps create --wallet ${terms.onrampWallet} --sell CNGN --buy ${bought(terms)} --amount ${2_000 + terms.more}`,
  }),
  group('bridge', 'SELECT request_id AS id FROM bridge', {
    'bridge.initiate': ({ isOpposite, wallet, destination, more }) =>
      `bridge create --from-network ${isOpposite ? 'bsc --to-network base' : 'base --to-network bsc'} --amount ${500 + more} --from ${wallet} --to ${destination}`,
  }),
  group('fees', posted('fee-withdrawal.locked'), {
    'fees.withdraw': ({ bank, more, tag }) => `fees withdraw --amount ${500 + more} ${bank} --account-name ADA${tag}`,
  }),
  group('fx', TRADES, {
    'fx.trade': ({ isOpposite, more }) =>
      `fx trade --pair CNGN-USDC --side ${isOpposite ? 'sell' : 'buy'} --amount ${1_000 + more}`,
    'fx.market-order': ({ isOpposite, more }) =>
      `fx trade --market --pair CNGN-USDT --side ${isOpposite ? 'buy' : 'sell'} --amount ${1_000 + more}`,
    'fx.create-order': ({ isOpposite, more }) =>
      `fx orders create --pair CNGN-USDC --side ${isOpposite ? 'sell' : 'buy'} --price ${1_300 + more} --min 1000 --max ${5_000 + more}`,
  }),
  group(
    'users',
    'SELECT request_id AS id FROM onboarding',
    { 'users.onboard': ({ bvn }) => `users onboard ${bvn}` },
    { without: ['users.onboard'], hasKeys: false },
  ),
];

/** Commands whose requests say less than their rows do, and a change. */
export const TERSE_GROUPS: readonly Group[] = [
  group('trades on quotes', TRADES, {
    'fx.trade': ({ isOpposite, more }) =>
      `fx trade --pair CNGN-USDC --side ${isOpposite ? 'sell' : 'buy'} --amount ${1_000 + more} ${isOpposite ? '--min-price 1' : '--max-price 9999'}`,
    'fx.market-order': ({ isOpposite, more }) =>
      `fx trade --market --pair CNGN-USDC --side ${isOpposite ? 'buy' : 'sell'} --amount ${1_000 + more}`,
  }),
  group('swaps of all', posted('swap.taken'), {
    'swaps.trigger': (terms) => `swaps create --wallet ${terms.onrampWallet} --sell CNGN --buy ${bought(terms)}`,
    'swaps.create': (terms) =>
      `swaps create ${terms.userId} --sell CNGN --buy ${bought(terms)} --amount ${2_000 + terms.more}`,
  }),
  group(
    'order updates',
    `SELECT order_id || '/' || price_micro || '/' || max_base AS id FROM fx_order WHERE fintech = 1`,
    {
      'fx.update-limit-order': ({ orderId, isOpposite, more }) =>
        `fx orders update ${orderId} --price ${1_210 + more} --max ${isOpposite ? 6_000 : 5_000}`,
    },
    { hasKeys: false },
  ),
];

export type Json = (words: readonly string[]) => Promise<Record<string, unknown>>;

/** Makes the user with money, the wallets and the accounts that the commands name. */
export async function furnish(json: Json, pass: () => Promise<void>): Promise<Place> {
  const user = await furnishUser(json, pass, '22345678901');
  const [{ accountId = '' } = {}] = (await json(words('bank-accounts list')))['accounts'] as Record<string, string>[];
  await json(words(`wallets external add ${WALLET} --network base --yes`));
  return { ...user, bankAccountId: accountId, bank: BANK, wallet: WALLET, destination: OTHER };
}

/** Makes another user, and other places of the account. */
export async function furnishOther(json: Json, pass: () => Promise<void>): Promise<Place> {
  const user = await furnishUser(json, pass, '22345678902');
  const { accountId } = await json(words('bank-accounts add --account-number 0123456790 --bank-code 000013 --yes'));
  await json(words(`wallets external add ${OTHER} --network base --yes`));
  const places = { bankAccountId: String(accountId), bank: OTHER_BANK, wallet: OTHER, destination: THIRD };
  return { ...user, ...places };
}

/** Places an order that can be updated. */
export async function furnishOrder(json: Json): Promise<string> {
  return String(
    (await json(words('fx orders create --pair CNGN-USDC --side buy --price 1200 --min 1000 --max 5000')))['orderId'],
  );
}

async function furnishUser(json: Json, pass: () => Promise<void>, bvn: string) {
  const onboarding = await json(words(`users onboard ${bvn}`));
  await pass();
  const userId = String((await json(words(`users onboarding status ${onboarding['requestId']}`)))['userId']);
  const { requestId } = await json(words(`onramp create ${userId} --amount 90000`));
  const account = await json(words(`onramp account ${requestId}`));
  const { value } = account['totalAmountWithFee'] as { value: string };
  await json(words(`sandbox pay ${account['accountNumber']} --amount ${value} --sender ADA`));
  await pass();
  const { walletAddress } = await json(words(`onramp status ${requestId}`));
  const { walletDetails, virtualAccounts } = await json(words(`users show ${userId}`));
  const [{ accountNumber = '', accountName = '' } = {}] = virtualAccounts as Record<string, string>[];
  await json(['sandbox', 'pay', accountNumber, '--amount', '1000000', '--sender', accountName]);
  await pass();
  const { evmWallet = '' } = walletDetails as Record<string, string>;
  return { userId, managedWallet: evmWallet, onrampWallet: String(walletAddress) };
}
