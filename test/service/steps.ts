import { expect } from 'vitest';
import { sandboxPay } from '../../src/contract/control.ts';
import { startOfframp } from '../../src/contract/endpoints/offramp.ts';
import { startOnramp } from '../../src/contract/endpoints/onramp.ts';
import { setStatus } from '../../src/contract/endpoints/user-settings.ts';
import { getDetails, onboard } from '../../src/contract/endpoints/users.ts';
import { getVirtualAccount } from '../../src/contract/endpoints/virtual-accounts.ts';
import { amount, fromWire, toWireNumber } from '../../src/money/amount.ts';
import type { WireNumber } from '../../src/money/decimal.ts';
import type { Context } from '../../src/service/context.ts';
import { checkLedger } from '../../src/service/ledger.ts';
import type { TestSandbox } from '../support/sandbox.ts';

/** Longer than any asynchronous work at the pace `quick`, and much shorter than 30 minutes. */
const SETTLED_MS = 10_000;

/** Advances the machine clock until all work at the pace `quick` is done. */
export async function settle(box: TestSandbox): Promise<void> {
  await pass(box, SETTLED_MS);
}

/** Advances the machine clock and runs what is due. */
export async function pass(box: TestSandbox, durationMs: number): Promise<void> {
  box.clock.pass(durationMs);
  await box.call('GET', '/_sandbox/clock');
}

/** A bank account that rejects every payout. Source: inferred (a test value of the sandbox). */
export const FAILING_ACCOUNT = '0000000009';

export interface User {
  readonly userId: string;
  readonly name: string;
  readonly accountNumber: string;
}

let lastBvn = 20_000_000_000;

/** Returns a BVN that was not used before in this file. */
export function freshBvn(): string {
  lastBvn += 1;
  return String(lastBvn);
}

export async function onboardUser(box: TestSandbox, bvn = freshBvn(), apiKey = box.apiKey): Promise<User> {
  const { userHash } = await box.ask(onboard, { bvn }, apiKey);
  await settle(box);
  const { virtualAccounts } = await box.ask(getDetails, { userId: userHash }, apiKey);
  const [account] = virtualAccounts;
  if (!account) throw new Error('the new user has no account');
  return { userId: userHash, name: account.accountName, accountNumber: account.accountNumber };
}

/** Deactivates a user. */
export function deactivate(box: TestSandbox, userId: string) {
  return box.ask(setStatus, { userId, active: false, reason: 'requested by the fintech' });
}

export interface Ramp {
  readonly requestId: string;
  readonly walletAddress: string;
  readonly accountNumber: string;
  readonly totalKobo: bigint;
}

/** Optional fields of an onramp request. */
export interface OnrampMore {
  readonly sweepToOfframp?: boolean;
  readonly owner?: string;
  readonly autoSwap?: boolean;
  readonly assetSwap?: 'USDC' | 'USDT';
  readonly destinationAssetSwap?: string;
}

/** Starts an onramp and waits until its account can be paid. */
export async function startRamp(
  box: TestSandbox,
  userId: string,
  naira: number,
  more: OnrampMore = {},
  apiKey = box.apiKey,
): Promise<Ramp> {
  const { requestId, walletAddress } = await box.ask(startOnramp, { userId, amount: naira, ...more }, apiKey);
  await pass(box, 200);
  const { virtualAccount } = await box.ask(getVirtualAccount, { requestId }, apiKey);
  const total = fromWire(virtualAccount.totalAmountWithFee, 'naira', 'NGN');
  if (!total) throw new Error('the total is not an amount of Naira');
  return { requestId, walletAddress, accountNumber: virtualAccount.accountNumber, totalKobo: total.minor };
}

/** Sends a bank transfer to a virtual account. */
export function payIn(box: TestSandbox, accountNumber: string, kobo: bigint, senderName = 'ANY PAYER') {
  return box.ask(sandboxPay, { accountNumber, amount: nairaOf(kobo), senderName });
}

export function nairaOf(kobo: bigint): WireNumber {
  return toWireNumber(amount('NGN', kobo), 'naira');
}

/** Gives a user cNGN in a new generated wallet, or with sweep in the managed one. */
export async function fund(box: TestSandbox, user: User, naira: number, more: OnrampMore = {}): Promise<Ramp> {
  const ramp = await startRamp(box, user.userId, naira, more);
  await payIn(box, ramp.accountNumber, ramp.totalKobo);
  await settle(box);
  return ramp;
}

export function offramp(box: TestSandbox, userId: string, kobo: bigint, accountNumber = '0123456789') {
  const request = { userId, amount: nairaOf(kobo), accountNumber, bankCode: '000013', ticker: 'CNGN' };
  return box.ask(startOfframp, request);
}

/** Returns all non-zero ledger balances by code and asset, such as `reserve NGN`. */
export function balances({ store }: Pick<Context, 'store'>): Record<string, bigint> {
  const rows = store.all<{ code: string; asset: string; balance: bigint }>(
    'SELECT code, asset, balance FROM account WHERE balance <> 0 ORDER BY code, asset',
  );
  return Object.fromEntries(rows.map(({ code, asset, balance }) => [`${code} ${asset}`, balance]));
}

/** Asserts that the ledger balances and that no money is in flight. */
export async function expectSettledLedger(box: TestSandbox): Promise<void> {
  const { check, held, due, stuck } = await box.inside(
    (context) => ({
      check: checkLedger(context.store),
      held: balances(context),
      due: context.store.all('SELECT machine, event FROM due'),
      stuck: context.store.all('SELECT * FROM stuck'),
    }),
    'read',
  );
  expect(check).toMatchObject({ balanced: true, sums: { NGN: 0n, CNGN: 0n, USDC: 0n, USDT: 0n } });
  expect(held).not.toHaveProperty(['incoming NGN']);
  expect(held).not.toHaveProperty(['refunds NGN']);
  expect(held).not.toHaveProperty(['vault CNGN']);
  expect(stuck).toEqual([]);
  // The expiry of a temporary account stays scheduled for 30 minutes, even if it is paid.
  expect(due.filter(({ event }) => event !== 'expired')).toEqual([]);
}

/** The API key of the second seeded fintech. */
export function secondKey(box: TestSandbox): Promise<string> {
  return keyOf(box, 2);
}

/** The sandbox key of a seeded fintech: 1 and 2 are callers, 3 and 4 market makers. */
export function keyOf(box: TestSandbox, fintech: number): Promise<string> {
  const sql = `SELECT key FROM api_key WHERE fintech = ? AND kind = 'sandbox' AND revoked_at IS NULL`;
  return box.inside(({ store }) => store.get<{ key: string }>(sql, fintech)?.key ?? '', 'read');
}

/** The production key of a seeded fintech, used to create sandbox keys. */
export function productionKey(box: TestSandbox, fintech = 1): Promise<string> {
  const sql = `SELECT key FROM api_key WHERE fintech = ? AND kind = 'production'`;
  return box.inside(({ store }) => store.get<{ key: string }>(sql, fintech)?.key ?? '', 'read');
}
