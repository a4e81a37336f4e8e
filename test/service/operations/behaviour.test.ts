import { describe, expect, test } from 'vitest';
import { balanceMulti } from '../../../src/contract/endpoints/balances.ts';
import { addBankAccount, listBankAccounts, listBanks } from '../../../src/contract/endpoints/banks.ts';
import { accumulatedFees } from '../../../src/contract/endpoints/fees.ts';
import { offrampStatus, startOfframp } from '../../../src/contract/endpoints/offramp.ts';
import { onrampStatus, startOnramp } from '../../../src/contract/endpoints/onramp.ts';
import { getDetails } from '../../../src/contract/endpoints/users.ts';
import { getVirtualAccount } from '../../../src/contract/endpoints/virtual-accounts.ts';
import { getFintechWallet, listUserWallets } from '../../../src/contract/endpoints/wallets.ts';
import { wireNumberText } from '../../../src/money/decimal.ts';
import { openSandbox, START_MS } from '../../support/sandbox.ts';
import { fund, type OnrampMore, onboardUser, pass, payIn, startRamp } from '../steps.ts';

const HALF_AN_HOUR_MS = 30 * 60_000;
const OWNER = `0x${'AB'.repeat(20)}`;

describe('the fees of an onramp are added to its amount', () => {
  /** ₦520 at 1.7 percent and ₦5,000 at 1.5 percent are public examples; the fintech takes 0.5 percent. In Naira. */
  const fees: [amount: string, platform: string, fintech: string, total: string][] = [
    ['0.01', '0', '0', '0.01'],
    ['0.3', '0.01', '0', '0.31'],
    ['100', '1.7', '0.5', '102.2'],
    ['520', '8.84', '2.6', '531.44'],
    ['4999.99', '85', '25', '5109.99'],
    ['5000', '75', '25', '5100'],
    ['99999.99', '1500', '500', '101999.99'],
    ['100000', '1000', '500', '101500'],
    ['500000', '5000', '500', '505500'],
    ['500000.01', '5000', '500', '505500.01'],
    ['123456789.01', '5000', '500', '123462289.01'],
  ];

  test.each(fees)('for %s Naira', async (amount, platform, fintech, total) => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const body = `{"userId":"${userId}","amount":${amount}}`;
    const { envelope } = await box.call('POST', '/cngnonramp', body);
    const { requestId, feeBreakdown } = envelope.data as { requestId: string; feeBreakdown: Record<string, number> };
    const shown = (name: string) => wireNumberText(feeBreakdown[name] ?? Number.NaN);
    expect(['baseAmount', 'platformFee', 'fintechFee', 'totalAmount'].map(shown)).toEqual([
      amount,
      platform,
      fintech,
      total,
    ]);
    const { virtualAccount } = await box.ask(getVirtualAccount, { requestId });
    expect([virtualAccount.amount, virtualAccount.totalAmountWithFee, virtualAccount.baseAmount]).toEqual(
      [total, total, amount].map(Number),
    );
  });

  test('and do not change after it is started', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const ramp = await startRamp(box, userId, 1000);
    await box.inside(({ store }) => store.run('UPDATE fee_setting SET percent_millionths = 5000000'));
    expect(await payIn(box, ramp.accountNumber, 102_200n)).toMatchObject({ outcome: 'accepted' });
  });

  test("without the fintech's fee if that is disabled", async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    await box.inside(({ store }) => store.run('UPDATE fee_setting SET enabled = 0'));
    const { feeBreakdown } = await box.ask(startOnramp, { userId, amount: 1000 });
    expect(feeBreakdown).toMatchObject({ fintechFee: 0, platformFee: 17, totalAmount: 1017 });
  });
});

