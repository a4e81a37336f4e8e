import { describe, expect, test } from 'vitest';
import {
  deleteBankAccount,
  getBankAccount,
  listBankAccounts,
  updateBankAccount,
} from '../../../src/contract/endpoints/banks.ts';
import { accumulatedFees } from '../../../src/contract/endpoints/fees.ts';
import { listPayouts } from '../../../src/contract/endpoints/history.ts';
import { payoutStatus, startPayout } from '../../../src/contract/endpoints/payouts.ts';
import { getFintechWallet } from '../../../src/contract/endpoints/wallets.ts';
import { post, walletAccount } from '../../../src/service/ledger.ts';
import { smartWallet } from '../../../src/service/wallets/wallets.ts';
import { openSandbox, type TestSandbox } from '../../support/sandbox.ts';
import { balances, expectSettledLedger, FAILING_ACCOUNT, pass, secondKey, settle } from '../steps.ts';
import { addAccount, commit, eventsOf, payOut, refusal, seededAccount } from '../transfers/steps.ts';

const NAIRA = 100;

/** The cNGN of the account wallet in base units, on Base and on BNB Chain. */
async function heldOf(box: TestSandbox): Promise<[base: bigint, bsc: bigint]> {
  const { wallet, held } = await box.inside(
    ({ store }) => ({
      wallet: store.get<{ id: bigint }>(`SELECT id FROM wallet WHERE fintech = 1 AND kind = 'fintech'`)?.id,
      held: balances({ store }),
    }),
    'read',
  );
  return [held[`wallet/${wallet}/base CNGN`] ?? 0n, held[`wallet/${wallet}/bsc CNGN`] ?? 0n];
}

const CNGN = 1_000_000n;
const ON_BASE = 5_000_000n * CNGN;
const ON_BSC = 250_000n * CNGN;

async function payoutRefusal(box: TestSandbox, kobo: bigint): Promise<string | undefined> {
  const request = { amount: Number(kobo * 10_000n), bankAccountId: await seededAccount(box) };
  return refusal(box, 'POST', '/initiateofframp', request);
}

