import { describe, expect, test } from 'vitest';
import { contradictionIn, failureIn, metaAt, repetitionsOf, valuesAt } from '../../src/contract/compare.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { ipAllowlist } from '../../src/contract/endpoints/allowlist.ts';
import { addBankAccount, getBankAccount } from '../../src/contract/endpoints/banks.ts';
import { withdrawFees } from '../../src/contract/endpoints/fee-withdrawals.ts';
import { createLimitOrder, createOrder } from '../../src/contract/endpoints/fx-orders.ts';
import { quote } from '../../src/contract/endpoints/fx-quotes.ts';
import { marketOrder, trade, tradeStatus } from '../../src/contract/endpoints/fx-trades.ts';
import { listPayouts } from '../../src/contract/endpoints/history.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { offrampStatus, startOfframp } from '../../src/contract/endpoints/offramp.ts';
import { onrampStatus } from '../../src/contract/endpoints/onramp.ts';
import { transferToWallet } from '../../src/contract/endpoints/transfers.ts';
import { migrateUserWallets } from '../../src/contract/endpoints/wallet-migration.ts';
import { withdrawAsset } from '../../src/contract/endpoints/withdrawals.ts';
import type { FieldMeta } from '../../src/contract/fields.ts';
import { readData } from '../../src/contract/reading/index.ts';
import { elementOf, fieldOf, unwrap } from '../../src/contract/rows.ts';
import type { MoneyUnit } from '../../src/money/amount.ts';
import { decimalText, isJsonObject, parseExactJson, trimDecimal, wireNumber } from '../../src/money/decimal.ts';
import { readAnswers } from '../witness/answers.ts';

/** Fields that a request only refers to. */
const TERMS = ['fx.trade price'];

const ROWS = endpoints.flatMap((endpoint) =>
  repetitionsOf(endpoint).map(([field, path]) => ({ id: `${endpoint.id} ${field} → ${path}`, endpoint, field, path })),
);

test.each(ROWS)('$id: both fields are in the contract, and neither is a secret', ({ endpoint, field, path }) => {
  const asked = metaAt(endpoint.request(), field);
  const said = metaAt(endpoint.response(), path);
  expect(asked !== undefined || TERMS.includes(`${endpoint.id} ${field}`)).toBe(true);
  expect(said).toBeDefined();
  expect([asked?.secret, said?.secret]).toEqual([undefined, undefined]);
});

/** A value and another one, as the request has them, with the forms in which a response may repeat the first. */
interface Sample {
  readonly asked: unknown;
  readonly same: readonly unknown[];
  readonly other: unknown;
}

const PLACES: Readonly<Record<MoneyUnit, number>> = { base: 0, kobo: 4, naira: 6, token: 6, 'decimal-string': 6 };
const figure = (millionths: bigint, unit: MoneyUnit) => {
  const text = decimalText(millionths, 6);
  const [whole = '0', fraction = ''] = text.split('.');
  const places = PLACES[unit];
  const shifted = `${whole}${fraction.slice(0, 6 - places)}.${fraction.slice(6 - places)}`;
  return trimDecimal(shifted.replace(/^0+(?=\d)/, '').replace(/\.$/, ''));
};

function sampleOf(asked: FieldMeta | undefined, said: FieldMeta, field: string): Sample {
  const { unit } = said;
  if (unit === 'percent') return { asked: wireNumber('1.5'), same: [wireNumber('1.50')], other: wireNumber('1.51') };
  if (unit !== undefined) {
    const inUnit = (millionths: bigint, wanted: MoneyUnit) => figure(millionths, wanted);
    const [amount, more] = [1_234_560_000n, 12_345_600_000n];
    const askedUnit = (asked?.unit ?? unit) as MoneyUnit;
    const others = said.asset === 'NGN' ? (['kobo', 'naira'] as const) : (['base', 'token'] as const);
    return {
      asked: inUnit(amount, askedUnit),
      same: [inUnit(amount, unit), ...others.map((each) => ({ value: inUnit(amount, each), unit: 'unknown' }))],
      other: inUnit(more, unit),
    };
  }
  if (said.type === 'boolean') return { asked: true, same: [true], other: false };
  const names = asked?.names ?? said.names;
  if (names === 'network') return { asked: 'bsc', same: ['BSC', 'bnb', 'BNB Smart Chain', 'b**'], other: 'base' };
  if (names === 'bank') return { asked: '000911', same: ['000911', '911', '0009**'], other: '000912' };
  if (names === 'ip') return { asked: '2001:db8::1', same: ['2001:DB8:0::1', '2001:db8:*'], other: '2001:db8::2' };
  if (field === 'baseCurrency') return { asked: 'cNGN', same: ['CNGN-USDC', 'USDC/CNGN'], other: 'NGNX-USDC' };
  if (field === 'quoteCurrency') return { asked: 'USDC', same: ['CNGN-USDC', 'cNGN/USDC'], other: 'CNGN-USDT' };
  if (field === 'pair') return { asked: 'CNGN-USDC', same: ['cngn-usdc', 'USDC/cNGN'], other: 'CNGN-USDT' };
  if (names === 'tokens') return { asked: 'CNGN', same: ['cNGN', 'CNGN'], other: 'USDC' };
  const words = /^enum\[(.*)\]$/.exec(asked?.type ?? said.type)?.[1]?.split(',');
  if (words) return { asked: words[0], same: [words[0], words[0]?.toUpperCase()], other: words[1] ?? 'other' };
  const hex = '0x52908400098527886E0F7030069857D2E4169EE7';
  return {
    asked: hex,
    same: [hex.toLowerCase(), hex, `${hex.slice(0, 6)}****`, `${hex.slice(0, -4)}****`],
    other: `${hex.slice(0, -1)}8`,
  };
}

