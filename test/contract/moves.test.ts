import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { assetsOf, destinationsOf, mayMoveTheSame, movesOf } from '../../src/contract/moves.ts';
import { rowsOf } from '../../src/contract/rows.ts';
import { INCOMING } from '../../src/journal/spending.ts';

const byId = (id: string) => {
  const found = endpoints.find((each) => each.id === id);
  if (!found) throw new Error(id);
  return found;
};

describe('every endpoint that moves money', () => {
  const money = endpoints.filter(
    ({ effect, effects }) => effect === 'money' || Object.values(effects?.of ?? {}).includes('money'),
  );

  test('says what it moves, and no other endpoint does', () => {
    expect(money.length).toBeGreaterThan(10);
    expect(endpoints.filter(({ moves }) => moves !== undefined).map(({ id }) => id)).toEqual(money.map(({ id }) => id));
  });

  test.each(money.map((each) => [each.id, each] as const))('%s names fields of its request', (_id, endpoint) => {
    const { moves } = endpoint;
    if (!moves) throw new Error('no row');
    const fields = rowsOf(endpoint.request());
    expect(fields.find(({ name }) => name === moves.amount)?.unit).toBeDefined();
    const named = [
      moves.decidedBy,
      moves.gives?.field,
      moves.gives?.stablecoin,
      moves.gives?.unless,
      moves.gives?.price,
      ...moves.to.flatMap((target) =>
        target === 'unknown' ? [] : Object.values(target).filter((each) => each !== true),
      ),
    ].filter((each) => each !== undefined);
    expect([...fields.map(({ name }) => name), ...(moves.replaces ?? [])]).toEqual(expect.arrayContaining(named));
  });

  test('names its command, and every guarded command is named', async () => {
    const groups = await Promise.all(CATALOGUE.map(({ load }) => load()));
    const commands = groups
      .flat()
      .filter(({ endpoints: called }) => called.some((id) => money.some((each) => each.id === id)))
      // They change an order too, and what it may spend by nothing.
      .filter(({ words }) => !/^fx orders (pause|resume)$/.test(words.join(' ')));
    const guarded = groups.flat().filter(({ money: isMoney }) => isMoney);
    const named = new Set(money.map(({ moves }) => moves?.command));
    expect([...named].sort()).toEqual(commands.map(({ words }) => words.join(' ')).sort());
    for (const { words } of guarded) expect(named).toContain(words.join(' '));
  });
});

const NGN = (minor: bigint) => ({ asset: 'NGN', minor });
const CNGN = (minor: bigint) => ({ asset: 'CNGN', minor });
const USDC = (minor: bigint) => ({ asset: 'USDC', minor });

