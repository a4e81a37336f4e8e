import type { Chances } from './chances.ts';

/** What the commands of a campaign need to name: a user with money, their wallets, and the account's own places. */
export interface Place {
  readonly userId: string;
  readonly managedWallet: string;
  readonly onrampWallet: string;
  readonly bankAccountId: string;
}

/** A command line that moves money once, and the endpoint that does it. */
export interface MoneyLine {
  readonly endpoint: string;
  readonly argv: readonly string[];
}

/** The commands of one group of endpoints, and what they leave in the sandbox. */
export interface Group {
  readonly name: string;
  /** Whether the commands accept --once. */
  readonly hasKeys: boolean;
  /** Whether the service lists this work, so that `ops reconcile` can find it. */
  hasEvidence(endpoint: string): boolean;
  /** Selects the id of each piece of work: by its posting in the ledger if starting it moves money, else by its row. */
  readonly work: string;
  /** `more` is added to the amount. */
  line(place: Place, chances: Chances, more?: number): MoneyLine;
}

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const OTHER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

const words = (line: string) => line.split(' ');
const posted = (...events: readonly string[]) =>
  `SELECT subject AS id FROM posting_set WHERE event IN (${events.map((event) => `'${event}'`).join(', ')})`;

/** Equal amounts are frequent, because only equal requests can be confused. */
const oneOrSo = (chances: Chances) => chances.one([0, 0, 0, 1]);

const BANK = '--bank-code 000013 --account-number 0123456789';

/** The command line of each endpoint; `more` is what to add to the least amount. */
type Lines = Readonly<Record<string, (place: Place, more: number, chances: Chances) => string>>;

function group(name: string, work: string, lines: Lines, without: readonly string[] = []): Group {
  const ids = Object.keys(lines);
  return {
    name,
    work,
    hasKeys: name !== 'users',
    hasEvidence: (endpoint) => !without.includes(endpoint),
    line: (place, chances, more = oneOrSo(chances)) => {
      const endpoint = chances.one(ids);
      return { endpoint, argv: words(lines[endpoint]?.(place, more, chances) ?? '') };
    },
  };
}

/** Every group of endpoints that moves money, and the onboarding of users, which costs some. */
export const GROUPS: readonly Group[] = [
  group('onramp, offramp', `${posted('offramp.taken')} UNION ALL SELECT request_id FROM onramp`, {
    'transactions.onramp': ({ userId }, more) => `onramp start ${userId} --amount ${100 + more}`,
    'transactions.offramp': ({ userId }, more) => `offramp start ${userId} --amount ${10 + more} ${BANK}`,
  }),
  group('payouts', posted('payout.taken'), {
    'transactions.fintech-offramp': ({ bankAccountId }, more) =>
      `payout start --amount ${10 + more} --to ${bankAccountId}`,
  }),
  group('withdrawals, transfers', posted('withdrawal.sent', 'transfer.sent'), {
    'transactions.withdraw-asset': ({ userId, managedWallet }, more) =>
      `withdraw ${userId} --amount ${10 + more} --token CNGN --from ${managedWallet} --to ${OTHER}`,
    'transactions.fintech-transfer': (_place, more) => `transfer --amount ${10 + more} --to ${WALLET}`,
  }),
  group('swaps', posted('swap.taken'), {
    'swaps.create': ({ userId }, more) => `swaps start ${userId} --sell CNGN --buy USDC --amount ${2_000 + more}`,
    'swaps.trigger': ({ onrampWallet }, more) =>
      `swaps trigger --wallet ${onrampWallet} --sell CNGN --buy USDC --amount ${2_000 + more}`,
  }),
  group('bridge', 'SELECT request_id AS id FROM bridge', {
    'bridge.initiate': (_place, more) =>
      `bridge start --from-network base --to-network bsc --amount ${500 + more} --from ${WALLET} --to ${OTHER}`,
  }),
  group('fees', posted('fee-withdrawal.locked'), {
    'fees.withdraw': (_place, more, by) =>
      `fees withdraw --amount ${500 + more} ${BANK} --account-name ADA${by.one(['', ' --no-tag'])}`,
  }),
  group('fx', `${posted('fx.locked')} UNION ALL SELECT order_id FROM fx_order WHERE fintech = 1`, {
    'fx.trade': (_place, more) => `fx trade --pair CNGN-USDC --side buy --amount ${1_000 + more}`,
    'fx.market-order': (_place, more) => `fx market-order --pair CNGN-USDT --side sell --amount ${1_000 + more}`,
    'fx.create-order': (_place, more) =>
      `fx orders create --pair CNGN-USDC --side buy --price ${1_300 + more} --min 1000 --max 5000`,
  }),
  group(
    'users',
    'SELECT request_id AS id FROM onboarding',
    { 'users.onboard': (_place, _more, by) => `users onboard ${40_000_000_000 + by.below(1_000_000_000)}` },
    ['users.onboard'],
  ),
];

type Json = (words: readonly string[]) => Promise<Record<string, unknown>>;

/** Makes the user with money, the wallets and the accounts that the commands name. */
export async function furnish(json: Json, pass: () => Promise<void>): Promise<Place> {
  const onboarding = await json(words('users onboard 22345678901'));
  await pass();
  const userId = String((await json(words(`users onboarding ${onboarding['requestId']}`)))['userId']);
  const { requestId } = await json(words(`onramp start ${userId} --amount 90000`));
  const account = await json(words(`onramp account ${requestId}`));
  const { value } = account['totalAmountWithFee'] as { value: string };
  await json(words(`sandbox pay ${account['accountNumber']} --amount ${value} --from ADA`));
  await pass();
  const { walletAddress } = await json(words(`onramp status ${requestId}`));
  const { walletDetails, virtualAccounts } = await json(words(`users show ${userId}`));
  const [{ accountNumber = '', accountName = '' } = {}] = virtualAccounts as Record<string, string>[];
  await json(['sandbox', 'pay', accountNumber, '--amount', '1000000', '--from', accountName]);
  await pass();
  const [{ accountId = '' } = {}] = (await json(words('bank-accounts list')))['accounts'] as Record<string, string>[];
  await json(words(`wallets external add ${WALLET} --network base`));
  const { evmWallet = '' } = walletDetails as Record<string, string>;
  return { userId, managedWallet: evmWallet, onrampWallet: String(walletAddress), bankAccountId: accountId };
}
