import { describe, expect, test } from 'vitest';
import { onrampStatus } from '../../src/contract/endpoints/onramp.ts';
import type { WebhookEvent } from '../../src/contract/event-payloads.ts';
import type { Account } from '../../src/engine/account.ts';
import { workStartedBy } from '../../src/engine/evidence/find-work.ts';
import type { EvidenceQuery } from '../../src/engine/evidence/work.ts';
import { parseExactJson } from '../../src/money/decimal.ts';
import type { Likeness } from '../../src/things/likeness.ts';

/** An object of a response. A dotted path in a table below is a field of an object in it. */
type Fields = Readonly<Record<string, unknown>>;
type Change = readonly [path: string, value: unknown];

function changed(object: Fields, [path, value]: Change): Fields {
  const [name = '', ...rest] = path.split('.');
  const inner = rest.length === 0 ? value : changed(object[name] as Fields, [rest.join('.'), value]);
  return { ...object, [name]: inner };
}

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const OTHER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const LIKE: Likeness = { isLike: true, isPartial: false };
const PARTIAL: Likeness = { isLike: true, isPartial: true };

/** A request, and what the service shows of it. */
interface Kind {
  readonly endpoint: string;
  /** What the journal knows of it: the request and its terms. */
  readonly request: Fields;
  readonly shown: Fields;
  /** Shown otherwise, it is the same: in other words, cut, or left out. */
  readonly same: readonly Change[];
  /** Each of these contradicts the request. */
  readonly others: readonly Change[];
  /** Without these, a person decides. */
  readonly needed: readonly Change[];
}

const BRIDGE = {
  token: 'CNGN',
  fromNetwork: 'base',
  toNetwork: 'bsc',
  amount: '500',
  fromAddress: WALLET,
  toAddress: OTHER,
};
const PAYEE = { accountNumber: '0123456789', accountName: 'ADA OBI', bankName: 'GTBank', bankCode: '000013' };
const ORDER = { price: '1300', minAmount: '1000', maxAmount: '5000', spread: 0.5 };
const TRADE = { pair: 'CNGN-USDC', side: 'buy', cngnAmount: '5000' };
const SENT = { amount: '25.500000', ticker: 'USDC', userId: 'u-1', destinationAddress: OTHER, network: 'bsc' };

