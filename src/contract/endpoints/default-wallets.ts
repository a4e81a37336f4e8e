import { addressesFit } from '../addresses.ts';
import { endpoint, invalid, userUnknown } from '../endpoint.ts';
import * as f from '../fields.ts';

const blockchain = () =>
  f.text('public', {
    rule: 'a supported network: base, eth, bsc, pol, celo, lisk, arc, asc, sol or xbn',
    names: 'network',
  });

export const setDefaultWallet = endpoint({
  id: 'users.set-default-wallet',
  method: 'POST',
  path: '/setuserdefaultwallet',
  effect: 'write',
  consents: { address: { kind: 'destination' } },
  redirects: { command: 'users default-wallet set', to: [{ address: 'address' }] },
  summary: "Set the external wallet that receives a user's cNGN",
  done: 'Default wallet set',
  nests: 'defaultWallet',
  repeats: { userId: 'userId', address: 'defaultWallet.address', blockchain: 'defaultWallet.blockchain' },
  request: () =>
    f.checkedFields(addressesFit(['address', 'blockchain']), {
      userId: f.text('public'),
      address: f.text('public', { personal: 'address', rule: 'an address on the blockchain' }),
      blockchain: blockchain(),
      label: f.optional(f.text('public', { personal: 'text' })),
    }),
  response: () =>
    f.payload({
      userId: f.maybeText('public'),
      defaultWallet: f.group('interface', {
        address: f.maybeText('public', { personal: 'address' }),
        blockchain: f.maybeText('public'),
        type: f.stateOf('interface', ['external']),
        status: f.stateOf('interface', ['active']),
        label: f.maybeText('public', { personal: 'text' }),
      }),
      note: f.maybeText('public', { personal: 'text' }),
    }),
  errors: [userUnknown, invalid('public', 'the address is not valid on the blockchain')],
});

export const getDefaultWallet = endpoint({
  id: 'users.get-default-wallet',
  method: 'POST',
  path: '/getuserdefaultwallet',
  effect: 'read',
  summary: "Show the external wallet that receives a user's cNGN",
  done: 'Default wallet retrieved',
  repeats: { userId: 'userId' },
  request: () => f.fields({ userId: f.text('public') }),
  response: () =>
    f.payload({
      userId: f.maybeText('public'),
      defaultWallet: f.orNull(
        f.group('interface', {
          address: f.maybeText('inferred', { personal: 'address' }),
          blockchain: f.maybeText('inferred'),
          type: f.maybe(f.stateOf('inferred', ['external'])),
          status: f.maybe(f.stateOf('inferred', ['active'])),
          label: f.maybeText('inferred', { personal: 'text' }),
        }),
      ),
    }),
  errors: [userUnknown],
});

export const removeDefaultWallet = endpoint({
  id: 'users.remove-default-wallet',
  method: 'DELETE',
  path: '/removeuserdefaultwallet',
  effect: 'destructive',
  summary: "Remove a user's default wallet; their cNGN goes to their managed wallet again",
  done: 'Default wallet removed',
  repeats: { userId: 'userId' },
  request: () => f.fields({ userId: f.text('public') }),
  response: () =>
    f.payload({
      userId: f.maybeText('public'),
      defaultWallet: f.maybe(f.group('public', {})),
      note: f.maybeText('public', { personal: 'text' }),
    }),
  errors: [userUnknown],
});
