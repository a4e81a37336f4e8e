import { describe, expect, test } from 'vitest';
import { success } from '../support/exchange.ts';
import { ACCOUNT, ADDRESS, MONDAY_MS, OTHER_ADDRESS, pay, payByApi, ruledMachine, SAVED } from './support.ts';

const HOUR_MS = 3_600_000;
const rowsOf = (rules: readonly { readonly rule: string; readonly result: string }[]) =>
  rules.map(({ rule, result }) => `${rule}: ${result}`);

describe('read-only', () => {
  const CHANGES: readonly (readonly [what: string, argv: readonly string[]])[] = [
    ['money', pay('500')],
    ['money through api', payByApi('50000')],
    ['a write', ['users', 'activate', 'u-1', '--yes']],
    ['a write through api', ['api', 'POST', '/manageipallowlist', '-f', 'action=add', '-f', 'ipAddress=203.0.113.7']],
    ['a destructive change', ['bank-accounts', 'remove', SAVED, '--yes']],
    ['an onboarding', ['users', 'onboard', '22345678901', '--yes']],
    ['an order that is removed', ['fx', 'orders', 'cancel', 'order-1', '--yes']],
    ['a key rotation', ['keys', 'rotate', '--yes', '--print-key']],
    ['webhook settings', ['webhooks', 'disable', '--yes']],
  ];

  test.each(CHANGES)('stops %s', async (_what, argv) => {
    const { stops } = await ruledMachine(['--read-only']);
    await stops(argv, 'RULE_READ_ONLY', 'rule read-only of profile main: only reads are allowed');
  });

  test.each(CHANGES)('is what a test of the command line says about %s', async (_what, argv) => {
    const { tests } = await ruledMachine(['--read-only']);
    const { code, rules } = await tests(argv);
    expect({ code, rules }).toEqual({
      code: 9,
      rules: [expect.objectContaining({ rule: 'read-only', result: 'blocks', source: 'profile' })],
    });
  });

  test('allows reads, also those that are a POST', async () => {
    const { run, tests, asked } = await ruledMachine(['--read-only']);
    expect((await run(['fees', 'withdrawals', 'list', '-q', '-o', 'raw'])).code).not.toBe(9);
    const quote = ['pair=CNGN-USDC', 'side=buy', 'cngnAmount=5000'].flatMap((each) => ['-f', each]);
    expect((await run(['api', 'POST', '/fx/quote', ...quote, '-q'])).code).not.toBe(9);
    expect(asked).toEqual(['GET /getwithdrawalhistory', 'POST /fx/quote']);
    const { code, rules } = await tests(['fees', 'withdrawals', 'list']);
    expect({ code, rows: rowsOf(rules) }).toEqual({ code: 0, rows: ['read-only: not applicable'] });
  });

  test('can be removed', async () => {
    const { set, sends } = await ruledMachine(['--read-only']);
    expect((await set(['--read-only', 'off'])).code).toBe(0);
    await sends(pay('500'));
  });

  test('stops before a wizard asks for anything', async () => {
    const { stops } = await ruledMachine(['--read-only']);
    await stops(['fees', 'withdraw', '-q'], 'RULE_READ_ONLY', 'only reads are allowed', {
      isTerminal: true,
    });
  });

  test('stops changes to the embedded sandbox', async () => {
    const { run } = await ruledMachine();
    const on = ['--profile', 'sandbox'];
    expect((await run(['profiles', 'rules', 'set', 'sandbox', '--read-only', '--yes'])).code).toBe(0);
    const { code, stderr } = await run(['sandbox', 'advance', '1h', ...on]);
    expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining('rule read-only of profile sandbox') });
    expect((await run(['balances', 'account', '-q', ...on])).code).toBe(0);
  });
});

