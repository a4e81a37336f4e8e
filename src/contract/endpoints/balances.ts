import { TOKENS } from '../../money/amount.ts';
import { evmAddress } from '../addresses.ts';
import { endpoint, invalid, refusal } from '../endpoint.ts';
import { SEE_USERS } from '../faults.ts';
import * as f from '../fields.ts';
import { OF_TOKEN } from '../values.ts';

const tickerRule = { rule: 'CNGN, USDC or USDT; default CNGN', byDefault: 'CNGN' } as const;
const ticker = () => f.oneOf('public', TOKENS, tickerRule);

/** Every documented balance has six decimals, and a public page lists them under the smallest unit. */
const tokenText = () => f.moneyText('public', 'token', OF_TOKEN, { mayBeBase: true });

/** The balances may be an object with the network as key. Source: inferred. */
const BY_NETWORK = { byKey: { key: 'network', value: 'balance' } } as const;

/** The balance on a network, or why it could not be read. */
const networkBalance = () => ({
  network: f.maybeText('public'),
  balance: f.maybe(tokenText()),
  error: f.maybeText('public', { personal: 'text' }),
});

export const balanceMulti = endpoint({
  id: 'wallets.balance-multi',
  method: 'GET',
  path: '/balance/multi',
  effect: 'read',
  summary: 'Show the balances of the account wallet on each network',
  done: 'Multi-network balance retrieved',
  repeats: { token: 'token' },
  request: () =>
    f.fields({
      token: f.optional(ticker()),
      networks: f.optional(f.text('interface', { rule: 'comma-separated EVM network keys, such as base,eth,bsc' })),
    }),
  response: () =>
    f.payload({
      token: f.maybeText('public'),
      walletAddress: f.maybeText('public', { personal: 'address' }),
      totalBalance: f.maybe(tokenText()),
      hasBaseNetworkFunds: f.maybe(f.flag('public')),
      hasCrossNetworkFunds: f.maybe(f.flag('public')),
      baseNetworkBalance: f.maybe(tokenText()),
      crossNetworkBalance: f.maybe(tokenText()),
      bridgingRequired: f.maybe(f.flag('public')),
      networkBalances: f.maybe(f.list('public', f.group('public', networkBalance()), BY_NETWORK)),
      walletsWithFunds: f.maybe(
        f.list(
          'public',
          f.group('public', { network: f.maybeText('public'), balance: f.maybe(tokenText()) }),
          BY_NETWORK,
        ),
      ),
      checkedAt: f.maybe(f.timestamp('public')),
    }),
});

export const balanceAddress = endpoint({
  id: 'wallets.balance-address',
  method: 'POST',
  path: '/balance/address',
  effect: 'read',
  summary: 'Show the balances of any EVM address on each network',
  done: 'Address balance retrieved',
  repeats: { address: 'address', token: 'token' },
  request: () =>
    f.fields({
      address: evmAddress('public'),
      token: f.optional(ticker()),
      networks: f.optional(
        f.list('public', f.entry(/^[a-z]{1,20}$/i), { rule: 'EVM network keys, such as base, eth, bsc' }),
      ),
    }),
  response: () =>
    f.payload({
      token: f.maybeText('public'),
      address: f.maybeText('public', { personal: 'address' }),
      totalBalance: f.maybe(tokenText()),
      networkBalances: f.maybe(f.list('public', f.group('public', networkBalance()), BY_NETWORK)),
      checkedAt: f.maybe(f.timestamp('public')),
    }),
  errors: [invalid('inferred', 'the address is missing or not an EVM address')],
});

export const balanceUser = endpoint({
  id: 'wallets.balance-user',
  method: 'GET',
  path: '/balance/user/:userId',
  effect: 'read',
  summary: "Show a user's balances in all wallets",
  done: 'User balance retrieved',
  repeats: { userId: 'userId', token: 'token' },
  request: () => f.fields({ userId: f.text('interface'), token: f.optional(ticker()) }),
  response: () =>
    f.payload({
      userId: f.maybeText('public'),
      token: f.maybeText('public'),
      totalBalance: f.maybe(tokenText()),
      networkBalances: f.maybe(
        f.list(
          'public',
          f.group('public', { ...networkBalance(), walletAddress: f.maybeText('public', { personal: 'address' }) }),
          BY_NETWORK,
        ),
      ),
      checkedAt: f.maybe(f.timestamp('public')),
    }),
  errors: [refusal('NOT_FOUND', 'inferred', 'the user is unknown', SEE_USERS)],
});
