import { describe, expect, test } from 'vitest';
import { accumulatedFees } from '../../src/contract/endpoints/fees.ts';
import { quote } from '../../src/contract/endpoints/fx-quotes.ts';
import { tradeStatus } from '../../src/contract/endpoints/fx-trades.ts';
import { listPayouts } from '../../src/contract/endpoints/history.ts';
import { startOnramp } from '../../src/contract/endpoints/onramp.ts';
import { payoutStatus } from '../../src/contract/endpoints/payouts.ts';
import { swapStatus, triggerSwap } from '../../src/contract/endpoints/swaps.ts';
import { listUsers } from '../../src/contract/endpoints/user-list.ts';
import { getDetails } from '../../src/contract/endpoints/users.ts';
import { getVirtualAccount } from '../../src/contract/endpoints/virtual-accounts.ts';
import { readData } from '../../src/contract/reading/index.ts';
import { parseJson } from '../../src/money/decimal.ts';

describe('names', () => {
  test('in the contract’s spelling win over others', () => {
    const data = { userId: 'own', user_id: 'other', is_active: true };
    expect(readData(getDetails, data)).toEqual({ userId: 'own', user_id: 'other', isActive: true });
  });

  test('such as __proto__ stay names', () => {
    const read = readData(swapStatus, parseJson('{"request_id":"s-1","__proto__":{"status":"completed"}}')) as object;
    expect(Object.keys(read).toSorted()).toEqual(['__proto__', 'requestId']);
    expect((read as { status?: unknown }).status).toBeUndefined();
  });

  test('of someone else’s fees are not the platform’s', () => {
    const feeBreakdown = { gateway_fee: 1, swapFee: 2, acme_fee: 3 };
    expect(readData(startOnramp, { requestId: 'r', feeBreakdown })).toMatchObject({
      feeBreakdown: { gatewayFee: 1, swapFee: 2, platformFee: 3 },
    });
  });
});

describe('fields that stand flat', () => {
  test('take the state with them into the object that they make', () => {
    const flat = { tradeId: 't-1', pair: 'CNGN-USDC', status: 'FAILED', version: '1' };
    expect(readData(tradeStatus, flat)).toEqual({
      trade: { tradeId: 't-1', pair: 'CNGN-USDC', status: 'failed' },
      version: '1',
    });
    expect(readData(quote, { quoteId: 'q-1', version: '1' })).toEqual({ quote: { quoteId: 'q-1' }, version: '1' });
  });

  test('leave a state where the contract has one', () => {
    const flat = { accountNumber: '0123456789', baseAmount: 5, status: 'created' };
    expect(readData(getVirtualAccount, flat)).toMatchObject({ status: 'created' });
  });

  test('leave a state that may be that of two objects', () => {
    const flat = { requestId: 'r-1', provider: 'x', txHash: '0x1', note: 'n' };
    expect(readData(payoutStatus, flat)).toMatchObject({ payoutDetails: { provider: 'x' }, note: 'n' });
  });
});

describe('an object in another', () => {
  test.each([
    ['under a name that tells nothing', { result: { requestId: 's-1', status: 'pending' } }],
    ['twice', { data: { swap: { requestId: 's-1', status: 'pending' } } }],
    ['in a list of one', [{ requestId: 's-1', status: 'pending' }]],
  ])('is the data if everything is in it: %s', (_, data) => {
    expect(readData(swapStatus, data)).toMatchObject({ requestId: 's-1', status: 'pending' });
  });

  test('is not the data beside other fields of the endpoint, or beside another such object', () => {
    const beside = { requestId: 's-1', user: { status: 'active' } };
    expect(readData(swapStatus, beside)).toEqual(beside);
    const two = { first: { requestId: 's-1' }, second: { requestId: 's-2' } };
    expect(readData(swapStatus, two)).toEqual(two);
  });
});

describe('fields that stand flat', () => {
  test('are moved into the object that the contract has for them', () => {
    const read = readData(getDetails, { userId: 'u-1', firstName: 'Ngozi', evmWallet: '0x1', shoeSize: 41 });
    expect(read).toEqual({
      userId: 'u-1',
      shoeSize: 41,
      personalDetails: { firstName: 'Ngozi' },
      walletDetails: { evmWallet: '0x1' },
    });
  });

  test('are moved into the nested object, so that nothing is there in two forms', () => {
    expect(readData(quote, { quoteId: 'q-1', price: 1425.5, expiresAt: 1_786_000_000, version: '1' })).toEqual({
      version: '1',
      quote: { quoteId: 'q-1', price: '1425.5', expiresAt: '2026-08-06T07:06:40.000Z' },
    });
  });

  test('stay if several objects may have them', () => {
    const read = readData(triggerSwap, { requestId: 'r-1', walletAddress: '0x1', destinationWallet: '0x2' });
    expect(read).toMatchObject({
      swapConfig: { walletAddress: '0x1' },
      destinationConfig: { destinationWallet: '0x2' },
    });
  });
});