const LISTS: Readonly<Record<string, Kind>> = {
  'a bridge': {
    endpoint: 'bridge.initiate',
    request: BRIDGE,
    shown: { ...BRIDGE, amount: '500.000000' },
    same: [
      ['fromNetwork', 'Base'],
      ['toNetwork', 'BNB Smart Chain'],
      ['fromAddress', WALLET.toLowerCase()],
      ...(['token', 'fromNetwork', 'toNetwork', 'fromAddress', 'toAddress'] as const).map(
        (name) => [name, null] as const,
      ),
    ],
    others: [
      ['token', 'USDC'],
      ['fromNetwork', 'eth'],
      ['toNetwork', 'eth'],
      ['fromAddress', OTHER],
      ['toAddress', WALLET],
      ['amount', '500.000001'],
    ],
    needed: [['amount', null]],
  },
  'a fee withdrawal': {
    endpoint: 'fees.withdraw',
    request: {
      bankAccountNumber: '0123456789',
      bankCode: '000013',
      accountName: 'Ada Obi',
      amount: 50_000,
      narration: '[fr-1a2b3c4d]',
    },
    shown: {
      bankAccountNumber: '012345****',
      bankCode: '000013',
      accountName: 'ADA OBI',
      amount: 50_000,
      narration: '[fr-1a2b3c4d]',
    },
    same: [
      ['bankAccountNumber', '****6789'],
      ['bankAccountNumber', null],
      ['bankCode', '058'],
      ['bankCode', null],
      ['accountName', 'ADA  OBI'],
      ['accountName', null],
      ['narration', 'FR 1A2B3C4D'],
      ['narration', '[fr-1a2'],
      ['narration', '***'],
      ['narration', null],
    ],
    others: [
      ['bankAccountNumber', '012346****'],
      ['bankAccountNumber', '****6780'],
      ['bankAccountNumber', '11****'],
      ['bankCode', '000014'],
      ['accountName', 'BAYO ADE'],
      ['narration', '[fr-1a2b3c4e]'],
      ['narration', 'rent'],
      ['amount', 50_001],
    ],
    needed: [['amount', undefined]],
  },
  'a fee withdrawal without a text': {
    endpoint: 'fees.withdraw',
    request: { bankAccountNumber: '0123456789', bankCode: '000013', accountName: 'Ada Obi', amount: 50_000 },
    shown: { amount: 50_000 },
    same: [
      ['narration', 'Fees'],
      ['narration', 'TRFR20260105'],
    ],
    others: [
      ['narration', 'for [fr-1a2b3c4d]'],
      ['narration', '[FR-1A2B3C4D]'],
    ],
    needed: [],
  },
  'an offramp': {
    endpoint: 'transactions.offramp',
    request: { userId: 'u-1', amount: 1000, accountNumber: '0123456789', bankCode: '000013', ticker: 'CNGN' },
    shown: { type: 'user_offramp', amount: 1000, bankAccount: PAYEE },
    same: [
      ['type', null],
      ['bankAccount', null],
      ['bankAccount.bankCode', '058'],
    ],
    others: [
      ['type', 'fintech_offramp'],
      ['amount', 1000.01],
      ['bankAccount.accountNumber', '0123456780'],
      ['bankAccount.bankCode', '000014'],
    ],
    needed: [['amount', null]],
  },
  'a payout': {
    endpoint: 'transactions.fintech-offramp',
    request: { amount: 1_000_000_000, bankAccountId: 'b-1', ...PAYEE },
    shown: { type: 'fintech_offramp', amount: 1000, bankAccount: PAYEE },
    same: [
      ['type', null],
      ['bankAccount', null],
      ['bankAccount.accountName', 'Ada Ob'],
      ['bankAccount.bankName', 'Guaranty Trust Bank'],
    ],
    others: [
      ['type', 'user_offramp'],
      ['amount', 1000.01],
      ['bankAccount.accountNumber', '0123456780'],
      ['bankAccount.bankCode', '000014'],
      ['bankAccount.accountName', 'BAYO ADE'],
    ],
    needed: [['amount', null]],
  },
  'a payout to an account that cannot be read': {
    endpoint: 'transactions.fintech-offramp',
    request: { amount: 1_000_000_000, bankAccountId: 'b-1', accountNumber: '0123456789' },
    shown: { type: 'fintech_offramp', amount: 1000, bankAccount: PAYEE },
    same: [],
    others: [['amount', 1001]],
    needed: [],
  },
  'a withdrawal': {
    endpoint: 'transactions.withdraw-asset',
    request: {
      userId: 'u-1',
      internalWallet: WALLET,
      destinationWallet: OTHER,
      amount: 25.5,
      ticker: 'USDC',
      network: 'bsc',
    },
    shown: { ...SENT, type: 'fintech_user_withdrawal', smartWalletAddress: WALLET },
    same: [
      ['network', 'bnb'],
      ...(['type', 'ticker', 'userId', 'smartWalletAddress', 'destinationAddress', 'network'] as const).map(
        (name) => [name, null] as const,
      ),
    ],
    others: [
      ['type', 'fintech_self_transfer'],
      ['userId', 'u-2'],
      ['smartWalletAddress', OTHER],
      ['destinationAddress', WALLET],
      ['ticker', 'USDT'],
      ['network', 'base'],
      ['amount', '25.500001'],
    ],
    // Its unit is not documented, and users may start withdrawals themselves.
    needed: [
      ['amount', null],
      ['amount', '25500000'],
      ['type', 'user_withdrawal'],
    ],
  },
  'a withdrawal to Base': {
    endpoint: 'transactions.withdraw-asset',
    request: { userId: 'u-1', internalWallet: WALLET, destinationWallet: OTHER, amount: 25.5, ticker: 'USDC' },
    shown: { ...SENT, network: 'base' },
    same: [],
    others: [['network', 'bsc']],
    needed: [],
  },
  'a transfer': {
    endpoint: 'transactions.fintech-transfer',
    request: { destinationAddress: OTHER, amount: 25_500_000, ticker: 'USDC' },
    shown: { ...SENT, userId: null, type: 'fintech_self_transfer' },
    same: [
      ['network', 'base'],
      ['type', null],
    ],
    others: [
      ['type', 'fintech_user_withdrawal'],
      ['destinationAddress', WALLET],
      ['ticker', 'CNGN'],
      ['amount', '25.500001'],
    ],
    needed: [
      ['amount', null],
      ['amount', '25500000'],
    ],
  },
  'a swap': {
    endpoint: 'swaps.create',
    request: { userId: 'u-1', sellToken: 'CNGN', buyToken: 'USDC', amount: 2000, smartWalletAddress: WALLET },
    shown: {
      type: 'swap',
      sellToken: 'CNGN',
      buyToken: 'USDC',
      amountIn: '2000.000000',
      smartWalletAddress: WALLET,
      triggerType: 'direct',
    },
    same: [
      ['triggerType', null],
      ['triggerType', 'user'],
      ['type', 'swap_trigger'],
      ['smartWalletAddress', null],
    ],
    others: [
      ['sellToken', 'USDT'],
      ['buyToken', 'USDT'],
      ['amountIn', '2000.000001'],
      ['smartWalletAddress', OTHER],
      ['triggerType', 'trigger'],
      ['triggerType', 'auto'],
    ],
    needed: [['amountIn', null]],
  },
  'a triggered swap': {
    endpoint: 'swaps.trigger',
    request: { walletAddress: WALLET, sellToken: 'CNGN', buyToken: 'USDC', amount: 2000 },
    shown: {
      sellToken: 'CNGN',
      buyToken: 'USDC',
      amountIn: '2000.000000',
      smartWalletAddress: WALLET,
      triggerType: 'trigger',
    },
    same: [['triggerType', null]],
    others: [
      ['smartWalletAddress', OTHER],
      ['triggerType', 'direct'],
      ['triggerType', 'auto'],
    ],
    needed: [['amountIn', null]],
  },
  'a triggered swap of all that a wallet holds': {
    endpoint: 'swaps.trigger',
    request: { walletAddress: WALLET, sellToken: 'CNGN' },
    shown: { sellToken: 'CNGN', buyToken: 'USDC', amountIn: '2000.000000', smartWalletAddress: WALLET },
    same: [
      ['amountIn', '1.000000'],
      ['buyToken', 'USDT'],
    ],
    others: [['smartWalletAddress', OTHER]],
    needed: [['smartWalletAddress', null]],
  },
  'a trade': {
    endpoint: 'fx.trade',
    request: TRADE,
    shown: { ...TRADE, cngnAmount: '5000.000000', usdcAmount: '3.846153', price: '1300.000000' },
    same: [
      ['price', '1.000000'],
      ['side', 'BUY'],
      ['pair', null],
      ['side', null],
    ],
    others: [
      ['pair', 'CNGN-USDT'],
      ['side', 'sell'],
      ['cngnAmount', '5000.000001'],
    ],
    needed: [['cngnAmount', null]],
  },
  'a trade on a quote': {
    endpoint: 'fx.trade',
    request: { quoteId: 'q-1', ...TRADE, price: '1395.71385' },
    shown: { ...TRADE, price: '1395.713850' },
    same: [['price', null]],
    others: [
      ['price', '1395.713851'],
      ['side', 'sell'],
    ],
    needed: [],
  },
  'a market order': {
    endpoint: 'fx.market-order',
    request: { ...TRADE, pair: 'CNGN' },
    shown: TRADE,
    same: [['pair', 'CNGN-USDT']],
    others: [['side', 'sell']],
    needed: [],
  },
  'an order': {
    endpoint: 'fx.create-order',
    request: { ...ORDER, orderType: 'sell', baseCurrency: 'cNGN', quoteCurrency: 'USDC' },
    shown: { ...ORDER, pair: 'CNGN-USDC', side: 'buy', price: '1300.000000' },
    same: [
      ['spread', null],
      ['pair', null],
      ['side', null],
    ],
    others: [
      ['pair', 'CNGN-USDT'],
      ['side', 'sell'],
      ['price', '1300.000001'],
      ['minAmount', '1001'],
      ['maxAmount', '5001'],
      ['spread', 0.6],
    ],
    needed: [
      ['price', null],
      ['minAmount', null],
      ['maxAmount', null],
    ],
  },
  'an order on the newer path': {
    endpoint: 'fx.create-limit-order',
    request: { ...ORDER, pair: 'CNGN-USDC', side: 'sell' },
    shown: { ...ORDER, pair: 'CNGN-USDC', side: 'sell' },
    same: [],
    others: [['side', 'buy']],
    needed: [],
  },
};