describe('an onramp', () => {
  test('returns an account that expires after 30 minutes', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const startMs = box.clock.now();
    const { requestId, message } = await box.ask(startOnramp, { userId, amount: 1000 });
    expect(message).toContain('₦1,022.00');
    const { expiresAt } = await box.ask(getVirtualAccount, { requestId });
    expect(expiresAt).toBe(new Date(startMs + HALF_AN_HOUR_MS).toISOString());
  });

  test('gets its own account and wallet for each request', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const ramps = [await startRamp(box, userId, 5), await startRamp(box, userId, 5), await startRamp(box, userId, 5)];
    expect(new Set(ramps.map(({ accountNumber }) => accountNumber)).size).toBe(3);
    expect(new Set(ramps.map(({ walletAddress }) => walletAddress)).size).toBe(3);
    expect(ramps.filter(({ accountNumber }) => !/^\d{10}$/.test(accountNumber))).toEqual([]);
  });

  const deliveries: [more: OnrampMore, kind: string][] = [
    [{}, 'generated'],
    [{ sweepToOfframp: false }, 'generated'],
    [{ sweepToOfframp: true }, 'managed'],
    [{ owner: OWNER }, 'generated'],
    // Ignored without autoSwap.
    [{ assetSwap: 'USDC', destinationAssetSwap: OWNER }, 'generated'],
    [{ autoSwap: false, assetSwap: 'USDT' }, 'generated'],
  ];

  test.each(deliveries)('with %o delivers to the %s wallet', async (more, kind) => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    const { walletAddress } = await fund(box, user, 1000, more);
    const { wallets } = await box.ask(listUserWallets, { userId: user.userId });
    const holding = wallets?.filter(({ balances }) => balances?.CNGN?.balance === '1000.000000') ?? [];
    const { walletDetails } = await box.ask(getDetails, { userId: user.userId });
    expect(holding.map((wallet) => wallet.walletAddress)).toEqual([
      kind === 'managed' ? walletDetails?.evmWallet : walletAddress,
    ]);
  });

  test('returns the owner of the wallet', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const { requestId } = await box.ask(startOnramp, { userId, amount: 1, owner: OWNER });
    const { wallet } = await box.ask(onrampStatus, { requestId });
    expect(wallet?.owner?.toLowerCase()).toBe(OWNER.toLowerCase());
  });

  test('without autoSwap delivers cNGN and says so', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    expect(await box.ask(startOnramp, { userId, amount: 1, assetSwap: 'USDC' })).toMatchObject({ targetAsset: 'CNGN' });
  });
});

describe('an offramp', () => {
  const toBank = { accountNumber: '9876543210', bankCode: '058', ticker: 'cngn' };

  test('names the first wallet it drew on, and the bank by its long code', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    await fund(box, user, 200);
    await fund(box, user, 100, { sweepToOfframp: true });
    const { walletDetails } = await box.ask(getDetails, { userId: user.userId });
    const started = await box.ask(startOfframp, { userId: user.userId, amount: 150, ...toBank });
    expect(started).toMatchObject({
      status: 'payout_pending',
      stage: 'payout',
      smartWalletAddress: walletDetails?.evmWallet,
      amount: '150.000000',
      verifiedAccountDetails: { accountNumber: '9876543210', bankCode: '000013' },
    });
    const { requestId } = started;
    expect(await box.ask(offrampStatus, { requestId })).toMatchObject({
      userWalletAddress: walletDetails?.evmWallet,
      fintechUserId: user.userId,
      amount: '150',
      tokenTransfer: { status: 'confirmed', transactionHash: started.transactionHash },
      payout: { status: 'pending', attempts: 0, transactionId: null },
    });
  });

  test('resolves one holder by the short and the long bank code', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    await fund(box, user, 200);
    const holders: unknown[] = [];
    for (const bankCode of ['058', '000013']) {
      const { verifiedAccountDetails } = await box.ask(startOfframp, {
        userId: user.userId,
        amount: 1,
        ...toBank,
        bankCode,
      });
      holders.push(verifiedAccountDetails?.accountHolderName);
    }
    expect(holders[0]).toBe(holders[1]);
    expect(holders[0]).toMatch(/^[A-Z]+ [A-Z]+ [A-Z]+$/);
  });
});

describe('a user by BVN', () => {
  const look = { userId: 'any' };

  test.each([
    ['is found once verified', '22222222222', 200],
    ['is not found while verification is pending', '33333333333', 404],
    ['is not found if the BVN is unknown', '44444444444', 404],
  ])('%s', async (_what, bvn, status) => {
    await using box = await openSandbox();
    const user = await onboardUser(box, '22222222222');
    await box.call('POST', '/onboarduser', { bvn: '33333333333' });
    const reply = await box.call('POST', '/getuserdetails', { ...look, bvn });
    expect(reply.status).toBe(status);
    if (status === 200) expect(reply.envelope.data).toMatchObject({ userId: user.userId });
  });
});

