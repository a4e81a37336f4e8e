import { describe, expect, test } from 'vitest';
import { balanceAddress, balanceMulti } from '../../src/contract/endpoints/balances.ts';
import {
  addExternalWallet,
  removeExternalWallet,
  setExternalWalletStatus,
} from '../../src/contract/endpoints/external-wallets.ts';
import { accumulatedFees } from '../../src/contract/endpoints/fees.ts';
import { getFintechAccount } from '../../src/contract/endpoints/virtual-accounts.ts';
import { getFintechWallet } from '../../src/contract/endpoints/wallets.ts';
import { openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { balances, expectSettledLedger, onboardUser, payIn, secondKey, settle } from './steps.ts';
import { eventsOf, managedAddress, OUTSIDE, refusal, register } from './transfers/steps.ts';

async function payFintech(box: TestSandbox, kobo: bigint, senderName = 'ACME VENTURES LTD') {
  const { virtualAccount } = await box.ask(getFintechAccount, {});
  const receipt = await payIn(box, virtualAccount.accountNumber, kobo, senderName);
  await settle(box);
  return receipt;
}

/** Returns the non-zero changes of all account balances. */
async function changesOf(box: TestSandbox, work: () => Promise<unknown>): Promise<Record<string, bigint>> {
  const before = await box.inside(balances, 'read');
  await work();
  const after = await box.inside(balances, 'read');
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.map((name) => [name, (after[name] ?? 0n) - (before[name] ?? 0n)] as const);
  return Object.fromEntries(changed.filter(([, by]) => by !== 0n));
}

describe("the fintech's own account", () => {
  test('is returned in both shapes, and belongs to no other fintech', async () => {
    await using box = await openSandbox();
    const ours = await box.ask(getFintechAccount, {});
    const theirs = await box.ask(getFintechAccount, {}, await secondKey(box));
    expect(ours.virtualAccount).toMatchObject({ accountName: 'HARMATTAN PAY', status: 'active' });
    expect(ours.virtualAccounts).toEqual([ours.virtualAccount]);
    expect(theirs.virtualAccount.accountNumber).not.toBe(ours.virtualAccount.accountNumber);
  });

  /** Platform: 1.7, 1.5 and 1 percent from ₦0, ₦5,000 and ₦100,000. The fintech charges itself nothing. */
  const deposits: [kobo: bigint, feeKobo: bigint][] = [
    [1n, 0n],
    [100_000n, 1_700n],
    [500_000n, 7_500n],
    [100_000_000n, 500_000n],
    [100_000_000_000n, 500_000n],
  ];

  test.each(deposits)(
    'turns %d kobo from any sender into cNGN in the account wallet, minus the fee',
    async (kobo, fee) => {
      await using box = await openSandbox();
      const changes = await changesOf(box, () => payFintech(box, kobo));
      const wallet = await box.inside(
        ({ store }) => store.get<{ id: bigint }>(`SELECT id FROM wallet WHERE fintech = 1 AND kind = 'fintech'`)?.id,
        'read',
      );
      expect(changes).toEqual({
        'bank NGN': -kobo,
        'reserve NGN': kobo - fee,
        ...(fee > 0n ? { 'fees/platform/onramp NGN': fee } : {}),
        'supply CNGN': (fee - kobo) * 10_000n,
        [`wallet/${wallet}/base CNGN`]: (kobo - fee) * 10_000n,
      });
      await expectSettledLedger(box);
    },
  );

  test('earns the fintech no fee', async () => {
    await using box = await openSandbox();
    const before = await box.ask(accumulatedFees, {});
    await payFintech(box, 100_000n);
    const after = await box.ask(accumulatedFees, {});
    expect(after.summary).toEqual(before.summary);
  });

  test('emits one event per deposit, without a user', async () => {
    await using box = await openSandbox();
    const { depositId, outcome } = await payFintech(box, 100_000n, 'ANY PAYER');
    expect(outcome).toBe('accepted');
    const events = await eventsOf(box, depositId);
    expect(events).toMatchObject([
      {
        event: 'fintech.virtual_account.deposit.received',
        user_id: null,
        data: {
          depositId,
          virtualAccount: { accountName: 'HARMATTAN PAY' },
          deposit: { amount: 1000, currency: 'NGN' },
          depositor: { name: 'ANY PAYER' },
        },
      },
    ]);
  });
});

const chainOf = async (box: TestSandbox) => (await box.inside(balances, 'read'))['chain CNGN'] ?? 0n;
const NET = 983_000_000n;

describe("delivery of the fintech's cNGN", () => {
  test('skips an external wallet that is not the default', async () => {
    await using box = await openSandbox();
    await register(box);
    await payFintech(box, 100_000n);
    expect(await chainOf(box)).toBe(0n);
  });

  test('goes to the default external wallet', async () => {
    await using box = await openSandbox();
    await register(box, OUTSIDE, { isDefault: true });
    await payFintech(box, 100_000n);
    expect(await chainOf(box)).toBe(NET);
    const rows = await box.inside(({ store }) => store.all('SELECT user, delivered_to, state FROM deposit'), 'read');
    expect(rows).toEqual([{ user: null, delivered_to: OUTSIDE, state: 'completed' }]);
    await expectSettledLedger(box);
  });

  test('skips an inactive default until it is reactivated', async () => {
    await using box = await openSandbox();
    await register(box, OUTSIDE, { isDefault: true });
    await box.ask(setExternalWalletStatus, { address: OUTSIDE, status: 'inactive' });
    await payFintech(box, 100_000n);
    expect(await chainOf(box)).toBe(0n);
    await box.ask(setExternalWalletStatus, { address: OUTSIDE, status: 'active' });
    await payFintech(box, 100_000n);
    expect(await chainOf(box)).toBe(NET);
  });

  test('returns to the account wallet after the default is removed', async () => {
    await using box = await openSandbox();
    await register(box, OUTSIDE, { isDefault: true });
    await box.ask(removeExternalWallet, { address: OUTSIDE });
    await payFintech(box, 100_000n);
    expect(await chainOf(box)).toBe(0n);
    expect((await box.ask(balanceMulti, {})).baseNetworkBalance).toBe('5000983.000000');
  });

  test("reaches a user's wallet that is the default", async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const address = await managedAddress(box, userId);
    await register(box, address, { isDefault: true });
    await payFintech(box, 100_000n);
    expect(await box.ask(balanceAddress, { address })).toMatchObject({ totalBalance: '983.000000' });
  });
});

