import { balanceAddress } from '../../../../src/contract/endpoints/balances.ts';
import {
  addExternalWallet,
  removeExternalWallet,
  setExternalWalletStatus,
} from '../../../../src/contract/endpoints/external-wallets.ts';
import { migrateUserWallets } from '../../../../src/contract/endpoints/wallet-migration.ts';
import { getFintechWallet } from '../../../../src/contract/endpoints/wallets.ts';
import type { TestSandbox } from '../../../support/sandbox.ts';
import { onboardUser } from '../../steps.ts';
import type { Ask, Declared, GroupRows, Precedence } from './group.ts';

const ADDRESS = `0x${'AB'.repeat(20)}`;
const external = { address: ADDRESS, blockchain: 'base', type: 'cold' } as const;

const declared: readonly Declared[] = [
  [
    'wallets.add-external',
    'the address is not valid on the blockchain',
    'VALIDATION_ERROR',
    (box) => box.call('POST', '/addexternalwallet', { ...external, blockchain: 'trx' }),
  ],
  [
    'wallets.add-external',
    'the address is already registered',
    'VALIDATION_ERROR',
    async (box) => {
      await box.ask(addExternalWallet, external);
      return box.call('POST', '/addexternalwallet', { ...external, address: ADDRESS.toLowerCase() });
    },
  ],
  [
    'wallets.set-external-status',
    'the status is neither active nor inactive',
    'VALIDATION_ERROR',
    (box) => box.call('PUT', '/updateexternalwalletstatus', { address: ADDRESS, status: 'gone' }),
  ],
  [
    'wallets.set-external-status',
    'no external wallet has this address',
    'NOT_FOUND',
    (box) => box.call('PUT', '/updateexternalwalletstatus', { address: ADDRESS, status: 'active' }),
  ],
  [
    'wallets.remove-external',
    'no external wallet has this address',
    'NOT_FOUND',
    (box) => box.call('DELETE', '/removeexternalwallet', { address: ADDRESS }),
  ],
  [
    'wallets.balance-address',
    'the address is missing or not an EVM address',
    'VALIDATION_ERROR',
    (box) => box.call('POST', '/balance/address', {}),
  ],
];

const precedence: readonly Precedence[] = [
  [
    'an unknown blockchain before a wrong address',
    (box) => box.call('POST', '/addexternalwallet', { ...external, address: 'x', blockchain: 'moon' }),
    'VALIDATION_ERROR',
    /^blockchain: .*base/,
  ],
  [
    'the account wallet itself',
    async (box) => {
      const { smartWallet } = await box.ask(getFintechWallet, {});
      return box.call('POST', '/addexternalwallet', { ...external, address: smartWallet.address });
    },
    'VALIDATION_ERROR',
    /account wallet/,
  ],
  [
    'networks without balance lookup',
    (box) => box.call('POST', '/balance/address', { address: ADDRESS, networks: ['base', 'sol'] }),
    'VALIDATION_ERROR',
    /^networks/,
  ],
];

async function walk(box: TestSandbox, ask: Ask) {
  const { userId } = await onboardUser(box);
  const record = { label: 'treasury', purpose: 'reserves', metadata: { custodian: 'nobody' } };
  for (const [index, type] of (['hot', 'cold', 'custodial', 'other'] as const).entries()) {
    const address = `0x${String(index).repeat(40)}`;
    await ask(addExternalWallet, { address, blockchain: 'Base', type, isDefault: true, ...record });
    await ask(setExternalWalletStatus, { address, status: 'active' });
  }
  await ask(setExternalWalletStatus, { address: `0x${'0'.repeat(40)}`, status: 'inactive' });
  await ask(getFintechWallet, {});
  await ask(removeExternalWallet, { address: `0x${'0'.repeat(40)}` });
  await ask(migrateUserWallets, { userId: [userId, 'nobody'] });
  await ask(migrateUserWallets, { userId: [userId], force: true });
  await ask(balanceAddress, { address: ADDRESS });
  await ask(balanceAddress, { address: `0x${'0'.repeat(36)}dead` });
}

export const rows: GroupRows = {
  declared,
  precedence,
  walk,
  unproduced: {},
  unreached: {
    // Every user gets a wallet on onboarding.
    'wallets.migrate-users results[].status': ['created'],
  },
};