const NOTED = { ...SENT, network: undefined, amount: '25.5', note: '[fr-1a2b3c4d]' };

const EVENTS: Readonly<Record<string, Kind & { readonly event: WebhookEvent }>> = {
  'the end of an offramp': {
    endpoint: 'transactions.offramp',
    event: 'vault.return.payout.completed',
    request: LISTS['an offramp']?.request ?? {},
    shown: { amount: '1000.00', recipientAccountNumber: '0123456789', recipientBankCode: '000013' },
    same: [
      ['recipientBankCode', '058'],
      ['recipientBankCode', undefined],
      ['recipientAccountNumber', undefined],
    ],
    others: [
      ['amount', '1000.01'],
      ['recipientAccountNumber', '0123456780'],
      ['recipientBankCode', '000014'],
    ],
    needed: [['amount', undefined]],
  },
  'the end of a payout': {
    endpoint: 'transactions.fintech-offramp',
    event: 'fintech.offramp.completed',
    request: LISTS['a payout']?.request ?? {},
    shown: { amount: 1000, bankAccount: PAYEE },
    same: [
      ['bankAccount', undefined],
      ['bankAccount.bankCode', undefined],
    ],
    others: [
      ['amount', 1000.01],
      ['bankAccount.accountNumber', '0123456780'],
      ['bankAccount.bankCode', '000014'],
      ['bankAccount.accountName', 'BAYO ADE'],
    ],
    needed: [['amount', undefined]],
  },
  'the end of a withdrawal': {
    endpoint: 'transactions.withdraw-asset',
    event: 'fintech.user.asset.transfer.completed',
    request: LISTS['a withdrawal']?.request ?? {},
    shown: { ...SENT, amount: '25.5', smartWalletAddress: WALLET },
    same: [['network', undefined]],
    others: [
      ['amount', '25.51'],
      ['ticker', 'USDT'],
      ['smartWalletAddress', OTHER],
      ['destinationAddress', WALLET],
      ['network', 'base'],
    ],
    needed: [['amount', undefined]],
  },
  'the end of a transfer': {
    endpoint: 'transactions.fintech-transfer',
    event: 'fintech.asset.transfer.completed',
    request: { ...LISTS['a transfer']?.request, note: '[fr-1a2b3c4d]' },
    shown: NOTED,
    same: [
      ['note', null],
      ['note', 'FR-1A2B3C4D'],
    ],
    others: [
      ['note', '[fr-1a2b3c4e]'],
      ['note', 'rent'],
      ['amount', '25500000'],
      ['ticker', 'cNGN'],
      ['destinationAddress', WALLET],
    ],
    needed: [['amount', undefined]],
  },
};