describe('external wallets', () => {
  const shown = async (box: TestSandbox, apiKey = box.apiKey) =>
    (await box.ask(getFintechWallet, {}, apiKey)).externalWallets ?? [];

  test('are returned without their custody metadata', async () => {
    await using box = await openSandbox();
    box.clock.pass(60_000);
    const record = { type: 'custodial', label: 'vault', purpose: 'reserves', isDefault: true } as const;
    const metadata = { custodian: 'somebody', location: 'Lagos', backupExists: true, since: 2020 };
    const address = `0x${'AB'.repeat(20)}`;
    const { wallet } = await box.ask(addExternalWallet, { address, blockchain: 'Polygon', ...record, metadata });
    const kept = { address: address.toLowerCase(), blockchain: 'pol', status: 'active' };
    expect(wallet).toEqual({ ...kept, type: 'custodial' });
    const { fintechId, updatedAt, externalWallets } = await box.ask(getFintechWallet, {});
    const now = new Date(box.clock.now()).toISOString();
    expect(externalWallets).toEqual([{ ...kept, ...record, addedAt: now, addedBy: fintechId }]);
    expect(updatedAt).toBe(now);
  });

  test('have at most one default', async () => {
    await using box = await openSandbox();
    for (const digit of ['1', '2', '3']) await register(box, `0x${digit.repeat(40)}`, { isDefault: digit !== '3' });
    expect((await shown(box)).map(({ isDefault }) => isDefault)).toEqual([false, true, false]);
  });

  test('are found in any spelling of an EVM address, but only in the exact spelling of others', async () => {
    await using box = await openSandbox();
    await register(box, `0x${'AB'.repeat(20)}`);
    const again = { address: `0x${'ab'.repeat(20)}`, blockchain: 'eth', type: 'hot' };
    expect(await refusal(box, 'POST', '/addexternalwallet', again)).toBe('400 01 The request is not valid');
    const status = { address: `0x${'AB'.repeat(20)}`, status: 'inactive' };
    expect(await refusal(box, 'PUT', '/updateexternalwalletstatus', status)).toBeUndefined();
    const solana = { blockchain: 'sol', type: 'cold' };
    // Two addresses that differ in the case of one letter.
    for (const address of [
      'US517G5965aydkZ46HS38QLi7UQiSojurfbQfKCELFx',
      'uS517G5965aydkZ46HS38QLi7UQiSojurfbQfKCELFx',
    ])
      expect(await refusal(box, 'POST', '/addexternalwallet', { ...solana, address })).toBeUndefined();
  });

  test('can be registered again after they are removed', async () => {
    await using box = await openSandbox();
    await register(box);
    expect(await box.ask(removeExternalWallet, { address: OUTSIDE })).toEqual({ address: OUTSIDE });
    expect(await shown(box)).toEqual([]);
    await register(box);
    expect(await shown(box)).toHaveLength(1);
  });

  test('belong to one fintech, and another may register the same address', async () => {
    await using box = await openSandbox();
    const other = await secondKey(box);
    await register(box, OUTSIDE, { isDefault: true });
    expect(await shown(box, other)).toEqual([]);
    const removed = await box.call('DELETE', '/removeexternalwallet', { address: OUTSIDE }, other);
    expect(removed.status).toBe(404);
    const own = { address: OUTSIDE, blockchain: 'base', type: 'hot', isDefault: true };
    expect((await box.call('POST', '/addexternalwallet', own, other)).status).toBe(200);
    expect((await shown(box)).map(({ isDefault }) => isDefault)).toEqual([true]);
  });

  test('stay unchanged when set to their current status', async () => {
    await using box = await openSandbox();
    await register(box);
    const request = { address: OUTSIDE, status: 'active' } as const;
    expect(await box.ask(setExternalWalletStatus, request)).toEqual(request);
  });

  test('have a lower-case envelope status', async () => {
    await using box = await openSandbox();
    const { envelope } = await box.call('DELETE', '/removeexternalwallet', { address: OUTSIDE });
    expect(envelope.status).toBe('error');
  });
});

