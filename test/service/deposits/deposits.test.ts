import { describe, expect, test } from 'vitest';
import { sandboxStatus } from '../../../src/contract/control.ts';
import { balanceUser } from '../../../src/contract/endpoints/balances.ts';
import { onrampStatus, startOnramp } from '../../../src/contract/endpoints/onramp.ts';
import { getVirtualAccount } from '../../../src/contract/endpoints/virtual-accounts.ts';
import { getFintechWallet } from '../../../src/contract/endpoints/wallets.ts';
import { openSandbox, type TestSandbox } from '../../support/sandbox.ts';
import {
  balances,
  deactivate,
  expectSettledLedger,
  onboardUser,
  payIn,
  type Ramp,
  settle,
  startRamp,
  type User,
} from '../steps.ts';

const HALF_AN_HOUR_MS = 30 * 60_000;

interface Arrival {
  /** Kobo above the exact total. */
  readonly more?: bigint;
  /** Milliseconds after the start of the onramp. */
  readonly atMs?: number;
  readonly sender?: string;
}

interface Outcome {
  readonly outcome: 'accepted' | 'refunded';
  readonly reason: string | null;
}

const accepted: Outcome = { outcome: 'accepted', reason: null };
const refunded = (reason: string): Outcome => ({ outcome: 'refunded', reason });

/** Payments, the outcome of each, and the final state of the onramp. */
const temporary: [what: string, arrivals: [Arrival, Outcome][], end: string][] = [
  ['the exact total', [[{}, accepted]], 'completed'],
  ['the exact total from any sender', [[{ sender: 'ACME VENTURES LTD' }, accepted]], 'completed'],
  ['nothing', [], 'pending'],
  ['one kobo less', [[{ more: -1n }, refunded('amount_mismatch')]], 'pending'],
  ['one kobo more', [[{ more: 1n }, refunded('amount_mismatch')]], 'pending'],
  ['the amount without the fees', [[{ more: -2_200n }, refunded('amount_mismatch')]], 'pending'],
  [
    'one kobo less, one kobo more, then the exact total',
    [
      [{ more: -1n }, refunded('amount_mismatch')],
      [{ more: 1n }, refunded('amount_mismatch')],
      [{}, accepted],
    ],
    'completed',
  ],
  [
    'the exact total twice',
    [
      [{}, accepted],
      [{}, refunded('already_paid')],
    ],
    'completed',
  ],
  [
    'the exact total, and again after the cNGN is delivered',
    [
      [{}, accepted],
      [{ atMs: 60_000 }, refunded('already_paid')],
    ],
    'completed',
  ],
  ['the exact total one millisecond before expiry', [[{ atMs: HALF_AN_HOUR_MS - 1 }, accepted]], 'completed'],
  ['the exact total at expiry', [[{ atMs: HALF_AN_HOUR_MS }, refunded('account_expired')]], 'failed'],
  ['the exact total a day late', [[{ atMs: 48 * HALF_AN_HOUR_MS }, refunded('account_expired')]], 'failed'],
  [
    'a wrong amount, and the right one too late',
    [
      [{ more: 5n }, refunded('amount_mismatch')],
      [{ atMs: HALF_AN_HOUR_MS }, refunded('account_expired')],
    ],
    'failed',
  ],
  [
    'the exact total, and again after expiry',
    [
      [{}, accepted],
      [{ atMs: HALF_AN_HOUR_MS }, refunded('already_paid')],
    ],
    'completed',
  ],
];

async function arrive(box: TestSandbox, ramp: Ramp, startMs: number, arrival: Arrival): Promise<Outcome> {
  if (arrival.atMs !== undefined) box.clock.set(startMs + arrival.atMs);
  const { outcome, reason } = await payIn(box, ramp.accountNumber, ramp.totalKobo + (arrival.more ?? 0n));
  return { outcome, reason };
}