const exactly = (fields: Fields) => parseExactJson(JSON.stringify(fields)) as EvidenceQuery['request'];

async function inList({ endpoint, request }: Kind, shown: Fields): Promise<Likeness> {
  const listing = (await workStartedBy(endpoint))?.list?.(exactly(request));
  if (!listing) throw new Error(`${endpoint} has no list`);
  const { isLike, isPartial } = listing.read(shown);
  return { isLike, isPartial };
}

async function inEvent(
  { endpoint, request, event }: Kind & { readonly event: WebhookEvent },
  data: Fields,
  userId = 'u-1',
) {
  const compare = (await workStartedBy(endpoint))?.events?.[event]?.compare;
  if (!compare) throw new Error(`${event} is not compared`);
  return compare({ userId, data: exactly(data) }, exactly(request));
}

const rowsOf = (
  kinds: Readonly<Record<string, Kind>>,
  changes: 'same' | 'others' | 'needed',
): readonly (readonly [what: string, change: Change])[] =>
  Object.entries(kinds).flatMap(([what, kind]) => kind[changes].map((change) => [what, change] as const));

describe.each([
  ['a row', LISTS, (what: string, shown: Fields) => inList(LISTS[what] as Kind, shown)],
  ['an event', EVENTS, (what: string, data: Fields) => inEvent(EVENTS[what] as never, data)],
] as const)('%s', (_place, kinds: Readonly<Record<string, Kind>>, compared) => {
  const shownIn = (what: string): Fields => kinds[what]?.shown ?? {};

  test.each(Object.keys(kinds))('that says what the request said may be it: %s', async (what) => {
    expect(await compared(what, shownIn(what))).toEqual(LIKE);
  });

  test.each(rowsOf(kinds, 'same'))('of %s may be it: %s', async (what, change) => {
    expect(await compared(what, changed(shownIn(what), change))).toEqual(LIKE);
  });

  test.each(rowsOf(kinds, 'others'))('of %s is not it: %s', async (what, change) => {
    expect(await compared(what, changed(shownIn(what), change))).toMatchObject({ isLike: false });
  });

  test.each(rowsOf(kinds, 'needed'))('of %s is no proof: %s', async (what, change) => {
    expect(await compared(what, changed(shownIn(what), change))).toEqual(PARTIAL);
  });
});