describe("a payout of the fintech's own cNGN", () => {
  /** Platform: 0.5, 0.4 and 0.3 percent from ₦0, ₦1,000 and ₦5,000, at most ₦1,000, on top. */
  const payouts: [kobo: bigint, feeKobo: bigint][] = [
    [1n, 0n],
    [100n, 1n],
    [99_999n, 500n],
    [100_000n, 400n],
    [500_000n, 1_500n],
    [40_000_000n, 100_000n],
  ];

  test.each(payouts)('of %d kobo costs the platform fee on top', async (kobo, fee) => {
    await using box = await openSandbox();
    const before = await box.inside(balances, 'read');
    const requestId = await payOut(box, Number(kobo));
    expect(await heldOf(box)).toEqual([ON_BASE - (kobo + fee) * 10_000n, ON_BSC]);
    expect((await box.inside(balances, 'read'))['vault CNGN']).toBe((kobo + fee) * 10_000n);
    await settle(box);
    const after = await box.inside(balances, 'read');
    const change = (key: string) => (after[key] ?? 0n) - (before[key] ?? 0n);
    expect({
      bank: change('bank NGN'),
      reserve: change('reserve NGN'),
      platform: change('fees/platform/offramp NGN'),
      supply: change('supply CNGN'),
    }).toEqual({ bank: kobo, reserve: -(kobo + fee), platform: fee, supply: (kobo + fee) * 10_000n });
    expect(await box.ask(payoutStatus, { requestId })).toMatchObject({ status: 'completed' });
    await expectSettledLedger(box);
  });

  test('earns the fintech nothing', async () => {
    await using box = await openSandbox();
    const before = await box.ask(accumulatedFees, {});
    await payOut(box, 1000 * NAIRA);
    await settle(box);
    expect((await box.ask(accumulatedFees, {})).summary).toEqual(before.summary);
  });

  test('goes through its steps, then waits for the bank', async () => {
    await using box = await openSandbox();
    const { smartWallet } = await box.ask(getFintechWallet, {});
    const bankAccountId = await seededAccount(box);
    const { requestId, ...answer } = await box.ask(startPayout, { amount: 170_000_000, bankAccountId });
    expect(answer).toMatchObject({ amount: 170, walletSource: 'system_wallet', status: 'pending' });
    const seen: unknown[] = [];
    for (const wait of [0, 100, 100, 100, 100, 399, 1]) {
      await pass(box, wait);
      const { status, transferDetails, payoutDetails } = await box.ask(payoutStatus, { requestId });
      seen.push([wait, status, transferDetails?.status, payoutDetails?.status]);
      // The list says the same of the bank.
      const [row] = (await box.ask(listPayouts, {})).payouts ?? [];
      expect(row?.payoutStatus).toBe(payoutDetails?.status);
    }
    expect(seen).toEqual([
      [0, 'pending', 'pending', 'pending'],
      [100, 'processing', 'pending', 'pending'],
      [100, 'transferring_cngn', 'pending', 'pending'],
      [100, 'initiating_payout', 'confirmed', 'pending'],
      [100, 'payout_processing', 'confirmed', 'processing'],
      [399, 'payout_processing', 'confirmed', 'processing'],
      [1, 'completed', 'confirmed', 'completed'],
    ]);
    const { initiatedAt, completedAt, ...status } = await box.ask(payoutStatus, { requestId });
    expect(Date.parse(completedAt ?? '') - Date.parse(initiatedAt ?? '')).toBe(800);
    expect(status).toMatchObject({
      amount: { value: '170', unit: 'unknown' },
      currency: 'NGN',
      bankAccount: { accountNumber: '0123456789', bankName: 'GUARANTY TRUST BANK' },
      wallet: { source: 'system_wallet', address: smartWallet.address },
    });
  });

  test('emits an event for each step, in order', async () => {
    await using box = await openSandbox();
    const requestId = await payOut(box, 1000 * NAIRA);
    await settle(box);
    const events = await eventsOf(box, requestId);
    expect(events.map(({ event, user_id, data }) => [event, user_id, data['status'], data['amount']])).toEqual([
      ['fintech.offramp.initiated', null, 'pending', 1000],
      ['fintech.offramp.transfer.completed', null, 'initiating_payout', 1000],
      ['fintech.offramp.payout.initiated', null, 'payout_processing', 1000],
      ['fintech.offramp.completed', null, 'completed', 1000],
    ]);
    expect(events[1]?.data['burnDetails']).toMatchObject({ status: 'confirmed', cNgnAmount: 1_000_000_000 });
    expect(events[3]?.data['metadata']).toEqual({ processingTime: 800 });
  });

  test('and its bank account are not found by another fintech', async () => {
    await using box = await openSandbox();
    const other = await secondKey(box);
    const requestId = await payOut(box, 1000 * NAIRA);
    const bankAccountId = await seededAccount(box);
    const status = await box.call('GET', `/getofframpstatus?requestId=${requestId}`, undefined, other);
    const start = await box.call('POST', '/initiateofframp', { amount: 1_000_000, bankAccountId }, other);
    expect({ status: status.status, startStatus: start.status }).toEqual({ status: 404, startStatus: 404 });
  });
});

/** The fee on 40 million kobo or more. */
const FEE = 100_000n;
const kobo = (base: bigint) => base / 10_000n;

