import { describe, expect, test } from 'vitest';
import { balanceUser } from '../../src/contract/endpoints/balances.ts';
import { createLimitOrder, createOrder } from '../../src/contract/endpoints/fx-orders.ts';
import { trade, tradeStatus } from '../../src/contract/endpoints/fx-trades.ts';
import { fxSettings } from '../../src/contract/endpoints/fx-vault.ts';
import { startSwap, swapStatus } from '../../src/contract/endpoints/swaps.ts';
import { openSandbox, type Reply, type TestSandbox } from '../support/sandbox.ts';
import { expectSettledLedger, fund, keyOf, onboardUser, pass, payIn, secondKey, settle } from './steps.ts';

const codes = ({ status, envelope }: Reply) => [status, envelope.response_code];

/** Removes every order, so that the test's orders are alone on the book. */
function clearBook(box: TestSandbox): Promise<number> {
  return box.inside(({ store }) => store.run(`UPDATE fx_order SET state = 'deleted'`));
}

/** Returns the payloads of an emitted event, oldest first. */
async function payloads(box: TestSandbox, event: string): Promise<Record<string, unknown>[]> {
  const rows = await box.inside(({ store }) =>
    store.all<{ data: string }>('SELECT data FROM outbox WHERE event = ? ORDER BY id', event),
  );
  return rows.map(({ data }) => JSON.parse(data));
}

const lowest = { pair: 'CNGN-USDC', side: 'buy', price: '0.000001', spread: 50, minAmount: '1' } as const;

describe('an order at the lowest price', () => {
  test('has a positive taker price, however large its spread', async () => {
    await using box = await openSandbox();
    await clearBook(box);
    const { orderId } = await box.ask(createLimitOrder, { ...lowest, maxAmount: '1000' }, await secondKey(box));
    const quote = await box.call('POST', '/fx/quote', { pair: 'CNGN-USDC', side: 'sell', cngnAmount: '1000' });
    expect(quote.envelope.data).toMatchObject({ quote: { price: '0.000001', usdcAmount: '1000000000.000000' } });
    expect(codes(await box.call('POST', '/fx/trade', { orderId, cngnAmount: '1' }))).toEqual([400, '01']);
  });

  test('fills nothing that would cost more stablecoin than can exist', async () => {
    await using box = await openSandbox();
    await clearBook(box);
    const { orderId } = await box.ask(
      createOrder,
      {
        orderType: 'sell',
        baseCurrency: 'cNGN',
        quoteCurrency: 'USDC',
        price: '0.000001',
        minAmount: '1',
        maxAmount: '100000000',
      },
      await keyOf(box, 3),
    );
    const ask = { pair: 'CNGN-USDC', side: 'sell', cngnAmount: '20000000' };
    const replies = [
      await box.call('POST', '/fx/quote', ask),
      await box.call('POST', '/fx/trade', { orderId, cngnAmount: ask.cngnAmount }),
      await box.call('POST', '/fx/market-order', ask),
    ];
    expect(replies.map(codes)).toEqual([
      [404, '02'],
      [404, '02'],
      [404, '02'],
    ]);
  });
});

test('a trade against one order uses its exact price, however high', async () => {
  await using box = await openSandbox();
  const order = { pair: 'CNGN-USDC', side: 'buy', price: '9999999999', spread: 0.1 } as const;
  const maker = await secondKey(box);
  const { orderId } = await box.ask(createLimitOrder, { ...order, minAmount: '0.000001', maxAmount: '1' }, maker);
  const { trade: made } = await box.ask(trade, { orderId: String(orderId), cngnAmount: '0.000001' });
  expect(made.price).toBe('9989999999.001000');
});

describe('amounts with leading zeros', () => {
  test('keep their value in orders', async () => {
    await using box = await openSandbox();
    const order = { pair: 'CNGN-USDC', side: 'sell', price: '01400', spread: 0.1 } as const;
    const made = await box.ask(createLimitOrder, { ...order, minAmount: '001', maxAmount: '0100.50' });
    expect({ price: made.price, minAmount: made.minAmount, maxAmount: made.maxAmount }).toEqual({
      price: '1400.000000',
      minAmount: '1.000000',
      maxAmount: '100.500000',
    });
  });

  test('keep their value in quotes and trades', async () => {
    await using box = await openSandbox();
    const asked = { pair: 'CNGN-USDC', side: 'buy', cngnAmount: '01000' };
    const replies = [
      await box.call('POST', '/fx/quote', asked),
      await box.call('POST', '/fx/trade', asked),
      await box.call('POST', '/fx/market-order', asked),
    ];
    expect(replies.map(codes)).toEqual([
      [200, '00'],
      [200, '00'],
      [200, '00'],
    ]);
    expect(replies[1]?.envelope.data).toMatchObject({ trade: { cngnAmount: '1000.000000' } });
  });
});

test.each([
  ['/fx/trade', { pair: 'CNGN-USDC', side: 'buy', cngnAmount: '1000' }, 'more'],
  ['/addexternalwallet', { address: `0x${'ab'.repeat(20)}`, blockchain: 'base', type: 'hot' }, 'metadata'],
])('a deeply nested request to %s is rejected', async (path, fields, name) => {
  await using box = await openSandbox();
  const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
  const body = `${JSON.stringify(fields).slice(0, -1)},"${name}":${deep}}`;
  expect(codes(await box.call('POST', path, body))).toEqual([400, '01']);
});

