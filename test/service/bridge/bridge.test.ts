import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sandboxDeposit } from '../../../src/contract/control.ts';
import type { RequestOf } from '../../../src/contract/endpoint.ts';
import { balanceMulti } from '../../../src/contract/endpoints/balances.ts';
import {
  bridgeNetworks,
  bridgeStatus,
  listBridges,
  quoteBridge,
  startBridge,
} from '../../../src/contract/endpoints/bridge.ts';
import { getFintechWallet } from '../../../src/contract/endpoints/wallets.ts';
import { addressProblemOn, networkOf } from '../../../src/contract/networks.ts';
import { isoTime } from '../../../src/service/context.ts';
import { checkLedger } from '../../../src/service/ledger.ts';
import { openSandbox, START_MS, type TestSandbox } from '../../support/sandbox.ts';
import { balances, onboardUser, pass, secondKey, settle } from '../steps.ts';

const SENDER = `0x${'5e'.repeat(20)}`;
const STRANGER = `0x${'07'.repeat(20)}`;
const RECEIVER = `0x${'1e'.repeat(20)}`;
const SOLANA = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const BANTU = 'GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF';

const LISTED = ['base', 'bsc', 'eth', 'sol', 'pol', 'atc', 'lisk', 'xbn'];
const NETWORKS = [...LISTED, 'arc', 'celo'];
const addressOn = (network: string) => (network === 'sol' ? SOLANA : network === 'xbn' ? BANTU : SENDER);

const transfer = {
  token: 'CNGN',
  fromNetwork: 'base',
  toNetwork: 'bsc',
  amount: '250',
  fromAddress: SENDER,
  toAddress: RECEIVER,
} as const;

const initiate = (box: TestSandbox, more: object = {}, key?: string) =>
  box.ask(startBridge, { ...transfer, ...more }, key);
const statusOf = (box: TestSandbox, requestId: string) => box.ask(bridgeStatus, { requestId });

function deposit(box: TestSandbox, address: string, more: object = {}) {
  const request = { address, asset: 'CNGN', amount: '250', network: 'base', from: SENDER } as const;
  return box.ask(sandboxDeposit, { ...request, ...more });
}

/** Returns the changes of the ledger accounts, by code and asset. */
async function gained(box: TestSandbox, before: Record<string, bigint>): Promise<Record<string, bigint>> {
  const after = await box.inside(balances, 'read');
  const codes = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const moves = codes.map((code) => [code, (after[code] ?? 0n) - (before[code] ?? 0n)] as const);
  return Object.fromEntries(moves.filter(([, minor]) => minor !== 0n));
}