describe('a list', () => {
  test.each([
    ['rows', { rows: [] }],
    ['another name, with rows', { members: [{ userId: 'u-1' }] }],
    ['no name', [{ userId: 'u-1' }]],
  ])('may have %s', (_, data) => {
    expect(readData(listUsers, data)).toHaveProperty('users');
  });

  test('is not chosen among several', () => {
    const data = { active: [{ userId: 'u-1' }], inactive: [{ userId: 'u-2' }] };
    expect(readData(listUsers, data)).toEqual(data);
  });
});

describe('values', () => {
  test('that are numbers as text keep every digit', () => {
    const read = readData(accumulatedFees, {
      summary: { totalAccumulatedFees: '9007199254740993', transactionCount: '3' },
    });
    expect(JSON.stringify(read)).toBe('{"summary":{"totalAccumulatedFees":9007199254740993,"transactionCount":3}}');
  });

  test.each([
    [{ createdAt: 1_786_000_000 }, { createdAt: '2026-08-06T07:06:40.000Z' }],
    [{ createdAt: 1_786_000_000_000 }, { createdAt: '2026-08-06T07:06:40.000Z' }],
    [{ createdAt: '2026-08-06' }, { createdAt: '2026-08-06' }],
    [{ createdAt: 0 }, { createdAt: 0 }],
    [{ status: 'SWAP_QUEUED' }, { status: 'SWAP_QUEUED' }],
    [{ status: 'Completed' }, { status: 'completed' }],
    [{ amountOut: 25_000_000 }, { amountOut: '25000000' }],
    [{ amountOut: { value: 1 } }, { amountOut: { value: 1 } }],
  ])('%j are read as %j', (data, read) => {
    expect(readData(swapStatus, { requestId: 's-1', ...data })).toEqual({ requestId: 's-1', ...read });
  });
});

describe('whether a list has more', () => {
  test.each([
    ['an empty cursor', { nextCursor: '' }, false],
    ['a cursor of null', { next_cursor: null }, false],
    ['a cursor', { nextCursor: 'pay-1' }, true],
    ['an empty cursor in an object about pages', { meta: { nextPageToken: '' } }, false],
    ['an empty cursor beside a page that is not the last', { nextCursor: '', page: 1, totalPages: 2 }, true],
    ['a cursor beside its own word', { nextCursor: 'pay-1', hasMore: false }, false],
    ['a page that is not the last, by its number and the total', { page: 2, limit: 100, total: 250 }, true],
    ['the last page, by its number and the total', { page: 3, limit: 100, total: 250 }, false],
    ['a page that ends where the list does', { meta: { page: 2, per_page: 100, total: 200 } }, false],
    ['a page that ends a row before it', { meta: { page: 2, per_page: 100, total: 201 } }, true],
  ])('is said by %s', (_what, paging, hasMore) => {
    expect(readData(listPayouts, { payouts: [], ...paging })).toMatchObject({ hasMore });
  });

  test.each([
    ['the first of three pages', { page: 1, limit: 100, total: 250 }, true],
    ['the page before the last', { page: 2, limit: 100, total: 250 }, true],
    ['the last page', { page: 3, limit: 100, total: 250 }, false],
    ['a last page that is full', { page: 2, limit: 100, total: 200 }, false],
    ['a page number among the page numbers', { page: 2, totalPages: 3 }, true],
    ['the last of the page numbers', { page: 3, totalPages: 3 }, false],
    ['a place before the end', { offset: 100, limit: 100, total: 250 }, true],
    ['a place right before the end', { offset: 149, limit: 100, total: 250 }, true],
    ['the last place', { offset: 150, limit: 100, total: 250 }, false],
    ['a place, whatever page it is called', { offset: 7, page: 3, limit: 20, total: 40 }, true],
  ])('follows from %s', (_what, paging, hasMore) => {
    expect(readData(listPayouts, { payouts: [], ...paging })).toMatchObject({ hasMore });
    expect(readData(listPayouts, { payouts: [], meta: paging })).toMatchObject({ hasMore });
  });

  test.each([
    ['no total', { page: 1, limit: 100 }],
    ['no limit', { page: 1, total: 250 }],
    ['a page zero', { page: 0, limit: 100, total: 250 }],
  ])('does not follow from %s', (_what, paging) => {
    const read = readData(listPayouts, { payouts: [], ...paging });
    expect(read).not.toHaveProperty('hasMore');
    if (paging.page === 0) expect(read).not.toHaveProperty('offset');
  });
});

describe('where a page is in its list', () => {
  test.each([
    [{ page: 1, limit: 100 }, 0],
    [{ page: 2, limit: 100 }, 100],
    [{ page: '3', perPage: '20' }, 40],
    [{ page: 3, limit: 20, offset: 7 }, 7],
  ])('follows from %j', (paging, offset) => {
    expect(readData(listPayouts, { payouts: [], ...paging })).toMatchObject({ offset });
  });
});