describe('the balance of an address', () => {
  test('is that of a sandbox wallet, whoever owns it, by network', async () => {
    await using box = await openSandbox();
    const { smartWallet } = await box.ask(getFintechWallet, {});
    const other = await secondKey(box);
    const address = smartWallet.address.replace(/[a-f]/g, (digit) => digit.toUpperCase());
    const answer = await box.ask(balanceAddress, { address, networks: ['BSC', 'base', 'bsc', 'eth'] }, other);
    expect(answer).toMatchObject({
      token: 'CNGN',
      address,
      totalBalance: '5250000.000000',
      networkBalances: [
        { network: 'bsc', balance: '250000.000000' },
        { network: 'base', balance: '5000000.000000' },
        { network: 'eth', balance: '0.000000' },
      ],
    });
    expect((await box.ask(balanceAddress, { address, token: 'USDC' })).totalBalance).toBe('2000.000000');
  });

  test('is zero on all networks for any other address', async () => {
    await using box = await openSandbox();
    const { totalBalance, networkBalances } = await box.ask(balanceAddress, { address: OUTSIDE });
    expect(totalBalance).toBe('0.000000');
    expect(networkBalances?.map(({ network }) => network)).toEqual([
      'base',
      'eth',
      'bsc',
      'pol',
      'celo',
      'lisk',
      'arc',
      'asc',
    ]);
  });
});