test.each(['the end of an offramp', 'the end of a withdrawal'])('%s of another user is not it', async (what) => {
  const kind = EVENTS[what] as Kind & { readonly event: WebhookEvent };
  expect(await inEvent(kind, kind.shown, 'u-2')).toMatchObject({ isLike: false });
});

describe('what the journal does not know', () => {
  test.each<[string, Fields]>([
    ['a trade on a quote', { quoteId: 'q-1' }],
    ['a trade on a quote', { quoteId: 'q-1', pair: 'CNGN-USDC', cngnAmount: '5000' }],
    ['a trade on a quote', { quoteId: 'q-1', side: 'buy', cngnAmount: '5000' }],
    ['a trade', { orderId: 'o-1', cngnAmount: '5000' }],
    ['a payout', { amount: 1_000_000_000, bankAccountId: 'b-1' }],
    ['a payout', { ...LISTS['a payout']?.request, amount: 1_000_000_001 }],
  ])('makes a row of %s no proof: %j', async (what, request) => {
    const kind = LISTS[what] as Kind;
    expect(await inList({ ...kind, request }, kind.shown)).toEqual(PARTIAL);
  });

  test('makes an event of a payout no proof', async () => {
    const kind = EVENTS['the end of a payout'] as Kind & { readonly event: WebhookEvent };
    const request = { amount: 1_000_000_000, bankAccountId: 'b-1' };
    expect(await inEvent({ ...kind, request }, kind.shown)).toEqual(PARTIAL);
  });
});

test('a row that contradicts one amount and lacks another is not the request', async () => {
  const kind = LISTS['an order'] as Kind;
  expect(await inList(kind, { ...kind.shown, price: '1301', minAmount: null })).toMatchObject({ isLike: false });
});

test('order book figures in tokens are not taken for base units', async () => {
  const kind = LISTS['an order'] as Kind;
  const figures = { price: '1300000000', minAmount: '1000000000', maxAmount: '5000000000' };
  expect(await inList(kind, { ...kind.shown, ...figures })).toMatchObject({ isLike: false });
});

