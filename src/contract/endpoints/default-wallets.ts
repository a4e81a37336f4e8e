import { addressesFit } from '../addresses.ts';
import { endpoint } from '../endpoint.ts';
import { userUnknown } from '../faults.ts';
import { fields, group, maybe, maybeText, optional, orNull, payload, stateOf, text } from '../fields.ts';

const blockchain = () =>
  text('public', { rule: 'a supported network: base, eth, bsc, pol, celo, lisk, arc, asc, sol or xbn' });

export const setDefaultWallet = endpoint({
  id: 'users.set-default-wallet',
  method: 'POST',
  path: '/setuserdefaultwallet',
  effect: 'write',
  redirects: { command: 'users default-wallet set', to: [{ address: 'address' }] },
  summary: "Set the external wallet that receives a user's cNGN",
  done: 'Default wallet set',
  nests: 'defaultWallet',
  request: () =>
    fields({
      userId: text('public'),
      address: text('public', { rule: 'an address on the blockchain' }),
      blockchain: blockchain(),
      label: optional(text('public')),
    }).check(addressesFit(['address', 'blockchain'])),
  response: () =>
    payload({
      userId: maybeText('public'),
      defaultWallet: group('interface', {
        address: maybeText('public'),
        blockchain: maybeText('public'),
        type: stateOf('interface', ['external']),
        status: stateOf('interface', ['active']),
        label: maybeText('public'),
      }),
      note: maybeText('public'),
    }),
  errors: [
    userUnknown,
    { when: 'the address is not valid on the blockchain', fault: 'VALIDATION_ERROR', source: 'public' },
  ],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

export const getDefaultWallet = endpoint({
  id: 'users.get-default-wallet',
  method: 'POST',
  path: '/getuserdefaultwallet',
  effect: 'read',
  summary: "Show the external wallet that receives a user's cNGN",
  done: 'Default wallet retrieved',
  request: () => fields({ userId: text('public') }),
  response: () =>
    payload({
      userId: maybeText('public'),
      defaultWallet: orNull(
        group('interface', {
          address: maybeText('inferred'),
          blockchain: maybeText('inferred'),
          type: maybe(stateOf('inferred', ['external'])),
          status: maybe(stateOf('inferred', ['active'])),
          label: maybeText('inferred'),
        }),
      ),
    }),
  errors: [userUnknown],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

export const removeDefaultWallet = endpoint({
  id: 'users.remove-default-wallet',
  method: 'DELETE',
  path: '/removeuserdefaultwallet',
  effect: 'destructive',
  summary: "Remove a user's default wallet; their cNGN goes to their managed wallet again",
  done: 'Default wallet removed',
  request: () => fields({ userId: text('public') }),
  response: () =>
    payload({
      userId: maybeText('public'),
      defaultWallet: maybe(group('public', {})),
      note: maybeText('public'),
    }),
  errors: [userUnknown],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});
