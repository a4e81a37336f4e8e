import { describe, expect, test } from 'vitest';
import { type AnswerFormName, answerFormsOf } from '../../src/contract/answer-forms.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { VERSION } from '../../src/service/context.ts';
import { onboardUser, startRamp } from '../service/steps.ts';
import { openSandbox, START_MS, type TestSandbox } from '../support/sandbox.ts';

const answering = (form: AnswerFormName, serviceName?: string) =>
  openSandbox({ answers: { forms: answerFormsOf(form), serviceName } });

type Json = Readonly<Record<string, unknown>>;

/** The JSON of a response. */
async function ask(box: TestSandbox, method: string, path: string, body?: object): Promise<Json> {
  const response = await box.fetch(method, `/v1${path}`, body && JSON.stringify(body));
  return JSON.parse(response.body);
}

const order = { pair: 'CNGN-USDC', side: 'sell', price: '1425.5', minAmount: '1000', maxAmount: '5000', spread: 0.5 };

describe('a form of the answers', () => {
  test('writes order book amounts in base units, and the specification writes decimals', async () => {
    await using box = await answering('public');
    const made = await ask(box, 'POST', '/fx/limit-order', order);
    expect(made['data']).toMatchObject({ price: '1425500000', minAmount: '1000000000', maxAmount: '5000000000' });
    await using other = await openSandbox();
    expect((await ask(other, 'POST', '/fx/limit-order', order))['data']).toMatchObject({
      price: '1425.500000',
      minAmount: '1000.000000',
    });
  });

  test.each([
    ['public', 'the stablecoin', '3.607969'],
    ['specification', 'cNGN', '4990.000000'],
  ] as const)('%s: the net amount of a sale is in %s, minus the fee', async (form, _, net) => {
    await using box = form === 'specification' ? await openSandbox() : await answering(form);
    const sale = { pair: 'CNGN-USDC', side: 'sell', cngnAmount: '5000' };
    const { data } = (await ask(box, 'POST', '/fx/market-order', sale)) as { data: { trade: Json } };
    const { data: read } = (await ask(box, 'GET', `/fx/trades/status?tradeId=${data.trade['tradeId']}`)) as {
      data: { trade: Json };
    };
    expect(read.trade).toMatchObject({ usdcAmount: '3.615199', fintechNetAmount: net });
    const { data: list } = (await ask(box, 'GET', '/fx/trades')) as unknown as { data: { trades: Json[] } };
    expect(list.trades[0]).toMatchObject({ fintechNetAmount: net });
  });

  test('writes times as seconds, times without a zone, and other words for states', async () => {
    await using box = await answering('public-older');
    const started = await ask(box, 'POST', '/onboarduser', { bvn: '22222222222' });
    expect(started).toMatchObject({ status: 'success', data: { status: 'pending_verification' } });
    const { requestId } = started['data'] as { requestId: string };
    box.clock.pass(10_000);
    const status = await ask(box, 'POST', '/onboardstatus', { requestId });
    expect(status).toMatchObject({ data: { status: 'verified', bvnVerified: true } });
    const { userId, createdAt } = status['data'] as { userId: string; createdAt: string };
    expect(createdAt).toBe(new Date(START_MS).toISOString());
    const { data } = (await ask(box, 'POST', '/listuserwallets', { userId })) as { data: { wallets: Json[] } };
    // The wallets were made a while after the request, by the pace of the sandbox.
    const madeMs = START_MS + 300;
    expect(data.wallets[0]).toMatchObject({
      createdAt: { _seconds: Math.floor(madeMs / 1000), _nanoseconds: (madeMs % 1000) * 1e6 },
    });
    const details = await ask(box, 'POST', '/getuserdetails', { userId });
    const [account] = (details['data'] as { virtualAccountDetails: Json[] }).virtualAccountDetails;
    expect(account?.['createdAt']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
  });

  test('may depend on the request', async () => {
    await using box = await answering('public');
    const { userId } = await onboardUser(box);
    const { requestId, walletAddress } = await startRamp(box, userId, 5_000);
    const byId = await ask(box, 'POST', '/cngnonrampstatus', { requestId });
    expect(Object.keys(byId)).toEqual(['status', 'response_code', 'data']);
    expect(byId['data']).toMatchObject({ requestId, amount: '5000000000' });
    const byWallet = await ask(box, 'POST', '/cngnonrampstatus', { walletAddress });
    expect(byWallet['data']).toMatchObject({ requestId, version: VERSION, wallet: { walletAddress, amount: '5000' } });
    expect(byWallet['data']).not.toHaveProperty('amount');
  });

  test('repeats an address of the request, where the specification masks it', async () => {
    const add = { action: 'add', ipAddress: '203.0.113.7' };
    await using box = await answering('public-older');
    expect(await ask(box, 'POST', '/manageipallowlist', add)).toMatchObject({ response_code: '200', data: add });
    expect(await ask(box, 'POST', '/manageipallowlist', { action: 'list' })).toMatchObject({
      response_code: '00',
      data: { ipAddresses: [{ ip: '203.0.*.*' }] },
    });
  });

  test('says how long to wait in the details of a rate limit', async () => {
    await using box = await openSandbox({ rateLimits: true, answers: { forms: answerFormsOf('public-older') } });
    await Promise.all(Array.from({ length: 100 }, () => box.call('GET', '/transactions')));
    const { response_code: code, data } = await ask(box, 'GET', '/transactions');
    expect({ code, data }).toEqual({
      code: '429',
      data: {
        error: 'too many requests',
        details: { limit: 100, remaining: 0, reset_time: START_MS / 1000 + 60, retry_after: 60 },
      },
    });
  });

  test('leaves what the sandbox itself keeps as it was', async () => {
    await using box = await answering('public');
    const first = await ask(box, 'POST', '/getbankscode');
    expect(await ask(box, 'POST', '/getbankscode')).toEqual(first);
    expect(first['data']).toHaveProperty(['banks', 0, 'bank_code']);
  });
});

describe('a request', () => {
  test('is not overtaken while its endpoints are loaded', async () => {
    await using box = await openSandbox();
    const account = (accountNumber: string) => ({ accountNumber, bankCode: '000013' });
    await ask(box, 'POST', '/addbankaccount', account('0123456789'));
    // Of these two, only the second one's endpoints are loaded. Ids are counted.
    const [user, bank] = await Promise.all([
      ask(box, 'POST', '/onboarduser', { bvn: '22222222222' }),
      ask(box, 'POST', '/addbankaccount', account('0123456788')),
    ]);
    const { requestId } = user['data'] as { requestId: string };
    const { accountId } = bank['data'] as { accountId: string };
    expect(requestId < accountId).toBe(true);
  });
});

describe('a service name', () => {
  test('is in fee fields and owners, and nowhere else', async () => {
    await using box = await answering('interface', 'acme');
    const { userId } = await onboardUser(box);
    const ramp = await ask(box, 'POST', '/cngnonramp', { userId, amount: 5_000 });
    const { feeBreakdown } = ramp['data'] as { feeBreakdown: Json };
    expect(Object.keys(feeBreakdown)).toEqual(['baseAmount', 'fintechFee', 'acmeFee', 'totalFee', 'totalAmount']);
    expect(JSON.stringify(await ask(box, 'POST', '/listuserwallets', { userId }))).toContain('"owner":"acme-managed"');
    const { data } = await ask(box, 'GET', '/getplatformpublickey');
    expect(data).toHaveProperty('publicKey');
  });

  test('does not touch the words of a fintech', async () => {
    await using box = await answering('interface', 'acme');
    const wallet = { address: `0x${'ab'.repeat(20)}`, blockchain: 'base', type: 'cold', label: 'service-managed' };
    await ask(box, 'POST', '/addexternalwallet', wallet);
    expect((await ask(box, 'GET', '/getfintechwallet'))['data']).toMatchObject({
      externalWallets: [{ label: 'service-managed' }],
    });
  });

  test.each(['platform', 'acme', 'any-Name'])('the fee preview is served at /fees/%s/preview', async (name) => {
    await using box = await answering('interface', 'acme');
    const preview = { amount: 500_000, transactionType: 'onramp' };
    expect(await ask(box, 'POST', `/fees/${name}/preview`, preview)).toMatchObject({
      response_code: '00',
      data: { result: { finalFee: 7_500 } },
    });
  });
});

const lowerCase = (endpoints as readonly Endpoint[]).filter(({ envelope }) => envelope === 'lower-case');

test.each(lowerCase.map(({ id, method, path }) => ({ id, method, path })))(
  'the endpoint $id of external wallets writes the status of an error in lower case',
  async ({ method, path }) => {
    await using box = await openSandbox();
    expect((await ask(box, method, path, {}))['status']).toBe('error');
    expect((await ask(box, 'POST', '/onboarduser', {}))['status']).toBe('Error');
  },
);