describe('order book figures whose unit the service does not say', () => {
  const kind = LISTS['an order'] as Kind;
  const figures = (price: string, minAmount: string, maxAmount: string): Fields =>
    Object.fromEntries(
      Object.entries({ price, minAmount, maxAmount }).map(([name, value]) => [name, { value, unit: 'unknown' }]),
    );

  test.each<[string, Fields, boolean]>([
    ['tokens', figures('1300', '1000', '5000'), true],
    ['base units', figures('1300000000', '1000000000', '5000000000'), true],
    ['both', figures('1300000000', '1000', '5000'), false],
    ['base units of another price', figures('1301000000', '1000000000', '5000000000'), false],
    ['tokens of another price', figures('1301', '1000', '5000'), false],
  ])('are compared in one unit: %s', async (_unit, shown, isLike) => {
    expect(await inList(kind, { ...kind.shown, ...shown })).toMatchObject({ isLike });
  });
});

describe('the wallet of an onramp', () => {
  const REQUEST = {
    userId: 'u-1',
    amount: 500,
    owner: WALLET,
    autoSwap: true,
    assetSwap: 'USDT',
    sweepToOfframp: true,
  };
  const LISTED = { walletAddress: OTHER, blockchain: 'base', tokenBuy: 'USDT', owner: WALLET, createdAt: null };
  const STATUS = {
    requestId: 'r-1',
    status: 'pending',
    amount: '500000000',
    metadata: { tokenBuy: 'USDT', autoSwap: true, sweepToOfframp: true },
    wallet: { owner: WALLET, tokenBuy: 'USDT', autoSwap: true, sweepToOfframp: true, amount: '500' },
  };

  async function found(listed: Fields, status: Fields, request: Fields = REQUEST) {
    const work = await workStartedBy('transactions.onramp');
    const session = {
      call: async ({ id }: { readonly id: string }) => ({
        data: id === onrampStatus.id ? status : { wallets: [listed], count: 1 },
      }),
      time: { service: { nowMs: () => 0 } },
    } as unknown as Account;
    const query = { request: exactly(request), tag: undefined, sinceMs: 0 };
    return (await work?.find?.(session, query))?.candidates.map(({ isPartial }) => isPartial);
  }

  test.each<[Change]>([[['blockchain', 'base']], [['blockchain', null]], [['tokenBuy', null]], [['owner', null]]])(
    'may be it: %s',
    async (change) => {
      expect(await found(changed(LISTED, change), STATUS)).toEqual([false]);
    },
  );

  test.each<[Change]>([[['blockchain', 'bantu']], [['tokenBuy', 'USDC']], [['owner', OTHER]]])(
    'is not it in the list: %s',
    async (change) => {
      expect(await found(changed(LISTED, change), STATUS)).toEqual([]);
    },
  );

  test.each<[Change]>([
    [['amount', '500000001']],
    [['wallet.owner', OTHER]],
    [['wallet.tokenBuy', 'USDC']],
    [['wallet.autoSwap', false]],
    [['wallet.sweepToOfframp', false]],
  ])('is not it in its status: %s', async (change) => {
    expect(await found(LISTED, changed(STATUS, change))).toEqual([]);
  });

  test.each<[Change]>([
    [['metadata.tokenBuy', 'USDC']],
    [['metadata.autoSwap', false]],
    [['metadata.sweepToOfframp', false]],
  ])('is not it in the older form of its status: %s', async (change) => {
    expect(await found(LISTED, { ...changed(STATUS, change), wallet: null })).toEqual([]);
  });

  test('is no proof without an amount', async () => {
    expect(await found(LISTED, { ...STATUS, amount: null, wallet: null })).toEqual([true]);
  });

  test('is swept only if the request says so', async () => {
    expect(await found(LISTED, STATUS, { ...REQUEST, sweepToOfframp: undefined })).toEqual([]);
  });

  test('buys what the settings say unless the request swaps', async () => {
    expect(await found(LISTED, STATUS, { ...REQUEST, autoSwap: undefined, assetSwap: 'USDC' })).toEqual([false]);
  });
});