describe('a request moves', () => {
  test.each<[id: string, input: object, amount: unknown, unknownAssets: readonly string[], to: readonly string[]]>([
    ['fees.withdraw', { amount: 500, bankCode: '1', bankAccountNumber: '2' }, NGN(500n), [], ['account 1 2']],
    ['fees.withdraw', { amount: '500' }, NGN(500n), [], ['unknown']],
    ['fees.withdraw', { amount: 0.5, bankCode: 1, bankAccountNumber: '2' }, undefined, ['NGN'], ['unknown']],
    ['fees.withdraw', { amount: 0 }, undefined, ['NGN'], ['unknown']],
    ['fees.withdraw', { amount: 1e20 }, undefined, ['NGN'], ['unknown']],
    ['fees.withdraw', { amount: null }, undefined, ['NGN'], ['unknown']],
    ['fees.withdraw', { amount: { value: 5 } }, undefined, ['NGN'], ['unknown']],
    ['transactions.offramp', { amount: 5.01, bankCode: '1', accountNumber: '2' }, NGN(501n), [], ['account 1 2']],
    ['transactions.fintech-offramp', { amount: 7, bankAccountId: 'x' }, CNGN(7n), [], ['saved-account x']],
    [
      'transactions.withdraw-asset',
      { amount: 2, ticker: 'USDC', destinationWallet: 'a' },
      USDC(2_000_000n),
      [],
      ['address a'],
    ],
    [
      'transactions.withdraw-asset',
      { amount: 2, ticker: 'usdc', destinationWallet: '' },
      undefined,
      ['CNGN', 'USDC', 'USDT'],
      ['unknown'],
    ],
    ['transactions.fintech-transfer', { amount: 9, destinationAddress: 'a' }, CNGN(9n), [], ['address a']],
    [
      'transactions.fintech-transfer',
      { amount: 9, ticker: 'USDC', destinationAddress: 'a' },
      USDC(9n),
      [],
      ['address a'],
    ],
    ['swaps.trigger', { walletAddress: 'w', sellToken: 'USDC' }, undefined, ['USDC'], ['unknown']],
    ['swaps.trigger', { walletAddress: 'w', sellToken: 'USDC', amount: 1 }, USDC(1_000_000n), [], ['unknown']],
    ['swaps.create', { sellToken: 'CNGN', amount: 1, userId: 'u' }, CNGN(1_000_000n), [], ['user u']],
    [
      'swaps.create',
      { sellToken: 'CNGN', amount: 1, userId: 'u', destinationAssetSwap: 'a' },
      CNGN(1_000_000n),
      [],
      ['address a'],
    ],
    ['bridge.initiate', { amount: '1.5', toAddress: 'a' }, CNGN(1_500_000n), [], ['address a']],
    ['transactions.onramp', { amount: 5, userId: 'u' }, undefined, [], ['user u', 'wallet-of u']],
    [
      'transactions.onramp',
      { amount: 5, userId: 'u', destinationAssetSwap: 'a', owner: 'b' },
      undefined,
      [],
      ['user u', 'wallet-of u', 'address a', 'address b'],
    ],
    ['fx.trade', { pair: 'CNGN-USDC', side: 'buy', cngnAmount: '2' }, CNGN(2_000_000n), [], []],
    [
      'fx.trade',
      { pair: 'CNGN-USDC', side: 'sell', cngnAmount: '2', destinationWalletAddress: 'a' },
      CNGN(2_000_000n),
      ['USDC'],
      ['address a'],
    ],
    ['fx.trade', { orderId: 'o', side: 'buy', cngnAmount: '2' }, CNGN(2_000_000n), ['USDC', 'USDT'], []],
    [
      'fx.trade',
      { quoteId: 'q', pair: 'CNGN-USDC', side: 'buy', cngnAmount: '2' },
      undefined,
      ['CNGN', 'USDC', 'USDT'],
      [],
    ],
    ['fx.market-order', { pair: 'CNGN', side: 'sell', cngnAmount: '2' }, CNGN(2_000_000n), ['USDC', 'USDT'], []],
    ['fx.create-order', { orderType: 'sell', quoteCurrency: 'USDT', maxAmount: '3' }, CNGN(3_000_000n), [], []],
    ['fx.create-order', { orderType: 'buy', quoteCurrency: 'usdt', maxAmount: '3' }, CNGN(3_000_000n), ['USDT'], []],
    ['fx.create-limit-order', { side: 'sell', pair: 'CNGN-USDT', maxAmount: '3' }, CNGN(3_000_000n), ['USDT'], []],
    ['fx.update-limit-order', { orderId: 'o', status: 'paused' }, undefined, [], []],
    ['fx.update-limit-order', { orderId: 'o', maxAmount: '3' }, CNGN(3_000_000n), ['USDC', 'USDT'], []],
    ['banks.delete', { accountId: 'x', amount: 5 }, undefined, [], []],
  ])('%s %j', (id, input, amount, unknownAssets, to) => {
    const moves = movesOf(byId(id), input);
    const destinations = destinationsOf(byId(id), input).map(({ kind, ...named }) =>
      [kind, ...Object.values(named)].join(' '),
    );
    expect([moves?.amount, moves?.unknownAssets ?? [], destinations]).toEqual([amount, unknownAssets, to]);
    const spent = [...(moves?.amount ? [moves.amount.asset] : []), ...(moves?.unknownAssets ?? [])];
    expect(assetsOf(byId(id))).toEqual(expect.arrayContaining(spent));
  });

  test.each([
    [{ amount: 5, userId: 'u' }, NGN(500n)],
    [{ amount: 'five', userId: 'u' }, undefined],
  ])('nothing out with an onramp, which brings in what it says: %j', (input, incoming) => {
    expect(movesOf(byId('transactions.onramp'), input)).toEqual({
      amount: undefined,
      atWorst: [],
      incoming,
      unknownAssets: [],
    });
  });
});