describe('the account wallet pays', () => {
  test('from Base first, then from the other networks', async () => {
    await using box = await openSandbox();
    const amount = kobo(ON_BASE + 100n * CNGN) - FEE;
    expect(await payoutRefusal(box, amount)).toBeUndefined();
    expect(await heldOf(box)).toEqual([0n, ON_BSC - 100n * CNGN]);
    await settle(box);
    await expectSettledLedger(box);
  });

  test('up to the whole balance, but not one kobo more', async () => {
    await using box = await openSandbox();
    const all = kobo(ON_BASE + ON_BSC) - FEE;
    expect(await payoutRefusal(box, all + 1n)).toBe('400 05 The balance is too low');
    expect(await heldOf(box)).toEqual([ON_BASE, ON_BSC]);
    expect(await payoutRefusal(box, all)).toBeUndefined();
    expect(await heldOf(box)).toEqual([0n, 0n]);
    expect(await payoutRefusal(box, 1n)).toBe('400 05 The balance is too low');
    await settle(box);
    await expectSettledLedger(box);
  });

  test('but leaves on Base what active orders may take', async () => {
    await using box = await openSandbox();
    const order = await commit(box, 4_000_000n);
    const free = kobo(1_000_000n * CNGN + ON_BSC) - FEE;
    expect(await payoutRefusal(box, free + 1n)).toBe('400 05 The balance is too low');
    expect(await payoutRefusal(box, free)).toBeUndefined();
    expect(await heldOf(box)).toEqual([4_000_000n * CNGN, 0n]);
    expect(await payoutRefusal(box, 1n)).toBe('400 05 The balance is too low');
    await box.inside(({ store }) => store.run(`UPDATE fx_order SET state = 'paused' WHERE id = ?`, order));
    expect(await payoutRefusal(box, 1n)).toBeUndefined();
  });

  test('from other networks if orders claim more than Base holds', async () => {
    await using box = await openSandbox();
    await commit(box, 9_000_000n);
    expect(await payoutRefusal(box, kobo(ON_BSC) - 75_000n)).toBeUndefined();
    expect((await heldOf(box))[0]).toBe(ON_BASE);
  });

  test('under the name of Base if any cNGN came from there', async () => {
    await using box = await openSandbox();
    await box.inside((context) => {
      const wallet = smartWallet(context.store, 1n).id;
      post(context, 'test', 'bridged', [
        { account: walletAccount(wallet, 'bsc', 'CNGN'), minor: -ON_BSC },
        { account: walletAccount(wallet, 'arc', 'CNGN'), minor: ON_BSC },
      ]);
    });
    const both = await payOut(box, Number(kobo(ON_BASE + CNGN) - FEE));
    const other = await payOut(box, 100);
    const networks = [await eventsOf(box, both), await eventsOf(box, other)].map(([event]) => event?.data['wallet']);
    expect(networks).toMatchObject([{ network: 'base' }, { network: 'arc' }]);
  });

  test('once, when two request the full balance together', async () => {
    await using box = await openSandbox();
    const all = kobo(ON_BASE + ON_BSC) - FEE;
    const both = await Promise.all([payoutRefusal(box, all), payoutRefusal(box, all)]);
    expect(both.sort()).toEqual(['400 05 The balance is too low', undefined]);
    await settle(box);
    await expectSettledLedger(box);
  });
});

describe('a payout that the bank rejects', () => {
  test('returns everything to its source networks', async () => {
    await using box = await openSandbox();
    const failing = await addAccount(box, FAILING_ACCOUNT);
    const before = await box.inside(balances, 'read');
    const amount = Number(kobo(ON_BASE + ON_BSC) - FEE);
    const requestId = await payOut(box, amount, failing);
    expect(await heldOf(box)).toEqual([0n, 0n]);
    await settle(box);
    expect(await box.inside(balances, 'read')).toEqual(before);
    const status = await box.ask(payoutStatus, { requestId });
    expect(status).toMatchObject({ status: 'failed', completedAt: null, payoutDetails: { status: 'failed' } });
    const events = await eventsOf(box, requestId);
    expect(events.at(-1)).toMatchObject({
      event: 'fintech.offramp.failed',
      data: { error: { code: 'PAYOUT_FAILED' }, metadata: { retryable: true, attemptNumber: 1 } },
    });
    await expectSettledLedger(box);
  });

  test('is refunded without affecting a successful payout', async () => {
    await using box = await openSandbox();
    const failing = await addAccount(box, FAILING_ACCOUNT);
    await payOut(box, 1000 * NAIRA, failing);
    await payOut(box, 2000 * NAIRA);
    await settle(box);
    expect(await heldOf(box)).toEqual([ON_BASE - 2_008n * CNGN, ON_BSC]);
    await expectSettledLedger(box);
  });
});