describe('the amount of one call', () => {
  test('is allowed up to the limit, and not one kobo above it', async () => {
    const { sends, stops } = await ruledMachine(['--max-per-call', 'NGN 500']);
    await sends(pay('500'));
    await stops(pay('500.01'), 'RULE_AMOUNT', 'rule max-per-call of profile main: ₦500.01 is above ₦500.00 per call');
  });

  test('is that of the wire through api', async () => {
    const { sends, stops } = await ruledMachine(['--max-per-call', 'NGN 500']);
    await sends(payByApi('50000'));
    await stops(payByApi('50001'), 'RULE_AMOUNT', '₦500.01 is above ₦500.00 per call');
    await stops(payByApi('5.0001e4'), 'RULE_AMOUNT', '₦500.01 is above');
    await stops(['api', 'POST', '/feewithdrawal', '-d', '{}', '--yes'], 'RULE_AMOUNT', 'does not say how much NGN');
    await stops(
      ['api', 'POST', '/feewithdrawal', '-d', '{"amount":"50,000"}', '--yes'],
      'RULE_AMOUNT',
      'does not say how much NGN',
    );
    await stops(
      ['api', 'POST', '/feewithdrawal', '-d', '{"amount":-5}', '--yes'],
      'RULE_AMOUNT',
      'does not say how much NGN',
    );
  });

  test('is told by a test, with what is left', async () => {
    const { tests } = await ruledMachine(['--max-per-call', 'NGN 500']);
    expect(await tests(pay('500'))).toMatchObject({
      code: 0,
      rules: [{ result: 'allows', left: { value: '500.00', asset: 'NGN' } }],
    });
    expect(await tests(pay('501'))).toMatchObject({
      code: 9,
      rules: [
        {
          rule: 'max-per-call',
          setting: 'NGN 500',
          result: 'blocks',
          detail: '₦501.00 is above ₦500.00 per call',
        },
      ],
    });
    expect(await tests(payByApi('50100'))).toMatchObject({ code: 9 });
  });

  test('limits only its asset, and only its command', async () => {
    const { sends, stops } = await ruledMachine([
      '--max-per-call',
      'USDC 10',
      '--max-per-call',
      'CNGN 10 payout create',
    ]);
    await sends(pay('500'));
    await sends(['transfers', 'create', '--amount', '500', '--to', ADDRESS, '--yes']);
    await stops(
      ['transfers', 'create', '--amount', '11', '--token', 'USDC', '--to', ADDRESS, '--yes'],
      'RULE_AMOUNT',
      '11.00 USDC is above 10.00 USDC',
    );
    await stops(
      ['payout', 'create', '--amount', '10.000001', '--to', SAVED, '--yes'],
      'RULE_AMOUNT',
      '10.000001 cNGN is above',
    );
    await stops(
      ['api', 'POST', '/initiateofframp', '-f', 'amount=10000001', '-f', `bankAccountId=${SAVED}`, '--yes'],
      'RULE_AMOUNT',
      '10.000001 cNGN is above',
    );
  });

  test('of 0 stops the asset', async () => {
    const { stops } = await ruledMachine(['--max-per-call', 'NGN 0']);
    await stops(pay('0.01'), 'RULE_AMOUNT', '₦0.01 is above ₦0.00 per call');
  });

  test('is what max stands for', async () => {
    const { run, sends } = await ruledMachine();
    const on = ['--profile', 'sandbox'];
    const set = (limit: string) => run(['profiles', 'rules', 'set', 'sandbox', '--max-per-call', limit, '--yes']);
    await set('NGN 1000');
    const { code, stderr } = await run([...pay('max'), ...on]);
    expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining('is above ₦1,000.00 per call') });
    await set('NGN off');
    expect((await run([...pay('max'), ...on])).code).toBe(0);
    await sends(pay('5'));
  });

  test.each([
    ['a quote', ['--quote', 'quote-1'], 'CNGN 1', 'does not say how much cNGN'],
    ['an order', ['--order', 'order-1', '--amount', '5'], 'USDT 1', 'does not say how much USDT'],
    [
      'a sale of stablecoin',
      ['--pair', 'CNGN-USDC', '--side', 'sell', '--amount', '1000'],
      'USDC 1',
      'does not say how much USDC',
    ],
    ['a purchase', ['--pair', 'CNGN-USDC', '--side', 'buy', '--amount', '1000'], 'CNGN 999', '1,000.00 cNGN is above'],
  ])('that %s of FX does not say is above every limit of its asset', async (_what, more, limit, detail) => {
    const { stops } = await ruledMachine(['--max-per-call', limit]);
    await stops(['fx', 'trade', ...more, '--yes'], 'RULE_AMOUNT', detail);
  });

  test('of an FX trade is not what its request says if it also names a quote', async () => {
    const { stops } = await ruledMachine(['--max-per-call', 'CNGN 10']);
    const fields = ['quoteId=q', 'pair=CNGN-USDC', 'side=buy', 'cngnAmount=1'].flatMap((each) => ['-f', each]);
    await stops(['api', 'POST', '/fx/trade', ...fields, '--yes'], 'RULE_AMOUNT', 'does not say how much cNGN');
  });

  test('of an FX purchase does not concern the stablecoin', async () => {
    const { sends } = await ruledMachine(['--max-per-call', 'USDC 1', '--max-per-call', 'USDT 1']);
    await sends(['fx', 'trade', '--pair', 'CNGN-USDC', '--side', 'buy', '--amount', '1000', '--yes']);
  });

  test('of an order is its maximum, and pausing one moves nothing', async () => {
    const { stops, sends } = await ruledMachine(['--max-per-call', 'CNGN 1000']);
    const order = ['fx', 'orders', 'create', '--pair', 'CNGN-USDC', '--side', 'buy', '--price', '1400', '--min', '1'];
    await stops([...order, '--max', '1001', '--yes'], 'RULE_AMOUNT', '1,001.00 cNGN is above');
    await stops(
      ['fx', 'orders', 'update', 'order-1', '--max', '1001', '--yes'],
      'RULE_AMOUNT',
      '1,001.00 cNGN is above',
    );
    await sends(['api', 'PUT', '/fx/limit-order/update', '-f', 'orderId=o', '-f', 'status=paused', '--yes']);
  });
});

