import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { balanceAddress, balanceMulti, balanceUser } from '../../src/contract/endpoints/balances.ts';
import { quoteBridge } from '../../src/contract/endpoints/bridge.ts';
import { withdrawFees } from '../../src/contract/endpoints/fee-withdrawals.ts';
import { accumulatedFees } from '../../src/contract/endpoints/fees.ts';
import { listOrders } from '../../src/contract/endpoints/fx-orders.ts';
import { quote } from '../../src/contract/endpoints/fx-quotes.ts';
import { listTrades, tradeStatus } from '../../src/contract/endpoints/fx-trades.ts';
import { listDeposits, listPayouts } from '../../src/contract/endpoints/history.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { onrampStatus, startOnramp } from '../../src/contract/endpoints/onramp.ts';
import { swapStatus } from '../../src/contract/endpoints/swaps.ts';
import { transferToWallet } from '../../src/contract/endpoints/transfers.ts';
import { getVirtualAccount } from '../../src/contract/endpoints/virtual-accounts.ts';
import { EVENT_PAYLOADS } from '../../src/contract/event-payloads.ts';
import { readData } from '../../src/contract/reading/index.ts';
import { rowsOf } from '../../src/contract/rows.ts';
import { parseAnswer } from '../../src/money/decimal.ts';

/** Reads data, with what is uncertain about it. */
function readings(endpoint: Endpoint, data: unknown) {
  const uncertain = new Set<string>();
  return { data: readData(endpoint, data, (uncertainty) => uncertain.add(uncertainty)), uncertain: [...uncertain] };
}

const unknown = (value: string) => ({ value, unit: 'unknown' });

const pricesOf = (data: unknown) =>
  (readData(listOrders, data) as { readonly orders: readonly { readonly price: unknown }[] }).orders.map(
    ({ price }) => price,
  );

const order = (price: string, more: object = {}) => ({ orders: [{ orderId: 'o-1', price, ...more }] });

const NOT_SAID = 'the response does not say whether its amounts are in tokens or in base units; see unit "unknown"';

describe('the unit of figures that may be base units', () => {
  test.each([
    ['a decimal point', order('1425.00'), '1425.00'],
    ['a decimal point in another figure', order('1425', { maxAmount: '90000.00' }), '1425'],
    ['a field that names tokens', { ...order('1425'), unit: 'token' }, '1425'],
    ['a field that names base units', { ...order('1425000000'), unit: 'base' }, '1425.000000'],
    ['a field of the order', order('1425000', { amountUnit: 'smallest unit' }), '1.425000'],
    ['nothing to tell, because it is 0', order('0'), '0'],
  ])('is told by %s', (_, data, price) => {
    expect(pricesOf(data)).toEqual([price]);
    expect(readings(listOrders, data).uncertain).toEqual([]);
  });

  test.each([
    ['every figure is a whole number', order('1425000'), '1425000'],
    ['a word says no unit', order('1425000', { unit: 'lots' }), '1425000'],
    ['base units are named, and it has a decimal point', order('1425.00', { unit: 'base' }), '1425.00'],
    ['all other figures have all decimals', order('1425000000', { maxAmount: '90000.000000' }), '1425000000'],
  ])('is unknown if %s', (_, data, price) => {
    expect(pricesOf(data)).toEqual([unknown(price)]);
    expect(readings(listOrders, data).uncertain).toEqual([NOT_SAID]);
  });

  test('is unknown for balances without a decimal point', () => {
    const data = { token: 'CNGN', totalBalance: '84210334500', networkBalances: [{ network: 'base', balance: '0' }] };
    expect(readings(balanceMulti, data)).toEqual({
      data: { ...data, totalBalance: unknown('84210334500') },
      uncertain: [NOT_SAID],
    });
  });

  test('is unknown for one balance in base units among others in tokens', () => {
    const networkBalances = [
      { network: 'base', balance: '84210.334500' },
      { network: 'eth', balance: '0' },
    ];
    const { data } = readings(balanceMulti, { totalBalance: '84210334500', networkBalances });
    expect(data).toEqual({ totalBalance: unknown('84210334500'), networkBalances });
  });

  test('is that of tokens where a service leaves out zeros', () => {
    const data = { totalBalance: '1520', networkBalances: [{ network: 'base', balance: '1500.5' }] };
    expect(readings(balanceUser, data)).toEqual({ data, uncertain: [] });
  });

  test('of an amount that repeats the request follows the other figures', () => {
    const figures = { cngnAmount: '57000', usdcAmount: '40.000000', price: '1425.000000' };
    expect(readings(quote, { quote: figures })).toEqual({ data: { quote: figures }, uncertain: [] });
    const inBase = { cngnAmount: '57000000000', usdcAmount: '40000000', price: '1425000000' };
    expect(readings(quote, { quote: inBase }).data).toEqual({
      quote: {
        cngnAmount: unknown('57000000000'),
        usdcAmount: unknown('40000000'),
        price: unknown('1425000000'),
      },
    });
  });

  test('of an amount that repeats the request is believed where nothing else is said', () => {
    expect(readings(tradeStatus, { trade: { tradeId: 't-1', cngnAmount: '57000' } })).toMatchObject({
      data: { trade: { cngnAmount: '57000' } },
      uncertain: [],
    });
  });

  test('of a quote for a bridge is that of its fee', () => {
    const data = (inputAmount: string, outputAmount: string, total: string) => ({
      inputAmount,
      outputAmount,
      fee: { total },
    });
    expect(readings(quoteBridge, data('4000', '3980.000000', '20.000000')).uncertain).toEqual([]);
    expect(readings(quoteBridge, data('4000000000', '3980000000', '20000000')).data).toEqual({
      inputAmount: unknown('4000000000'),
      outputAmount: unknown('3980000000'),
      fee: { total: unknown('20000000') },
    });
  });
});

