import type { BadCase, Case } from './case.ts';

const accountId = '0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de';

export const good: readonly Case[] = [
  ['banks.update', { accountId }],
  ['banks.update', { accountId, label: 'Payroll', isDefault: false, unknown: 1 }],
  ['banks.delete', { accountId }],
  ['banks.get', { accountId }],
  // The service also issues ids that are not UUIDs.
  ['banks.get', { accountId: 'acc_1' }],
];

export const bad: readonly BadCase[] = [
  ['banks.update', {}, 'accountId'],
  ['banks.update', { accountId: '' }, 'accountId'],
  ['banks.update', { accountId, label: '' }, 'label'],
  ['banks.update', { accountId, label: 'a\tb' }, 'label'],
  ['banks.update', { accountId, isDefault: 'true' }, 'isDefault'],
  ['banks.delete', {}, 'accountId'],
  ['banks.delete', { accountId: 'a\nb' }, 'accountId'],
  ['banks.get', {}, 'accountId'],
  ['banks.get', { accountId: 'x'.repeat(501) }, 'accountId'],
];