interface CallbackEvent {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

async function callbackEvents(box: TestSandbox): Promise<CallbackEvent[]> {
  const rows = await box.inside(
    ({ store }) =>
      store.all<{ event: string; data: string }>(`SELECT event, data FROM outbox WHERE event LIKE 'bridge.%'`),
    'read',
  );
  return rows.map(({ event, data }) => ({ event, data: JSON.parse(data) as Record<string, unknown> }));
}

describe('a quote', () => {
  test('matches the public example', async () => {
    await using box = await openSandbox();
    const quote = await box.ask(quoteBridge, { ...transfer, amount: '10000' });
    expect(quote).toMatchObject({
      provider: 'cngn-bridge',
      token: 'CNGN',
      fromNetwork: 'base',
      toNetwork: 'bsc',
      inputAmount: '10000',
      outputAmount: '9950.000000',
      fee: {
        total: '50.000000',
        percentage: 0.5,
        breakdown: { basePercentage: 0.5, networkModifier: 0, finalPercentage: 0.5 },
      },
      estimatedDurationSeconds: 210,
      estimatedDurationMinutes: 4,
      validUntil: isoTime(START_MS + 300_000),
    });
    expect(quote.quoteId).toContain(String(START_MS));
  });

  test.each([
    ['base', 'eth', '1000', 0.25, '7.500000'],
    ['eth', 'sol', '1000', 0.35, '8.500000'],
    ['xbn', 'sol', '1000', 0.2, '7.000000'],
    ['arc', 'celo', '1000', 0, '5.000000'],
    ['celo', 'eth', '1000', 0.25, '7.500000'],
    ['lisk', 'pol', '0.000001', 0, '0.000000'],
    ['lisk', 'pol', '0.0001', 0, '0.000001'],
    ['base', 'bsc', '10000000000', 0, '50000000.000000'],
    ['base', 'bsc', '007.50', 0, '0.037500'],
  ])(
    'from %s to %s of %s has the modifier %d and the fee %s',
    async (fromNetwork, toNetwork, amount, modifier, total) => {
      await using box = await openSandbox();
      const { fee, inputAmount, outputAmount } = await box.ask(quoteBridge, {
        token: 'CNGN',
        fromNetwork,
        toNetwork,
        amount,
      });
      expect(fee).toMatchObject({ total, percentage: 0.5 + modifier, breakdown: { networkModifier: modifier } });
      // Text that is no plain decimal is shown as it came, but not read.
      expect(inputAmount).toEqual(amount.startsWith('00') ? { value: amount, unit: 'unknown' } : amount);
      const micro = (text: string) => BigInt(Math.round(Number(text) * 1e6));
      expect(micro(String(outputAmount)) + micro(total)).toBe(micro(amount));
    },
  );

  test.each([
    ['asc', 'atc'],
    ['ATC', 'atc'],
    ['ethereum', 'eth'],
    ['BSC', 'bsc'],
  ])('accepts %s as %s', async (written, key) => {
    await using box = await openSandbox();
    const { fromNetwork } = await box.ask(quoteBridge, { ...transfer, fromNetwork: written, toNetwork: 'lisk' });
    expect(fromNetwork).toBe(key);
  });
});

test('the network list matches the specification, without two networks that quotes accept', async () => {
  await using box = await openSandbox();
  const { tokens, allSupportedNetworks } = await box.ask(bridgeNetworks, {});
  expect(tokens).toMatchObject([{ token: 'CNGN', networks: LISTED }]);
  expect(allSupportedNetworks).toEqual(expect.arrayContaining(['arc', 'celo']));
});

describe('a bridge transaction', () => {
  test.each(NETWORKS.flatMap((from) => NETWORKS.filter((to) => to !== from).map((to) => [from, to] as const)))(
    'from %s to %s gets its own address on the source network',
    async (fromNetwork, toNetwork) => {
      await using box = await openSandbox();
      const request = { fromNetwork, toNetwork, fromAddress: addressOn(fromNetwork), toAddress: addressOn(toNetwork) };
      const first = await initiate(box, request);
      const second = await initiate(box, request);
      const network = networkOf(fromNetwork);
      if (!network) throw new Error(`no network ${fromNetwork}`);
      expect(addressProblemOn(network, first.receivableAddress)).toBeUndefined();
      for (const name of ['receivableAddress', 'requestId', 'transactionId', 'reference'] as const)
        expect(first[name]).not.toBe(second[name]);
    },
  );

  test('moves nothing until a deposit arrives', async () => {
    await using box = await openSandbox();
    const before = await box.inside(balances, 'read');
    const { requestId, status, message } = await initiate(box);
    await pass(box, 86_400_000);
    expect({ status, later: (await statusOf(box, requestId)).status }).toEqual({
      status: 'initiated',
      later: 'initiated',
    });
    expect(await gained(box, before)).toEqual({});
    for (const part of ['250.000000', SENDER, 'Base', 'BNB Smart Chain']) expect(message).toContain(part);
  });

  test('passes its states at its pace, and releases the deposit minus the fee', async () => {
    await using box = await openSandbox();
    const before = await box.inside(balances, 'read');
    const { requestId, receivableAddress } = await initiate(box);
    expect(await deposit(box, receivableAddress, { amount: '150' })).toMatchObject({
      outcome: 'bridging',
      reason: null,
    });
    const at = async (ms: number) => {
      await pass(box, ms);
      return (await statusOf(box, requestId)).status;
    };
    expect([await at(0), await at(149), await at(1), await at(299), await at(1)]).toEqual([
      'initiated',
      'initiated',
      'pending',
      'pending',
      'completed',
    ]);
    expect(await gained(box, before)).toEqual({ 'chain CNGN': -750_000n, 'fees/platform/tokens CNGN': 750_000n });
    const done = await statusOf(box, requestId);
    expect(done).toMatchObject({
      amount: '250.000000',
      actualAmount: '149.250000',
      completedAt: isoTime(START_MS + 450),
      explorerLink: `https://explorer.invalid/bsc/tx/${done.txHash}`,
    });
  });

  test('has no outcome until it ends', async () => {
    await using box = await openSandbox();
    const { requestId, receivableAddress } = await initiate(box);
    const open = { actualAmount: null, txHash: null, explorerLink: null, completedAt: null };
    expect(await statusOf(box, requestId)).toMatchObject({ status: 'initiated', ...open });
    await deposit(box, receivableAddress);
    await pass(box, 200);
    expect(await statusOf(box, requestId)).toMatchObject({ status: 'pending', ...open });
  });

  test.each(['1', '249.999999', '250.000001', '9999999999.999999', '0.000001'])(
    'processes the amount that arrived: %s',
    async (amount) => {
      await using box = await openSandbox();
      const { requestId, receivableAddress } = await initiate(box);
      await deposit(box, receivableAddress, { amount });
      await settle(box);
      const { status, actualAmount } = await statusOf(box, requestId);
      const sent = BigInt(amount.includes('.') ? amount.replace('.', '').replace(/^0+/, '') : `${amount}000000`);
      const fee = (sent * 5n + 500n) / 1000n;
      expect({ status, amount: BigInt(String(actualAmount).replace('.', '')) }).toEqual({
        status: 'completed',
        amount: sent - fee,
      });
    },
  );

  test('releases into a wallet of the sandbox', async () => {
    await using box = await openSandbox();
    const { smartWallet } = await box.ask(getFintechWallet, {});
    const held = async (network: string) =>
      (await box.ask(balanceMulti, { networks: network })).networkBalances?.[0]?.balance;
    expect({ lisk: await held('lisk'), asc: await held('asc') }).toEqual({ lisk: '0.000000', asc: '0.000000' });
    for (const toNetwork of ['lisk', 'atc']) {
      const { receivableAddress } = await initiate(box, { toNetwork, toAddress: smartWallet.address });
      await deposit(box, receivableAddress, { amount: '100' });
    }
    await settle(box);
    expect({ lisk: await held('lisk'), asc: await held('asc') }).toEqual({ lisk: '99.500000', asc: '99.500000' });
  });

  test('from a wallet of the sandbox debits that wallet', async () => {
    await using box = await openSandbox();
    const { smartWallet } = await box.ask(getFintechWallet, {});
    const before = await box.inside(balances, 'read');
    const { receivableAddress } = await initiate(box, { fromAddress: smartWallet.address });
    await deposit(box, receivableAddress, { from: smartWallet.address.toUpperCase().replace('0X', '0x') });
    await settle(box);
    expect(await gained(box, before)).toEqual({
      'wallet/1/base CNGN': -250_000_000n,
      'chain CNGN': 248_750_000n,
      'fees/platform/tokens CNGN': 1_250_000n,
    });
  });

  test('from a wallet without enough tokens does not start', async () => {
    await using box = await openSandbox();
    const { smartWallet } = await box.ask(getFintechWallet, {});
    const { requestId, receivableAddress } = await initiate(box, { fromAddress: smartWallet.address });
    const request = { address: receivableAddress, asset: 'CNGN', network: 'base', from: smartWallet.address };
    const reply = await box.call('POST', '/_sandbox/deposit', { ...request, amount: '5000000.000001' });
    expect({ status: reply.status, response_code: reply.envelope.response_code }).toEqual({
      status: 400,
      response_code: '01',
    });
    await settle(box);
    expect((await statusOf(box, requestId)).status).toBe('initiated');
    expect(await deposit(box, receivableAddress, { from: smartWallet.address })).toMatchObject({ outcome: 'bridging' });
  });
});

describe('a deposit', () => {
  test('from an unexpected sender fails the transaction and is returned', async () => {
    await using box = await openSandbox();
    const before = await box.inside(balances, 'read');
    const { requestId, receivableAddress } = await initiate(box);
    expect(await deposit(box, receivableAddress, { from: STRANGER })).toMatchObject({
      outcome: 'returned',
      reason: 'wrong_sender',
    });
    expect((await statusOf(box, requestId)).status).toBe('initiated');
    await settle(box);
    expect(await statusOf(box, requestId)).toMatchObject({ status: 'failed', actualAmount: null, completedAt: null });
    expect(await gained(box, before)).toEqual({});
  });

  test('from an unexpected wallet of the sandbox is returned to it', async () => {
    await using box = await openSandbox();
    const { smartWallet } = await box.ask(getFintechWallet, {});
    const before = await box.inside(balances, 'read');
    const { requestId, receivableAddress } = await initiate(box);
    await deposit(box, receivableAddress, { from: smartWallet.address });
    expect(await gained(box, before)).toEqual({ 'wallet/1/base CNGN': -250_000_000n, 'bridging CNGN': 250_000_000n });
    await settle(box);
    expect({ status: (await statusOf(box, requestId)).status, gained: await gained(box, before) }).toEqual({
      status: 'failed',
      gained: {},
    });
  });

  test.each(['USDC', 'USDT'])('of %s stays with its sender, and the transaction keeps waiting', async (asset) => {
    await using box = await openSandbox();
    const before = await box.inside(balances, 'read');
    const { requestId, receivableAddress } = await initiate(box);
    expect(await deposit(box, receivableAddress, { asset })).toMatchObject({
      outcome: 'returned',
      reason: 'wrong_token',
    });
    await settle(box);
    expect({ status: (await statusOf(box, requestId)).status, gained: await gained(box, before) }).toEqual({
      status: 'initiated',
      gained: {},
    });
    await deposit(box, receivableAddress);
    await settle(box);
    expect((await statusOf(box, requestId)).status).toBe('completed');
  });

  test.each([
    ['at once', 0],
    ['while the first is pending', 200],
    ['after the end', 10_000],
  ])('is rejected if it is the second (%s)', async (_when, afterMs) => {
    await using box = await openSandbox();
    const before = await box.inside(balances, 'read');
    const { requestId, receivableAddress } = await initiate(box);
    await deposit(box, receivableAddress);
    await pass(box, afterMs);
    expect(await deposit(box, receivableAddress, { amount: '9' })).toMatchObject({
      outcome: 'returned',
      reason: 'already_received',
    });
    await settle(box);
    expect(await statusOf(box, requestId)).toMatchObject({ status: 'completed', actualAmount: '248.750000' });
    expect(await gained(box, before)).toEqual({ 'chain CNGN': -1_250_000n, 'fees/platform/tokens CNGN': 1_250_000n });
  });

  test('matches EVM addresses in any case and other addresses exactly', async () => {
    await using box = await openSandbox();
    const evm = await initiate(box, { fromAddress: `0x${'AB'.repeat(20)}` });
    const upperCased = `0x${evm.receivableAddress.slice(2).toUpperCase()}`;
    expect(await deposit(box, upperCased, { from: `0x${'ab'.repeat(20)}` })).toMatchObject({ outcome: 'bridging' });
    const sol = await initiate(box, { fromNetwork: 'sol', fromAddress: SOLANA });
    const other = { network: 'sol', from: SOLANA.replace('4Nd1m', '4nd1m') };
    expect(await deposit(box, sol.receivableAddress, other)).toMatchObject({ reason: 'wrong_sender' });
  });

  test('into a wallet is credited on its network', async () => {
    await using box = await openSandbox();
    const { smartWallet } = await box.ask(getFintechWallet, {});
    expect(await deposit(box, smartWallet.address, { asset: 'USDT', amount: '7.5', network: 'eth' })).toEqual({
      address: smartWallet.address,
      asset: 'USDT',
      amount: '7.500000',
      outcome: 'credited',
      reason: null,
    });
    const { networkBalances } = await box.ask(balanceMulti, { token: 'USDT', networks: 'eth' });
    expect(networkBalances?.[0]?.balance).toBe('7.500000');
  });

  test("reaches a user's wallets on the other chains", async () => {
    await using box = await openSandbox();
    await onboardUser(box);
    const wallets = await box.inside(
      ({ store }) =>
        store.all<{ address: string; blockchain: string }>(
          `SELECT address, blockchain FROM wallet WHERE kind = 'multi_chain'`,
        ),
      'read',
    );
    for (const { address, blockchain } of wallets) {
      const network = blockchain === 'solana' ? 'sol' : 'xbn';
      expect(await deposit(box, address, { network, from: addressOn(network) })).toMatchObject({ outcome: 'credited' });
    }
    expect(wallets.length).toBe(2);
  });

  const refused: [what: string, more: object, status: number][] = [
    ['to an unknown address', { address: STRANGER }, 404],
    ['on a network without the wallet', { network: 'sol', from: SOLANA }, 404],
    ['on an unknown network', { network: 'moon' }, 400],
    ['from an address of another network', { from: SOLANA }, 400],
    ['of zero', { amount: '0' }, 400],
    ['of less than the smallest unit', { amount: '0.0000001' }, 400],
    ['of another token', { asset: 'NGN' }, 400],
    ['with an unknown field', { more: 1 }, 400],
  ];

  test.each(refused)('is rejected: %s', async (_what, more, status) => {
    await using box = await openSandbox();
    const { smartWallet } = await box.ask(getFintechWallet, {});
    const request = { address: smartWallet.address, asset: 'CNGN', amount: '1', network: 'base', from: SENDER };
    const before = await box.inside(balances, 'read');
    expect((await box.call('POST', '/_sandbox/deposit', { ...request, ...more })).status).toBe(status);
    expect(await gained(box, before)).toEqual({});
  });

  test("is rejected from its destination wallet, or on a network other than the transaction's", async () => {
    await using box = await openSandbox();
    const { smartWallet } = await box.ask(getFintechWallet, {});
    const { receivableAddress } = await initiate(box);
    const request = { asset: 'CNGN', amount: '1', network: 'base' };
    const send = (more: object) => box.call('POST', '/_sandbox/deposit', { ...request, ...more });
    expect((await send({ address: smartWallet.address, from: smartWallet.address })).status).toBe(400);
    expect((await send({ address: receivableAddress, from: SENDER, network: 'bsc' })).status).toBe(404);
  });
});

describe('the callback', () => {
  const callbackUrl = 'https://hooks.example.com/bridge';

  test('receives the completion', async () => {
    await using box = await openSandbox();
    const { requestId, receivableAddress, reference } = await initiate(box, { callbackUrl });
    expect(await statusOf(box, requestId)).toMatchObject({ reference });
    await deposit(box, receivableAddress);
    await settle(box);
    const { txHash } = await statusOf(box, requestId);
    expect(await callbackEvents(box)).toEqual([
      {
        event: 'bridge.completed',
        data: expect.objectContaining({ callbackUrl, requestId, reference, txHash, actualAmount: '248.750000' }),
      },
    ]);
  });

  test('receives the failure', async () => {
    await using box = await openSandbox();
    const { receivableAddress } = await initiate(box, { callbackUrl });
    await deposit(box, receivableAddress, { from: STRANGER });
    await settle(box);
    expect(await callbackEvents(box)).toMatchObject([
      { event: 'bridge.failed', data: { callbackUrl, status: 'failed' } },
    ]);
  });

  test('receives nothing if the request names none', async () => {
    await using box = await openSandbox();
    const { receivableAddress } = await initiate(box);
    await deposit(box, receivableAddress);
    await settle(box);
    expect(await callbackEvents(box)).toEqual([]);
  });
});

describe('the history', () => {
  const listed = async (box: TestSandbox, filter: RequestOf<typeof listBridges> = {}, key?: string) => {
    const { transactions, pagination } = await box.ask(listBridges, filter, key);
    return { ids: transactions.map(({ requestId }) => requestId), pagination };
  };

  async function openWithFour() {
    const box = await openSandbox();
    const ids: string[] = [];
    for (const toNetwork of ['bsc', 'eth', 'bsc', 'sol']) {
      const { requestId } = await initiate(box, { toNetwork, toAddress: toNetwork === 'sol' ? SOLANA : RECEIVER });
      ids.unshift(requestId);
      box.clock.pass(86_400_000);
    }
    return { box, ids, [Symbol.asyncDispose]: box.close };
  }

  test('is newest first', async () => {
    await using four = await openWithFour();
    expect(await listed(four.box)).toEqual({
      ids: four.ids,
      pagination: { total: 4, limit: 20, offset: 0, hasMore: false },
    });
  });

  test.each([
    [1, 3, 0, true],
    [2, 3, 3, false],
    [3, 3, 6, false],
    [2, 2, 2, false],
    [1, 4, 0, false],
  ])('page %d of %d has the offset %d', async (page, limit, offset, hasMore) => {
    await using four = await openWithFour();
    expect(await listed(four.box, { page, limit })).toEqual({
      ids: four.ids.slice(offset, offset + limit),
      pagination: { total: 4, limit, offset, hasMore },
    });
  });

  test.each([
    [{ toNetwork: 'bsc' }, [1, 3]],
    [{ toNetwork: 'ethereum' }, [2]],
    [{ fromNetwork: 'base' }, [0, 1, 2, 3]],
    [{ fromNetwork: 'trx' }, []],
    [{ token: 'cngn' }, [0, 1, 2, 3]],
    [{ token: 'USDC' }, []],
    [{ status: 'initiated' }, [0, 1, 2, 3]],
    [{ status: 'completed' }, []],
    [{ startDate: '2026-01-07' }, [0, 1]],
    // An end date is the start of its day.
    [{ endDate: '2026-01-07' }, [2, 3]],
    [{ startDate: '2026-01-06T09:00:00Z', endDate: '2026-01-07T10:00:00+01:00' }, [1, 2]],
    [{ toNetwork: 'bsc', startDate: '2026-01-06' }, [1]],
  ] as [RequestOf<typeof listBridges>, number[]][])('with %j has those', async (filter, at) => {
    await using four = await openWithFour();
    const { ids, pagination } = await listed(four.box, filter);
    expect(ids).toEqual(at.map((index) => four.ids[index]));
    expect(pagination.total).toBe(at.length);
  });

  test('returns its filters, with dates as full times', async () => {
    await using box = await openSandbox();
    const reply = await box.call(
      'GET',
      '/bridge/history?startDate=2026-08-01&endDate=2026-08-02T09:30:00%2B01:00&toNetwork=trx',
    );
    expect(reply.envelope.data).toMatchObject({
      transactions: [],
      filters: {
        toNetwork: 'trx',
        startDate: '2026-08-01T00:00:00.000Z',
        endDate: '2026-08-02T08:30:00.000Z',
      },
      version: '1.0.0',
    });
    expect((await box.call('GET', '/bridge/history')).envelope.data).toMatchObject({ filters: {} });
  });

  test('and the status are limited to the calling fintech', async () => {
    await using box = await openSandbox();
    const key = await secondKey(box);
    const { requestId } = await initiate(box);
    expect((await listed(box, {}, key)).pagination.total).toBe(0);
    const reply = await box.call('GET', `/bridge/status/${requestId}`, undefined, key);
    expect({ status: reply.status, response_code: reply.envelope.response_code }).toEqual({
      status: 404,
      response_code: '02',
    });
  });
});

test('no sequence of deposits creates, loses or strands tokens', async () => {
  const arrival = fc.record({
    bridge: fc.nat(3),
    asset: fc.constantFrom('CNGN', 'CNGN', 'CNGN', 'USDC'),
    from: fc.constantFrom(SENDER, SENDER, STRANGER),
    micro: fc.integer({ min: 1, max: 10 ** 12 }),
    thenMs: fc.constantFrom(0, 1, 150, 300, 10_000),
  });
  const reached = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(arrival, { minLength: 1, maxLength: 12 }), async (arrivals) => {
      await using box = await openSandbox();
      const { smartWallet } = await box.ask(getFintechWallet, {});
      const bridges = [];
      for (const toAddress of [RECEIVER, smartWallet.address, RECEIVER, smartWallet.address])
        bridges.push(await initiate(box, { toAddress }));
      const before = await box.inside(balances, 'read');
      for (const { bridge, asset, from, micro, thenMs } of arrivals) {
        const amount = `${Math.floor(micro / 1e6)}.${String(micro % 1e6).padStart(6, '0')}`;
        await deposit(box, bridges[bridge]?.receivableAddress ?? '', { asset, from, amount });
        await pass(box, thenMs);
        expect(await box.inside(({ store }) => checkLedger(store).balanced, 'read')).toBe(true);
      }
      await settle(box);
      const moved = await gained(box, before);
      expect(Object.values(moved).reduce((sum, minor) => sum + minor, 0n)).toBe(0n);
      expect(moved).not.toHaveProperty(['bridging CNGN']);
      expect(Object.keys(moved).filter((code) => code.endsWith('USDC'))).toEqual([]);
      for (const { requestId } of bridges) reached.add((await statusOf(box, requestId)).status);
    }),
    { numRuns: 25 },
  );
  expect([...reached].sort()).toEqual(['completed', 'failed', 'initiated']);
});
