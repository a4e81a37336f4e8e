import { describe, expect, test } from 'vitest';
import { balanceUser } from '../../../src/contract/endpoints/balances.ts';
import {
  getDefaultWallet,
  removeDefaultWallet,
  setDefaultWallet,
} from '../../../src/contract/endpoints/default-wallets.ts';
import { listUsers } from '../../../src/contract/endpoints/user-list.ts';
import { setStatus, updateOnrampAsset } from '../../../src/contract/endpoints/user-settings.ts';
import { getDetails } from '../../../src/contract/endpoints/users.ts';
import { openSandbox, START_MS, type TestSandbox } from '../../support/sandbox.ts';
import { balances, expectSettledLedger, fund, offramp, onboardUser, payIn, settle } from '../steps.ts';
import { eventsOf, managedAddress, OUTSIDE, refusal } from '../transfers/steps.ts';

const reason = 'lost phone';

interface Change {
  readonly active: bigint;
  readonly reason: string | null;
}

function changes(box: TestSandbox): Promise<Change[]> {
  return box.inside(
    ({ store }) => store.all<Change>('SELECT active, reason FROM user_status_change ORDER BY id'),
    'read',
  );
}

describe("a user's status", () => {
  test('can be switched off and on, and stores the reason each time', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    box.clock.pass(1000);
    const off = await box.ask(setStatus, { userId, active: false, reason });
    expect(off).toEqual({ userId, active: false, changedAt: new Date(box.clock.now()).toISOString() });
    expect(await box.ask(getDetails, { userId })).toMatchObject({ isActive: false, deactivationReason: reason });
    expect((await box.ask(listUsers, { status: 'inactive' })).users.map((user) => user.userId)).toEqual([userId]);
    box.clock.pass(1000);
    const on = await box.ask(setStatus, { userId, active: true });
    expect(on).toEqual({ userId, active: true, changedAt: new Date(box.clock.now()).toISOString() });
    const shown = await box.ask(getDetails, { userId });
    expect(shown).toMatchObject({ isActive: true });
    expect(shown).not.toHaveProperty('deactivationReason');
    expect(await changes(box)).toEqual([
      { active: 0n, reason },
      { active: 1n, reason: null },
    ]);
  });

  test('keeps the time of the change when it is set to its current value', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const first = await box.ask(setStatus, { userId, active: true });
    expect(Date.parse(first.changedAt ?? '')).toBeGreaterThanOrEqual(START_MS);
    expect(Date.parse(first.changedAt ?? '')).toBeLessThan(box.clock.now());
    const off = await box.ask(setStatus, { userId, active: false, reason });
    box.clock.pass(5000);
    expect(await box.ask(setStatus, { userId, active: false, reason: 'another reason' })).toEqual(off);
    expect(await changes(box)).toEqual([{ active: 0n, reason }]);
  });

  const refused: [what: string, path: string, body: object][] = [
    ['onramp', '/cngnonramp', { amount: 100 }],
    ['offramp', '/cngnofframp', { amount: 10, accountNumber: '0123456789', bankCode: '000013', ticker: 'CNGN' }],
    ['withdrawal', '/withdrawasset', { destinationWallet: OUTSIDE, amount: 1, ticker: 'CNGN' }],
  ];

  test.each(refused)('rejects an %s while inactive and accepts it after reactivation', async (_what, path, body) => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    await fund(box, user, 100, { sweepToOfframp: true });
    const request = { ...body, userId: user.userId, internalWallet: await managedAddress(box, user.userId) };
    await box.ask(setStatus, { userId: user.userId, active: false, reason });
    expect(await refusal(box, 'POST', path, request)).toBe('400 01 The request is not valid');
    await box.ask(setStatus, { userId: user.userId, active: true });
    expect(await refusal(box, 'POST', path, request)).toBeUndefined();
  });

  test('returns deposits while inactive', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    await box.ask(setStatus, { userId: user.userId, active: false, reason });
    const { outcome } = await payIn(box, user.accountNumber, 100_000n, user.name);
    await settle(box);
    expect(outcome).toBe('refunded');
    await expectSettledLedger(box);
  });
});