describe('the amount of a day and a month', () => {
  test('adds up what was sent, to the kobo', async () => {
    const { sends, stops, tests } = await ruledMachine(['--max-per-day', 'NGN 1000']);
    await sends(pay('600'));
    await stops(pay('400.01'), 'RULE_AMOUNT', '₦400.01 is above the ₦400.00 that is left of ₦1,000.00 today');
    await stops(payByApi('40001'), 'RULE_AMOUNT', '₦400.01 is above the ₦400.00 that is left');
    expect(await tests(pay('400'))).toMatchObject({
      code: 0,
      rules: [{ rule: 'max-per-day', left: { value: '400.00' } }],
    });
    expect(await tests(pay('401'))).toMatchObject({
      code: 9,
      rules: [{ result: 'blocks', left: { value: '400.00' } }],
    });
    await sends(pay('400'));
    await stops(pay('0.01'), 'RULE_AMOUNT', 'above the ₦0.00 that is left');
  });

  test('starts over at midnight in Lagos, which is 23:00 UTC', async () => {
    const { at, sends, stops } = await ruledMachine(['--max-per-day', 'NGN 1000']);
    at(Date.UTC(2026, 0, 5, 22, 59, 59, 999));
    await sends(pay('1000'));
    await stops(pay('1'), 'RULE_AMOUNT', 'left of ₦1,000.00 today');
    at(Date.UTC(2026, 0, 5, 23));
    await sends(pay('1000'));
    at(Date.UTC(2026, 0, 6, 22, 59));
    await stops(pay('1'), 'RULE_AMOUNT', 'left of ₦1,000.00 today');
  });

  test('of a month ends with the month of Lagos', async () => {
    const { at, sends, stops, tests } = await ruledMachine(['--max-per-month', 'NGN 1000']);
    await sends(pay('999'));
    at(Date.UTC(2026, 0, 31, 22, 59));
    await stops(pay('2'), 'RULE_AMOUNT', '₦2.00 is above the ₦1.00 that is left of ₦1,000.00 this month');
    expect(await tests(pay('2'))).toMatchObject({ code: 9, rules: [{ rule: 'max-per-month' }] });
    at(Date.UTC(2026, 0, 31, 23));
    await sends(pay('1000'));
  });

  test('of a command counts only that command, which api cannot evade', async () => {
    const { sends, stops, tests } = await ruledMachine(['--max-per-day', 'NGN 1000 fees withdraw']);
    const offramp = [
      'offramp',
      'create',
      'u-1',
      '--amount',
      '5000',
      '--bank-code',
      '000013',
      '--account-number',
      '0123456789',
    ];
    await sends([...offramp, '--yes']);
    await sends(pay('1000'));
    await stops(pay('1'), 'RULE_AMOUNT', '₦1.00 is above the ₦0.00 that is left');
    await stops(payByApi('1'), 'RULE_AMOUNT', 'only fiatrail fees withdraw counts towards its sum');
    expect(await tests(payByApi('1'))).toMatchObject({ code: 9 });
    expect(await tests([...offramp])).toMatchObject({ code: 0, rules: [{ result: 'not applicable', left: null }] });
  });

  test('does not count what was rejected', async () => {
    const { run, tests } = await ruledMachine();
    const on = ['--profile', 'sandbox'];
    await run(['profiles', 'rules', 'set', 'sandbox', '--max-per-day', 'NGN 200000000', '--yes']);
    expect((await run([...payByApi('15000000000'), ...on])).code).toBe(3);
    expect((await run([...pay('500'), ...on])).code).toBe(0);
    const { rules } = await tests([...on, ...pay('1')]);
    expect(rules).toMatchObject([{ left: { value: '199999500.00' } }]);
  });
});