describe('a payout account', () => {
  const accountOf = async (box: TestSandbox, accountId: string) =>
    (await box.ask(getBankAccount, { accountId })).accounts?.[0];

  test('gets a label, and takes over the default flag', async () => {
    await using box = await openSandbox();
    const seeded = await seededAccount(box);
    const accountId = await addAccount(box, '1234567890');
    box.clock.pass(1000);
    const now = new Date(box.clock.now()).toISOString();
    const updated = await box.ask(updateBankAccount, { accountId, label: 'payroll', isDefault: true });
    expect(updated).toMatchObject({ accountId, label: 'payroll', isDefault: true, updatedAt: now });
    expect(await accountOf(box, accountId)).toMatchObject(updated);
    expect(await accountOf(box, seeded)).toMatchObject({ isDefault: false, label: 'settlement' });
    expect((await box.ask(listBankAccounts, {})).defaultAccount?.accountId).toBe(accountId);
  });

  test('keeps omitted fields on update, and can give up the default flag', async () => {
    await using box = await openSandbox();
    const accountId = await seededAccount(box);
    expect(await box.ask(updateBankAccount, { accountId })).toMatchObject({ label: 'settlement', isDefault: true });
    const { isDefault, label } = await box.ask(updateBankAccount, { accountId, isDefault: false });
    expect({ isDefault, label }).toEqual({ isDefault: false, label: 'settlement' });
    expect((await box.ask(listBankAccounts, {})).defaultAccount).toBeNull();
  });

  test('looks the same alone as in the list', async () => {
    await using box = await openSandbox();
    const accountId = await seededAccount(box);
    const { accounts } = await box.ask(listBankAccounts, {});
    expect(await box.ask(getBankAccount, { accountId })).toEqual({ accounts });
  });

  const remove = (box: TestSandbox, accountId: string) =>
    refusal(box, 'DELETE', `/deletebankaccount?accountId=${accountId}`);

  test('cannot be removed in any state of a pending payout', async () => {
    await using box = await openSandbox();
    const accountId = await seededAccount(box);
    await payOut(box, 1000 * NAIRA);
    for (const wait of [0, 100, 100, 100, 100, 399]) {
      await pass(box, wait);
      expect(await remove(box, accountId)).toBe('400 01 Payouts are pending');
    }
    await pass(box, 1);
    expect(await remove(box, accountId)).toBeUndefined();
  });

  test('leaves its payouts unchanged and no default when it is removed', async () => {
    await using box = await openSandbox();
    const accountId = await seededAccount(box);
    const requestId = await payOut(box, 1000 * NAIRA);
    await settle(box);
    const before = await box.ask(payoutStatus, { requestId });
    await box.ask(deleteBankAccount, { accountId });
    expect(await box.ask(payoutStatus, { requestId })).toEqual(before);
    expect(await box.ask(listBankAccounts, {})).toMatchObject({ accounts: [], total: 0, defaultAccount: null });
    expect(await remove(box, accountId)).toBe('404 02 Not found');
    expect(await refusal(box, 'POST', '/initiateofframp', { amount: 10_000, bankAccountId: accountId })).toBe(
      '404 02 Bank account not found',
    );
  });

  test('can be removed after its payout failed', async () => {
    await using box = await openSandbox();
    const accountId = await addAccount(box, FAILING_ACCOUNT);
    await payOut(box, 1000 * NAIRA, accountId);
    await settle(box);
    expect(await remove(box, accountId)).toBeUndefined();
  });

  test('cannot be seen, changed or removed by another fintech', async () => {
    await using box = await openSandbox();
    const other = await secondKey(box);
    const accountId = await seededAccount(box);
    const replies = [
      await box.call('GET', `/getbankaccounts?accountId=${accountId}`, undefined, other),
      await box.call('PUT', '/updatebankaccount', { accountId, label: 'mine' }, other),
      await box.call('DELETE', `/deletebankaccount?accountId=${accountId}`, undefined, other),
    ];
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(await accountOf(box, accountId)).toMatchObject({ label: 'settlement' });
  });
});
