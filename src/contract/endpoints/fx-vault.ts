import { evmAddress } from '../addresses.ts';
import { endpoint } from '../endpoint.ts';
import {
  anyText,
  entry,
  fields,
  flag,
  group,
  list,
  maybe,
  maybeText,
  patterned,
  payload,
  privateKey,
  stateOf,
  text,
  timestamp,
} from '../fields.ts';
import { dollars, limits } from '../fx.ts';

const tokenWallets = () => ({ USDT: maybeText('public'), USDC: maybeText('public'), cNGN: maybeText('public') });

const masked = () => maybe(anyText('public', { rule: 'masked; shows the first four characters' }));

export const registerMpc = endpoint({
  ...limits,
  id: 'fx.register-mpc',
  method: 'POST',
  path: '/fx/mpc/register',
  effect: 'write',
  redirects: { command: 'fx vault set', to: [{ address: 'tokenWallets.USDT' }, { address: 'tokenWallets.USDC' }] },
  summary: 'Register the MPC vault that holds the stablecoins',
  done: 'MPC vault registered',
  source: 'public',
  request: () =>
    fields({
      mpcVaultApiKey: text('public', { secret: true }),
      callbackClientSignerPublicKey: patterned(
        'public',
        /^ssh-ed25519 \S+( .*)?$/,
        'an SSH public key (ssh-ed25519 …)',
      ),
      mpcClientSignerPrivateKey: privateKey('public'),
      vaultId: text('public'),
      tokenWallets: group('public', { USDT: evmAddress('public'), USDC: evmAddress('public') }),
      notificationEmails: list('public', entry(/^[^\s@]+@[^\s@]+\.[^\s@]+$/), {
        min: 1,
        max: 20,
        rule: '1 to 20 e-mail addresses',
      }),
    }),
  response: () =>
    payload({
      vaultId: maybeText('public'),
      status: maybe(stateOf('public', ['pending', 'active'])),
      tokenWallets: maybe(group('public', tokenWallets())),
      createdAt: maybe(timestamp('public')),
      note: maybeText('public'),
    }),
  errors: [{ when: 'a required field is missing', fault: 'VALIDATION_ERROR', source: 'inferred' }],
});

export const fxSettings = endpoint({
  ...limits,
  id: 'fx.settings',
  method: 'GET',
  path: '/fx/settings',
  effect: 'read',
  summary: 'Show the MPC vault and its signing settings',
  done: 'FX settings retrieved',
  source: 'interface',
  request: () => fields({}),
  response: () =>
    payload({
      fintechId: maybeText('public'),
      vaultId: maybeText('public'),
      mpcVaultApiKey: masked(),
      mpcClientSignerPrivateKey: masked(),
      callbackClientSignerPublicKey: maybeText('public'),
      mpcConfigStatus: maybe(stateOf('public', ['active', 'pending', 'inactive'])),
      autoSigning: maybe(
        group('public', {
          available: maybe(flag('public')),
          enabled: maybe(flag('public')),
          threshold: dollars(),
          vmStatus: maybe(stateOf('public', ['running', 'stopped', 'terminated'])),
          vmInstanceName: maybeText('public'),
          natExternalIp: maybeText('public'),
          note: maybeText('public'),
        }),
      ),
      tokenWallets: maybe(group('public', tokenWallets())),
      notificationEmails: maybe(list('public', anyText('public'))),
    }),
  errors: [],
});
