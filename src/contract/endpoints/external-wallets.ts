import { addressesFit } from '../addresses.ts';
import { endpoint } from '../endpoint.ts';
import { fields, flag, group, maybe, maybeText, oneOf, optional, payload, stateOf, text } from '../fields.ts';
import { walletStatuses, walletTypes } from '../wallets.ts';

const unknownWallet = {
  when: 'no external wallet has this address',
  fault: 'NOT_FOUND',
  source: 'public',
  remedy: 'list registered wallets with: fiatrail wallets show',
} as const;

export const addExternalWallet = endpoint({
  id: 'wallets.add-external',
  method: 'POST',
  path: '/addexternalwallet',
  effect: 'write',
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
  request: () =>
    fields({
      address: text('interface', { rule: 'an address on the blockchain' }),
      blockchain: text('public', { rule: 'a network, such as base, eth or bsc' }),
      type: oneOf('public', walletTypes),
      label: optional(text('interface')),
      purpose: optional(text('interface')),
      isDefault: optional(flag('public', { rule: 'true or false; default false' })),
      metadata: optional(
        group('public', {
          custodian: optional(text('public')),
          location: optional(text('public')),
          backupExists: optional(flag('public')),
        }),
      ),
    }).check(addressesFit(['address', 'blockchain'])),
  response: () =>
    payload({
      wallet: maybe(
        group('public', {
          address: maybeText('public'),
          status: maybe(stateOf('public', ['active'])),
          type: maybe(stateOf('public', walletTypes)),
          blockchain: maybeText('public'),
        }),
      ),
    }),
  errors: [
    { when: 'the address is not valid on the blockchain', fault: 'VALIDATION_ERROR', source: 'public' },
    { when: 'the address is already registered', fault: 'VALIDATION_ERROR', source: 'public' },
  ],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

export const setExternalWalletStatus = endpoint({
  id: 'wallets.set-external-status',
  method: 'PUT',
  path: '/updateexternalwalletstatus',
  effect: 'write',
  // A default wallet that is enabled again receives money again, and the request does not say whether it is the default.
  redirects: {
    command: 'wallets external enable',
    to: [{ address: 'address' }],
    unless: { field: 'status', isOneOf: ['inactive'] },
  },
  summary: 'Enable or disable transfers to an external wallet',
  done: 'External wallet status updated',
  envelope: 'lower-case',
  request: () => fields({ address: text('interface'), status: oneOf('interface', walletStatuses) }),
  response: () => payload({ address: maybeText('public'), status: maybe(stateOf('public', walletStatuses)) }),
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
  summary: 'Remove an external wallet',
  done: 'External wallet removed',
  envelope: 'lower-case',
  request: () => fields({ address: text('interface') }),
  response: () => payload({ address: maybeText('public') }),
  errors: [unknownWallet],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});