describe('destinations', () => {
  const USERS = ['u-1', 'listed-wallet', 'other-wallet', 'unknown-wallet', 'anothers-wallet'];
  const RULES = [
    '--allow-account',
    ACCOUNT,
    '--allow-address',
    ADDRESS,
    ...USERS.flatMap((user) => ['--allow-user', user]),
  ];
  const OTHER_ID = '0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1df';
  const wallet = (...more: readonly string[]) => [
    'wallets',
    'external',
    'add',
    '--network',
    'base',
    '--wallet-type',
    'cold',
    '--yes',
    ...more,
  ];
  const bank = (number: string) => ['--bank-code', '000013', '--account-number', number];
  const defaultWallet = (address: string) => [
    'users',
    'default-wallet',
    'set',
    'u-1',
    '--address',
    address,
    '--network',
    'base',
    '--yes',
  ];
  const ALLOWED: readonly (readonly [what: string, argv: readonly string[]])[] = [
    ['a bank account', pay('500')],
    ['a bank account through api', payByApi('50000')],
    ['a bank account of an offramp', ['offramp', 'create', 'u-9', '--amount', '5', ...bank('0123456789'), '--yes']],
    ['a saved bank account', ['payout', 'create', '--amount', '5', '--to', SAVED, '--yes']],
    ['an address', ['transfers', 'create', '--amount', '5', '--to', ADDRESS, '--yes']],
    ['an address in another case', ['transfers', 'create', '--amount', '5', '--to', ADDRESS.toLowerCase(), '--yes']],
    ['a user', ['onramp', 'create', 'u-1', '--amount', '5', '--yes']],
    ['a user with an allowed default wallet', ['onramp', 'create', 'listed-wallet', '--amount', '5', '--yes']],
    ['an allowed default wallet', defaultWallet(ADDRESS)],
    ['an allowed default wallet of the account', wallet(ADDRESS, '--default')],
    ['an external wallet that is not the default', wallet(OTHER_ADDRESS)],
    ['an external wallet to be disabled', ['wallets', 'external', 'disable', OTHER_ADDRESS]],
    ['a default wallet to be removed', ['users', 'default-wallet', 'remove', 'u-1', '--yes']],
    [
      'a swap that stays with a user',
      ['swaps', 'create', 'u-1', '--sell', 'USDC', '--buy', 'CNGN', '--amount', '5', '--yes'],
    ],
    [
      'a trade that stays with the account',
      ['fx', 'trade', '--pair', 'CNGN-USDC', '--side', 'buy', '--amount', '1000', '--yes'],
    ],
  ];

  test.each(ALLOWED)('allow %s', async (_what, argv) => {
    const { sends, tests } = await ruledMachine(RULES);
    expect((await tests(argv)).code).toBe(0);
    await sends(argv);
  });

  const STOPPED: readonly (readonly [what: string, argv: readonly string[], detail: string])[] = [
    [
      'another bank account',
      pay('500').map((each) => each.replace('0123456789', '0123456780')),
      'bank account 000013/0123456780 is not an allowed destination',
    ],
    [
      'another bank account through api',
      payByApi('50000').map((each) => each.replace('0123456789', '0123456780')),
      'bank account 000013/0123456780',
    ],
    [
      'the same number at another bank',
      payByApi('50000').map((each) => each.replace('000013', '000014')),
      'bank account 000014/0123456789',
    ],
    [
      'a bank account that the request does not say',
      ['api', 'POST', '/feewithdrawal', '-d', '{"amount":5,"bankCode":"000013"}', '--yes'],
      'does not say where the money goes',
    ],
    [
      'another address',
      ['transfers', 'create', '--amount', '5', '--to', OTHER_ADDRESS, '--yes'],
      `address ${OTHER_ADDRESS} is not`,
    ],
    [
      'a withdrawal',
      [
        'withdrawals',
        'create',
        'u-1',
        '--amount',
        '5',
        '--token',
        'CNGN',
        '--from',
        ADDRESS,
        '--to',
        OTHER_ADDRESS,
        '--yes',
      ],
      `address ${OTHER_ADDRESS} is not`,
    ],
    ['another user', ['onramp', 'create', 'u-2', '--amount', '5', '--yes'], 'user u-2 is not an allowed destination'],
    [
      'a user whose default wallet is another address',
      ['onramp', 'create', 'other-wallet', '--amount', '5', '--yes'],
      `address ${OTHER_ADDRESS}, the default wallet of user other-wallet, is not`,
    ],
    [
      'a user whose default wallet the service does not say',
      ['onramp', 'create', 'unknown-wallet', '--amount', '5', '--yes'],
      'the default wallet of user unknown-wallet could not be looked up',
    ],
    [
      'a user for whom the service shows the default wallet of another',
      ['onramp', 'create', 'anothers-wallet', '--amount', '5', '--yes'],
      'the default wallet of user anothers-wallet could not be looked up',
    ],
    [
      'a saved bank account for which the service shows another one',
      ['payout', 'create', '--amount', '5', '--to', OTHER_ID, '--yes'],
      `bank account ${OTHER_ID} could not be looked up`,
    ],
    ['another default wallet', defaultWallet(OTHER_ADDRESS), `address ${OTHER_ADDRESS} is not`],
    [
      'another default wallet through api',
      [
        'api',
        'POST',
        '/setuserdefaultwallet',
        '-f',
        'userId=u-1',
        '-f',
        `address=${OTHER_ADDRESS}`,
        '-f',
        'blockchain=base',
        '--yes',
      ],
      `address ${OTHER_ADDRESS} is not`,
    ],
    ['another default wallet of the account', wallet(OTHER_ADDRESS, '--default'), `address ${OTHER_ADDRESS} is not`],
    [
      'an external wallet that is enabled, and may be the default',
      ['wallets', 'external', 'enable', OTHER_ADDRESS, '--yes'],
      `address ${OTHER_ADDRESS} is not`,
    ],
    [
      'a vault with another address',
      [
        'api',
        'POST',
        '/fx/mpc/register',
        '--yes',
        '-d',
        JSON.stringify({
          mpcVaultApiKey: 'k',
          callbackClientSignerPublicKey: 'ssh-ed25519 AAAA',
          mpcClientSignerPrivateKey: 'p',
          vaultId: 'v',
          tokenWallets: { USDT: ADDRESS, USDC: OTHER_ADDRESS },
          notificationEmails: ['a@b.test'],
        }),
      ],
      `address ${OTHER_ADDRESS} is not`,
    ],
    [
      'another owner of the wallet',
      ['onramp', 'create', 'u-1', '--amount', '5', '--owner', OTHER_ADDRESS, '--yes'],
      `address ${OTHER_ADDRESS} is not`,
    ],
    [
      'a swap to another address',
      ['swaps', 'create', 'u-1', '--sell', 'USDC', '--buy', 'CNGN', '--amount', '5', '--to', OTHER_ADDRESS, '--yes'],
      `address ${OTHER_ADDRESS} is not`,
    ],
    [
      'a swap whose destination was set before',
      ['swaps', 'create', '--wallet', ADDRESS, '--sell', 'CNGN', '--yes'],
      'does not say where the money goes',
    ],
    [
      'a trade to another address',
      ['fx', 'trade', '--pair', 'CNGN-USDC', '--side', 'buy', '--amount', '1000', '--to', OTHER_ADDRESS, '--yes'],
      `address ${OTHER_ADDRESS} is not`,
    ],
    [
      'a bridge',
      [
        'bridge',
        'create',
        '--from-network',
        'base',
        '--to-network',
        'bsc',
        '--amount',
        '5',
        '--from',
        ADDRESS,
        '--to',
        OTHER_ADDRESS,
        '--yes',
      ],
      `address ${OTHER_ADDRESS} is not`,
    ],
  ];

  test.each(STOPPED)('stop %s', async (_what, argv, detail) => {
    const { stops, tests } = await ruledMachine(RULES);
    await stops(argv, 'RULE_DESTINATION', detail);
    expect(await tests(argv)).toMatchObject({ code: 9, rules: [{ rule: 'destinations', result: 'blocks' }] });
  });

  test('of one kind stop the other kinds', async () => {
    const { stops, sends } = await ruledMachine(['--allow-account', ACCOUNT]);
    await sends(pay('500'));
    await stops(
      ['transfers', 'create', '--amount', '5', '--to', ADDRESS, '--yes'],
      'RULE_DESTINATION',
      `address ${ADDRESS} is not`,
    );
    await stops(['onramp', 'create', 'u-1', '--amount', '5', '--yes'], 'RULE_DESTINATION', 'user u-1 is not');
  });

  test.each([
    ['--allow-address', ADDRESS],
    ['--allow-user', 'u-1'],
  ])('of one kind stop the other kinds: %s', async (flag, entry) => {
    const { stops } = await ruledMachine([flag, entry]);
    await stops(pay('500'), 'RULE_DESTINATION', `bank account ${ACCOUNT} is not`);
  });

  test('stop a payment whose saved bank account the service answers with another one', async () => {
    const { stops } = await ruledMachine(['--allow-account', ACCOUNT]);
    const payment = ['payout', 'create', '--amount', '5', '--to', `${SAVED}-of-somebody-else`, '--yes'];
    for (const argv of [
      payment,
      ['api', 'POST', '/initiateofframp', '-f', 'amount=5000000', '-f', `bankAccountId=${SAVED}x`, '--yes'],
    ])
      await stops(argv, 'RULE_DESTINATION', 'could not be looked up');
  });

  const ADA = { accountId: SAVED, bankCode: '000013', accountNumber: '0123456789', accountName: 'ADA' };
  const OBI = { ...ADA, accountNumber: '0123456780', accountName: 'OBI' };

  test.each<[string, readonly object[]]>([
    ['two accounts', [ADA, OBI]],
    ['two accounts, the allowed one last', [OBI, ADA]],
    ['the allowed account twice', [ADA, ADA]],
    ['no account', []],
    ['another account', [{ ...ADA, accountId: `${SAVED}x` }]],
    ['an account without its bank', [{ ...ADA, bankCode: null }]],
    ['an account without its number', [{ ...ADA, accountNumber: null }]],
  ])('stop a payment whose saved bank account the service answers with %s', async (_what, accounts) => {
    const { stops } = await ruledMachine(['--allow-account', ACCOUNT]);
    const network = async () => success({ accounts });
    for (const argv of [
      ['payout', 'create', '--amount', '5', '--to', SAVED, '--yes'],
      ['api', 'POST', '/initiateofframp', '-f', 'amount=5000000', '-f', `bankAccountId=${SAVED}`, '--yes'],
    ])
      await stops(argv, 'RULE_DESTINATION', 'could not be looked up', { network });
  });

  test('stop a saved bank account that is another one, after looking it up', async () => {
    const { stops, asked } = await ruledMachine(['--allow-account', '000013/0123456780']);
    await stops(
      ['payout', 'create', '--amount', '5', '--to', SAVED, '--yes'],
      'RULE_DESTINATION',
      `bank account ${ACCOUNT} is not`,
    );
    expect(asked).toEqual(['GET /getbankaccounts']);
  });

  test('whose last entry was removed allow nothing', async () => {
    const { set, stops, sends } = await ruledMachine(['--allow-account', ACCOUNT]);
    await set(['--disallow-account', ACCOUNT]);
    await stops(pay('500'), 'RULE_DESTINATION', `bank account ${ACCOUNT} is not`);
    await set(['--allow-account', 'off']);
    await sends(pay('500'));
  });
});

