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
  line(place: Place, chances: Chances): MoneyLine;
}

export const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const OTHER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

const words = (line: string) => line.split(' ');
const posted = (...events: readonly string[]) =>
  `SELECT subject AS id FROM posting_set WHERE event IN (${events.map((event) => `'${event}'`).join(', ')})`;

/** Equal amounts are frequent, because only equal requests can be confused. */
const amountOf = (chances: Chances, least: number) => least + chances.one([0, 0, 0, 1]);

const BANK = '--bank-code 000013 --account-number 0123456789';

type Lines = Readonly<Record<string, (place: Place, chances: Chances) => string>>;

function group(name: string, work: string, lines: Lines, without: readonly string[] = []): Group {
  const ids = Object.keys(lines);
  return {
    name,
    work,
    hasKeys: name !== 'users',
    hasEvidence: (endpoint) => !without.includes(endpoint),
    line: (place, chances) => {
      const endpoint = chances.one(ids);
      return { endpoint, argv: words(lines[endpoint]?.(place, chances) ?? '') };
    },
  };
}

/** Every group of endpoints that moves money, and the onboarding of users, which costs some. */
export const GROUPS: readonly Group[] = [
  group(
    'onramp, offramp',
    `${posted('offramp.taken')} UNION ALL SELECT request_id FROM onramp`,
    {
      'transactions.onramp': ({ userId }, by) => `onramp start ${userId} --amount ${amountOf(by, 100)}`,
      'transactions.offramp': ({ userId }, by) => `offramp start ${userId} --amount ${amountOf(by, 10)} ${BANK}`,
    },
    ['transactions.onramp'],
  ),
  group('payouts', posted('payout.taken'), {
    'transactions.fintech-offramp': ({ bankAccountId }, by) =>
      `payout start --amount ${amountOf(by, 10)} --to ${bankAccountId}`,
  }),
  group('withdrawals, transfers', posted('withdrawal.sent', 'transfer.sent'), {
    'transactions.withdraw-asset': ({ userId, managedWallet }, by) =>
      `withdraw ${userId} --amount ${amountOf(by, 10)} --token CNGN --from ${managedWallet} --to ${OTHER}`,
    'transactions.fintech-transfer': (_place, by) => `transfer --amount ${amountOf(by, 10)} --to ${WALLET}`,
  }),
  group('swaps', posted('swap.taken'), {
    'swaps.create': ({ userId }, by) => `swaps start ${userId} --sell CNGN --buy USDC --amount ${amountOf(by, 2_000)}`,
    'swaps.trigger': ({ onrampWallet }, by) =>
      `swaps trigger --wallet ${onrampWallet} --sell CNGN --buy USDC --amount ${amountOf(by, 2_000)}`,
  }),
  group('bridge', 'SELECT request_id AS id FROM bridge', {
    'bridge.initiate': (_place, by) =>
      `bridge start --from-network base --to-network bsc --amount ${amountOf(by, 500)} --from ${WALLET} --to ${OTHER}`,
  }),
  group('fees', posted('fee-withdrawal.locked'), {
    'fees.withdraw': (_place, by) =>
      `fees withdraw --amount ${by.one([500, 500, 501])} ${BANK} --account-name ADA${by.one(['', ' --no-tag'])}`,
  }),
  group('fx', `${posted('fx.locked')} UNION ALL SELECT order_id FROM fx_order WHERE fintech = 1`, {
    'fx.trade': (_place, by) => `fx trade --pair CNGN-USDC --side buy --amount ${amountOf(by, 1_000)}`,
    'fx.market-order': (_place, by) => `fx market-order --pair CNGN-USDT --side sell --amount ${amountOf(by, 1_000)}`,
    'fx.create-order': (_place, by) =>
      `fx orders create --pair CNGN-USDC --side buy --price ${amountOf(by, 1_300)} --min 1000 --max 5000`,
  }),
  group(
    'users',
    'SELECT request_id AS id FROM onboarding',
    { 'users.onboard': (_place, by) => `users onboard ${40_000_000_000 + by.below(1_000_000_000)}` },
    ['users.onboard'],
  ),
];
