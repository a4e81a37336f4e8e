import { advice } from '../../base/advice.ts';
import { endpoint, invalid, refusal } from '../endpoint.ts';
import * as f from '../fields.ts';

export const listBanks = endpoint({
  id: 'banks.list-codes',
  method: 'POST',
  path: '/getbankscode',
  effect: 'read',
  summary: 'List banks and their codes',
  done: 'Banks listed',
  lists: 'banks',
  request: () => f.fields({}),
  response: () =>
    f.payload({
      countryCode: f.maybe(f.stateOf('public', ['NG'])),
      banks: f.list(
        'interface',
        // Two spellings of the same fields: the interface uses the first, newer public documentation the second.
        f.group('interface', {
          bankCode: f.maybeText('interface'),
          bankName: f.maybeText('interface'),
          bank_code: f.maybeText('public'),
          bank_name: f.maybeText('public'),
        }),
      ),
      totalCount: f.maybe(f.integer('public')),
      operationId: f.maybe(f.opaqueUuid('public')),
      requestId: f.maybe(f.opaqueUuid('public')),
    }),
});

export const addBankAccount = endpoint({
  id: 'banks.add',
  method: 'POST',
  path: '/addbankaccount',
  effect: 'write',
  consents: { accountNumber: { kind: 'destination' }, isDefault: { kind: 'destination' } },
  summary: 'Add a payout account; its name is verified with the bank',
  done: 'Bank account added and verified',
  repeats: { accountNumber: 'accountNumber', bankCode: 'bankCode' },
  fails: { isValidated: [false] },
  request: () =>
    f.fields({
      accountNumber: f.accountNumber('public'),
      bankCode: f.bankCode('interface'),
      isDefault: f.optional(f.flag('public', { rule: 'true or false; default false' })),
      metadata: f.optional(f.group('inferred', {})),
      label: f.optional(f.text('inferred', { personal: 'text' })),
    }),
  response: () =>
    f.payload({
      accountId: f.maybe(f.opaqueUuid('public')),
      verifiedAccountName: f.anyText('interface', { personal: 'name' }),
      accountNumber: f.maybe(f.accountDigits('public')),
      bankName: f.maybeText('public'),
      bankCode: f.maybeText('public'),
      isValidated: f.flag('interface'),
      message: f.maybeText('public', { personal: 'text' }),
    }),
  errors: [
    invalid('public', 'the account number does not have 10 digits'),
    invalid('public', 'the bank does not have this account'),
  ],
});

const account = () =>
  f.group('public', {
    accountId: f.maybe(f.opaqueUuid('public')),
    fintechId: f.maybe(f.opaqueUuid('public')),
    accountName: f.maybeText('public', { personal: 'name' }),
    accountNumber: f.maybe(f.accountDigits('public')),
    bankName: f.maybeText('public'),
    bankCode: f.maybeText('public'),
    label: f.maybeText('inferred', { personal: 'text' }),
    isDefault: f.maybe(f.flag('public')),
    isValidated: f.maybe(f.flag('public')),
    validationDetails: f.maybe(
      f.group('public', {
        validatedAt: f.maybe(f.timestamp('public')),
        accountNameMatch: f.maybe(f.flag('public')),
      }),
    ),
    createdAt: f.maybe(f.timestamp('public')),
    updatedAt: f.maybe(f.timestamp('public')),
  });

export const listBankAccounts = endpoint({
  id: 'banks.list',
  method: 'GET',
  path: '/listbankaccounts',
  effect: 'read',
  summary: 'List payout accounts',
  done: 'Bank accounts listed',
  lists: 'accounts',
  request: () => f.fields({}),
  response: () =>
    f.payload({
      accounts: f.maybe(f.list('public', account())),
      total: f.maybe(f.integer('public')),
      defaultAccount: f.maybe(
        f.group('public', {
          accountId: f.maybe(f.opaqueUuid('public')),
          accountName: f.maybeText('public', { personal: 'name' }),
          accountNumber: f.maybe(f.accountDigits('public')),
          bankName: f.maybeText('public'),
          bankCode: f.maybeText('public'),
        }),
      ),
    }),
});

const accountNotFound = {
  when: 'no payout account has this id',
  fault: 'NOT_FOUND',
  remedy: advice`list payout accounts with: [fiatrail bank-accounts list]`,
} as const;

export const updateBankAccount = endpoint({
  id: 'banks.update',
  method: 'PUT',
  path: '/updatebankaccount',
  effect: 'write',
  consents: { isDefault: { kind: 'destination' } },
  summary: 'Rename a payout account or make it the default',
  done: 'Bank account updated',
  repeats: { accountId: 'accountId' },
  fails: { isValidated: [false] },
  request: () =>
    f.fields({
      accountId: f.opaqueId('public'),
      label: f.optional(f.text('interface', { personal: 'text' })),
      isDefault: f.optional(f.flag('public')),
    }),
  response: () =>
    f.payload({
      accountId: f.maybe(f.opaqueUuid('inferred')),
      accountName: f.maybeText('inferred', { personal: 'name' }),
      accountNumber: f.maybe(f.accountDigits('inferred')),
      bankName: f.maybeText('inferred'),
      bankCode: f.maybeText('inferred'),
      label: f.maybeText('inferred', { personal: 'text' }),
      isDefault: f.maybe(f.flag('inferred')),
      isValidated: f.maybe(f.flag('inferred')),
      updatedAt: f.maybe(f.timestamp('inferred')),
    }),
  errors: [{ ...accountNotFound, source: 'public' }],
});

export const deleteBankAccount = endpoint({
  id: 'banks.delete',
  method: 'DELETE',
  path: '/deletebankaccount',
  fieldsIn: 'query',
  effect: 'destructive',
  summary: 'Permanently remove a payout account',
  done: 'Bank account removed',
  request: () => f.fields({ accountId: f.opaqueId('public') }),
  response: () => f.payload({}),
  errors: [
    refusal('PENDING_TRANSACTIONS', 'public', 'payouts to the account are pending'),
    { ...accountNotFound, source: 'inferred' },
  ],
});

export const getBankAccount = endpoint({
  id: 'banks.get',
  method: 'GET',
  path: '/getbankaccounts',
  effect: 'read',
  summary: 'Show a payout account',
  done: 'Bank account retrieved',
  lists: 'accounts',
  repeats: { accountId: 'accounts.accountId' },
  fails: { 'accounts.isValidated': [false] },
  request: () => f.fields({ accountId: f.opaqueId('public') }),
  response: () => f.payload({ accounts: f.maybe(f.list('public', account())) }),
  errors: [{ ...accountNotFound, source: 'inferred' }],
});