describe('an order', () => {
  const add = (price: string, more = {}) => ({
    orderType: 'buy',
    quoteCurrency: 'USDC',
    maxAmount: '3',
    price,
    ...more,
  });
  test.each<[price: string, minor: bigint | undefined]>([
    ['1', 3_000_000n],
    ['2', 1_500_000n],
    // Rounded up.
    ['7', 428_572n],
    ['1400', 2_143n],
    ['0', undefined],
    ['-1', undefined],
    ['one', undefined],
  ])('that gives stablecoin at %s gives at the worst %s of it', (price, minor) => {
    const { atWorst, unknownAssets } = movesOf(byId('fx.create-order'), add(price)) ?? {};
    expect(atWorst).toEqual(minor === undefined ? [] : [USDC(minor)]);
    expect(unknownAssets).toEqual(minor === undefined ? ['USDC'] : []);
  });

  test('that gives cNGN gives nothing else', () => {
    const moves = movesOf(byId('fx.create-order'), add('2', { orderType: 'sell' }));
    expect(moves).toMatchObject({ amount: CNGN(3_000_000n), atWorst: [], unknownAssets: [] });
  });

  const order = (price: string, maxAmount: string, side = 'sell') => ({
    'replaced.pair': 'CNGN-USDC',
    'replaced.side': side,
    'replaced.price': price,
    'replaced.maxAmount': maxAmount,
  });
  test.each<
    [what: string, input: object, terms: Record<string, string>, cngn: bigint | undefined, usdc: bigint | undefined]
  >([
    ['a lower price', { price: '1' }, order('2', '10'), 0n, 5_000_000n],
    ['a higher price', { price: '4' }, order('2', '10'), 0n, 0n],
    ['a higher maximum', { maxAmount: '16' }, order('2', '10'), 6_000_000n, 3_000_000n],
    ['a lower maximum', { maxAmount: '4' }, order('2', '10'), 0n, 0n],
    ['both', { price: '1', maxAmount: '12' }, order('2', '10'), 2_000_000n, 7_000_000n],
    ['an order that gives cNGN', { price: '1', maxAmount: '12' }, order('2', '10', 'buy'), 2_000_000n, undefined],
    ['an order whose figures have no known unit', { maxAmount: '12' }, { ...order('', '10') }, 12_000_000n, undefined],
  ])('that is updated adds what it gives more: %s', (_what, input, terms, cngn, usdc) => {
    const { amount, atWorst } = movesOf(byId('fx.update-limit-order'), { orderId: 'o', ...input }, terms) ?? {};
    expect([amount?.minor, atWorst?.[0]?.minor]).toEqual([cngn, usdc]);
  });
});

