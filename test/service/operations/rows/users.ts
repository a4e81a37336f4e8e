import {
  getDefaultWallet,
  removeDefaultWallet,
  setDefaultWallet,
} from '../../../../src/contract/endpoints/default-wallets.ts';
import { setStatus, updateOnrampAsset } from '../../../../src/contract/endpoints/user-settings.ts';
import { getDetails } from '../../../../src/contract/endpoints/users.ts';
import type { TestSandbox } from '../../../support/sandbox.ts';
import { onboardUser } from '../../steps.ts';
import type { Ask, Declared, GroupRows, Precedence } from './group.ts';

const ADDRESS = `0x${'AB'.repeat(20)}`;
const nobody = { userId: 'nobody' };
const nobodysWallet = { ...nobody, address: ADDRESS, blockchain: 'base' };

const declared: readonly Declared[] = [
  [
    'users.set-status',
    'the user is unknown or not verified',
    'NOT_FOUND',
    (box) => box.call('POST', '/manageuserstatus', { ...nobody, active: true }),
  ],
  [
    'users.set-status',
    'active is false and no reason is given',
    'VALIDATION_ERROR',
    async (box) => {
      const { userId } = await onboardUser(box);
      return box.call('POST', '/manageuserstatus', { userId, active: false });
    },
  ],
  [
    'users.set-default-wallet',
    'the user is unknown or not verified',
    'NOT_FOUND',
    (box) => box.call('POST', '/setuserdefaultwallet', nobodysWallet),
  ],
  [
    'users.set-default-wallet',
    'the address is not valid on the blockchain',
    'VALIDATION_ERROR',
    async (box) => {
      const { userId } = await onboardUser(box);
      return box.call('POST', '/setuserdefaultwallet', { userId, address: ADDRESS, blockchain: 'sol' });
    },
  ],
  [
    'users.get-default-wallet',
    'the user is unknown or not verified',
    'NOT_FOUND',
    (box) => box.call('POST', '/getuserdefaultwallet', nobody),
  ],
  [
    'users.remove-default-wallet',
    'the user is unknown or not verified',
    'NOT_FOUND',
    (box) => box.call('DELETE', '/removeuserdefaultwallet', nobody),
  ],
  [
    'management.update-onramp-asset',
    'the user is unknown',
    'NOT_FOUND',
    (box) => box.call('POST', '/updateonrampasset', { ...nobody, preferredAsset: 'USDC' }),
  ],
];

const precedence: readonly Precedence[] = [
  [
    'a missing reason before an unknown user',
    (box) => box.call('POST', '/manageuserstatus', { ...nobody, active: false }),
    'VALIDATION_ERROR',
    /^reason/,
  ],
  [
    'a blank reason',
    (box) => box.call('POST', '/manageuserstatus', { ...nobody, active: false, reason: '  ' }),
    'VALIDATION_ERROR',
    /^reason/,
  ],
  [
    'an unknown blockchain before a wrong address',
    (box) => box.call('POST', '/setuserdefaultwallet', { ...nobodysWallet, address: 'x', blockchain: 'moon' }),
    'VALIDATION_ERROR',
    /^blockchain: .*base/,
  ],
  [
    'a blockchain that cNGN is not delivered on',
    (box) => box.call('POST', '/setuserdefaultwallet', { ...nobodysWallet, blockchain: 'monad' }),
    'VALIDATION_ERROR',
    /^blockchain/,
  ],
  [
    'a wrong address before an unknown user',
    (box) => box.call('POST', '/setuserdefaultwallet', { ...nobodysWallet, address: '0xabc' }),
    'VALIDATION_ERROR',
    /^address: .*40 hexadecimal/,
  ],
  [
    'an unknown asset before an unknown user',
    (box) => box.call('POST', '/updateonrampasset', { ...nobody, preferredAsset: 'DOGE' }),
    'VALIDATION_ERROR',
    /^preferredAsset/,
  ],
  [
    'an unknown asset next to a valid one',
    (box) =>
      box.call('POST', '/updateonrampasset', {
        ...nobody,
        preferredAsset: 'DOGE',
        preferences: { defaultAsset: 'USDC' },
      }),
    'VALIDATION_ERROR',
    /^preferredAsset/,
  ],
  [
    'an unknown asset in the preferences',
    (box) => box.call('POST', '/updateonrampasset', { ...nobody, preferences: { defaultAsset: 'NGN' } }),
    'VALIDATION_ERROR',
    /^preferences\.defaultAsset/,
  ],
];

async function walk(box: TestSandbox, ask: Ask) {
  const { userId } = await onboardUser(box);
  await ask(setStatus, { userId, active: false, reason: 'lost phone' });
  await ask(getDetails, { userId });
  await ask(setStatus, { userId, active: true });
  await ask(getDefaultWallet, { userId });
  await ask(setDefaultWallet, { userId, address: ADDRESS, blockchain: 'base', label: 'own wallet' });
  await ask(getDefaultWallet, { userId });
  await ask(removeDefaultWallet, { userId });
  await ask(updateOnrampAsset, { userId, preferences: { defaultAsset: 'usdc', slippageTolerance: '0.5' } });
}

export const rows: GroupRows = {
  declared,
  precedence,
  walk,
  unproduced: { 'users.remove-default-wallet': { defaultWallet: 'always null after removal' } },
  unreached: {},
};
