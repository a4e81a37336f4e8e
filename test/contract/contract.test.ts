import { describe, expect, test } from 'vitest';
import { type Endpoint, pathParameters } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/index.ts';
import { type FieldRow, rowsOf } from '../../src/contract/rows.ts';

const all = endpoints.map((endpoint) => ({ id: endpoint.id, endpoint }));

/** Rows of answers that only public text names, but that the interface promises in words. */
const promisedInWords = new Set(['users.list users', 'users.list users[].userId']);

function endpointOf(id: string): Endpoint {
  const found = endpoints.find((endpoint) => endpoint.id === id);
  if (!found) throw new Error(`the contract has no endpoint ${id}`);
  return found;
}

function repeated(values: readonly string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index);
}

function rowsOfBoth(endpoint: Endpoint): FieldRow[] {
  return [...rowsOf(endpoint.request()), ...rowsOf(endpoint.response())];
}

describe('the contract as a whole', () => {
  test('no id stands twice', () => {
    expect(repeated(endpoints.map(({ id }) => id))).toEqual([]);
  });

  test('no method and path stand twice', () => {
    expect(repeated(endpoints.map(({ method, path }) => `${method} ${path}`))).toEqual([]);
  });

  test('an answer must have only what the interface promises, by name or in the listed words', () => {
    const plain = all.flatMap(({ id, endpoint }) => unpromised(endpoint).map((name) => `${id} ${name}`));
    expect(plain.sort()).toEqual([...promisedInWords].sort());
  });
});

/** Fields of an answer that the contract demands though the interface does not name them. */
function unpromised(endpoint: Endpoint): string[] {
  const rows = rowsOf(endpoint.response());
  return rows.filter((row) => row.source !== 'interface' && row.required && !row.nullable).map(({ name }) => name);
}

describe.each(all)('$id', ({ endpoint }) => {
  test('has a summary that is no sentence', () => {
    expect(endpoint.summary).toMatch(/^[A-Z].*[^.\s]$/);
  });

  test('takes its path parameters from the request', () => {
    const required = rowsOf(endpoint.request()).filter((row) => row.required);
    expect(required.map(({ name }) => name)).toEqual(expect.arrayContaining(pathParameters(endpoint.path)));
  });

  test('has a unit only where the asset is known, or it is a percentage', () => {
    const rows = rowsOfBoth(endpoint).filter(({ unit, asset }) => (asset === undefined) !== notMoney(unit));
    expect(rows).toEqual([]);
  });

  test('names an asset by a field that is there', () => {
    const rows = rowsOfBoth(endpoint);
    const last = (name: string) => name.slice(name.lastIndexOf('.') + 1);
    const fields = rows.flatMap(({ asset }) => (typeof asset === 'object' ? [asset.field] : []));
    expect(rows.map(({ name }) => last(name))).toEqual(expect.arrayContaining(fields));
  });
});

function notMoney(unit: FieldRow['unit']): boolean {
  return unit === undefined || unit === 'percent';
}

const requestId = 'vr_1758000000000_abcd';
const address = `0x${'aB'.repeat(20)}`;
const onramp = { userId: 'usr-s-1', amount: 520 };
const offramp = { userId: 'usr-s-1', amount: 3000.5, accountNumber: '0123456789', bankCode: '058', ticker: 'CNGN' };
const account = { accountNumber: '0123456789', bankCode: '000004' };

type Case = [id: string, request: Record<string, unknown>];

const good: Case[] = [
  ['users.onboard', { bvn: '22222222222' }],
  ['users.onboard-status', { requestId }],
  ['users.get-details', { userId: 'usr-s-1' }],
  ['users.list', {}],
  ['users.list', { limit: 100, offset: 0, status: 'all', sortBy: 'verifiedAt', orderDirection: 'desc' }],
  ['transactions.onramp', onramp],
  ['transactions.onramp', { ...onramp, amount: 0.01 }],
  ['transactions.onramp', { ...onramp, amount: JSON.rawJSON('9999999999.990') }],
  ['transactions.onramp', { ...onramp, autoSwap: true, assetSwap: 'USDT', destinationAssetSwap: address }],
  ['transactions.onramp', { ...onramp, owner: address, sweepToOfframp: false, unknown: 1 }],
  ['transactions.onramp-status', { requestId, walletAddress: address }],
  ['transactions.offramp', offramp],
  ['transactions.offramp', { ...offramp, bankCode: '000004', unknown: 1 }],
  ['transactions.offramp-status', { requestId }],
  ['virtual-accounts.get', { requestId }],
  ['banks.list-codes', {}],
  ['banks.add', account],
  ['banks.add', { ...account, isDefault: true, label: 'Payouts', metadata: { note: 1 } }],
  ['banks.list', {}],
  ['wallets.get-fintech', {}],
  ['wallets.list-user', { userId: 'usr-s-1' }],
  ['wallets.balance-multi', {}],
  ['wallets.balance-multi', { token: 'USDC', networks: 'base,eth' }],
  ['wallets.balance-user', { userId: 'usr-s-1', token: 'CNGN' }],
  ['fees.get', {}],
  ['fees.accumulated', {}],
];