describe('two requests may move the same', () => {
  const fee = (more = {}) => ({ amount: 500, bankCode: '1', bankAccountNumber: '2', ...more });
  const transfer = (more = {}) => ({ amount: 9, destinationAddress: '0xAb', ...more });
  const buy = (more = {}) => ({ pair: 'CNGN-USDC', side: 'buy', cngnAmount: '5000', ...more });
  const QUOTED = { pair: 'CNGN-USDC', side: 'buy', cngnAmount: '5000', price: '1400' };
  test.each<[what: string, id: string, one: object, other: object, isSame: boolean, terms?: readonly [object, object]]>(
    [
      ['equal', 'fees.withdraw', fee(), fee({ narration: 'x', amount: '500.0' }), true],
      ['another amount', 'fees.withdraw', fee(), fee({ amount: 501 }), false],
      ['an amount that cannot be read', 'fees.withdraw', fee(), fee({ amount: 'all' }), true],
      ['another account', 'fees.withdraw', fee(), fee({ bankAccountNumber: '3' }), false],
      ['another bank', 'fees.withdraw', fee(), fee({ bankCode: '3' }), false],
      ['no account in either', 'fees.withdraw', { amount: 5 }, { amount: 5 }, true],
      [
        'another spelling of an address',
        'transactions.fintech-transfer',
        transfer(),
        transfer({ destinationAddress: '0xaB' }),
        true,
      ],
      [
        'the token that is meant without one',
        'transactions.fintech-transfer',
        transfer(),
        transfer({ ticker: 'CNGN' }),
        true,
      ],
      ['another token', 'transactions.fintech-transfer', transfer(), transfer({ ticker: 'USDC' }), false],
      ['another user', 'transactions.onramp', { amount: 5, userId: 'u' }, { amount: 5, userId: 'v' }, false],
      [
        'an onramp',
        'transactions.onramp',
        { amount: 5, userId: 'u' },
        { amount: 5, userId: 'u', sweepToOfframp: true },
        true,
      ],
      [
        'another wallet to sell from, without a destination',
        'swaps.trigger',
        { walletAddress: '0xa', sellToken: 'USDC' },
        { walletAddress: '0xb', sellToken: 'USDC' },
        false,
      ],
      [
        'all of a wallet',
        'swaps.trigger',
        { walletAddress: '0xa', sellToken: 'USDC' },
        { walletAddress: '0xA', sellToken: 'USDC' },
        true,
      ],
      [
        'all of a wallet, and a part of it',
        'swaps.trigger',
        { walletAddress: '0xa', sellToken: 'USDC' },
        { walletAddress: '0xa', sellToken: 'USDC', amount: 1 },
        true,
      ],
      ['the other side', 'fx.trade', buy(), buy({ side: 'sell' }), false],
      [
        'another stablecoin that is given',
        'fx.trade',
        buy({ side: 'sell' }),
        buy({ side: 'sell', pair: 'CNGN-USDT' }),
        false,
      ],
      ['an order, whose side is not known', 'fx.trade', buy(), { orderId: 'o', cngnAmount: '5000' }, true],
      ['a quote that is not known', 'fx.trade', buy(), { quoteId: 'q' }, true],
      ['an equal quote', 'fx.trade', { quoteId: 'q' }, { quoteId: 'r' }, true, [QUOTED, QUOTED]],
      [
        'a quote of another amount',
        'fx.trade',
        { quoteId: 'q' },
        { quoteId: 'r' },
        false,
        [QUOTED, { ...QUOTED, cngnAmount: '5001' }],
      ],
      [
        'a quote of the other side',
        'fx.trade',
        { quoteId: 'q' },
        { quoteId: 'r' },
        false,
        [QUOTED, { ...QUOTED, side: 'sell' }],
      ],
      [
        'an order at another price',
        'fx.create-order',
        { orderType: 'buy', quoteCurrency: 'USDC', maxAmount: '3', price: '1' },
        { orderType: 'buy', quoteCurrency: 'USDC', maxAmount: '3', price: '2' },
        true,
      ],
      [
        'an update that moves nothing',
        'fx.update-limit-order',
        { orderId: 'o', status: 'paused' },
        { orderId: 'o', status: 'paused' },
        false,
      ],
    ],
  )('%s: %s', (_what, id, one, other, isSame, [ours, theirs] = [{}, {}]) => {
    const [first, second] = [
      { input: one, terms: ours as Record<string, string> },
      { input: other, terms: theirs as Record<string, string> },
    ];
    expect(mayMoveTheSame(byId(id), first, second)).toBe(isSame);
    expect(mayMoveTheSame(byId(id), second, first)).toBe(isSame);
  });

  test('whatever their amounts, if one takes what is there', () => {
    const mayBe = (other: object) => mayMoveTheSame(byId('fees.withdraw'), { input: fee() }, { input: other }, true);
    expect([mayBe(fee({ amount: 7 })), mayBe(fee({ amount: 7, bankAccountNumber: '3' }))]).toEqual([true, false]);
  });
});

