import type { Case } from './case.ts';

const accountId = '0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de';

export const good: readonly Case[] = [
  ['banks.update', { accountId }],
  ['banks.update', { accountId, label: 'Payroll', isDefault: false, unknown: 1 }],
  ['banks.delete', { accountId }],
  ['banks.get', { accountId }],
  // The service also issues ids that are not UUIDs.
  ['banks.get', { accountId: 'acc_1' }],
];

export const bad: readonly Case[] = [
  ['banks.update', {}],
  ['banks.update', { accountId: '' }],
  ['banks.update', { accountId, label: '' }],
  ['banks.update', { accountId, label: 'a\tb' }],
  ['banks.update', { accountId, isDefault: 'true' }],
  ['banks.delete', {}],
  ['banks.delete', { accountId: 'a\nb' }],
  ['banks.get', {}],
  ['banks.get', { accountId: 'x'.repeat(501) }],
];