/** Puts a value where the contract has a field, in a list of one where it has a list. */
function withValue(
  schema: Parameters<typeof unwrap>[0],
  [name = '', ...rest]: readonly string[],
  value: unknown,
): object {
  const field = fieldOf(schema, name);
  if (!field) throw new Error(`no field ${name}`);
  if (rest.length === 0) return { [name]: value };
  const { schema: inner } = unwrap(field);
  const element = elementOf(inner);
  const object = withValue(element ? unwrap(element).schema : inner, rest, value);
  return { [name]: element ? [object] : object };
}

const nested = (path: string, value: unknown): object =>
  path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object;

describe.each(ROWS)('$id', ({ endpoint, field, path }) => {
  const said = metaAt(endpoint.response(), path) as FieldMeta;
  const sample = sampleOf(metaAt(endpoint.request(), field), said, field);
  const found = (value: unknown) =>
    contradictionIn(
      endpoint,
      nested(field, sample.asked) as Record<string, unknown>,
      withValue(endpoint.response(), path.split('.'), value),
    );

  test('notices another value, and names both', () => {
    expect(found(sample.other)).toMatchObject({
      asked: expect.stringContaining(field),
      answered: expect.stringContaining(path),
    });
  });

  test.each(sample.same.map((value) => [value]))('takes %j as the same', (value) => {
    expect(found(value)).toBeUndefined();
  });

  test.each([[undefined], [null], ['']])('takes %j as saying nothing', (value) => {
    expect(found(value)).toBeUndefined();
  });
});

describe('a documented answer', () => {
  const bare = (path: string) => path.replace(/\{service\}|acme/, 'platform').replace(/[:{]\w+\}?/g, '*');
  const named = (endpoint: string) => {
    const [method, path = ''] = endpoint.split(' ');
    return endpoints.find((each) => each.method === method && bare(each.path) === bare(path)) as Endpoint;
  };
  const documented = readAnswers('acme').filter(
    ({ means, body }) => ['success', 'pending', 'failed'].includes(means) && isJsonObject(parseExactJson(body)),
  );
  const compared = new Set<string>();

  test.each(documented)('$id does not contradict its request', ({ endpoint: called, request = {}, body }) => {
    const endpoint = named(called);
    const { query, path, ...rest } = request as Record<string, Record<string, unknown>>;
    const known = { ...rest, ...query, ...path };
    const json = parseExactJson(body) as Record<string, unknown>;
    const data = readData(endpoint, json['data'] ?? json);
    for (const [field, to] of repetitionsOf(endpoint))
      if (valuesAt(known, field).length > 0 && valuesAt(data, to).length > 0) compared.add(`${endpoint.id} ${field}`);
    expect(contradictionIn(endpoint, known, data)).toBeUndefined();
  });

  test('repeats most of the declared fields', () => {
    expect(compared.size).toBeGreaterThan(100);
  });
});

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';