test('what the journal leaves out of sums is what the contract says comes in', () => {
  const incoming = endpoints.filter(({ moves }) => moves?.isIncoming);
  expect(incoming.map(({ id, moves }) => ({ endpoint: id, command: moves?.command }))).toEqual([INCOMING]);
});

describe('a change that redirects money', () => {
  const ADDRESSES = { USDT: 'a', USDC: 'b' };
  test.each<[id: string, input: object, to: readonly string[]]>([
    ['users.set-default-wallet', { userId: 'u', address: 'a', blockchain: 'base' }, ['address a']],
    ['users.set-default-wallet', { userId: 'u' }, ['unknown']],
    ['users.remove-default-wallet', { userId: 'u' }, []],
    ['wallets.add-external', { address: 'a', isDefault: true }, ['address a']],
    ['wallets.add-external', { address: 'a', isDefault: 'yes' }, ['address a']],
    ['wallets.add-external', { address: 'a', isDefault: false }, []],
    ['wallets.add-external', { address: 'a' }, []],
    ['wallets.set-external-status', { address: 'a', status: 'active' }, ['address a']],
    ['wallets.set-external-status', { address: 'a' }, ['address a']],
    ['wallets.set-external-status', { address: 'a', status: 'inactive' }, []],
    ['fx.register-mpc', { tokenWallets: ADDRESSES }, ['address a', 'address b']],
    ['fx.register-mpc', { tokenWallets: { USDT: 'a' } }, ['address a', 'unknown']],
    ['fx.register-mpc', {}, ['unknown', 'unknown']],
    ['banks.update', { accountId: 'x', isDefault: true }, []],
  ])('%s %j', (id, input, to) => {
    const destinations = destinationsOf(byId(id), input).map(({ kind, ...named }) =>
      [kind, ...Object.values(named)].join(' '),
    );
    expect({ destinations, moves: movesOf(byId(id), input) }).toEqual({ destinations: to, moves: undefined });
  });

  test('names fields of its request and a command that calls it', async () => {
    const groups = await Promise.all(CATALOGUE.map(({ load }) => load()));
    for (const { id, request, redirects } of endpoints.filter((each) => each.redirects)) {
      const names = rowsOf(request()).map(({ name }) => name);
      const fields = redirects?.to.flatMap((target) => (target === 'unknown' ? [] : Object.values(target)));
      expect(names).toEqual(expect.arrayContaining([...(fields ?? []), redirects?.unless?.field ?? names[0]]));
      const command = groups.flat().find(({ words }) => words.join(' ') === redirects?.command);
      expect(command?.endpoints).toContain(id);
    }
  });

  /** Fields that look like a place, of changes for which they are none. */
  const NO_PLACES = [
    'bridge.initiate fromAddress', // where the tokens come from
    'swaps.create smartWalletAddress', // where the tokens come from
    'swaps.trigger walletAddress', // where the tokens come from
    'transactions.withdraw-asset internalWallet', // where the tokens come from
    'wallets.remove-external address', // the account's own wallet receives again
    'management.ip-allowlist ipAddress', // of a caller
  ];

  test('has a row, unless its fields with a place are where money comes from or no longer goes', () => {
    const places = endpoints
      .filter(({ effect, area }) => effect !== 'read' && area === undefined)
      .flatMap(({ id, request, moves, redirects }) => {
        const named = (moves ?? redirects)?.to.flatMap((target) => (target === 'unknown' ? [] : Object.values(target)));
        return rowsOf(request())
          .filter(({ name }) => /address|wallet|owner|destination/i.test(name))
          .filter(({ name, type }) => type === 'string' && !named?.includes(name))
          .map(({ name }) => `${id} ${name}`);
      });
    expect(places.toSorted()).toEqual(NO_PLACES.toSorted());
  });
});