describe('a temporary account that receives', () => {
  test.each(temporary)('%s', async (_what, arrivals, end) => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const startMs = box.clock.now();
    const ramp = await startRamp(box, userId, 1000);
    for (const [arrival, outcome] of arrivals) expect(await arrive(box, ramp, startMs, arrival)).toEqual(outcome);
    await settle(box);
    const { status } = await box.ask(onrampStatus, { requestId: ramp.requestId });
    const { totalBalance } = await box.ask(balanceUser, { userId });
    expect({ status, totalBalance }).toEqual({
      status: end,
      totalBalance: end === 'completed' ? '1000.000000' : '0.000000',
    });
    await expectSettledLedger(box);
  });

  test('the exact total before it is ready', async () => {
    await using box = await openSandbox({ pace: 'real' });
    const { userId } = await onboardSlowly(box);
    const { requestId } = await box.ask(startOnramp, { userId, amount: 1000 });
    const { virtualAccount, status } = await box.ask(getVirtualAccount, { requestId });
    expect(status).toBe('created');
    expect(await payIn(box, virtualAccount.accountNumber, 102_200n)).toMatchObject(accepted);
    box.clock.pass(HALF_AN_HOUR_MS);
    expect(await box.ask(onrampStatus, { requestId })).toMatchObject({ status: 'completed' });
  });

  test('the exact total one millisecond before expiry mints after it', async () => {
    await using box = await openSandbox({ pace: 'real' });
    const { userId } = await onboardSlowly(box);
    const startMs = box.clock.now();
    const ramp = await startRamp(box, userId, 1000);
    expect(await arrive(box, ramp, startMs, { atMs: HALF_AN_HOUR_MS - 1 })).toEqual(accepted);
    box.clock.pass(1);
    const byWallet = await box.call('POST', '/cngnonrampstatus', { walletAddress: ramp.walletAddress });
    expect(byWallet.envelope.data).toMatchObject({ requestId: ramp.requestId, status: 'processing' });
    expect(await box.ask(onrampStatus, { requestId: ramp.requestId })).toMatchObject({ status: 'processing' });
    box.clock.pass(HALF_AN_HOUR_MS);
    expect(await box.ask(onrampStatus, { requestId: ramp.requestId })).toMatchObject({ status: 'completed' });
    await expectSettledLedger(box);
  });

  test('the exact total for an inactive user can still be paid after reactivation', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const ramp = await startRamp(box, userId, 1000);
    await deactivate(box, userId);
    expect(await payIn(box, ramp.accountNumber, ramp.totalKobo)).toMatchObject(refunded('user_inactive'));
    await box.inside(({ store }) => store.run('UPDATE user SET active = 1'));
    expect(await payIn(box, ramp.accountNumber, ramp.totalKobo)).toMatchObject(accepted);
    await settle(box);
    await expectSettledLedger(box);
  });
});

/** At the pace `real`, verifying a BVN takes two minutes. */
async function onboardSlowly(box: TestSandbox): Promise<User> {
  await box.call('POST', '/_sandbox/seed', { users: 1 });
  const { envelope } = await box.call('POST', '/listfintechusers', {});
  const [user] = (envelope.data as { users: { userId: string }[] }).users;
  return { userId: user?.userId ?? '', name: '', accountNumber: '' };
}

/** The holders of the sandbox's BVNs. */
const people = {
  UCHE: { bvn: '22222222222', name: 'UCHE KABIRU OKORO' },
  ADEBAYO: { bvn: '00000000002', name: "ADÉBÁYỌ̀ D'ANGELO OKORO-BELLO" },
  MUSA: { bvn: '00000000003', name: 'MUSA' },
} as const;

const mismatch = refunded('bvn_name_mismatch');

