import { addressesFit } from './addresses.ts';
import { endpoint } from './endpoint.ts';
import { SEE_USERS } from './faults.ts';
import {
  answer,
  anyText,
  entry,
  fields,
  flag,
  group,
  integer,
  known,
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

const walletTypes = ['hot', 'cold', 'custodial', 'other'] as const;
const walletStatuses = ['active', 'inactive'] as const;

/** An external wallet the fintech has registered. */
const externalWallet = () =>
  group('public', {
    address: known('public'),
    label: known('public'),
    blockchain: known('public'),
    type: maybe(stateOf('public', walletTypes)),
    addedAt: maybe(timestamp('public')),
    addedBy: maybe(opaqueUuid('public')),
    status: maybe(stateOf('public', walletStatuses)),
    isDefault: maybe(flag('public')),
    purpose: known('public'),
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
      fintechName: known('public'),
      smartWallet: group('interface', {
        address: anyText('interface'),
        owner: known('public'),
        deployed: maybe(flag('public')),
        createdAt: maybe(timestamp('public')),
        saltVersion: known('public'),
        previousAddress: known('public'),
        deploymentTxHash: known('public'),
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
    walletAddress: known('public'),
    // The kind of wallet, not whether it is in use.
    status: maybe(stateOf('public', ['smart_wallet', 'multi_chain'])),
    createdAt: maybe(timestamp('public')),
    owner: known('public'),
    tokenBuy: known('public'),
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
      userId: known('public'),
      version: known('public'),
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

const unknownWallet = {
  when: 'no external wallet has this address',
  fault: 'NOT_FOUND',
  source: 'public',
  remedy: 'see the registered wallets with: fiatrail wallets show',
} as const;

export const addExternalWallet = endpoint({
  id: 'wallets.add-external',
  method: 'POST',
  path: '/addexternalwallet',
  effect: 'write',
  summary: 'Register an external wallet, so that it can receive transfers',
  nests: 'wallet',
  envelope: 'lower-case',
  request: () =>
    fields({
      address: text('interface', { rule: 'an address of the blockchain' }),
      blockchain: text('public', { rule: 'a network such as base, eth or bsc' }),
      type: oneOf('public', walletTypes),
      label: optional(text('interface')),
      purpose: optional(text('interface')),
      isDefault: optional(flag('public', { rule: 'true or false; false when left out' })),
      metadata: optional(
        group('public', {
          custodian: optional(text('public')),
          location: optional(text('public')),
          backupExists: optional(flag('public')),
        }),
      ),
    }).check(addressesFit(['address', 'blockchain'])),
  response: () =>
    answer({
      wallet: maybe(
        group('public', {
          address: known('public'),
          status: maybe(stateOf('public', ['active'])),
          type: maybe(stateOf('public', walletTypes)),
          blockchain: known('public'),
        }),
      ),
    }),
  errors: [
    { when: 'the address is none of the blockchain', fault: 'VALIDATION_ERROR', source: 'public' },
    { when: 'the address is registered already', fault: 'VALIDATION_ERROR', source: 'public' },
  ],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

export const setExternalWalletStatus = endpoint({
  id: 'wallets.set-external-status',
  method: 'PUT',
  path: '/updateexternalwalletstatus',
  effect: 'write',
  summary: 'Let an external wallet receive transfers, or stop that',
  envelope: 'lower-case',
  request: () => fields({ address: text('interface'), status: oneOf('interface', walletStatuses) }),
  response: () => answer({ address: known('public'), status: maybe(stateOf('public', walletStatuses)) }),
  errors: [
    { when: 'the status is neither active nor inactive', fault: 'VALIDATION_ERROR', source: 'public' },
    unknownWallet,
  ],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

export const removeExternalWallet = endpoint({
  id: 'wallets.remove-external',
  method: 'DELETE',
  path: '/removeexternalwallet',
  effect: 'destructive',
  summary: 'Forget an external wallet',
  envelope: 'lower-case',
  request: () => fields({ address: text('interface') }),
  response: () => answer({ address: known('public') }),
  errors: [unknownWallet],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

export const migrateUserWallets = endpoint({
  id: 'wallets.migrate-users',
  method: 'POST',
  path: '/migrateuserwallets',
  effect: 'write',
  summary: 'Make the wallets of users who lack some',
  lists: 'results',
  request: () =>
    fields({
      userId: list('public', entry(/^[\x21-\x7e]{1,500}$/), { min: 1, max: 1000, rule: '1 to 1000 user ids' }),
      force: optional(flag('public', { rule: 'true or false; true also replaces wallets that are there' })),
      options: optional(group('inferred', {})),
    }),
  response: () =>
    answer({
      requestId: known('public'),
      totalProcessed: maybe(integer('public')),
      created: maybe(integer('public')),
      migrated: maybe(integer('public')),
      skipped: maybe(integer('public')),
      failed: maybe(integer('public')),
      results: maybe(
        list(
          'public',
          group('public', {
            userId: known('public'),
            status: maybe(stateOf('public', ['created', 'migrated', 'skipped', 'failed'])),
            walletAddress: known('public'),
            deployed: maybe(flag('public')),
            reason: known('public'),
          }),
        ),
      ),
    }),
  errors: [],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});
