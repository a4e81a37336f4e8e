import { endpoint, userUnknown } from '../endpoint.ts';
import * as f from '../fields.ts';
import { walletStatuses, walletTypes } from '../values.ts';

/** An external wallet registered by the fintech. */
const externalWallet = () =>
  f.group('public', {
    address: f.maybeText('public', { personal: 'address' }),
    label: f.maybeText('public', { personal: 'text' }),
    blockchain: f.maybeText('public'),
    type: f.maybe(f.stateOf('public', walletTypes)),
    addedAt: f.maybe(f.timestamp('public')),
    addedBy: f.maybe(f.opaqueUuid('public')),
    status: f.maybe(f.stateOf('public', walletStatuses)),
    isDefault: f.maybe(f.flag('public')),
    purpose: f.maybeText('public', { personal: 'text' }),
  });

export const getFintechWallet = endpoint({
  id: 'wallets.get-fintech',
  method: 'GET',
  path: '/getfintechwallet',
  effect: 'read',
  summary: 'Show the account wallet and external wallets',
  done: 'Fintech wallets listed',
  request: () => f.fields({}),
  response: () =>
    f.payload({
      fintechId: f.anyText('interface'),
      fintechName: f.maybeText('public', { personal: 'name' }),
      smartWallet: f.group(
        'interface',
        {
          address: f.anyText('interface', { personal: 'address' }),
          owner: f.maybeText('public', { personal: 'address' }),
          deployed: f.maybe(f.flag('public')),
          createdAt: f.maybe(f.timestamp('public')),
          saltVersion: f.maybeText('public'),
          previousAddress: f.maybeText('public', { personal: 'address' }),
          deploymentTxHash: f.maybeText('public', { personal: 'hash' }),
        },
        { shorthand: 'address' },
      ),
      externalWallets: f.maybe(f.list('public', externalWallet())),
      totalUsers: f.maybe(f.integer('public')),
      createdAt: f.maybe(f.timestamp('public')),
      updatedAt: f.maybe(f.timestamp('public')),
    }),
});

/** Every documented balance has a decimal point, and a public page lists balances under the smallest unit. */
const tokens = (asset: f.AssetRule) => f.moneyText('public', 'token', asset, { mayBeBase: true });

const balanceOf = (asset: 'CNGN' | 'USDC' | 'USDT') => f.group('public', { balance: f.maybe(tokens(asset)) });

/** A user's wallet. Wallets on Base use the upper-case balances, other chains the last two. */
const userWallet = () =>
  f.group('public', {
    walletAddress: f.maybeText('public', { personal: 'address' }),
    // The kind of wallet, despite its name.
    status: f.maybe(f.stateOf('public', ['smart_wallet', 'multi_chain'])),
    createdAt: f.maybe(f.timestamp('public')),
    owner: f.maybeText('public', { personal: 'address' }),
    tokenBuy: f.maybeText('public'),
    blockchain: f.maybe(f.stateOf('public', ['base', 'bantu', 'solana'])),
    balances: f.maybe(
      f.group('public', {
        CNGN: f.maybe(balanceOf('CNGN')),
        USDC: f.maybe(balanceOf('USDC')),
        USDT: f.maybe(balanceOf('USDT')),
        cngn: f.maybe(tokens('CNGN')),
        // In the asset named by the wallet's `tokenBuy`.
        tokenBuy: f.maybe(tokens({ field: 'tokenBuy' })),
      }),
    ),
  });

export const listUserWallets = endpoint({
  id: 'wallets.list-user',
  method: 'POST',
  path: '/listuserwallets',
  effect: 'read',
  summary: "List a user's wallets",
  done: 'User wallets listed',
  lists: 'wallets',
  repeats: { userId: 'userId' },
  request: () => f.fields({ userId: f.text('public') }),
  response: () =>
    f.payload({
      wallets: f.maybe(f.list('public', userWallet())),
      count: f.maybe(f.integer('public')),
      userId: f.maybeText('public'),
      version: f.maybeText('public'),
    }),
  errors: [userUnknown],
  rateLimit: { max: 100, windowSeconds: 60 },
});