describe('bank accounts', () => {
  const account = { accountNumber: '1234567890', bankCode: '000015' };

  test('have one default: the newest account set as default', async () => {
    await using box = await openSandbox();
    const defaults = async () => {
      const { accounts, defaultAccount } = await box.ask(listBankAccounts, {});
      const marked = accounts?.filter(({ isDefault }) => isDefault).map(({ accountId }) => accountId);
      expect(marked).toEqual([defaultAccount?.accountId]);
      return defaultAccount?.accountNumber;
    };
    expect(await defaults()).toBe('0123456789');
    await box.ask(addBankAccount, account);
    expect(await defaults()).toBe('0123456789');
    await box.ask(addBankAccount, { ...account, accountNumber: '2345678901', isDefault: true });
    expect(await defaults()).toBe('2345678901');
    await box.ask(addBankAccount, { ...account, isDefault: true });
    expect(await defaults()).toBe('1234567890');
  });

  test('are updated, not duplicated, when added again', async () => {
    await using box = await openSandbox();
    const first = await box.ask(addBankAccount, { ...account, label: 'one' });
    const second = await box.ask(addBankAccount, { ...account, bankCode: '057', label: 'two' });
    await box.ask(addBankAccount, account);
    expect(second.accountId).toBe(first.accountId);
    const { accounts, total } = await box.ask(listBankAccounts, {});
    expect(total).toBe(2);
    expect(accounts?.find(({ accountId }) => accountId === first.accountId)?.label).toBe('two');
  });

  test('can be added at every listed bank, and resolve to one holder', async () => {
    await using box = await openSandbox();
    const { banks, totalCount } = await box.ask(listBanks, {});
    expect(totalCount).toBe(banks.length);
    expect(new Set(banks.map(({ bankCode }) => bankCode)).size).toBe(banks.length);
    for (const { bankCode } of banks) {
      const input = { accountNumber: '9876543210', bankCode: bankCode ?? '' };
      const { verifiedAccountName, isValidated } = await box.ask(addBankAccount, input);
      expect(isValidated).toBe(true);
      expect((await box.ask(addBankAccount, input)).verifiedAccountName).toBe(verifiedAccountName);
    }
  });
});

describe("the fintech's own money", () => {
  test.each([
    [undefined, ['5000000.000000', '250000.000000', '5250000.000000'], true, true],
    ['base', ['5000000.000000', '0.000000', '5000000.000000'], true, false],
    ['bsc', ['0.000000', '250000.000000', '250000.000000'], false, true],
    ['bsc,BASE, bsc', ['5000000.000000', '250000.000000', '5250000.000000'], true, true],
    ['eth', ['0.000000', '0.000000', '0.000000'], false, false],
  ])('is available on %s', async (networks, [base, cross, total], hasBase, hasCross) => {
    await using box = await openSandbox();
    const found = await box.ask(balanceMulti, networks === undefined ? {} : { networks });
    expect(found).toMatchObject({
      token: 'CNGN',
      totalBalance: total,
      baseNetworkBalance: base,
      crossNetworkBalance: cross,
      hasBaseNetworkFunds: hasBase,
      hasCrossNetworkFunds: hasCross,
      bridgingRequired: hasCross && !hasBase,
      walletAddress: (await box.ask(getFintechWallet, {})).smartWallet.address,
    });
    const asked = networks === undefined ? 8 : new Set(networks.toLowerCase().split(/, */)).size;
    expect(found.networkBalances).toHaveLength(asked);
  });

  test('includes ₦250,000 of fees to withdraw, enough to try things out', async () => {
    await using box = await openSandbox();
    const { summary, details } = await box.ask(accumulatedFees, {});
    expect(summary).toEqual({
      totalAccumulatedFees: 25_000_000,
      onrampFees: 20_000_000,
      offrampFees: 5_000_000,
      collectedFees: 25_000_000,
      pendingFees: 0,
      transactionCount: 2,
      pendingWithdrawals: 0,
      availableForWithdrawal: 25_000_000,
    });
    expect(details).toMatchObject({ currency: 'NGN', lastUpdated: new Date(START_MS).toISOString() });
  });

  test('a transaction is counted when it earns a fee', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    const count = async () => (await box.ask(accumulatedFees, {})).summary?.transactionCount;
    await payIn(box, user.accountNumber, 99n, user.name);
    await pass(box, 1000);
    expect(await count()).toBe(2);
    await payIn(box, user.accountNumber, 100n, user.name);
    await pass(box, 1000);
    expect(await count()).toBe(3);
  });

  test('fees of an onramp are pending from payment to minting', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const ramp = await startRamp(box, userId, 1000);
    const shown = async () => (await box.ask(accumulatedFees, {})).summary;
    expect(await shown()).toMatchObject({ pendingFees: 0, onrampFees: 20_000_000 });
    await payIn(box, ramp.accountNumber, ramp.totalKobo);
    expect(await shown()).toMatchObject({ pendingFees: 500, onrampFees: 20_000_500, collectedFees: 25_000_000 });
    await pass(box, 1000);
    expect(await shown()).toMatchObject({ pendingFees: 0, onrampFees: 20_000_500, collectedFees: 25_000_500 });
  });
});