test('a rejection names each problem of a field once', async () => {
  await using box = await openSandbox();
  const { envelope } = await box.call('POST', '/fx/trade', { idempotencyKey: '' });
  expect(envelope.error?.split('idempotencyKey').length).toBe(2);
});

test.each(['2026-02-29', '2026-02-30T10:00:00Z', '2026-04-31'])('%s is rejected as a start date', async (startDate) => {
  await using box = await openSandbox();
  expect(codes(await box.call('GET', `/swaphistory?startDate=${startDate}`))).toEqual([400, '01']);
});

test('unknown fields of a trade request do not make it another request, and are not stored', async () => {
  await using box = await openSandbox();
  const asked = { pair: 'CNGN-USDC', side: 'buy', cngnAmount: '1000', idempotencyKey: 'once' } as const;
  const { trade: first } = await box.ask(trade, { ...asked, remark: 'KEEP-OUT' } as typeof asked);
  const { trade: again } = await box.ask(trade, asked);
  expect(again.tradeId).toBe(first.tradeId);
  const kept = await box.inside(({ store }) => store.all('SELECT input FROM fx_trade'));
  expect(JSON.stringify(kept)).not.toContain('KEEP-OUT');
});

test('a fee of 100% leaves exactly zero of a deposit', async () => {
  await using box = await openSandbox();
  const fee = { percentageFee: 100, capFee: 1_000_000_000_000, enabled: true };
  await box.call('PUT', '/managefees', { onrampFee: fee });
  const user = await onboardUser(box);
  await payIn(box, user.accountNumber, 100_000n, user.name);
  await settle(box);
  await expectSettledLedger(box);
  const [{ amount } = {}] = await payloads(box, 'fintech.user.deposit.funding.completed');
  expect(amount).toBe('0.00');
  const accumulated = await box.call('GET', '/getaccumulatedfees');
  // ₦200,000 of the seed, plus the deposit less the platform's 1.7 percent.
  expect(accumulated.envelope.data).toMatchObject({ summary: { onrampFees: 20_000_000 + 98_300 } });
});

test('a swap without a price at the time of the request accepts no later price', async () => {
  await using box = await openSandbox();
  const user = await onboardUser(box);
  await fund(box, user, 10_000, { sweepToOfframp: true });
  await clearBook(box);
  const asked = { userId: user.userId, sellToken: 'CNGN', buyToken: 'USDC', amount: 5000, slippage: 1 } as const;
  const { requestId } = await box.ask(startSwap, asked);
  await box.ask(
    createLimitOrder,
    { pair: 'CNGN-USDC', side: 'sell', price: '999999', spread: 0.1, minAmount: '1', maxAmount: '1000000' },
    await secondKey(box),
  );
  await settle(box);
  expect((await box.ask(swapStatus, { requestId })).status).toBe('failed');
  const held = await box.ask(balanceUser, { userId: user.userId, token: 'CNGN' });
  expect(held.totalBalance).toBe('10000.000000');
});

describe('a vault that is registered again', () => {
  const vault = {
    mpcVaultApiKey: 'vault-api-key',
    callbackClientSignerPublicKey: 'ssh-ed25519 AAAA sandbox',
    mpcClientSignerPrivateKey: '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----',
    vaultId: 'vault-new',
    notificationEmails: ['ops@example.com'],
  };

  /** Returns a function that registers the fintech's vault again with its current wallets. */
  async function registration(box: TestSandbox, apiKey: string): Promise<() => Promise<void>> {
    const { tokenWallets } = await box.ask(fxSettings, {}, apiKey);
    return async () => {
      const { status } = await box.call('POST', '/fx/mpc/register', { ...vault, tokenWallets }, apiKey);
      expect(status).toBe(200);
    };
  }

  const statusOf = async (box: TestSandbox) => (await box.ask(fxSettings, {})).mpcConfigStatus;

  test('does not sign automatically until that is enabled', async () => {
    await using box = await openSandbox();
    for (const maker of [3, 4]) await (await registration(box, await keyOf(box, maker)))();
    const { trade: made } = await box.ask(trade, { pair: 'CNGN-USDC', side: 'buy', cngnAmount: '1000' });
    await settle(box);
    expect((await box.ask(tradeStatus, { tradeId: made.tradeId })).trade.status).toBe('locked');
  });

  test("waits for its own approval, not its predecessor's", async () => {
    await using box = await openSandbox();
    const register = await registration(box, box.apiKey);
    await register();
    await pass(box, 300);
    await register();
    await pass(box, 300);
    expect(await statusOf(box)).toBe('pending');
    await pass(box, 100);
    expect(await statusOf(box)).toBe('active');
  });
});

test('events name the wallets they concern', async () => {
  await using box = await openSandbox();
  const user = await onboardUser(box);
  const { walletAddress } = await fund(box, user, 10_000, { autoSwap: true, assetSwap: 'USDC' });
  const [confirmed] = await payloads(box, 'payments.confirmed');
  expect(confirmed).toMatchObject({ metadata: { walletAddress } });
  const managedWalletAddress = await box.inside(({ store }) =>
    store.get<{ address: string }>(`SELECT address FROM wallet WHERE kind = 'managed'`),
  );
  const [swapped] = await payloads(box, 'swap.completed');
  expect(swapped).toMatchObject({ smartWalletContext: { managedWalletAddress: managedWalletAddress?.address } });
});
