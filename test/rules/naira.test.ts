import { describe, expect, test } from 'vitest';
import { agreeOn, exchangeKeys, joinTeam, openTeam } from '../plans/support.ts';
import { ADDRESS, OTHER_ADDRESS, pay, ruledMachine, SAVED } from './support.ts';

/** A machine whose embedded sandbox has rules. */
async function ruledSandbox(...rules: readonly string[]) {
  const { run, recorded } = await ruledMachine();
  const sandbox = (...argv: readonly string[]) => run([...argv, '--profile', 'sandbox', '-q', '-o', 'json']);
  const set = (...flags: readonly string[]) => sandbox('profiles', 'rules', 'set', 'sandbox', ...flags, '--yes');
  const onboarded = await sandbox('users', 'onboard', '22345678901', '--wait', '1h', '--yes');
  const { userId } = JSON.parse(onboarded.stdout) as { readonly userId: string };
  expect(await set(...rules)).toMatchObject({ code: 0 });
  /** Expects that a rule stops a command before it is recorded. */
  const stops = async (argv: readonly string[], code: string, detail: string) => {
    const before = recorded().length;
    const ran = await sandbox(...argv);
    const error = ran.code === 9 ? JSON.parse(ran.stderr).error : { code: '', message: ran.stderr };
    expect({ exit: ran.code, code: error.code, message: error.message, recorded: recorded().length }).toEqual({
      exit: 9,
      code,
      recorded: before,
      message: expect.stringContaining(detail),
    });
  };
  const passes = async (argv: readonly string[]) => {
    const { code, stderr } = await sandbox(...argv);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  };
  return { sandbox, set, userId, stops, passes };
}

const payout = (amount: string) => ['payout', 'create', '--amount', amount, '--to', 'default', '--yes', '--again'];
const defaultWallet = (userId: string, address: string) => [
  'users',
  'default-wallet',
  'set',
  userId,
  '--address',
  address,
  '--network',
  'base',
  '--yes',
];
const offramp = (userId: string, amount: string) => [
  'offramp',
  'create',
  userId,
  '--amount',
  amount,
  '--bank-code',
  '000013',
  '--account-number',
  '0123456789',
  '--yes',
  '--again',
];

describe('a limit of Naira or cNGN limits both as one sum', () => {
  test('a payout of ₦50,000 stops under a limit of ₦1,000', async () => {
    const { stops } = await ruledSandbox('--max-per-call', 'NGN 1000');
    await stops(payout('50000'), 'RULE_AMOUNT', '50,000.00 cNGN is above ₦1,000.00 per call');
  });

  test('an offramp of ₦5,000 stops under a limit of 1,000 cNGN', async () => {
    const { stops, userId } = await ruledSandbox('--max-per-call', 'CNGN 1000');
    await stops(offramp(userId, '5000'), 'RULE_AMOUNT', '₦5,000.00 is above 1,000.00 cNGN per call');
  });

  test('counts to the base unit, and never rounds for the spender', async () => {
    const { stops, passes } = await ruledSandbox('--max-per-call', 'NGN 1000');
    await stops(payout('1000.000001'), 'RULE_AMOUNT', '1,000.000001 cNGN is above ₦1,000.00 per call');
    await passes(payout('1000'));
  });

  test('adds up both in a day', async () => {
    const { stops, passes } = await ruledSandbox('--max-per-day', 'NGN 1500');
    await passes(payout('999.99'));
    await stops(pay('500.02'), 'RULE_AMOUNT', '₦500.02 is above the ₦500.01 that is left of ₦1,500.00 today');
    await passes(pay('500'));
    await stops(payout('0.010001'), 'RULE_AMOUNT', '0.010001 cNGN is above the ₦0.01 that is left');
    await passes(payout('0.01'));
  });

  test('holds beside one of the other name', async () => {
    const { stops, passes } = await ruledSandbox('--max-per-day', 'NGN 2000', '--max-per-day', 'CNGN 1500');
    await passes(pay('1000'));
    await stops(payout('500.01'), 'RULE_AMOUNT', 'above the 500.00 cNGN that is left of 1,500.00 cNGN today');
    await passes(payout('500'));
  });

  test('of a command counts what that command sends', async () => {
    const { stops, passes } = await ruledSandbox('--max-per-month', 'NGN 1000 payout create');
    await passes(pay('5000'));
    await passes(payout('600'));
    await stops(payout('401'), 'RULE_AMOUNT', '401.00 cNGN is above the ₦400.00 that is left of ₦1,000.00 this month');
  });
});

describe('an onramp', () => {
  const onramp = (userId: string) => ['onramp', 'create', userId, '--amount', '5000', '--yes'];
  const byApi = (userId: string) => [
    'api',
    'POST',
    '/cngnonramp',
    '-f',
    `userId=${userId}`,
    '-f',
    'amount=5000',
    '--yes',
    '--again',
  ];

  test('is limited by no amount, and uses none up', async () => {
    const limits = ['--max-per-call', 'NGN 1000', '--max-per-day', 'NGN 1500', '--max-per-month', 'CNGN 1500'];
    const { stops, passes, userId } = await ruledSandbox(...limits);
    for (const argv of [onramp(userId), byApi(userId)]) await passes(argv);
    await passes(payout('1000'));
    await stops(pay('500.01'), 'RULE_AMOUNT', 'above the ₦500.00 that is left');
    await passes(pay('500'));
  });

  test('delivers only to an allowed user and default wallet', async () => {
    const { stops, passes, userId, set } = await ruledSandbox('--allow-user', 'somebody-else');
    await stops(onramp(userId), 'RULE_DESTINATION', `user ${userId} is not an allowed destination`);
    await set('--allow-user', userId);
    await passes(onramp(userId));
    await set('--allow-address', ADDRESS);
    await passes(defaultWallet(userId, ADDRESS));
    await passes(onramp(userId));
    await set('--disallow-address', ADDRESS, '--allow-address', OTHER_ADDRESS);
    await stops(onramp(userId), 'RULE_DESTINATION', `the default wallet of user ${userId}, is not an allowed`);
  });
});

test('a payout of ₦5,000 needs approval above ₦1,000', async () => {
  const team = openTeam();
  await joinTeam(team, 'ada', 'bayo');
  await exchangeKeys(team, 'ada', 'bayo');
  await agreeOn(team, 'ada', 'bayo', ['approval-threshold', 'NGN 1000']);
  const ran = await team.run('ada', ['payout', 'create', '--amount', '5000', '--to', SAVED, '--yes']);
  expect(ran).toMatchObject({ code: 9, stderr: expect.stringContaining('approval for more than ₦1,000.00') });
  expect(team.service.sent).toEqual([]);
});

test('a default wallet that is not an allowed address stops', async () => {
  const { stops, passes, userId } = await ruledSandbox('--allow-address', ADDRESS);
  const set = (address: string) => [
    'users',
    'default-wallet',
    'set',
    userId,
    '--address',
    address,
    '--network',
    'base',
    '--yes',
  ];
  await stops(set(OTHER_ADDRESS), 'RULE_DESTINATION', `address ${OTHER_ADDRESS} is not an allowed destination`);
  await passes(set(ADDRESS));
});
