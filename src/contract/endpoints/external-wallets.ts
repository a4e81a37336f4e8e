import { advice } from '../../base/advice.ts';
import { addressesFit } from '../addresses.ts';
import { endpoint, invalid, refusal } from '../endpoint.ts';
import * as f from '../fields.ts';
import { walletStatuses, walletTypes } from '../values.ts';

const unknownWallet = refusal(
  'NOT_FOUND',
  'public',
  'no external wallet has this address',
  advice`list registered wallets with: [fiatrail wallets external list]`,
);

export const addExternalWallet = endpoint({
  id: 'wallets.add-external',
  method: 'POST',
  path: '/addexternalwallet',
  effect: 'write',
  consents: { address: { kind: 'destination' }, isDefault: { kind: 'destination' } },
  // The account's default wallet receives what is paid into its own virtual account.
  redirects: {
    command: 'wallets external add',
    to: [{ address: 'address' }],
    unless: { field: 'isDefault', isOneOf: [undefined, false] },
  },
  summary: 'Register an external wallet for transfers',
  done: 'External wallet registered',
  nests: 'wallet',
  envelope: 'lower-case',
  repeats: { address: 'wallet.address', blockchain: 'wallet.blockchain', type: 'wallet.type' },
  request: () =>
    f.checkedFields(addressesFit(['address', 'blockchain']), {
      address: f.text('interface', { personal: 'address', rule: 'an address on the blockchain' }),
      blockchain: f.text('public', { rule: 'a network, such as base, eth or bsc', names: 'network' }),
      type: f.oneOf('public', walletTypes),
      label: f.optional(f.text('interface', { personal: 'text' })),
      purpose: f.optional(f.text('interface', { personal: 'text' })),
      isDefault: f.optional(f.flag('public', { rule: 'true or false; default false' })),
      metadata: f.optional(
        f.group('public', {
          custodian: f.optional(f.text('public', { personal: 'name' })),
          location: f.optional(f.text('public', { personal: 'text' })),
          backupExists: f.optional(f.flag('public')),
        }),
      ),
    }),
  response: () =>
    f.payload({
      wallet: f.maybe(
        f.group('public', {
          address: f.maybeText('public', { personal: 'address' }),
          status: f.maybe(f.stateOf('public', ['active'])),
          type: f.maybe(f.stateOf('public', walletTypes)),
          blockchain: f.maybeText('public'),
        }),
      ),
    }),
  errors: [
    invalid('public', 'the address is not valid on the blockchain'),
    invalid('public', 'the address is already registered'),
  ],
});

export const setExternalWalletStatus = endpoint({
  id: 'wallets.set-external-status',
  method: 'PUT',
  path: '/updateexternalwalletstatus',
  effect: 'write',
  consents: {
    status: { kind: 'destination', unless: { words: 'inactive', holds: (value) => value === 'inactive' } },
  },
  // A default wallet that is enabled again receives money again, and the request does not say whether it is the default.
  redirects: {
    command: 'wallets external enable',
    to: [{ address: 'address' }],
    unless: { field: 'status', isOneOf: ['inactive'] },
  },
  summary: 'Enable or disable transfers to an external wallet',
  done: 'External wallet status updated',
  envelope: 'lower-case',
  repeats: { address: 'address', status: 'status' },
  request: () =>
    f.fields({ address: f.text('interface', { personal: 'address' }), status: f.oneOf('interface', walletStatuses) }),
  response: () =>
    f.payload({
      address: f.maybeText('public', { personal: 'address' }),
      status: f.maybe(f.stateOf('public', walletStatuses)),
    }),
  errors: [invalid('public', 'the status is neither active nor inactive'), unknownWallet],
});

export const removeExternalWallet = endpoint({
  id: 'wallets.remove-external',
  method: 'DELETE',
  path: '/removeexternalwallet',
  effect: 'destructive',
  summary: 'Remove an external wallet',
  done: 'External wallet removed',
  envelope: 'lower-case',
  repeats: { address: 'address' },
  request: () => f.fields({ address: f.text('interface', { personal: 'address' }) }),
  response: () => f.payload({ address: f.maybeText('public', { personal: 'address' }) }),
  errors: [unknownWallet],
});