describe('what is compared', () => {
  test.each<[string, Endpoint, Record<string, unknown>, object]>([
    ['a token that is left out is the default one', transferToWallet, { amount: '7' }, { ticker: 'CNGN' }],
    ['figures with a point are in another unit', transferToWallet, { amount: '7500000' }, { amount: '7.5' }],
    ['kobo with a point may be Naira', withdrawFees, { amount: '62500' }, { amount: '625.00' }],
    ['Naira are worth as many cNGN', startOfframp, { amount: '500' }, { amount: '500.000000' }],
    ['the market-only pair is part of any', marketOrder, { pair: 'CNGN' }, { trade: { pair: 'CNGN-USDT' } }],
    ['a masked address of the allowlist', ipAllowlist, { ipAddress: '198.51.100.24' }, { ipAddress: '198.51.***.***' }],
    ['one of several rows', migrateUserWallets, { userId: ['u-1', 'u-2'] }, { results: [{ userId: 'u-2' }] }],
    [
      'the row asked for among others',
      getBankAccount,
      { accountId: 'b-2' },
      { accounts: [{ accountId: 'b-1' }, { accountId: 'b-2' }] },
    ],
    ['an amount that is masked', createOrder, { price: '1400' }, { price: '1***' }],
    ['something that is no amount', createOrder, { price: '1400' }, { price: 'n/a' }],
  ])('%s', (_, endpoint, known, data) => {
    expect(contradictionIn(endpoint, known, data)).toBeUndefined();
  });

  test.each<[string, Endpoint, Record<string, unknown>, object, string, string]>([
    ['a token that is left out', transferToWallet, { amount: '7' }, { ticker: 'USDC' }, 'ticker CNGN', 'ticker USDC'],
    ['a network that is left out', withdrawAsset, { userId: 'u' }, { network: 'bsc' }, 'network base', 'network bsc'],
    [
      'a transfer of something else to someone else',
      transferToWallet,
      { amount: '7500000', destinationAddress: ADDRESS },
      { amount: '75000000', ticker: 'USDC', destinationAddress: `${ADDRESS.slice(0, -1)}8` },
      `destinationAddress ${ADDRESS}, amount 7.50 cNGN, ticker CNGN`,
      `destinationAddress ${ADDRESS.slice(0, -1)}8, amount 75.00 USDC, ticker USDC`,
    ],
    [
      'figures that fit in no unit',
      transferToWallet,
      { amount: '7500000' },
      { amount: '75.5' },
      'amount 7.50 cNGN',
      'amount 75.5',
    ],
    [
      'an unknown unit that fits in none',
      createLimitOrder,
      { price: '1400' },
      { price: { value: '1500', unit: 'unknown' } },
      'price 1,400.00 cNGN',
      'price 1500 (in an unknown unit)',
    ],
    [
      'a term of the quote',
      trade,
      { quoteId: 'q', price: '1400', side: 'buy' },
      { trade: { price: '1500', side: 'sell' } },
      'side buy, price 1,400.00 cNGN',
      'trade.side sell, trade.price 1,500.00 cNGN',
    ],
    [
      'an address in another case that is not hexadecimal',
      withdrawAsset,
      { destinationWallet: 'So1anaAddressX' },
      { destinationWallet: 'so1anaAddressX' },
      'So1ana',
      'so1ana',
    ],
    [
      'text with control characters',
      addBankAccount,
      { accountNumber: '0123456789' },
      { accountNumber: '\u001b[31m9' },
      '0123456789',
      'accountNumber [31m9',
    ],
  ])('%s', (_, endpoint, known, data, asked, said) => {
    expect(contradictionIn(endpoint, known, data)).toEqual({
      asked: expect.stringContaining(asked),
      answered: expect.stringContaining(said),
    });
  });

  test('a request by the address of a wallet in place of its id is answered for the wallet', () => {
    const known = { requestId: ADDRESS, walletAddress: ADDRESS };
    const answered = (walletAddress: string) =>
      contradictionIn(onrampStatus, known, { requestId: 'r-1', wallet: { walletAddress } });
    expect(answered(ADDRESS.toLowerCase())).toBeUndefined();
    expect(answered(`${ADDRESS.slice(0, -1)}8`)?.answered).toContain('wallet.walletAddress');
    expect(contradictionIn(onrampStatus, { requestId: 'r-2' }, { requestId: 'r-1' })?.asked).toBe('requestId r-2');
  });
});

describe('what a response says of itself', () => {
  test.each<[Endpoint, object, string | undefined]>([
    [transferToWallet, { status: 'failed' }, 'status is failed'],
    [transferToWallet, { status: 'FAILED' }, 'status is FAILED'],
    [transferToWallet, { status: 'completed' }, undefined],
    [startOfframp, { status: 'cancelled' }, 'status is cancelled'],
    [offrampStatus, { status: 'completed', payout: { status: 'failed' } }, 'payout.status is failed'],
    [tradeStatus, { trade: { status: 'expired' } }, 'status is expired'],
    [addBankAccount, { isValidated: false }, 'isValidated is false'],
    [addBankAccount, { isValidated: true }, undefined],
    [getBankAccount, { accounts: [{ isValidated: false }] }, 'accounts.isValidated is false'],
    [listPayouts, { payouts: [{ status: 'failed' }], status: 'failed' }, undefined],
    [quote, { quote: { status: 'failed' } }, 'status is failed'],
  ])('%# is read: %j', (endpoint, data, expected) => {
    expect(failureIn(endpoint, data)).toBe(expected);
  });
});