const bad: Case[] = [
  ['users.onboard', {}],
  ['users.onboard', { bvn: '2222222222' }],
  ['users.onboard', { bvn: '222222222222' }],
  ['users.onboard', { bvn: '2222222222a' }],
  ['users.onboard', { bvn: '22222222222\n' }],
  ['users.onboard', { bvn: '٢٢٢٢٢٢٢٢٢٢٢' }],
  ['users.onboard', { bvn: 22222222222 }],
  ['users.onboard', { bvn: '22222222222', email: 'a@example.com' }],
  ['users.onboard-status', { requestId: '' }],
  ['users.get-details', { userId: 'usr\u0000' }],
  ['users.list', { limit: 0 }],
  ['users.list', { limit: 101 }],
  ['users.list', { status: 'gone' }],
  ['transactions.onramp', { amount: 520 }],
  ['transactions.onramp', { userId: 'usr-s-1' }],
  ['transactions.onramp', { ...onramp, userId: '' }],
  ['transactions.onramp', { ...onramp, amount: 0 }],
  ['transactions.onramp', { ...onramp, amount: -5 }],
  ['transactions.onramp', { ...onramp, amount: 0.001 }],
  ['transactions.onramp', { ...onramp, amount: '520' }],
  ['transactions.onramp', { ...onramp, amount: Number.NaN }],
  ['transactions.onramp', { ...onramp, assetSwap: 'CNGN' }],
  ['transactions.onramp', { ...onramp, autoSwap: 'true' }],
  ['transactions.onramp', { ...onramp, destinationAssetSwap: 'abc' }],
  ['transactions.onramp', { ...onramp, owner: address.slice(0, -1) }],
  ['transactions.onramp', { ...onramp, owner: null }],
  ['transactions.onramp-status', {}],
  ['transactions.onramp-status', { walletAddress: address }],
  ['transactions.offramp', { ...offramp, amount: 0 }],
  ['transactions.offramp', { ...offramp, amount: -5 }],
  ['transactions.offramp', { ...offramp, accountNumber: '012345678' }],
  ['transactions.offramp', { ...offramp, accountNumber: '01234567890' }],
  ['transactions.offramp', { ...offramp, bankCode: 'GTB' }],
  ['transactions.offramp', { ...offramp, bankCode: '05' }],
  ['transactions.offramp', { ...offramp, ticker: undefined }],
  ['transactions.offramp-status', {}],
  ['virtual-accounts.get', {}],
  ['virtual-accounts.get', { requestId: '' }],
  ['virtual-accounts.get', { requestId: 'a\nb' }],
  ['banks.add', { ...account, accountNumber: '012345678' }],
  ['banks.add', { ...account, accountNumber: '012345678x' }],
  ['banks.add', { ...account, bankCode: 'abc' }],
  ['banks.add', { ...account, isDefault: 'yes' }],
  ['wallets.list-user', {}],
  ['wallets.balance-multi', { token: 'DOGE' }],
  ['wallets.balance-user', { token: 'CNGN' }],
];

/** Raw JSON numbers print as their text. */
function named(cases: readonly Case[]) {
  return cases.map(([id, request]) => ({ id, request, shown: JSON.stringify(request) }));
}

describe('requests', () => {
  test.each(named(good))('$id accepts $shown', ({ id, request }) => {
    expect(endpointOf(id).request().safeParse(request).success).toBe(true);
  });

  test.each(named(bad))('$id refuses $shown', ({ id, request }) => {
    expect(endpointOf(id).request().safeParse(request).success).toBe(false);
  });

  test('every endpoint has a good example', () => {
    const shown = new Set(good.map(([id]) => id));
    expect(endpoints.map(({ id }) => id).filter((id) => !shown.has(id))).toEqual([]);
  });
});
