import { describe, expect, test } from 'vitest';
import { balanceUser } from '../../../src/contract/endpoints/balances.ts';
import { accumulatedFees } from '../../../src/contract/endpoints/fees.ts';
import { offrampStatus } from '../../../src/contract/endpoints/offramp.ts';
import { listUserWallets } from '../../../src/contract/endpoints/wallets.ts';
import { BANK, post, RESERVE, SUPPLY, walletAccount } from '../../../src/service/ledger.ts';
import { openSandbox, type TestSandbox } from '../../support/sandbox.ts';
import {
  balances,
  expectSettledLedger,
  FAILING_ACCOUNT,
  fund,
  nairaOf,
  offramp,
  onboardUser,
  pass,
  payIn,
  settle,
  startRamp,
  type User,
} from '../steps.ts';

const OWNER = `0x${'0e'.repeat(20)}`;

/** A user with 100 cNGN in the managed wallet, 200 and 300 in generated wallets, and 400 in one with a custom owner. */
async function richUser(box: TestSandbox): Promise<User> {
  const user = await onboardUser(box);
  await fund(box, user, 200);
  await fund(box, user, 400, { owner: OWNER });
  await fund(box, user, 300);
  await fund(box, user, 100, { sweepToOfframp: true });
  return user;
}

/**
 * The balances of the user wallets: the managed one first, then the generated ones in order of creation. The swept one
 * is empty.
 */
async function held(box: TestSandbox, { userId }: User): Promise<string[]> {
  const { wallets = [] } = await box.ask(listUserWallets, { userId });
  return (wallets ?? [])
    .filter(({ status }) => status === 'smart_wallet')
    .map(({ balances }) => String(balances?.CNGN?.balance ?? ''));
}

async function refusalOf(box: TestSandbox, user: User, kobo: bigint): Promise<string | undefined> {
  const request = { userId: user.userId, accountNumber: '0123456789', bankCode: '000013', ticker: 'CNGN' };
  const body = JSON.stringify({ ...request, amount: nairaOf(kobo) });
  const { status, envelope } = await box.call('POST', '/cngnofframp', body);
  return status === 200 ? undefined : `${status} ${envelope.response_code} ${envelope.message}`;
}

/** Up to ₦1,000 an offramp costs 0.5 percent for the platform and 0.5 percent for the fintech, on top. */
const draws: [kobo: bigint, left: string[]][] = [
  [1n, ['99.990000', '200.000000', '400.000000', '300.000000', '0.000000']],
  [5_000n, ['49.500000', '200.000000', '400.000000', '300.000000', '0.000000']],
  [9_900n, ['0.000000', '200.000000', '400.000000', '300.000000', '0.000000']],
  [9_901n, ['0.000000', '199.990000', '400.000000', '300.000000', '0.000000']],
  [10_000n, ['0.000000', '199.000000', '400.000000', '300.000000', '0.000000']],
  [29_702n, ['0.000000', '0.000000', '400.000000', '300.000000', '0.000000']],
  [29_703n, ['0.000000', '0.000000', '400.000000', '299.990000', '0.000000']],
  [50_000n, ['0.000000', '0.000000', '400.000000', '95.000000', '0.000000']],
  [59_406n, ['0.000000', '0.000000', '400.000000', '0.000000', '0.000000']],
];

