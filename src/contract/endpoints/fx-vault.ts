import { evmAddress } from '../addresses.ts';
import { endpoint, invalid } from '../endpoint.ts';
import * as f from '../fields.ts';
import { dollars } from '../fx.ts';

const held = () => f.maybeText('public', { personal: 'address' });
const tokenWallets = () => ({ USDT: held(), USDC: held(), cNGN: held() });

const masked = () => f.maybe(f.anyText('public', { rule: 'masked; shows the first four characters' }));

export const registerMpc = endpoint({
  id: 'fx.register-mpc',
  method: 'POST',
  path: '/fx/mpc/register',
  effect: 'write',
  consents: { tokenWallets: { kind: 'destination' }, '*': { kind: 'access' } },
  redirects: { command: 'fx vault register', to: [{ address: 'tokenWallets.USDT' }, { address: 'tokenWallets.USDC' }] },
  summary: 'Register the MPC vault that holds the stablecoins',
  done: 'MPC vault registered',
  source: 'public',
  repeats: { vaultId: 'vaultId', 'tokenWallets.USDT': 'tokenWallets.USDT', 'tokenWallets.USDC': 'tokenWallets.USDC' },
  request: () =>
    f.fields({
      mpcVaultApiKey: f.text('public', { secret: true }),
      callbackClientSignerPublicKey: f.patterned(
        'public',
        /^ssh-ed25519 \S+( .*)?$/,
        'an SSH public key (ssh-ed25519 …)',
        { personal: 'key' },
      ),
      mpcClientSignerPrivateKey: f.privateKey('public'),
      vaultId: f.text('public'),
      tokenWallets: f.group('public', { USDT: evmAddress('public'), USDC: evmAddress('public') }),
      notificationEmails: f.list('public', f.entry(/^[^\s@]+@[^\s@]+\.[^\s@]+$/), {
        min: 1,
        max: 20,
        rule: '1 to 20 e-mail addresses',
        personal: 'email',
      }),
    }),
  response: () =>
    f.payload({
      vaultId: f.maybeText('public'),
      status: f.maybe(f.stateOf('public', ['pending', 'active'])),
      tokenWallets: f.maybe(f.group('public', tokenWallets())),
      createdAt: f.maybe(f.timestamp('public')),
      note: f.maybeText('public', { personal: 'text' }),
    }),
  errors: [invalid('inferred', 'a required field is missing')],
});

export const fxSettings = endpoint({
  id: 'fx.settings',
  method: 'GET',
  path: '/fx/settings',
  effect: 'read',
  summary: 'Show the MPC vault and its signing settings',
  done: 'FX settings retrieved',
  request: () => f.fields({}),
  response: () =>
    f.payload({
      fintechId: f.maybeText('public'),
      vaultId: f.maybeText('public'),
      mpcVaultApiKey: masked(),
      mpcClientSignerPrivateKey: masked(),
      callbackClientSignerPublicKey: f.maybeText('public', { personal: 'key' }),
      mpcConfigStatus: f.maybe(f.stateOf('public', ['active', 'pending', 'inactive'])),
      autoSigning: f.maybe(
        f.group('public', {
          available: f.maybe(f.flag('public')),
          enabled: f.maybe(f.flag('public')),
          threshold: dollars(),
          vmStatus: f.maybe(f.stateOf('public', ['running', 'stopped', 'terminated'])),
          vmInstanceName: f.maybeText('public', { personal: 'name' }),
          natExternalIp: f.maybeText('public', { personal: 'ip' }),
          note: f.maybeText('public', { personal: 'text' }),
        }),
      ),
      tokenWallets: f.maybe(f.group('public', tokenWallets())),
      notificationEmails: f.maybe(f.list('public', f.anyText('public', { personal: 'email' }))),
    }),
});