describe('a day', () => {
  const DAY_MS = 24 * HOUR_MS;

  test.each([
    ['ahead', DAY_MS],
    ['behind', -DAY_MS],
  ])('is that of the service, so that a clock that is set a day %s frees no limit', async (_what, aheadMs) => {
    const { at, sends, stops, tests } = await ruledMachine(['--max-per-day', 'NGN 40']);
    at(MONDAY_MS, MONDAY_MS);
    await sends(pay('35'));
    at(MONDAY_MS + aheadMs, MONDAY_MS);
    expect((await tests(pay('35'))).code).toBe(9);
    await stops(pay('35'), 'RULE_AMOUNT', 'max-per-day');
    await sends(pay('5'));
    at(MONDAY_MS, MONDAY_MS);
    await stops(pay('1'), 'RULE_AMOUNT', 'max-per-day');
    at(MONDAY_MS, MONDAY_MS + DAY_MS);
    await sends(pay('40'));
  });
});

describe('hours', () => {
  test.each([
    ['the first minute', MONDAY_MS - 2 * HOUR_MS, true],
    ['the minute before', MONDAY_MS - 2 * HOUR_MS - 1, false],
    ['the last millisecond', MONDAY_MS + 8 * HOUR_MS - 1, true],
    ['the end', MONDAY_MS + 8 * HOUR_MS, false],
    ['a Saturday', MONDAY_MS - 48 * HOUR_MS, false],
  ])('allow or stop changes at %s', async (_what, timeMs, isAllowed) => {
    const { at, sends, stops, tests } = await ruledMachine(['--hours', 'Mon-Fri  08:00-18:00']);
    at(timeMs);
    expect((await tests(pay('5'))).code).toBe(isAllowed ? 0 : 9);
    if (isAllowed) await sends(pay('5'));
    else {
      await stops(
        pay('5'),
        'RULE_HOURS',
        'rule hours of profile main: changes are allowed mon-fri 08:00-18:00, and it is',
      );
      await stops(payByApi('5'), 'RULE_HOURS', 'in Lagos');
      await stops(['users', 'activate', 'u-1', '--yes'], 'RULE_HOURS', 'in Lagos');
    }
  });

  test.each([
    ['in them', MONDAY_MS, MONDAY_MS + 10 * HOUR_MS, false],
    ['in them on another day', MONDAY_MS, MONDAY_MS - 48 * HOUR_MS, false],
    ['outside them', MONDAY_MS + 10 * HOUR_MS, MONDAY_MS, true],
  ])(
    'are those of the service, whose clock the user of a machine %s cannot set',
    async (_what, hostMs, serviceMs, isAllowed) => {
      const { at, sends, stops, tests } = await ruledMachine(['--hours', 'mon-fri 08:00-18:00']);
      at(hostMs, serviceMs);
      expect((await tests(pay('5'))).code).toBe(isAllowed ? 0 : 9);
      if (isAllowed) await sends(pay('5'));
      else await stops(pay('5'), 'RULE_HOURS', 'changes are allowed mon-fri 08:00-18:00');
    },
  );

  test('do not stop reads', async () => {
    const { at, run } = await ruledMachine(['--hours', 'mon 08:00-09:00']);
    at(MONDAY_MS);
    expect((await run(['fees', 'withdrawals', 'list', '-o', 'raw', '-q'])).code).not.toBe(9);
  });

  test('may have several windows', async () => {
    const { at, sends, stops } = await ruledMachine(['--hours', 'mon 00:00-24:00', '--hours', 'sat,sun 10:00-11:00']);
    await sends(pay('5'));
    at(MONDAY_MS - 48 * HOUR_MS);
    await sends(pay('6'));
    at(MONDAY_MS - 47 * HOUR_MS);
    await stops(pay('5'), 'RULE_HOURS', 'mon 00:00-24:00 and sat,sun 10:00-11:00, and it is Sat 11:00 in Lagos');
  });
});