describe('an offramp draws on the managed wallet, then on generated wallets, but never on one with a custom owner', () => {
  test('from these wallets', async () => {
    await using box = await openSandbox();
    const user = await richUser(box);
    expect(await held(box, user)).toEqual(['100.000000', '200.000000', '400.000000', '300.000000', '0.000000']);
  });

  test.each(draws)('%d kobo leave %j', async (kobo, left) => {
    await using box = await openSandbox();
    const user = await richUser(box);
    await offramp(box, user.userId, kobo);
    expect(await held(box, user)).toEqual(left);
    await settle(box);
    expect(await held(box, user)).toEqual(left);
    await expectSettledLedger(box);
  });

  test('refuses one kobo more than the total, and takes nothing', async () => {
    await using box = await openSandbox();
    const user = await richUser(box);
    const before = await box.inside(balances, 'read');
    expect(await refusalOf(box, user, 59_407n)).toBe('400 01 The balance is too low');
    expect(await box.inside(balances, 'read')).toEqual(before);
  });

  test('refuses the total if one base unit of it is gone', async () => {
    await using box = await openSandbox();
    const user = await richUser(box);
    await box.inside((context) => {
      const [managed] = context.store.all<{ id: bigint }>(`SELECT id FROM wallet WHERE kind = 'managed'`);
      post(context, 'test', 'dust', [
        { account: walletAccount(managed?.id ?? 0n, 'base', 'CNGN'), minor: -1n },
        { account: SUPPLY, minor: 1n },
      ]);
    });
    expect(await refusalOf(box, user, 59_406n)).toBe('400 01 The balance is too low');
    expect(await refusalOf(box, user, 59_405n)).toBeUndefined();
  });

  test('draws on all networks of a wallet before the next wallet', async () => {
    await using box = await openSandbox();
    const user = await richUser(box);
    await box.inside((context) => {
      const [managed] = context.store.all<{ id: bigint }>(`SELECT id FROM wallet WHERE kind = 'managed'`);
      post(context, 'test', 'bridged', [
        { account: walletAccount(managed?.id ?? 0n, 'bsc', 'CNGN'), minor: 50_000_000n },
        { account: SUPPLY, minor: -50_000_000n },
        { account: RESERVE, minor: 5_000n },
        { account: BANK, minor: -5_000n },
      ]);
    });
    await offramp(box, user.userId, 14_000n);
    expect(await held(box, user)).toEqual(['8.600000', '200.000000', '400.000000', '300.000000', '0.000000']);
    const { networkBalances } = await box.ask(balanceUser, { userId: user.userId });
    expect(networkBalances?.filter(({ network }) => network === 'bsc')).toMatchObject([{ balance: '8.600000' }]);
  });

  test('a wallet with a custom owner alone is not a funded wallet', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    await fund(box, user, 400, { owner: OWNER });
    expect(await refusalOf(box, user, 1n)).toBe('404 02 No funded wallet');
  });

  test('a pending payout cannot be spent again', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    await fund(box, user, 101);
    expect(await refusalOf(box, user, 10_000n)).toBeUndefined();
    expect(await refusalOf(box, user, 1n)).toBe('404 02 No funded wallet');
  });
});

test('an offramp between minting and sweep leaves the rest to be swept', async () => {
  await using box = await openSandbox();
  const user = await onboardUser(box);
  const ramp = await startRamp(box, user.userId, 1000, { sweepToOfframp: true });
  await payIn(box, ramp.accountNumber, ramp.totalKobo);
  // Minted after 250 ms, swept 150 ms later.
  await pass(box, 300);
  expect(await refusalOf(box, user, 10_000n)).toBeUndefined();
  await settle(box);
  expect(await held(box, user)).toEqual(['899.000000', '0.000000']);
  await expectSettledLedger(box);
});

test('an offramp of everything between minting and sweep leaves nothing to sweep', async () => {
  await using box = await openSandbox();
  const user = await onboardUser(box);
  const ramp = await startRamp(box, user.userId, 101, { sweepToOfframp: true });
  await payIn(box, ramp.accountNumber, ramp.totalKobo);
  await pass(box, 300);
  expect(await refusalOf(box, user, 10_000n)).toBeUndefined();
  await settle(box);
  expect(await held(box, user)).toEqual(['0.000000', '0.000000']);
  await expectSettledLedger(box);
});