test.each([
  ['0.701754', '0.701754'],
  ['701754', unknown('701754')],
])('%s of a swap in an onramp is read by its own decimals, not by those of its price', (tokenAmount, read) => {
  const data = { fxQuote: { cngnAmount: '1000', tokenAmount, averagePrice: '1425.00' } };
  expect(readings(onrampStatus, data).data).toEqual({ fxQuote: { ...data.fxQuote, tokenAmount: read } });
});

test('a unit that one object names says nothing of figures outside it', () => {
  const named = { inputAmount: '4000', outputAmount: '3980', fee: { unit: 'base', total: '20000000' } };
  expect(readings(quoteBridge, named).data).toEqual({
    inputAmount: unknown('4000'),
    outputAmount: unknown('3980'),
    fee: { unit: 'base', total: '20.000000' },
  });
});

describe('a figure that cannot be in its documented unit', () => {
  const inBase = (name: string, value: string) =>
    `${name} is "${value}", but is documented in base units, which have no decimal point; see unit "unknown"`;

  test.each<[Endpoint, string, string, string]>([
    [swapStatus, 'amountOut', '"7.000000"', '7.000000'],
    [swapStatus, 'amountOut', '"7.107320"', '7.107320'],
    [swapStatus, 'amountOut', '7.0', '7.0'],
    [swapStatus, 'amountOut', '7e6', '7e6'],
    [swapStatus, 'amountOut', '"7."', '7.'],
    [onrampStatus, 'amount', '"8000.00"', '8000.00'],
    [transferToWallet, 'amount', '"7.0"', '7.0'],
  ])('%o %s is unknown: %s', (endpoint, name, json, value) => {
    const found = readings(endpoint, parseAnswer(`{"${name}": ${json}}`));
    expect(found).toEqual({ data: { [name]: unknown(value) }, uncertain: [inBase(name, value)] });
  });

  test.each(['"625.00"', '625.00', '6.25e2', '1e21'])('is unknown for kobo: %s', (json) => {
    const value = json.replaceAll('"', '');
    const { data, uncertain } = readings(withdrawFees, parseAnswer(`{"amount":${json}}`));
    expect(data).toEqual({ amount: unknown(value) });
    expect(uncertain).toEqual([
      `amount is "${value}", but is documented in kobo, which have no decimal point; see unit "unknown"`,
    ]);
  });

  test.each(['0', '0.00', '0.000000'])('is 0 in every unit: %s', (value) => {
    expect(readings(swapStatus, { amountOut: value })).toEqual({ data: { amountOut: value }, uncertain: [] });
    expect(readings(balanceMulti, { totalBalance: value })).toEqual({ data: { totalBalance: value }, uncertain: [] });
  });

  test('has separators, or is no number', () => {
    const { data, uncertain } = readings(balanceMulti, { totalBalance: '84,210.334500', baseNetworkBalance: 'much' });
    expect(data).toEqual({ totalBalance: unknown('84,210.334500'), baseNetworkBalance: unknown('much') });
    expect(uncertain[0]).toBe(
      'totalBalance is "84,210.334500", but is documented in tokens, as a plain decimal; see unit "unknown"',
    );
    expect(readData(quote, { quote: { price: '1,425.00' } })).toEqual({ quote: { price: unknown('1,425.00') } });
  });

  test('keeps a count and a percentage with a point as numbers', () => {
    const data = parseAnswer('{"payouts":[],"total":5.0,"limit":20.00,"amount":1.50}');
    expect(JSON.stringify(readData(listPayouts, data))).toContain('"total":5,"limit":20,');
  });
});