const permanent: [who: keyof typeof people, sender: string, outcome: Outcome][] = [
  ['UCHE', 'UCHE KABIRU OKORO', accepted],
  ['UCHE', 'OKORO UCHE KABIRU', accepted],
  ['UCHE', 'Kabiru, Okoro Uche', accepted],
  ['UCHE', 'uche okoro', accepted],
  ['UCHE', 'UCHE K. OKORO', accepted],
  ['UCHE', 'UCHE OKOROO', accepted],
  ['UCHE', 'UCHE KABIRO OKORO', accepted],
  ['UCHE', 'Úchè Ọkọrọ', accepted],
  ['UCHE', 'UCHE', mismatch],
  ['UCHE', 'OKORO', mismatch],
  ['UCHE', 'UCHE KABIRU', mismatch],
  ['UCHE', 'UCHE OKROR', mismatch],
  ['UCHE', 'UCHE OKONKWO', mismatch],
  ['UCHE', 'NGOZI OKORO', mismatch],
  ['UCHE', 'UCHE OKORO NGOZI', mismatch],
  ['UCHE', 'ZAINAB YUSUF', mismatch],
  ['UCHE', 'UCHE OKORO VENTURES', mismatch],
  ['UCHE', 'OKORO & UCHE NIG LTD', mismatch],
  ['UCHE', 'ACME GLOBAL SERVICES', mismatch],
  ['UCHE', '12345', mismatch],
  ['UCHE', '.', mismatch],
  ['ADEBAYO', "ADÉBÁYỌ̀ D'ANGELO OKORO-BELLO", accepted],
  ['ADEBAYO', 'ADEBAYO OKOROBELLO', accepted],
  ['ADEBAYO', 'OKORO-BELLO ADEBAYO DANGELO', accepted],
  ['ADEBAYO', 'ADEBAYO BALOGUN', mismatch],
  ['MUSA', 'MUSA', accepted],
  ['MUSA', 'MUSA YUSUF', mismatch],
];

describe("a user's permanent account", () => {
  test.each(permanent)('%s from %s', async (who, sender, outcome) => {
    await using box = await openSandbox();
    const user = await onboardUser(box, people[who].bvn);
    expect(user.name).toBe(people[who].name);
    const before = await box.inside(balances, 'read');
    expect(await payIn(box, user.accountNumber, 100_000n, sender)).toMatchObject(outcome);
    await settle(box);
    const { totalBalance } = await box.ask(balanceUser, { userId: user.userId });
    expect(totalBalance).toBe(outcome === accepted ? '978.000000' : '0.000000');
    if (outcome !== accepted) expect(await box.inside(balances, 'read')).toEqual(before);
    await expectSettledLedger(box);
  });

  // Banks may write a hyphenated name as two words (the measure is inferred).
  test('accepts a hyphenated name written with a space', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box, people.ADEBAYO.bvn);
    expect(await payIn(box, user.accountNumber, 100_000n, 'ADEBAYO OKORO BELLO')).toMatchObject(accepted);
  });

  test('returns a deposit of an inactive user', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    await deactivate(box, user.userId);
    const before = await box.inside(balances, 'read');
    expect(await payIn(box, user.accountNumber, 100_000n, user.name)).toMatchObject(refunded('user_inactive'));
    await settle(box);
    expect(await box.inside(balances, 'read')).toEqual(before);
    await expectSettledLedger(box);
  });

  test('accepts any number of deposits', async () => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    for (const kobo of [100_000n, 100_000n, 100_000n]) await payIn(box, user.accountNumber, kobo, user.name);
    await settle(box);
    const { totalBalance } = await box.ask(balanceUser, { userId: user.userId });
    expect(totalBalance).toBe('2934.000000');
    await expectSettledLedger(box);
  });
});

/**
 * Platform: 1.7, 1.5 and 1 percent from ₦0, ₦5,000 and ₦100,000, at most ₦2,000 and ₦5,000. Fintech: 0.5 percent, at
 * most ₦500.
 */
const fees: [kobo: bigint, platform: bigint, fintech: bigint][] = [
  [1n, 0n, 0n],
  [29n, 0n, 0n],
  [30n, 1n, 0n],
  [99n, 2n, 0n],
  [100n, 2n, 1n],
  [100_000n, 1_700n, 500n],
  [499_999n, 8_500n, 2_500n],
  [500_000n, 7_500n, 2_500n],
  [9_999_999n, 150_000n, 50_000n],
  [10_000_000n, 100_000n, 50_000n],
  [10_000_001n, 100_000n, 50_000n],
  [50_000_000n, 500_000n, 50_000n],
  [1_000_000_000n, 500_000n, 50_000n],
];