describe('a failed payout', () => {
  const amounts = [5_000n, 10_000n, 50_000n, 59_406n];

  test.each(amounts)('of %d kobo returns the cNGN to the wallets it came from', async (kobo) => {
    await using box = await openSandbox();
    const user = await richUser(box);
    const before = await box.inside(balances, 'read');
    const { requestId } = await offramp(box, user.userId, kobo, FAILING_ACCOUNT);
    expect(await box.inside(balances, 'read')).not.toEqual(before);
    await settle(box);
    expect(await box.inside(balances, 'read')).toEqual(before);
    expect(await box.ask(offrampStatus, { requestId })).toMatchObject({
      status: 'failed',
      stage: 'failed',
      payout: { status: 'failed', attempts: 1 },
    });
    await expectSettledLedger(box);
  });

  test('returns cNGN to a wallet that another offramp drew on in the meantime', async () => {
    await using box = await openSandbox();
    const user = await richUser(box);
    await offramp(box, user.userId, 10_000n, FAILING_ACCOUNT);
    await offramp(box, user.userId, 10_000n);
    await settle(box);
    // The first one took 100 and 1, the second one 101 from the second wallet.
    expect(await held(box, user)).toEqual(['100.000000', '99.000000', '400.000000', '300.000000', '0.000000']);
    await expectSettledLedger(box);
  });

  test('leaves the full amount available for another payout', async () => {
    await using box = await openSandbox();
    const user = await richUser(box);
    await offramp(box, user.userId, 59_406n, FAILING_ACCOUNT);
    await settle(box);
    await offramp(box, user.userId, 59_406n);
    await settle(box);
    await expectSettledLedger(box);
  });
});

const feesSoFar = async (box: TestSandbox) => (await box.ask(accumulatedFees, {})).summary;
const SEEDED = { collectedFees: 25_000_000 };

describe('the fees of an offramp', () => {
  test('are pending until the payout arrives, and are then collected', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    await fund(box, user, 1000);
    const before = await feesSoFar(box);
    await offramp(box, user.userId, 50_000n);
    expect(await feesSoFar(box)).toEqual({
      ...before,
      pendingFees: 250,
      offrampFees: 5_000_250,
      totalAccumulatedFees: 25_000_750,
    });
    await settle(box);
    expect(await feesSoFar(box)).toEqual({
      ...before,
      collectedFees: SEEDED.collectedFees + 750,
      availableForWithdrawal: SEEDED.collectedFees + 750,
      offrampFees: 5_000_250,
      totalAccumulatedFees: 25_000_750,
      transactionCount: Number(before?.transactionCount) + 1,
    });
  });

  test('are never collected if it fails', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    await fund(box, user, 1000);
    const before = await feesSoFar(box);
    await offramp(box, user.userId, 50_000n, FAILING_ACCOUNT);
    await settle(box);
    expect(await feesSoFar(box)).toEqual(before);
  });

  /**
   * Platform: 0.5, 0.4 and 0.3 percent from ₦0, ₦1,000 and ₦5,000, at most ₦1,000. Fintech: 0.5 percent, at most ₦500.
   */
  const tiers: [kobo: bigint, platform: bigint, fintech: bigint][] = [
    [1n, 0n, 0n],
    [99n, 0n, 0n],
    [100n, 1n, 1n],
    [99_999n, 500n, 500n],
    [100_000n, 400n, 500n],
    [499_999n, 2_000n, 2_500n],
    [500_000n, 1_500n, 2_500n],
    [10_000_000n, 30_000n, 50_000n],
    [10_000_200n, 30_001n, 50_000n],
    [33_333_333n, 100_000n, 50_000n],
    [40_000_000n, 100_000n, 50_000n],
  ];

  test.each(tiers)('of %d kobo', async (kobo, platform, fintech) => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    await fund(box, user, 500_000);
    const before = await box.inside(balances, 'read');
    await offramp(box, user.userId, kobo);
    await settle(box);
    const after = await box.inside(balances, 'read');
    const change = (key: string) => (after[key] ?? 0n) - (before[key] ?? 0n);
    expect({
      platform: change('fees/platform/offramp NGN'),
      fintech: change('fees/fintech/1/offramp NGN'),
      bank: change('bank NGN'),
      base: change('supply CNGN'),
    }).toEqual({ platform, fintech, bank: kobo, base: (kobo + platform + fintech) * 10_000n });
  });
});
