import { endpoint } from './endpoint.ts';
import {
  answer,
  anyText,
  fields,
  flag,
  group,
  integer,
  list,
  maybe,
  moneyText,
  oneOf,
  opaqueUuid,
  optional,
  stateOf,
  text,
  timestamp,
} from './fields.ts';

const tickerRule = { rule: 'CNGN, USDC or USDT; CNGN when left out' } as const;
const ticker = () => oneOf('public', ['CNGN', 'USDC', 'USDT'], tickerRule);

/** An external wallet the fintech has registered. */
const externalWallet = () =>
  group('public', {
    address: maybe(anyText('public')),
    label: maybe(anyText('public')),
    blockchain: maybe(anyText('public')),
    type: maybe(stateOf('public', ['hot', 'cold', 'custodial', 'other'])),
    addedAt: maybe(timestamp('public')),
    addedBy: maybe(opaqueUuid('public')),
    status: maybe(stateOf('public', ['active', 'inactive'])),
    isDefault: maybe(flag('public')),
    purpose: maybe(anyText('public')),
  });

export const getFintechWallet = endpoint({
  id: 'wallets.get-fintech',
  method: 'GET',
  path: '/getfintechwallet',
  effect: 'read',
  summary: 'Show the smart wallet of the account and its external wallets',
  request: () => fields({}),
  response: () =>
    answer({
      fintechId: anyText('interface'),
      fintechName: maybe(anyText('public')),
      smartWallet: group('interface', {
        address: anyText('interface'),
        owner: maybe(anyText('public')),
        deployed: maybe(flag('public')),
        createdAt: maybe(timestamp('public')),
        saltVersion: maybe(anyText('public')),
        previousAddress: maybe(anyText('public')),
        deploymentTxHash: maybe(anyText('public')),
      }),
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

/** One wallet of a user. Smart wallets fill the upper-case balances, the other chains the last two. */
const userWallet = () =>
  group('public', {
    walletAddress: maybe(anyText('public')),
    // The kind of wallet, not whether it is in use.
    status: maybe(stateOf('public', ['smart_wallet', 'multi_chain'])),
    createdAt: maybe(timestamp('public')),
    owner: maybe(anyText('public')),
    tokenBuy: maybe(anyText('public')),
    blockchain: maybe(stateOf('public', ['base', 'bantu', 'solana'])),
    balances: maybe(
      group('public', {
        CNGN: maybe(balanceOf('CNGN')),
        USDC: maybe(balanceOf('USDC')),
        USDT: maybe(balanceOf('USDT')),
        cngn: maybe(moneyText('public', 'token', 'CNGN')),
        // In the asset that the wallet's own `tokenBuy` names.
        tokenBuy: maybe(moneyText('public', 'token', { field: 'tokenBuy' })),
      }),
    ),
  });

export const listUserWallets = endpoint({
  id: 'wallets.list-user',
  method: 'POST',
  path: '/listuserwallets',
  effect: 'read',
  summary: 'List the wallets of a user',
  lists: 'wallets',
  request: () => fields({ userId: text('public') }),
  response: () =>
    answer({
      wallets: maybe(list('public', userWallet())),
      count: maybe(integer('public')),
      userId: maybe(anyText('public')),
      version: maybe(anyText('public')),
    }),
  errors: [
    {
      when: 'the user is unknown or not verified',
      fault: 'NOT_FOUND',
      source: 'public',
      remedy: 'see the verified users with: fiatrail users list',
    },
  ],
  rateLimit: { max: 100, windowSeconds: 60 },
  source: 'interface',
});

const tokenText = () => moneyText('public', 'token', { field: 'token' });

export const balanceMulti = endpoint({
  id: 'wallets.balance-multi',
  method: 'GET',
  path: '/balance/multi',
  effect: 'read',
  summary: 'Show what the smart wallet of the account holds on each network',
  request: () =>
    fields({
      token: optional(ticker()),
      networks: optional(text('interface', { rule: 'EVM network keys joined by commas, such as base,eth,bsc' })),
    }),
  response: () =>
    answer({
      token: maybe(anyText('public')),
      walletAddress: maybe(anyText('public')),
      totalBalance: maybe(tokenText()),
      hasBaseNetworkFunds: maybe(flag('public')),
      hasCrossNetworkFunds: maybe(flag('public')),
      baseNetworkBalance: maybe(tokenText()),
      crossNetworkBalance: maybe(tokenText()),
      bridgingRequired: maybe(flag('public')),
      networkBalances: maybe(
        list(
          'public',
          group('public', {
            network: maybe(anyText('public')),
            balance: maybe(tokenText()),
            error: maybe(anyText('public')),
          }),
        ),
      ),
      walletsWithFunds: maybe(
        list('public', group('public', { network: maybe(anyText('public')), balance: maybe(tokenText()) })),
      ),
      checkedAt: maybe(timestamp('public')),
    }),
  errors: [],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

export const balanceUser = endpoint({
  id: 'wallets.balance-user',
  method: 'GET',
  path: '/balance/user/:userId',
  effect: 'read',
  summary: 'Show what a user holds in all wallets',
  request: () => fields({ userId: text('interface'), token: optional(ticker()) }),
  response: () =>
    answer({
      userId: maybe(anyText('public')),
      token: maybe(anyText('public')),
      totalBalance: maybe(tokenText()),
      networkBalances: maybe(
        list(
          'public',
          group('public', {
            network: maybe(anyText('public')),
            walletAddress: maybe(anyText('public')),
            balance: maybe(tokenText()),
            error: maybe(anyText('public')),
          }),
        ),
      ),
      checkedAt: maybe(timestamp('public')),
    }),
  errors: [
    {
      when: 'the user is unknown',
      fault: 'NOT_FOUND',
      source: 'inferred',
      remedy: 'see the verified users with: fiatrail users list',
    },
  ],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});