describe('a required idempotency key', () => {
  const once = (argv: readonly string[]) => argv.filter((each) => each !== '--again');

  test('stops money without one', async () => {
    const { stops, tests, sends } = await ruledMachine(['--require-once']);
    await stops(pay('5'), 'RULE_ONCE_KEY', 'a command that moves money needs an idempotency key');
    await stops(payByApi('500'), 'RULE_ONCE_KEY', 'a command that moves money needs an idempotency key');
    expect(await tests(once(pay('5')))).toMatchObject({
      code: 9,
      rules: [{ rule: 'require-once', result: 'blocks' }],
    });
    expect(await tests([...once(pay('5')), '--once', 'k'])).toMatchObject({ code: 0, rules: [{ result: 'allows' }] });
    await sends([...once(pay('5')), '--once', 'k']);
    await sends([...once(payByApi('500')), '--once', 'k2']);
    await sends(['fx', 'orders', 'update', 'order-1', '--max', '5', '--yes']);
    await sends(['users', 'activate', 'u-1', '--yes']);
  });

  test('stops a wizard before it asks for anything', async () => {
    const { stops } = await ruledMachine(['--require-once']);
    await stops(['fees', 'withdraw', '-q'], 'RULE_ONCE_KEY', 'needs an idempotency key', {
      isTerminal: true,
    });
  });

  test('that was used before reports what was done, whatever the rules say now', async () => {
    const { sends, run, set, sent, stops } = await ruledMachine(['--hours', 'mon 10:00-11:00']);
    await sends([...once(pay('5')), '--once', 'k']);
    await set(['--read-only', '--max-per-call', 'NGN 1']);
    expect((await run([...once(pay('5')), '--once', 'k', '-q'])).code).toBe(0);
    await stops([...once(pay('5')), '--once', 'k2'], 'RULE_READ_ONLY', 'only reads');
    expect(sent()).toHaveLength(1);
  });

  test('does not stop a dry run', async () => {
    const { run, sent } = await ruledMachine(['--require-once', '--read-only']);
    expect((await run([...pay('5'), '--dry-run', '-q'])).code).toBe(0);
    expect(sent()).toEqual([]);
  });
});