const chainOf = async (box: TestSandbox) => (await box.inside(balances, 'read'))['chain CNGN'] ?? 0n;

const networks: [written: string, key: string, address: string, kept: string][] = [
  ['base', 'base', `0x${'AB'.repeat(20)}`, `0x${'ab'.repeat(20)}`],
  ['Base', 'base', OUTSIDE, OUTSIDE],
  ['ETHEREUM', 'eth', OUTSIDE, OUTSIDE],
  ['atc', 'asc', OUTSIDE, OUTSIDE],
  ['sol', 'sol', 'So11111111111111111111111111111111111111112', 'So11111111111111111111111111111111111111112'],
  [
    'bantu',
    'xbn',
    'GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF',
    'GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF',
  ],
];

describe('an external default wallet', () => {
  test.each(networks)('on %s is stored as on %s', async (blockchain, key, address, kept) => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const expected = { address: kept, blockchain: key, label: 'own wallet', type: 'external', status: 'active' };
    const answer = await box.ask(setDefaultWallet, { userId, address, blockchain, label: 'own wallet' });
    expect(answer).toMatchObject({ userId, defaultWallet: expected });
    expect(await box.ask(getDefaultWallet, { userId })).toEqual({ userId, defaultWallet: expected });
  });

  test('replaces the previous one, including its label', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    await box.ask(setDefaultWallet, { userId, address: OUTSIDE, blockchain: 'base', label: 'old' });
    await box.ask(setDefaultWallet, { userId, address: `0x${'cd'.repeat(20)}`, blockchain: 'bsc' });
    expect((await box.ask(getDefaultWallet, { userId })).defaultWallet).toEqual({
      address: `0x${'cd'.repeat(20)}`,
      blockchain: 'bsc',
      label: null,
      type: 'external',
      status: 'active',
    });
  });

  test('is null before it is set and after it is removed, and can be removed twice', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const none = { userId, defaultWallet: null };
    expect(await box.ask(getDefaultWallet, { userId })).toEqual(none);
    await box.ask(setDefaultWallet, { userId, address: OUTSIDE, blockchain: 'base' });
    expect(await box.ask(removeDefaultWallet, { userId })).toMatchObject(none);
    expect(await box.ask(removeDefaultWallet, { userId })).toMatchObject(none);
    expect(await box.ask(getDefaultWallet, { userId })).toEqual(none);
  });

  test('is rejected if the service manages it', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const request = { userId, address: await managedAddress(box, userId), blockchain: 'base' };
    expect(await refusal(box, 'POST', '/setuserdefaultwallet', request)).toBe('400 01 The request is not valid');
  });

  test('receives payments into the permanent account, and the event carries its address', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    await box.ask(setDefaultWallet, { userId: user.userId, address: OUTSIDE, blockchain: 'eth' });
    const { depositId } = await payIn(box, user.accountNumber, 100_000n, user.name);
    await settle(box);
    expect(await chainOf(box)).toBe(978_000_000n);
    expect((await box.ask(balanceUser, { userId: user.userId })).totalBalance).toBe('0.000000');
    const [, funded] = await eventsOf(box, depositId);
    expect(funded).toMatchObject({
      event: 'fintech.user.deposit.funding.completed',
      data: { amount: '978.00', smartWalletAddress: OUTSIDE },
    });
    const deliveredTo = await box.inside(({ store }) => store.all('SELECT delivered_to FROM deposit'), 'read');
    expect(deliveredTo).toEqual([{ delivered_to: OUTSIDE }]);
    await expectSettledLedger(box);
  });

  test("may be another user's wallet in the sandbox", async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    const other = await onboardUser(box);
    const address = await managedAddress(box, other.userId);
    await box.ask(setDefaultWallet, { userId: user.userId, address, blockchain: 'base' });
    await payIn(box, user.accountNumber, 100_000n, user.name);
    await settle(box);
    expect((await box.ask(balanceUser, { userId: other.userId })).totalBalance).toBe('978.000000');
    expect(await chainOf(box)).toBe(0n);
  });

  test('keeps what it received but receives nothing after it is removed', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    await box.ask(setDefaultWallet, { userId: user.userId, address: OUTSIDE, blockchain: 'base' });
    await payIn(box, user.accountNumber, 100_000n, user.name);
    await settle(box);
    await box.ask(removeDefaultWallet, { userId: user.userId });
    await payIn(box, user.accountNumber, 100_000n, user.name);
    await settle(box);
    expect(await chainOf(box)).toBe(978_000_000n);
    expect((await box.ask(balanceUser, { userId: user.userId })).totalBalance).toBe('978.000000');
    await expectSettledLedger(box);
  });

  test('is not used by offramps, which draw on the managed wallet', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    await fund(box, user, 200, { sweepToOfframp: true });
    await box.ask(setDefaultWallet, { userId: user.userId, address: OUTSIDE, blockchain: 'base' });
    await offramp(box, user.userId, 10_000n);
    await settle(box);
    expect((await box.ask(balanceUser, { userId: user.userId })).totalBalance).toBe('99.000000');
    await expectSettledLedger(box);
  });
});

