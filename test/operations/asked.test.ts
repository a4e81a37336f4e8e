import { describe, expect, test } from 'vitest';
import { workStartedBy } from '../../src/engine/evidence/find-work.ts';
import { parseExactJson } from '../../src/money/decimal.ts';

const ALWAYS = { startDate: undefined, endDate: undefined };

/** The list that may show a request. */
async function listFor(endpoint: string, request: object) {
  const list = (await workStartedBy(endpoint))?.list?.(request as Readonly<Record<string, unknown>>);
  if (!list) throw new Error(`no list shows ${endpoint}`);
  return list;
}

describe('the list is asked for rows of the user and the type alone', () => {
  test.each([
    ['transactions.offramp', { userId: 'u-1' }, { userId: 'u-1', type: 'user_offramp' }],
    ['transactions.fintech-offramp', {}, { type: 'fintech_offramp', userId: undefined }],
    // Users may start withdrawals of their own, of another type, and one of them may be taken for the request.
    ['transactions.withdraw-asset', { userId: 'u-1' }, { userId: 'u-1', type: undefined }],
    ['transactions.fintech-transfer', {}, { type: 'fintech_self_transfer', userId: undefined }],
  ])('%s', async (endpoint, request, asked) => {
    const list = await listFor(endpoint, request);
    const { type, userId } = list.page(100, 0, undefined, ALWAYS) as { type?: string; userId?: string };
    expect({ type, userId }).toEqual(asked);
  });
});

test.each([
  ['transactions.withdraw-asset', { userId: 'u-1', ticker: 'USDC', amount: '5', destinationAddress: '0xd' }],
  ['transactions.fintech-transfer', { ticker: 'USDC', amount: 5_000_000, destinationAddress: '0xd' }],
])(
  'a row of %s without a request id is known by its hash: one without any id would count for nothing',
  async (endpoint, request) => {
    const list = await listFor(endpoint, parseExactJson(JSON.stringify(request)) as object);
    const row = {
      amount: '5.000000',
      ticker: 'USDC',
      status: 'completed',
      destinationAddress: '0xd',
      transactionHash: '0xh',
    };
    expect(list.read(row as never)).toMatchObject({ requestId: '0xh', isLike: true });
  },
);