test('several rules name the one that does not hold, and a test shows each', async () => {
  const { stops, tests } = await ruledMachine([
    '--max-per-call',
    'NGN 500',
    '--max-per-day',
    'NGN 100',
    '--hours',
    'mon-sun 00:00-24:00',
  ]);
  await stops(pay('200'), 'RULE_AMOUNT', 'rule max-per-day');
  const { rules, stderr } = await tests(pay('200'));
  expect(rowsOf(rules)).toEqual(['hours: allows', 'max-per-call: allows', 'max-per-day: blocks']);
  expect(stderr).toContain('RULE_AMOUNT');
});

test('a test of a command line that sends nothing says so', async () => {
  const { run } = await ruledMachine(['--read-only']);
  const { code, stderr } = await run(['profiles', 'rules', 'test', '--', 'profiles', 'list']);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('profiles list changes nothing') });
  const wrong = await run(['profiles', 'rules', 'test', '--', 'fees', 'withdraw', '--amount', 'x', '--yes']);
  expect(wrong.code).toBe(2);
});

test('an account of the environment has no rules of a profile', async () => {
  const { run, asked } = await ruledMachine(['--read-only']);
  const env = { FIATRAIL_BASE_URL: 'https://host.test/v1', FIATRAIL_API_KEY: 'sandbox_planted_5ec7e7' };
  const argv = pay('5');
  await run(argv.slice(0), { env });
  // --profile main takes precedence, with its rules.
  expect(asked).toEqual([]);
});