interface Preference {
  readonly asset: string;
  readonly auto_swap: bigint;
  readonly slippage_millionths: bigint | null;
}

type Wanted = Parameters<typeof ask>[2];

function ask(box: TestSandbox, userId: string, wanted: object) {
  return box.ask(updateOnrampAsset, { userId, ...wanted });
}

const preferences: [requests: Wanted[], kept: Preference][] = [
  [[{}], { asset: 'CNGN', auto_swap: 0n, slippage_millionths: null }],
  [[{ preferredAsset: 'cNGN' }], { asset: 'CNGN', auto_swap: 0n, slippage_millionths: null }],
  [[{ preferredAsset: 'usdc' }], { asset: 'USDC', auto_swap: 1n, slippage_millionths: null }],
  [
    [{ preferredAsset: 'USDC', preferences: { defaultAsset: 'USDT' } }],
    { asset: 'USDT', auto_swap: 1n, slippage_millionths: null },
  ],
  [
    [{ preferredAsset: 'USDC', preferences: { autoSwap: false, slippageTolerance: '0.5' } }],
    { asset: 'USDC', auto_swap: 0n, slippage_millionths: 500_000n },
  ],
  [
    [{ preferredAsset: 'CNGN', preferences: { autoSwap: true } }],
    { asset: 'CNGN', auto_swap: 0n, slippage_millionths: null },
  ],
  // Omitted fields stay unchanged.
  [
    [{ preferredAsset: 'USDC', preferences: { autoSwap: false } }, { preferences: { slippageTolerance: '2' } }],
    { asset: 'USDC', auto_swap: 0n, slippage_millionths: 2_000_000n },
  ],
  [
    [{ preferredAsset: 'USDC', preferences: { slippageTolerance: '2' } }, { preferences: { autoSwap: false } }],
    { asset: 'USDC', auto_swap: 0n, slippage_millionths: 2_000_000n },
  ],
  // A new asset resets whether to swap.
  [
    [{ preferredAsset: 'USDC', preferences: { autoSwap: false } }, { preferredAsset: 'USDT' }],
    { asset: 'USDT', auto_swap: 1n, slippage_millionths: null },
  ],
  [
    [{ preferredAsset: 'USDC' }, { preferredAsset: 'CNGN' }],
    { asset: 'CNGN', auto_swap: 0n, slippage_millionths: null },
  ],
];

test.each(preferences)('setting the onramp asset with %j', async (requests, kept) => {
  await using box = await openSandbox();
  const { userId } = await onboardUser(box);
  let applied: boolean | null | undefined;
  for (const wanted of requests) ({ autoSwap: applied } = await ask(box, userId, wanted));
  const sql = 'SELECT asset, auto_swap, slippage_millionths FROM onramp_preference';
  expect(await box.inside(({ store }) => store.all<Preference>(sql), 'read')).toEqual([kept]);
  expect(applied).toBe(kept.auto_swap === 1n);
});
