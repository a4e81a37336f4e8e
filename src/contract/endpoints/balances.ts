import { TOKENS } from '../../money/amount.ts';
import { evmAddress } from '../addresses.ts';
import { endpoint } from '../endpoint.ts';
import { SEE_USERS } from '../faults.ts';
import {
  entry,
  fields,
  flag,
  group,
  list,
  maybe,
  maybeText,
  moneyText,
  oneOf,
  optional,
  payload,
  text,
  timestamp,
} from '../fields.ts';

const tickerRule = { rule: 'CNGN, USDC or USDT; default CNGN' } as const;
const ticker = () => oneOf('public', TOKENS, tickerRule);

const tokenText = () => moneyText('public', 'token', { field: 'token', byDefault: 'CNGN' });

/** The balance on a network, or why it could not be read. */
const networkBalance = () => ({
  network: maybeText('public'),
  balance: maybe(tokenText()),
  error: maybeText('public'),
});

export const balanceMulti = endpoint({
  id: 'wallets.balance-multi',
  method: 'GET',
  path: '/balance/multi',
  effect: 'read',
  summary: "Show the balances of the account's smart wallet on each network",
  done: 'Multi-network balance retrieved',
  request: () =>
    fields({
      token: optional(ticker()),
      networks: optional(text('interface', { rule: 'comma-separated EVM network keys, such as base,eth,bsc' })),
    }),
  response: () =>
    payload({
      token: maybeText('public'),
      walletAddress: maybeText('public'),
      totalBalance: maybe(tokenText()),
      hasBaseNetworkFunds: maybe(flag('public')),
      hasCrossNetworkFunds: maybe(flag('public')),
      baseNetworkBalance: maybe(tokenText()),
      crossNetworkBalance: maybe(tokenText()),
      bridgingRequired: maybe(flag('public')),
      networkBalances: maybe(list('public', group('public', networkBalance()))),
      walletsWithFunds: maybe(
        list('public', group('public', { network: maybeText('public'), balance: maybe(tokenText()) })),
      ),
      checkedAt: maybe(timestamp('public')),
    }),
  errors: [],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

export const balanceAddress = endpoint({
  id: 'wallets.balance-address',
  method: 'POST',
  path: '/balance/address',
  effect: 'read',
  summary: 'Show the balances of any EVM address on each network',
  done: 'Address balance retrieved',
  request: () =>
    fields({
      address: evmAddress('public'),
      token: optional(ticker()),
      networks: optional(list('public', entry(/^[a-z]{1,20}$/i), { rule: 'EVM network keys, such as base, eth, bsc' })),
    }),
  response: () =>
    payload({
      token: maybeText('public'),
      address: maybeText('public'),
      totalBalance: maybe(tokenText()),
      networkBalances: maybe(list('public', group('public', networkBalance()))),
      checkedAt: maybe(timestamp('public')),
    }),
  errors: [{ when: 'the address is missing or not an EVM address', fault: 'VALIDATION_ERROR', source: 'inferred' }],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

export const balanceUser = endpoint({
  id: 'wallets.balance-user',
  method: 'GET',
  path: '/balance/user/:userId',
  effect: 'read',
  summary: "Show a user's balances in all wallets",
  done: 'User balance retrieved',
  request: () => fields({ userId: text('interface'), token: optional(ticker()) }),
  response: () =>
    payload({
      userId: maybeText('public'),
      token: maybeText('public'),
      totalBalance: maybe(tokenText()),
      networkBalances: maybe(
        list('public', group('public', { ...networkBalance(), walletAddress: maybeText('public') })),
      ),
      checkedAt: maybe(timestamp('public')),
    }),
  errors: [
    {
      when: 'the user is unknown',
      fault: 'NOT_FOUND',
      source: 'inferred',
      remedy: SEE_USERS,
    },
  ],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});