describe('the fees of a deposit', () => {
  test.each(fees)('of %d kobo are deducted from it', async (kobo, platform, fintech) => {
    await using box = await openSandbox();
    const user = await onboardUser(box);
    const before = await box.inside(balances, 'read');
    await payIn(box, user.accountNumber, kobo, user.name);
    await settle(box);
    const after = await box.inside(balances, 'read');
    const change = (key: string) => (after[key] ?? 0n) - (before[key] ?? 0n);
    expect({
      platform: change('fees/platform/onramp NGN'),
      fintech: change('fees/fintech/1/onramp NGN'),
      reserve: change('reserve NGN'),
      bank: change('bank NGN'),
      base: -change('supply CNGN'),
    }).toEqual({
      platform,
      fintech,
      reserve: kobo - platform - fintech,
      bank: -kobo,
      base: (kobo - platform - fintech) * 10_000n,
    });
    await expectSettledLedger(box);
  });
});

const unpayable: [what: string, body: object, http: number, code: string][] = [
  ['an unknown account', { accountNumber: '0000000000', amount: 1, senderName: 'A B' }, 404, '02'],
  ['a nine-digit account', { accountNumber: '123456789', amount: 1, senderName: 'A B' }, 400, '01'],
  ['no amount', { accountNumber: '0000000000', senderName: 'A B' }, 400, '01'],
  ['an amount of zero', { accountNumber: '0000000000', amount: 0, senderName: 'A B' }, 400, '01'],
  ['a negative amount', { accountNumber: '0000000000', amount: -1, senderName: 'A B' }, 400, '01'],
  ['a third of a kobo', { accountNumber: '0000000000', amount: 0.003, senderName: 'A B' }, 400, '01'],
  ['no sender', { accountNumber: '0000000000', amount: 1 }, 400, '01'],
  ['an empty sender', { accountNumber: '0000000000', amount: 1, senderName: '' }, 400, '01'],
];

test.each(unpayable)('a transfer with %s is rejected', async (_what, body, http, code) => {
  await using box = await openSandbox();
  const { status, envelope } = await box.call('POST', '/_sandbox/pay', body);
  expect({ status, response_code: envelope.response_code }).toEqual({ status: http, response_code: code });
  await expectSettledLedger(box);
});

// 10^13 Naira are 10^19 base units, beyond SQLite's 64 bits.
test('a transfer too large for the ledger is rejected, and the sandbox continues to work', async () => {
  await using box = await openSandbox();
  const user = await onboardUser(box);
  const request = { accountNumber: user.accountNumber, amount: 10_000_000_000_000, senderName: user.name };
  expect((await box.call('POST', '/_sandbox/pay', request)).status).toBe(400);
  await settle(box);
  expect((await box.call('GET', '/getfees')).status).toBe(200);
});

// The largest transfers, until the ledger's supply would exceed 64 bits.
test('transfers too large in total are rejected, from a bank and from a chain, and earlier ones are kept', async () => {
  await using box = await openSandbox();
  const user = await onboardUser(box);
  const transfer = { accountNumber: user.accountNumber, amount: 10_000_000_000, senderName: user.name };
  const { smartWallet } = await box.ask(getFintechWallet, {});
  const tokens = { address: smartWallet.address, network: 'base', amount: '10000000000', from: `0x${'77'.repeat(20)}` };
  const statusesOf = async (path: string, request: object) => {
    const statuses: number[] = [];
    for (let count = 0; count < 401; count++) statuses.push((await box.call('POST', path, request)).status);
    return statuses;
  };
  // The seed uses some of the maximum, but less than one of these transfers.
  const most = [...Array.from({ length: 399 }, () => 200), 400, 400];
  expect(await statusesOf('/_sandbox/pay', transfer)).toEqual(most);
  expect(await statusesOf('/_sandbox/deposit', { ...tokens, asset: 'USDC' })).toEqual(most);
  await settle(box);
  const { stuck, ledger } = await box.ask(sandboxStatus, {});
  expect({ stuck, balanced: ledger.balanced }).toEqual({ stuck: 0, balanced: true });
});

test('an onramp too large for the ledger is rejected', async () => {
  await using box = await openSandbox();
  const { userId } = await onboardUser(box);
  const { status } = await box.call('POST', '/cngnonramp', `{"userId":"${userId}","amount":1e17}`);
  expect(status).toBe(400);
});
