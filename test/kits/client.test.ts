import { describe, expect, test } from 'vitest';
import { createClient, FiatrailError } from '../../src/kits/client.ts';
import { startSandbox } from '../../src/kits/sandbox.ts';
import { control } from './control.ts';

/** A client that reaches nothing, and what it tried to send. */
function recording(answer: () => Response | Promise<Response>) {
  const sent: { readonly url: string; readonly method: string; readonly body: unknown }[] = [];
  const client = createClient({
    baseUrl: 'https://host.test/v1/',
    apiKey: 'a-key',
    fetch: async (url, init) => {
      const body = init?.body;
      sent.push({
        url: String(url),
        method: init?.method ?? 'GET',
        body: typeof body === 'string' ? JSON.parse(body) : undefined,
      });
      return answer();
    },
  });
  return { client, sent };
}

const success = (data: unknown) => () =>
  Response.json({ status: 'Success', response_code: '00', message: 'done', data });

const ONRAMP = { requestId: 'r-1', walletAddress: '0xabc', status: 'requested' };

describe('amounts', () => {
  test.each([
    ['transactions.onramp', { userId: 'u-1', amount: { value: '5000.5', asset: 'NGN' } }, { amount: 5000.5 }],
    [
      'transactions.fintech-transfer',
      {
        destinationAddress: '0x52908400098527886E0F7030069857D2E4169EE7',
        amount: { value: '1.5', asset: 'USDC' },
        ticker: 'USDC',
      },
      { amount: 1_500_000 },
    ],
  ])('of %s are sent in the unit of the service', async (operation, input, expected) => {
    const { client, sent } = recording(success({ ...ONRAMP, transactionHash: '0x1' }));
    await client.call(operation, input);
    expect(sent[0]?.body).toMatchObject(expected);
  });

  test.each([
    [5000, "expected an amount such as { value: '5000.00', asset: 'NGN' }"],
    [{ value: '5000', asset: 'CNGN' }, 'expected an amount of NGN, not CNGN'],
    [{ value: '1.234', asset: 'NGN' }, 'expected a decimal of NGN, not "1.234"'],
    [{ value: '1e3', asset: 'NGN' }, 'expected a decimal of NGN'],
    [{ value: '5000', asset: 'EUR' }, 'expected an amount such as'],
    [{ value: '-5', asset: 'NGN' }, 'expected a decimal of NGN'],
    [{ value: '0', asset: 'NGN' }, 'amount'],
  ])('%j is rejected, and nothing is sent', async (amount, message) => {
    const { client, sent } = recording(success(ONRAMP));
    await expect(client.call('transactions.onramp', { userId: 'u-1', amount })).rejects.toMatchObject({
      category: 'usage',
      message: expect.stringContaining(message),
    });
    expect(sent).toEqual([]);
  });

  test('of an answer are exact', async () => {
    const { client } = recording(
      () =>
        new Response(
          '{"status":"Success","response_code":"00","message":"","data":{"requestId":"r-1","walletAddress":"0xabc","feeBreakdown":{"baseAmount":7199254740.91,"totalFee":9007199254740993.01}}}',
          { headers: { 'content-type': 'application/json' } },
        ),
    );
    const input = { userId: 'u-1', amount: { value: '7199254740.91', asset: 'NGN' } };
    expect(await client.call('transactions.onramp', input)).toMatchObject({
      feeBreakdown: {
        baseAmount: { value: '7199254740.91', asset: 'NGN' },
        totalFee: { value: '9007199254740993.01', asset: 'NGN' },
      },
    });
  });
});

const PAYMENT = ['transactions.onramp', { userId: 'u-1', amount: { value: '5000', asset: 'NGN' } }] as const;

describe('a change', () => {
  test.each([
    ['a broken answer', () => new Response('oops', { status: 500 })],
    ['no answer', () => Promise.reject(new TypeError('fetch failed'))],
    ['a success without an id', success({})],
  ])('that got %s is unknown, and was sent once', async (_what, answer) => {
    const { client, sent } = recording(answer);
    await expect(client.call(...PAYMENT)).rejects.toMatchObject({ category: 'unknown', code: 'OUTCOME_UNKNOWN' });
    expect(sent).toHaveLength(1);
  });

  test('is sent again after a 429 alone', async () => {
    let isFirst = true;
    const { client, sent } = recording(() => {
      if (!isFirst) return success(ONRAMP)();
      isFirst = false;
      return new Response('{"status":"Failed","response_code":"04","message":"wait"}', {
        status: 429,
        headers: { 'retry-after': '0' },
      });
    });
    expect(await client.call(...PAYMENT)).toMatchObject({ requestId: 'r-1' });
    expect(sent).toHaveLength(2);
  });
});

test('a read is sent again after a broken answer', async () => {
  let count = 0;
  const { client, sent } = recording(() => {
    count += 1;
    return count === 1 ? new Response('oops', { status: 502 }) : success({ banks: [] })();
  });
  expect(await client.call('banks.list-codes')).toEqual({ banks: [] });
  expect(sent).toHaveLength(2);
});

test('a rejection has its name', async () => {
  await using sandbox = await startSandbox();
  await control(sandbox, 'faultAdd', { endpoint: 'fx.quote', kind: 'reject', name: 'NO_LIQUIDITY' });
  const input = { pair: 'CNGN-USDC', side: 'buy', cngnAmount: { value: '5000', asset: 'CNGN' } };
  const error = await sandbox.client.call('fx.quote', input).catch((each: unknown) => each);
  expect(error).toBeInstanceOf(FiatrailError);
  expect(error).toMatchObject({ category: 'rejected', code: 'NO_LIQUIDITY', httpStatus: 404, responseCode: '02' });
});

test.each([
  ['nothing', {}],
  ['host.test', {}],
  ['ftp://host.test/v1', {}],
  ['https://me:pw@host.test/v1', {}],
])('the base URL %s is rejected', (baseUrl, more) => {
  expect(() => createClient({ baseUrl, apiKey: 'a-key', ...more })).toThrow('invalid baseUrl');
});

test('an unknown operation is rejected', async () => {
  const { client, sent } = recording(success({}));
  await expect(client.call('users.lists')).rejects.toMatchObject({ category: 'usage' });
  expect(sent).toEqual([]);
});
