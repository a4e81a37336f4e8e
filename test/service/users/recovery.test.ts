import { describe, expect, test } from 'vitest';
import { sandboxDeposit, sandboxStatus } from '../../../src/contract/control.ts';
import { startBridge } from '../../../src/contract/endpoints/bridge.ts';
import { withdrawFees } from '../../../src/contract/endpoints/fee-withdrawals.ts';
import { onrampStatus, startOnramp } from '../../../src/contract/endpoints/onramp.ts';
import { payoutStatus } from '../../../src/contract/endpoints/payouts.ts';
import { recoverRequest, recoverRequestByPost } from '../../../src/contract/endpoints/recovery.ts';
import { startSwap } from '../../../src/contract/endpoints/swaps.ts';
import { onboard } from '../../../src/contract/endpoints/users.ts';
import { withdrawAsset } from '../../../src/contract/endpoints/withdrawals.ts';
import { openSandbox, type TestSandbox } from '../../support/sandbox.ts';
import {
  expectSettledLedger,
  freshBvn,
  fund,
  offramp,
  onboardUser,
  pass,
  payIn,
  secondKey,
  startRamp,
} from '../steps.ts';
import { managedAddress, OUTSIDE, payOut } from '../transfers/steps.ts';

/** Moves all due work except expiries to `stuck`, as if each had thrown. */
function setAside(box: TestSandbox): Promise<number> {
  return box.inside(({ store }) => {
    store.run(
      `INSERT INTO stuck (due_at, machine, subject, event, reason)
       SELECT due_at, machine, subject, event, 'broken by a test' FROM due WHERE event <> 'expired'`,
    );
    return store.run(`DELETE FROM due WHERE event <> 'expired'`);
  });
}

const stuck = async (box: TestSandbox) => (await box.ask(sandboxStatus, {})).stuck;

type Begin = (box: TestSandbox) => Promise<string>;

/** Starts one request of each kind and returns its id. */
const requests: [kind: string, begin: Begin][] = [
  ['onboarding', async (box) => (await box.ask(onboard, { bvn: freshBvn() })).requestId],
  [
    'onramp',
    async (box) => {
      const { userId } = await onboardUser(box);
      return (await box.ask(startOnramp, { userId, amount: 10 })).requestId;
    },
  ],
  [
    'deposit',
    async (box) => {
      const user = await onboardUser(box);
      return (await payIn(box, user.accountNumber, 100_000n, user.name)).depositId;
    },
  ],
  [
    'offramp',
    async (box) => {
      const user = await onboardUser(box);
      await fund(box, user, 100);
      return (await offramp(box, user.userId, 100n)).requestId;
    },
  ],
  ['payout', (box) => payOut(box, 100)],
  [
    'withdrawal',
    async (box) => {
      const user = await onboardUser(box);
      await fund(box, user, 100, { sweepToOfframp: true });
      const from = { userId: user.userId, internalWallet: await managedAddress(box, user.userId) };
      const to = { destinationWallet: OUTSIDE, amount: 1, ticker: 'CNGN', network: 'bsc' } as const;
      return (await box.ask(withdrawAsset, { ...from, ...to })).requestId ?? '';
    },
  ],
  [
    'swap',
    async (box) => {
      const user = await onboardUser(box);
      await fund(box, user, 10_000, { sweepToOfframp: true });
      const swap = { userId: user.userId, sellToken: 'CNGN', buyToken: 'USDC', amount: 10_000 } as const;
      return (await box.ask(startSwap, swap)).requestId;
    },
  ],
  [
    "swap of an onramp, by the onramp's id",
    async (box) => {
      const { userId } = await onboardUser(box);
      const ramp = await startRamp(box, userId, 2000, { autoSwap: true, assetSwap: 'USDC' });
      await payIn(box, ramp.accountNumber, ramp.totalKobo);
      // Minting takes 250 ms and delivery another 150 ms; then the swap is queued.
      await pass(box, 400);
      return ramp.requestId;
    },
  ],
  [
    'bridge',
    async (box) => {
      const way = { token: 'CNGN', fromNetwork: 'base', toNetwork: 'bsc', amount: '250' } as const;
      const request = { ...way, fromAddress: OUTSIDE, toAddress: `0x${'1e'.repeat(20)}` };
      const { requestId, receivableAddress } = await box.ask(startBridge, request);
      const arrival = {
        address: receivableAddress,
        asset: 'CNGN',
        amount: '250',
        network: 'base',
        from: OUTSIDE,
      } as const;
      await box.ask(sandboxDeposit, arrival);
      return requestId;
    },
  ],
  [
    'fee withdrawal',
    async (box) => {
      const to = { bankAccountNumber: '0123456789', bankCode: '000013', accountName: 'HARMATTAN PAY' };
      return (await box.ask(withdrawFees, { ...to, amount: 1_000 })).withdrawalId;
    },
  ],
];

describe('recovery', () => {
  test.each(requests)('retries the stuck work of one: %s', async (_kind, begin) => {
    await using box = await openSandbox();
    const requestId = await begin(box);
    expect(await setAside(box)).toBe(1);
    expect(await stuck(box)).toBe(1);
    expect(await box.ask(recoverRequest, { requestId })).toEqual({});
    await pass(box, 10_000);
    expect(await stuck(box)).toBe(0);
    await pass(box, 10_000);
    await expectSettledLedger(box);
  });

  test.each(requests)("does not find another fintech's: %s", async (_kind, begin) => {
    await using box = await openSandbox();
    const requestId = await begin(box);
    await setAside(box);
    const other = await secondKey(box);
    const replies = [
      await box.call('GET', `/manualstatusrecovery?requestId=${requestId}`, undefined, other),
      await box.call('POST', '/manualstatusrecovery', { requestId }, other),
    ];
    expect(replies.map(({ status, envelope }) => [status, envelope.response_code])).toEqual([
      [404, '02'],
      [404, '02'],
    ]);
    expect(await stuck(box)).toBe(1);
  });

  test('does not retry the stuck work of other requests', async () => {
    await using box = await openSandbox();
    const first = await payOut(box, 100);
    const second = await payOut(box, 200);
    await setAside(box);
    await box.ask(recoverRequestByPost, { requestId: second });
    await pass(box, 10_000);
    const states = [
      await box.ask(payoutStatus, { requestId: first }),
      await box.ask(payoutStatus, { requestId: second }),
    ];
    expect(states.map(({ status }) => status)).toEqual(['pending', 'completed']);
    expect(await stuck(box)).toBe(1);
  });

  test('changes nothing for a healthy request', async () => {
    await using box = await openSandbox();
    const { userId } = await onboardUser(box);
    const { requestId } = await box.ask(startOnramp, { userId, amount: 10 });
    const before = await box.ask(onrampStatus, { requestId });
    expect(await box.ask(recoverRequest, { requestId })).toEqual({});
    expect(await box.ask(onrampStatus, { requestId })).toEqual(before);
  });
});