describe('an asset or a unit that a response names beside an amount', () => {
  const deposit = (more: object) => ({ deposits: [{ id: 'd-1', amount: 1500.5, ...more }] });
  const amountIn = (data: unknown) =>
    (data as { readonly deposits: readonly { readonly amount: unknown }[] }).deposits[0]?.amount;

  test.each([
    ['nothing', {}],
    ['the documented currency', { currency: 'NGN' }],
    ['its name', { currency: 'naira' }],
    ['the documented unit', { unit: 'Naira' }],
    ['the unit of something else', { unit: 'minutes' }],
    ['an address in place of a token', { token: '0x52908400098527886E0F7030069857D2E4169EE7' }],
  ])('is the documented one: %s', (_, more) => {
    const { data, uncertain } = readings(listDeposits, deposit(more));
    expect({ amount: amountIn(data), uncertain }).toEqual({ amount: 1500.5, uncertain: [] });
  });

  test.each([
    ['currency', { currency: 'USD' }, 'currency is "USD"'],
    ['currency of no account', { currency: 'GBP' }, 'currency is "GBP"'],
    ['ticker', { ticker: 'USDC' }, 'ticker is "USDC"'],
    ['token', { token: 'cNGN' }, 'token is "cNGN"'],
    ['one of two', { currency: 'NGN', asset: 'USDT' }, 'asset is "USDT"'],
  ])('leaves the asset unknown if it is another one: %s', (_, more, said) => {
    const { data, uncertain } = readings(listDeposits, deposit(more));
    expect(amountIn(data)).toEqual({ value: '1500.5', asset: null });
    expect(uncertain).toEqual([`${said} beside amount, which is documented in Naira of NGN; see asset null`]);
  });

  test('is also read around the object of the amount', () => {
    const { data } = readings(listDeposits, { currency: 'USD', ...deposit({}) });
    expect(amountIn(data)).toEqual({ value: '1500.5', asset: null });
    const { data: near } = readings(listDeposits, { currency: 'USD', ...deposit({ currency: 'NGN' }) });
    expect(amountIn(near)).toBe(1500.5);
  });

  test.each([
    ['kobo for Naira', { unit: 'kobo' }, 'unit is "kobo"'],
    ['the smallest unit for Naira', { units: 'smallest unit' }, 'units is "smallest unit"'],
    ['a unit that is none', { unit: 'lots' }, 'unit is "lots"'],
  ])('leaves the unit unknown if it is another one: %s', (_, more, said) => {
    const { data, uncertain } = readings(listDeposits, deposit(more));
    expect(amountIn(data)).toEqual(unknown('1500.5'));
    expect(uncertain).toEqual([`${said} beside amount, which is documented in Naira of NGN; see unit "unknown"`]);
  });

  test.each<[Endpoint, object, unknown]>([
    [accumulatedFees, { summary: { totalAccumulatedFees: 154000, unit: 'naira' } }, { unit: 'unknown' }],
    [accumulatedFees, { summary: { totalAccumulatedFees: 154000, currency: 'USD' } }, { asset: null, unit: 'unknown' }],
    [transferToWallet, { amount: '7500000', unit: 'token' }, { unit: 'unknown' }],
    [transferToWallet, { amount: '7500000', ticker: 'DOGE' }, { asset: null, unit: 'unknown' }],
    [transferToWallet, { amount: '7500000', ticker: 'CNGN', currency: 'USDC' }, { asset: null, unit: 'unknown' }],
    [balanceMulti, { totalBalance: '12.340000', token: 'CNGN', asset: 'USDC' }, { asset: null }],
    [balanceMulti, { totalBalance: '12.340000', unit: 'kobo' }, { unit: 'unknown' }],
  ])('%o %j is uncertain', (endpoint, data, uncertainty) => {
    const [value] = Object.values(readData(endpoint, data) as object).filter((each) => typeof each === 'object');
    const figure = 'totalAccumulatedFees' in value ? value.totalAccumulatedFees : value;
    const { value: _, ...uncertain } = figure as { readonly value: string };
    expect(uncertain).toEqual(uncertainty);
  });

  test('decides between tokens where the contract has a field for it', () => {
    const data = { ticker: 'USDC', amount: '7500000', unit: 'base' };
    expect(readings(transferToWallet, data)).toEqual({ data, uncertain: [] });
  });
});

