import { describe, expect, test } from 'vitest';
import { savedQuote } from '../../src/account/saved-quotes.ts';
import { feePreview } from '../../src/engine/previews/fees.ts';
import { main } from '../../src/main.ts';
import { json, success } from '../support/exchange.ts';
import { journalRows } from '../support/journal.ts';
import { ACCOUNT, fakeWorld } from '../support/world.ts';

const TO = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

/** Runs a command against a service that answers everything with this text, or with this data. */
async function run(line: string, data: object | string) {
  const network = async () =>
    typeof data === 'string'
      ? { ...json(200, ''), body: `{"status":"Success","response_code":"00","message":"","data":${data}}` }
      : success(data);
  const world = fakeWorld({ env: ACCOUNT, network });
  const code = await main([...line.split(' '), '--no-input'], world);
  const out = world.stdout.text();
  return { code, out, err: world.stderr.text(), world };
}

const printed = async (line: string, data: object | string) => JSON.parse((await run(`${line} -o json`, data)).out);

const unknown = (value: string, asset: string | null) => ({ value, asset, unit: 'unknown' });

describe('an amount with a decimal point where base units or kobo are documented', () => {
  test.each(['8000.00', '8000.50'])('is not converted in the status of an onramp: %s', async (amount) => {
    const data = { requestId: 'r-1', status: 'completed', amount };
    expect(await printed('onramp status r-1', data)).toMatchObject({ amount: unknown(amount, 'CNGN') });
    expect((await run('onramp status r-1', data)).out).toContain(`${amount} (unit unknown, cNGN)`);
  });

  test('is not converted in a transfer, nor in its fees, as a number either', async () => {
    const data = `{"requestId":"r-1","status":"completed","amount":7.0,"feeBreakdown":{"totalFee":"1.000000","netAmount":6e0}}`;
    expect(await printed(`transfers create --amount 7 --to ${TO} --yes`, data)).toMatchObject({
      amount: unknown('7.0', 'CNGN'),
      feeBreakdown: { totalFee: unknown('1.000000', 'CNGN'), netAmount: unknown('6e0', 'CNGN') },
    });
  });

  test('is not converted in what was earned', async () => {
    const data = `{"summary":{"totalAccumulatedFees":"119000.00","pendingFees":1190.00,"collectedFees":119000}}`;
    expect(await printed('fees earned', data)).toMatchObject({
      summary: {
        totalAccumulatedFees: unknown('119000.00', 'NGN'),
        pendingFees: unknown('1190.00', 'NGN'),
        collectedFees: { value: '1190.00', asset: 'NGN' },
      },
    });
  });
});

describe('fees whose unit is not known', () => {
  const WITHDRAW = 'fees withdraw --bank-code 000013 --account-number 0123456789 --account-name ADA --yes --amount';
  const fees = (available: unknown, minimumWithdrawal: unknown) => ({
    summary: { availableForWithdrawal: available },
    details: { minimumWithdrawal },
  });

  test.each([
    ['what is available', '625', fees('119000.00', 1000), 'the withdrawable amount is "119000.00"'],
    ['the minimum', '625', fees(119000, '1000.50'), 'the minimum withdrawal is "1000.50"'],
    ['what is available, for all of it', 'max', fees('119000.00', 1000), 'the withdrawable amount is "119000.00"'],
    ['the minimum, for all of it', 'max', fees(119000, '1000.50'), 'the minimum withdrawal is "1000.50"'],
    ['what is available, for a sweep', 'all', fees('119000.00', 1000), 'the withdrawable amount is "119000.00"'],
  ])('stop a withdrawal: %s', async (_, amount, data, message) => {
    const { code, err, world } = await run(`${WITHDRAW} ${amount}`, data);
    expect({ code, rows: journalRows(world.stateDir) }).toEqual({ code: 5, rows: [] });
    expect(err).toContain(`${message}, which is not known to be in kobo`);
    if (amount === '625') return;
    const { code: tried, err: said } = await run(`${WITHDRAW} ${amount} --dry-run`, data);
    expect({ tried, isSaid: said.includes(message) }).toEqual({ tried: 5, isSaid: true });
  });

  test('are not sent back as a cap', async () => {
    const fee = { percentageFee: 1, capFee: '500.00', enabled: true };
    const { code, err } = await run('fees set --onramp-percent 0.5% --yes', {
      feeConfiguration: { onrampFee: fee, offrampFee: fee },
    });
    expect(code).toBe(5);
    expect(err).toContain('the cap of the onramp fee is "500.00", which is not known to be in kobo; nothing was sent');
  });
});

