import { endpoint } from '../endpoint.ts';
import { SEE_USERS } from '../faults.ts';
import {
  anyText,
  fields,
  flag,
  group,
  integer,
  list,
  maybe,
  maybeText,
  moneyText,
  opaqueUuid,
  payload,
  stateOf,
  text,
  timestamp,
} from '../fields.ts';
import { walletStatuses, walletTypes } from '../wallets.ts';

/** An external wallet registered by the fintech. */
const externalWallet = () =>
  group('public', {
    address: maybeText('public'),
    label: maybeText('public'),
    blockchain: maybeText('public'),
    type: maybe(stateOf('public', walletTypes)),
    addedAt: maybe(timestamp('public')),
    addedBy: maybe(opaqueUuid('public')),
    status: maybe(stateOf('public', walletStatuses)),
    isDefault: maybe(flag('public')),
    purpose: maybeText('public'),
  });

export const getFintechWallet = endpoint({
  id: 'wallets.get-fintech',
  method: 'GET',
  path: '/getfintechwallet',
  effect: 'read',
  summary: "Show the account's smart wallet and external wallets",
  done: 'Fintech wallets listed',
  request: () => fields({}),
  response: () =>
    payload({
      fintechId: anyText('interface'),
      fintechName: maybeText('public'),
      smartWallet: group(
        'interface',
        {
          address: anyText('interface'),
          owner: maybeText('public'),
          deployed: maybe(flag('public')),
          createdAt: maybe(timestamp('public')),
          saltVersion: maybeText('public'),
          previousAddress: maybeText('public'),
          deploymentTxHash: maybeText('public'),
        },
        { shorthand: 'address' },
      ),
      externalWallets: maybe(list('public', externalWallet())),
      totalUsers: maybe(integer('public')),
      createdAt: maybe(timestamp('public')),
      updatedAt: maybe(timestamp('public')),
    }),
  errors: [],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

const balanceOf = (asset: 'CNGN' | 'USDC' | 'USDT') =>
  group('public', { balance: maybe(moneyText('public', 'token', asset)) });

/** A user's wallet. Smart wallets use the upper-case balances, other chains the last two. */
const userWallet = () =>
  group('public', {
    walletAddress: maybeText('public'),
    // The kind of wallet, despite its name.
    status: maybe(stateOf('public', ['smart_wallet', 'multi_chain'])),
    createdAt: maybe(timestamp('public')),
    owner: maybeText('public'),
    tokenBuy: maybeText('public'),
    blockchain: maybe(stateOf('public', ['base', 'bantu', 'solana'])),
    balances: maybe(
      group('public', {
        CNGN: maybe(balanceOf('CNGN')),
        USDC: maybe(balanceOf('USDC')),
        USDT: maybe(balanceOf('USDT')),
        cngn: maybe(moneyText('public', 'token', 'CNGN')),
        // In the asset named by the wallet's `tokenBuy`.
        tokenBuy: maybe(moneyText('public', 'token', { field: 'tokenBuy' })),
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
  request: () => fields({ userId: text('public') }),
  response: () =>
    payload({
      wallets: maybe(list('public', userWallet())),
      count: maybe(integer('public')),
      userId: maybeText('public'),
      version: maybeText('public'),
    }),
  errors: [
    {
      when: 'the user is unknown or not verified',
      fault: 'NOT_FOUND',
      source: 'public',
      remedy: SEE_USERS,
    },
  ],
  rateLimit: { max: 100, windowSeconds: 60 },
  source: 'interface',
});
