import { describe, expect, test } from 'vitest';
import { sandboxDeposit } from '../../../src/contract/control.ts';
import { balanceUser } from '../../../src/contract/endpoints/balances.ts';
import { offrampStatus } from '../../../src/contract/endpoints/offramp.ts';
import { listUserWallets } from '../../../src/contract/endpoints/wallets.ts';
import { withdrawAsset } from '../../../src/contract/endpoints/withdrawals.ts';
import { openSandbox, type TestSandbox } from '../../support/sandbox.ts';
import { expectSettledLedger, FAILING_ACCOUNT, fund, offramp, onboardUser, settle, type User } from '../steps.ts';
import { managedAddress, OUTSIDE, refusal } from './steps.ts';

const SOLANA = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const BANTU = 'GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF';

/** The address of a user's wallet on Bantu or Solana. */
async function addressOn(box: TestSandbox, { userId }: User, blockchain: 'bantu' | 'solana'): Promise<string> {
  const { wallets } = await box.ask(listUserWallets, { userId });
  return wallets?.find((wallet) => wallet.blockchain === blockchain)?.walletAddress ?? '';
}

/** Deposits tokens from outside on a network. */
function give(box: TestSandbox, address: string, network: string, amount: string, asset: 'CNGN' | 'USDC' = 'CNGN') {
  const from = network === 'sol' ? SOLANA : network === 'xbn' ? BANTU : OUTSIDE;
  return box.ask(sandboxDeposit, { address, asset, amount, network, from });
}

const total = async (box: TestSandbox, { userId }: User) => (await box.ask(balanceUser, { userId })).totalBalance;

/** A user with 100 cNGN on Base, 60 on Solana and 50 on Bantu. */
async function openWithUser() {
  const box = await openSandbox();
  const user = await onboardUser(box);
  await fund(box, user, 100, { sweepToOfframp: true });
  const [solana, bantu] = [await addressOn(box, user, 'solana'), await addressOn(box, user, 'bantu')];
  await give(box, solana, 'sol', '60');
  await give(box, bantu, 'xbn', '50');
  return { box, user, solana, bantu, [Symbol.asyncDispose]: box.close };
}

test('the wallets on Bantu and Solana show their balances, and null for none', async () => {
  await using box = await openSandbox();
  const user = await onboardUser(box);
  await give(box, await addressOn(box, user, 'solana'), 'sol', '60.5');
  await give(box, await addressOn(box, user, 'bantu'), 'xbn', '7', 'USDC');
  const shown = async () => {
    const { wallets } = await box.ask(listUserWallets, { userId: user.userId });
    return Object.fromEntries((wallets ?? []).map(({ blockchain, balances }) => [blockchain, balances]));
  };
  expect(await shown()).toMatchObject({
    base: { CNGN: { balance: '0.000000' } },
    bantu: { cngn: null, tokenBuy: null },
    solana: { cngn: '60.500000', tokenBuy: '60.500000' },
  });
  await box.inside(({ store }) => store.run(`UPDATE wallet SET token_buy = 'USDC' WHERE kind = 'multi_chain'`));
  expect(await shown()).toMatchObject({
    bantu: { cngn: null, tokenBuy: '7.000000' },
    solana: { cngn: '60.500000', tokenBuy: null },
  });
});

describe('an offramp', () => {
  test('draws on the wallets on Bantu and Solana last', async () => {
    await using of = await openWithUser();
    // 200 plus 1 percent of fees: 100 from Base, 50 from Bantu, 52 from Solana.
    await offramp(of.box, of.user.userId, 20_000n);
    const { networkBalances } = await of.box.ask(balanceUser, { userId: of.user.userId });
    const held = Object.fromEntries((networkBalances ?? []).map(({ network, balance }) => [network, balance]));
    expect(held).toEqual({ base: '0.000000', xbn: '0.000000', sol: '8.000000' });
    await settle(of.box);
    await expectSettledLedger(of.box);
  });

  test('can take the balance of all networks, but no more', async () => {
    await using of = await openWithUser();
    const request = { userId: of.user.userId, accountNumber: '0123456789', bankCode: '000013', ticker: 'CNGN' };
    const ask = (naira: number) => refusal(of.box, 'POST', '/cngnofframp', { ...request, amount: naira });
    expect(await ask(207.93)).toBe('400 01 The balance is too low');
    expect(await ask(207.92)).toBeUndefined();
  });

  test('returns cNGN to each of them if it fails', async () => {
    await using of = await openWithUser();
    const { requestId } = await offramp(of.box, of.user.userId, 20_000n, FAILING_ACCOUNT);
    await settle(of.box);
    expect((await of.box.ask(offrampStatus, { requestId })).status).toBe('failed');
    expect(await total(of.box, of.user)).toBe('210.000000');
    await expectSettledLedger(of.box);
  });
});

describe('a withdrawal', () => {
  test('without enough on a preferred network uses one with enough, over a bridge', async () => {
    await using of = await openWithUser();
    const internalWallet = await managedAddress(of.box, of.user.userId);
    await give(of.box, internalWallet, 'bsc', '150');
    await give(of.box, internalWallet, 'eth', '300');
    const { userId } = of.user;
    const request = { userId, internalWallet, destinationWallet: OUTSIDE, ticker: 'CNGN' as const };
    // 0.5 percent from BNB Smart Chain, 0.25 more from Ethereum.
    const fees = [];
    for (const amount of [100, 101, 200])
      fees.push((await of.box.ask(withdrawAsset, { ...request, amount })).feeBreakdown?.totalFee);
    expect(fees).toEqual(['0.000000', '0.505000', '1.500000']);
    expect(await refusal(of.box, 'POST', '/withdrawasset', { ...request, amount: 101 })).toBe(
      '400 05 The balance is too low',
    );
    await settle(of.box);
    await expectSettledLedger(of.box);
  });

  test('from the wallet on Solana takes its balance, and goes over a bridge to Base', async () => {
    await using of = await openWithUser();
    const request = { userId: of.user.userId, internalWallet: of.solana, ticker: 'CNGN' as const };
    const direct = await of.box.ask(withdrawAsset, {
      ...request,
      network: 'sol',
      destinationWallet: SOLANA,
      amount: 20,
    });
    expect(direct.feeBreakdown?.totalFee).toBe('0.000000');
    const bridged = await of.box.ask(withdrawAsset, { ...request, destinationWallet: OUTSIDE, amount: 40 });
    expect(bridged.feeBreakdown?.totalFee).toBe('0.240000');
    await settle(of.box);
    expect(await total(of.box, of.user)).toBe('150.000000');
    await expectSettledLedger(of.box);
  });
});