describe('--require', () => {
  const balance = (totalBalance: string, token: string, more: object = {}) => ({
    token,
    totalBalance,
    networkBalances: [],
    checkedAt: '2026-05-07T15:49:11Z',
    ...more,
  });

  test.each([
    [
      'kobo',
      'CNGN',
      balance('84210.33', 'CNGN', { unit: 'kobo' }),
      'the balance is "84210.33", whose unit is not known',
    ],
    ['another token', 'USDC', balance('84210.000000', 'CNGN'), 'asked for token USDC; the response says token CNGN'],
    ['an unknown token', 'USDC', balance('84210.000000', 'DAI'), 'asked for token USDC; the response says token DAI'],
    ['two tokens', 'USDC', balance('84210.000000', 'USDC', { currency: 'CNGN' }), 'not of USDC'],
    [
      'another token in another field',
      'USDC',
      { totalBalance: '84210.000000', currency: 'CNGN' },
      'the service responded with a balance of cNGN, not of USDC',
    ],
  ])('is not met by a balance in %s', async (_, token, data, message) => {
    for (const line of ['balances account', `balances address ${TO}`, 'balances user u-1']) {
      const { code, err } = await run(`${line} --token ${token} --require 50`, data);
      expect(code).toBe(5);
      expect(err).toContain(message);
    }
  });

  test('is met by enough of the token that was asked for', async () => {
    expect((await run('balances account --token USDC --require 50', balance('50.000000', 'USDC'))).code).toBe(0);
    expect((await run('balances account --token USDC --require 50', balance('49.999999', 'USDC'))).code).toBe(9);
    expect((await run('balances account --require 50', balance('0', 'CNGN'))).code).toBe(9);
  });
});

describe('balances', () => {
  test('in base units are marked, in the table too', async () => {
    const data = { token: 'CNGN', totalBalance: '84210334500', networkBalances: { base: '84210334500', eth: '0' } };
    expect(await printed('balances account', data)).toMatchObject({
      totalBalance: unknown('84210334500', 'CNGN'),
      networkBalances: [
        { network: 'base', balance: unknown('84210334500', 'CNGN') },
        { network: 'eth', balance: { value: '0.000000', asset: 'CNGN' } },
      ],
    });
    const { out } = await run('balances account', data);
    expect(out).toContain('84210334500 (unit unknown, cNGN)');
    expect(out).toMatch(/Empty on +eth/);
  });
});

test('the asset of the liquidity of an order and of a side is not named, because sources contradict each other', async () => {
  const order = { orderId: 'o-1', price: '1425.00', maxAmount: '90000.00', availableLiquidity: '85500.00' };
  const book = { pair: 'CNGN-USDC', buyOrders: [order], sellOrders: [order] };
  const liquidity = { availableLiquidity: { value: '85500.000000', asset: null } };
  expect(await printed('fx book CNGN-USDC', book)).toMatchObject({
    buyOrders: [liquidity],
    sellOrders: [liquidity],
  });
  const stats = { pair: 'CNGN-USDC', totalBuyLiquidity: '9000.00', totalSellLiquidity: '7179.00' };
  expect(await printed('fx stats CNGN-USDC', { pair: 'CNGN-USDC', stats })).toMatchObject({
    totalBuyLiquidity: { value: '9000.000000', asset: 'CNGN' },
    totalSellLiquidity: { value: '7179.000000', asset: null },
  });
});

test('a price limit is not met by a price whose unit is not known', async () => {
  const quote = {
    quoteId: 'q-1',
    pair: 'CNGN-USDC',
    side: 'buy',
    cngnAmount: '5700',
    usdcAmount: '4',
    price: '1425',
    matchedOrders: [],
    expiresAt: '2026-05-07T15:54:11Z',
  };
  const line = 'fx trade --pair CNGN-USDC --side buy --amount 5700 --max-price 1430 --yes';
  const { code, err, world } = await run(line, { quote });
  expect({ code, rows: journalRows(world.stateDir) }).toEqual({ code: 5, rows: [] });
  expect(err).toContain('the quote has no price and amounts that can be compared; nothing was sent');
});

describe('a quote', () => {
  const whole = {
    quoteId: 'q-1',
    pair: 'CNGN-USDC',
    side: 'buy',
    cngnAmount: '5700',
    usdcAmount: '4.00',
    price: '1425.00',
    matchedOrders: [],
    expiresAt: '2026-05-07T15:54:11Z',
  };
  const quoted = async (figures: object) => {
    const { code, world } = await run('fx quote --pair CNGN-USDC --side buy --amount 5700', {
      quote: { ...whole, ...figures },
    });
    return { code, saved: savedQuote(world, 'q-1') };
  };

  test('is saved as the terms of a trade', async () => {
    const { code, saved } = await quoted({});
    expect({ code, price: saved?.price, tokens: saved?.tokenAmount }).toEqual({
      code: 0,
      price: '1425.00',
      tokens: '4.00',
    });
  });

  test.each([
    ['price', { price: '1425000000', usdcAmount: '4.000000' }],
    ['amount of cNGN', { cngnAmount: '5,700.00' }],
    ['amount of the stablecoin', { usdcAmount: '4000000', price: '1425.000000' }],
  ])('is not saved if the unit of its %s is not known', async (_, figures) => {
    expect(await quoted(figures)).toEqual({ code: 0, saved: undefined });
  });
});

