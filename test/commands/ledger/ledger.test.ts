import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { groups } from '../../../src/contract/endpoints/index.ts';
import { sharedEnd } from '../../support/built.ts';
import { type Account, openAccount } from './support.ts';

const OUTSIDE = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const EXTERNAL = '0x52908400098527886E0F7030069857D2E4169EE7';
const BANK = '--bank-code 000013 --account-number 0123456789';

/** A command that moves money, what else has to happen until it has moved, and what the ledger has then. */
interface Movement {
  readonly endpoint: string;
  readonly line: (account: Account) => string | Promise<string>;
  /** What follows: a payment, a deposit, or a trade of someone else. */
  readonly after?: (account: Account, started: Readonly<Record<string, unknown>>) => Promise<unknown>;
  readonly moved: readonly string[];
}

const MOVEMENTS: readonly Movement[] = [
  {
    endpoint: 'transactions.onramp',
    line: ({ userId }) => `onramp create ${userId} --amount 5000.50`,
    after: ({ run }, { accountNumber }) => run(`sandbox pay ${accountNumber} --amount 5100.51 --sender ADA`),
    moved: [
      'deposit.received: bank NGN -510051',
      'deposit.received: incoming NGN 510051',
      'onramp.minted: supply CNGN -5000500000',
      'onramp.minted: wallet generated-1-CNGN/base CNGN 5000500000',
      'onramp.minted: fees/fintech/1/onramp NGN 2500',
      'onramp.minted: fees/platform/onramp NGN 7501',
      'onramp.minted: incoming NGN -510051',
      'onramp.minted: reserve NGN 500050',
    ],
  },
  {
    endpoint: 'transactions.offramp',
    line: ({ userId }) => `offramp create ${userId} --amount 2000.25 ${BANK}`,
    moved: [
      'offramp.taken: vault CNGN 2018250000',
      'offramp.taken: wallet user/base CNGN -2018250000',
      'offramp.settled: supply CNGN 2018250000',
      'offramp.settled: vault CNGN -2018250000',
      'offramp.settled: bank NGN 200025',
      'offramp.settled: fees/fintech/1/offramp NGN 1000',
      'offramp.settled: fees/platform/offramp NGN 800',
      'offramp.settled: reserve NGN -201825',
    ],
  },
  {
    endpoint: 'transactions.fintech-offramp',
    line: ({ bankAccountId }) => `payout create --amount 4321.09 --to ${bankAccountId}`,
    moved: [
      'payout.taken: vault CNGN 4338370000',
      'payout.taken: wallet fintech-1-CNGN/base CNGN -4338370000',
      'payout.settled: supply CNGN 4338370000',
      'payout.settled: vault CNGN -4338370000',
      'payout.settled: bank NGN 432109',
      'payout.settled: fees/platform/offramp NGN 1728',
      'payout.settled: reserve NGN -433837',
    ],
  },
  {
    endpoint: 'transactions.withdraw-asset',
    line: ({ userId, managedWallet }) =>
      `withdrawals create ${userId} --amount 200.123456 --token CNGN --from ${managedWallet} --to ${OUTSIDE}`,
    moved: ['withdrawal.sent: chain CNGN 200123456', 'withdrawal.sent: wallet user/base CNGN -200123456'],
  },
  {
    endpoint: 'transactions.fintech-transfer',
    line: () => `transfers create --amount 1234.567891 --to ${EXTERNAL}`,
    moved: ['transfer.sent: chain CNGN 1234567891', 'transfer.sent: wallet fintech-1-CNGN/base CNGN -1234567891'],
  },
  {
    endpoint: 'transactions.fintech-transfer',
    line: () => `transfers create --amount 25.5 --token USDC --to ${EXTERNAL}`,
    moved: ['transfer.sent: chain USDC 25500000', 'transfer.sent: wallet fintech-1-CNGN/base USDC -25500000'],
  },
  {
    endpoint: 'swaps.create',
    line: ({ userId }) => `swaps create ${userId} --sell CNGN --buy USDC --amount 5000.5`,
    moved: [
      'swap.taken: swapping CNGN 5000500000',
      'swap.taken: wallet user/base CNGN -5000500000',
      'swap.executed: swapping CNGN -5000500000',
      'swap.executed: wallet fintech-3-CNGN/base CNGN 5000500000',
      'swap.executed: wallet user/base USDC 3554015',
      'swap.executed: wallet vault-3-USDC/base USDC -3554015',
    ],
  },
  {
    endpoint: 'swaps.trigger',
    line: ({ onrampWallet }) => `swaps create --wallet ${onrampWallet} --sell CNGN --buy USDC --amount 2345.67`,
    moved: [
      'swap.taken: swapping CNGN 2345670000',
      'swap.taken: wallet onramp/base CNGN -2345670000',
      'swap.executed: swapping CNGN -2345670000',
      'swap.executed: wallet fintech-3-CNGN/base CNGN 2345670000',
      'swap.executed: wallet onramp/base USDC 1667142',
      'swap.executed: wallet vault-3-USDC/base USDC -1667142',
    ],
  },
  {
    endpoint: 'bridge.initiate',
    line: ({ managedWallet }) =>
      `bridge create --from-network base --to-network bsc --amount 543.21 --from ${managedWallet} --to ${OUTSIDE}`,
    after: ({ run, userId, managedWallet }, { receivableAddress }) =>
      run(
        `withdrawals create ${userId} --amount 543.21 --token CNGN --from ${managedWallet} --to ${receivableAddress}`,
      ),
    moved: [
      'withdrawal.sent: bridging CNGN 543210000',
      'withdrawal.sent: wallet user/base CNGN -543210000',
      'bridge.released: bridging CNGN -543210000',
      'bridge.released: chain CNGN 540493950',
      'bridge.released: fees/platform/tokens CNGN 2716050',
      'bridge: 543210000 CNGN from base to bsc, received 543210000',
    ],
  },
  {
    endpoint: 'fees.withdraw',
    line: () => `fees withdraw --amount 512.34 ${BANK} --account-name ADA`,
    after: ({ run }) => run('sandbox advance 5d'),
    moved: [
      'fee-withdrawal.locked: fees/fintech/1/onramp NGN -51234',
      'fee-withdrawal.locked: fees/withdrawing/1/onramp NGN 51234',
      'fee-withdrawal.settled: bank NGN 51234',
      'fee-withdrawal.settled: fees/withdrawing/1/onramp NGN -51234',
    ],
  },
  {
    endpoint: 'fx.trade',
    line: () => 'fx trade --pair CNGN-USDC --side buy --amount 1234.5',
    moved: [
      'fx.locked: escrow CNGN 1234500000',
      'fx.locked: wallet fintech-1-CNGN/base CNGN -1234500000',
      'fx.locked: escrow USDC 877398',
      'fx.locked: wallet vault-3-USDC/base USDC -877398',
      'fx.settled: escrow CNGN -1234500000',
      'fx.settled: wallet fintech-3-CNGN/base CNGN 1234500000',
      'fx.settled: escrow USDC -877398',
      'fx.settled: fees/platform/tokens USDC 1755',
      'fx.settled: wallet vault-1-USDC/base USDC 875643',
    ],
  },
  {
    endpoint: 'fx.trade',
    line: () => 'fx trade --pair CNGN-USDT --side sell --amount 1234.5',
    moved: [
      'fx.locked: escrow CNGN 1234500000',
      'fx.locked: wallet fintech-3-CNGN/base CNGN -1234500000',
      'fx.locked: escrow USDT 892593',
      'fx.locked: wallet vault-1-USDT/base USDT -892593',
      'fx.settled: escrow CNGN -1234500000',
      'fx.settled: fees/platform/tokens CNGN 2469000',
      'fx.settled: wallet fintech-1-CNGN/base CNGN 1232031000',
      'fx.settled: escrow USDT -892593',
      'fx.settled: wallet vault-3-USDT/base USDT 892593',
    ],
  },
  {
    endpoint: 'fx.market-order',
    line: () => 'fx trade --market --pair CNGN-USDT --side sell --amount 2345.6',
    moved: [
      'fx.locked: escrow CNGN 2345600000',
      'fx.locked: wallet fintech-3-CNGN/base CNGN -2345600000',
      'fx.locked: escrow USDT 1695962',
      'fx.locked: wallet vault-1-USDT/base USDT -1695962',
      'fx.settled: escrow CNGN -2345600000',
      'fx.settled: fees/platform/tokens CNGN 4691200',
      'fx.settled: wallet fintech-1-CNGN/base CNGN 2340908800',
      'fx.settled: escrow USDT -1695962',
      'fx.settled: wallet vault-3-USDT/base USDT 1695962',
    ],
  },
  {
    endpoint: 'fx.market-order',
    line: () => 'fx trade --market --pair CNGN-USDC --side buy --amount 2345.6',
    moved: [
      'fx.locked: escrow CNGN 2345600000',
      'fx.locked: wallet fintech-1-CNGN/base CNGN -2345600000',
      'fx.locked: escrow USDC 1667093',
      'fx.locked: wallet vault-3-USDC/base USDC -1667093',
      'fx.settled: escrow CNGN -2345600000',
      'fx.settled: wallet fintech-3-CNGN/base CNGN 2345600000',
      'fx.settled: escrow USDC -1667093',
      'fx.settled: fees/platform/tokens USDC 3334',
      'fx.settled: wallet vault-1-USDC/base USDC 1663759',
    ],
  },
  {
    endpoint: 'fx.create-order',
    line: () => 'fx orders create --pair CNGN-USDC --side buy --price 1390.5 --min 1000.5 --max 5000.25',
    after: ({ runOther }) => runOther('fx trade --market --pair CNGN-USDC --side sell --amount 5000.25'),
    moved: [
      'fx.locked: escrow CNGN 5000250000',
      'fx.locked: wallet fintech-1-CNGN/base CNGN -5000250000',
      'fx.locked: escrow USDC 3596009',
      'fx.locked: wallet vault-2-USDC/base USDC -3596009',
      'fx.settled: escrow CNGN -5000250000',
      'fx.settled: fees/platform/tokens CNGN 10000500',
      'fx.settled: wallet fintech-2-CNGN/base CNGN 4990249500',
      'fx.settled: escrow USDC -3596009',
      'fx.settled: wallet vault-1-USDC/base USDC 3596009',
      'order: CNGN-USDC gives CNGN at 1390500000 + 0, 1000500000 to 5000250000',
    ],
  },
  {
    endpoint: 'fx.update-limit-order',
    line: async ({ run }) => {
      const { orderId } = await run('fx orders create --pair CNGN-USDC --side buy --price 1300 --min 1000 --max 9000');
      return `fx orders update ${orderId} --price 1395.25 --min 2000.5 --max 3000.75`;
    },
    after: ({ runOther }) => runOther('fx trade --market --pair CNGN-USDC --side sell --amount 3000.75'),
    moved: [
      'fx.locked: escrow CNGN 3000750000',
      'fx.locked: wallet fintech-1-CNGN/base CNGN -3000750000',
      'fx.locked: escrow USDC 2150690',
      'fx.locked: wallet vault-2-USDC/base USDC -2150690',
      'fx.settled: escrow CNGN -3000750000',
      'fx.settled: fees/platform/tokens CNGN 6001500',
      'fx.settled: wallet fintech-2-CNGN/base CNGN 2994748500',
      'fx.settled: escrow USDC -2150690',
      'fx.settled: wallet vault-1-USDC/base USDC 2150690',
      'order: CNGN-USDC gives CNGN at 1395250000 + 0, 2000500000 to 3000750000',
    ],
  },
  {
    endpoint: 'fx.create-limit-order',
    line: () =>
      'api POST /fx/limit-order -f pair=CNGN-USDT -f side=sell -f price=1395.5 -f minAmount=1000.5 -f maxAmount=4000.75 -f spread=0.5',
    after: ({ runOther }) => runOther('fx trade --market --pair CNGN-USDT --side buy --amount 4000.75'),
    moved: [
      'fx.locked: escrow CNGN 4000750000',
      'fx.locked: wallet fintech-2-CNGN/base CNGN -4000750000',
      'fx.locked: escrow USDT 2852630',
      'fx.locked: wallet vault-1-USDT/base USDT -2852630',
      'fx.settled: escrow CNGN -4000750000',
      'fx.settled: wallet fintech-1-CNGN/base CNGN 4000750000',
      'fx.settled: escrow USDT -2852630',
      'fx.settled: fees/platform/tokens USDT 5705',
      'fx.settled: wallet vault-2-USDT/base USDT 2846925',
      'order: CNGN-USDT gives USDT at 1395500000 + 500000, 1000500000 to 4000750000',
    ],
  },
];

const atEnd = sharedEnd();
let opened: Promise<Account> | undefined;

describe('what is typed is what the ledger moves', () => {
  test.each(MOVEMENTS)('$endpoint', async ({ line, after, moved }) => {
    opened ??= openAccount(atEnd);
    const account = await opened;
    const started = await account.run(await line(account));
    await after?.(account, started);
    await account.finish();
    expect(account.moved()).toEqual(moved);
  });

  test('for every endpoint that moves money', () => {
    const endpoints: readonly Endpoint[] = Object.values(groups).flatMap((group) => Object.values(group));
    const moving = endpoints.filter(({ effect }) => effect === 'money').map(({ id }) => id);
    expect([...new Set(MOVEMENTS.map(({ endpoint }) => endpoint))].toSorted()).toEqual(moving.toSorted());
  });
});