describe('a warning of a response', () => {
  test.each(['12345678', 123456789, '123456789'])('says that an account number may lack zeros: %s', (accountNumber) => {
    const { uncertain } = readings(getVirtualAccount, { virtualAccount: { accountNumber } });
    expect(uncertain).toEqual([
      `accountNumber has ${String(accountNumber).length} digits instead of 10; zeros at its start may be lost`,
    ]);
  });

  test.each(['0123456789', '*******789', '', null])('says nothing of an account number: %s', (accountNumber) => {
    expect(readings(getVirtualAccount, { virtualAccount: { accountNumber } }).uncertain).toEqual([]);
  });

  test.each<[Endpoint, object, string]>([
    [
      getVirtualAccount,
      { virtualAccount: { amount: 8000, totalAmountWithFee: 7999.99 } },
      'totalAmountWithFee is below amount',
    ],
    [startOnramp, { feeBreakdown: { baseAmount: 730, totalAmount: 729 } }, 'totalAmount is below baseAmount'],
    [listPayouts, { payouts: [{ amount: 6500, totalDeducted: 65 }] }, 'totalDeducted is below amount'],
  ])('says that a total is below its part: %o', (endpoint, data, uncertainty) => {
    expect(readings(endpoint, data).uncertain).toEqual([uncertainty]);
  });

  test('says nothing of a total that is its part', () => {
    const virtualAccount = { amount: 8000, totalAmountWithFee: 8000 };
    expect(readings(getVirtualAccount, { virtualAccount }).uncertain).toEqual([]);
  });
});

describe('balances by network', () => {
  const row = (network: string, balance: string) => ({ network, balance });

  test.each([
    ['amounts', { base: '12.340000', eth: '0' }, [row('base', '12.340000'), row('eth', '0')]],
    ['objects', { base: { balance: '12.340000' } }, [row('base', '12.340000')]],
    ['one row', { network: 'base', balance: '12.340000' }, [row('base', '12.340000')]],
  ])('are read from an object of %s', (_, networkBalances, rows) => {
    for (const endpoint of [balanceMulti, balanceAddress, balanceUser])
      expect(readData(endpoint, { totalBalance: '12.340000', networkBalances })).toEqual({
        totalBalance: '12.340000',
        networkBalances: rows,
      });
    expect(readData(balanceMulti, { totalBalance: '12.340000', walletsWithFunds: networkBalances })).toEqual({
      totalBalance: '12.340000',
      walletsWithFunds: rows,
    });
  });

  test('are uncertain one by one', () => {
    const networkBalances = { base: '84210334500', eth: '0', bsc: { error: 'No node of bsc answered' } };
    expect(readings(balanceUser, { totalBalance: '84210.334500', networkBalances }).data).toMatchObject({
      networkBalances: [
        { network: 'base', balance: unknown('84210334500') },
        { network: 'eth', balance: '0' },
        { network: 'bsc', error: 'No node of bsc answered' },
      ],
    });
  });
});

test('trades in a list are read like one', () => {
  const trades = [{ tradeId: 't-1', price: '1425000000', usdcAmount: '40000000', fintechNetAmount: '32000000' }];
  expect(readData(listTrades, { trades, count: 1 })).toEqual({
    trades: [
      {
        tradeId: 't-1',
        price: unknown('1425000000'),
        usdcAmount: unknown('40000000'),
        fintechNetAmount: unknown('32000000'),
      },
    ],
    count: 1,
  });
});

test('every account number that the service sends is known as one', () => {
  const schemas = [
    ...endpoints.map(({ response }) => response()),
    ...Object.values(EVENT_PAYLOADS).map((each) => each()),
  ];
  const rows = schemas.flatMap((schema) => rowsOf(schema)).filter(({ name }) => /accountNumber$/i.test(name));
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter(({ isAccountNumber }) => !isAccountNumber).map(({ name }) => name)).toEqual([]);
});