test('a fee is not shown as one without a cap if its cap is not known', async () => {
  const account = (capFee: unknown) => ({
    call: async ({ id }: { readonly id: string }) => ({
      data:
        id === 'fees.get'
          ? { feeConfiguration: { onrampFee: { percentageFee: 1, capFee, enabled: true } } }
          : { result: { finalFee: 7500 } },
    }),
  });
  const shown = async (capFee: unknown) =>
    feePreview(account(capFee) as never, 'onramp', { asset: 'NGN', minor: 10_000_000n });
  expect((await shown(50_000)).lines).toEqual([['fees', '₦575.00: ₦75.00 to the platform, ₦500.00 to you']]);
  expect(await shown({ value: '500.00', unit: 'unknown' })).toEqual({
    lines: [['fees', '₦75.00 to the platform']],
    total: undefined,
  });
});

test('another currency beside an amount is said, and the amount is not shown in Naira', async () => {
  const data = { deposits: [{ id: 'd-1', amount: 1500.5, currency: 'USD', status: 'completed' }], total: 1 };
  expect((await printed('history deposits', data)).deposits[0].amount).toEqual({ value: '1500.50', asset: null });
  const { out, err } = await run('history deposits', data);
  expect(out).toContain('1500.50 (asset unknown)');
  expect(out).not.toContain('₦1,500.50');
  expect(err).toContain('warning: currency is "USD" beside amount, which is documented in Naira of NGN');
});

describe('a warning', () => {
  const virtualAccount = {
    accountNumber: '0123456789',
    bankName: 'Harbour Bank',
    accountName: 'Acme',
    amount: 8000,
    totalAmountWithFee: 8120,
  };
  const errors = async (more: object) => {
    const { code, err } = await run('onramp account r-1', { virtualAccount: { ...virtualAccount, ...more } });
    expect(code).toBe(0);
    return err;
  };

  test.each([12345678, '12345678', 123456789, '123456789'])(
    'is that an account number may lack zeros: %j',
    async (accountNumber) => {
      const { length } = String(accountNumber);
      expect(await errors({ accountNumber })).toContain(
        `warning: accountNumber has ${length} digits instead of 10; zeros at its start may be lost`,
      );
    },
  );

  test('is that a total is below its part', async () => {
    expect(await errors({ totalAmountWithFee: 80 })).toContain('warning: totalAmountWithFee is below amount');
  });

  test('is none for what is right', async () => {
    expect(await errors({})).not.toContain('warning:');
  });
});

describe('the amount of a payout’s status, of which the documents contradict each other about the unit', () => {
  const status = (amount: string, more = '') =>
    `{"requestId":"r-1","status":"completed","amount":${amount},"currency":"NGN"${more}}`;

  test.each([
    ['26000', '', unknown('26000', 'NGN')],
    ['"26000"', '', unknown('26000', 'NGN')],
    // Whoever counts kobo writes no point.
    ['26000.00', '', { value: '26000.00', asset: 'NGN' }],
    ['26000.5', '', { value: '26000.50', asset: 'NGN' }],
    ['0', '', { value: '0.00', asset: 'NGN' }],
    ['26000', ',"unit":"naira"', { value: '26000.00', asset: 'NGN' }],
    ['26000', ',"unit":"kobo"', unknown('26000', 'NGN')],
    ['26000', ',"unit":"minutes"', unknown('26000', 'NGN')],
  ])('is known only if the response says it: %s%s', async (amount, more, shown) => {
    expect((await printed('payout status r-1', status(amount, more))).amount).toEqual(shown);
  });

  test('is marked without a warning, because the response contradicts nothing', async () => {
    const { out, err } = await run('payout status r-1', status('26000'));
    expect(out).toContain('26000 (unit unknown, NGN)');
    expect(err).not.toContain('warning:');
  });

  test('does not replace the amount that the start of the payout said', async () => {
    const { world } = await run('payout create --amount 260 --to b-1 --yes -o json --wait 5s', {
      requestId: 'r-1',
      status: 'completed',
      amount: 260,
      currency: 'NGN',
      accounts: [],
    });
    expect(JSON.parse(world.stdout.text())).toMatchObject({
      status: 'completed',
      currency: 'NGN',
      amount: { value: '260.00', asset: 'NGN' },
    });
  });
});
