import { endpoint } from '../endpoint.ts';
import {
  accountNumber,
  anyText,
  bankCode,
  fields,
  flag,
  group,
  integer,
  list,
  maybe,
  maybeText,
  opaqueId,
  opaqueUuid,
  optional,
  payload,
  stateOf,
  text,
  timestamp,
} from '../fields.ts';

export const listBanks = endpoint({
  id: 'banks.list-codes',
  method: 'POST',
  path: '/getbankscode',
  effect: 'read',
  summary: 'List banks and their codes',
  done: 'Banks listed',
  lists: 'banks',
  request: () => fields({}),
  response: () =>
    payload({
      countryCode: maybe(stateOf('public', ['NG'])),
      banks: list(
        'interface',
        // Two spellings of the same fields: the interface uses the first, newer public documentation the second.
        group('interface', {
          bankCode: maybeText('interface'),
          bankName: maybeText('interface'),
          bank_code: maybeText('public'),
          bank_name: maybeText('public'),
        }),
      ),
      totalCount: maybe(integer('public')),
      operationId: maybe(opaqueUuid('public')),
      requestId: maybe(opaqueUuid('public')),
    }),
  errors: [],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

export const addBankAccount = endpoint({
  id: 'banks.add',
  method: 'POST',
  path: '/addbankaccount',
  effect: 'write',
  summary: 'Add a payout account; its name is verified with the bank',
  done: 'Bank account added and verified',
  request: () =>
    fields({
      accountNumber: accountNumber('public'),
      bankCode: bankCode('interface'),
      isDefault: optional(flag('public', { rule: 'true or false; default false' })),
      metadata: optional(group('inferred', {})),
      label: optional(text('inferred')),
    }),
  response: () =>
    payload({
      accountId: maybe(opaqueUuid('public')),
      verifiedAccountName: anyText('interface'),
      accountNumber: maybeText('public'),
      bankName: maybeText('public'),
      bankCode: maybeText('public'),
      isValidated: flag('interface'),
      message: maybeText('public'),
    }),
  errors: [
    { when: 'the account number does not have 10 digits', fault: 'VALIDATION_ERROR', source: 'public' },
    { when: 'the bank does not have this account', fault: 'VALIDATION_ERROR', source: 'public' },
  ],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

const account = () =>
  group('public', {
    accountId: maybe(opaqueUuid('public')),
    fintechId: maybe(opaqueUuid('public')),
    accountName: maybeText('public'),
    accountNumber: maybeText('public'),
    bankName: maybeText('public'),
    bankCode: maybeText('public'),
    label: maybeText('inferred'),
    isDefault: maybe(flag('public')),
    isValidated: maybe(flag('public')),
    validationDetails: maybe(
      group('public', {
        validatedAt: maybe(timestamp('public')),
        accountNameMatch: maybe(flag('public')),
      }),
    ),
    createdAt: maybe(timestamp('public')),
    updatedAt: maybe(timestamp('public')),
  });

export const listBankAccounts = endpoint({
  id: 'banks.list',
  method: 'GET',
  path: '/listbankaccounts',
  effect: 'read',
  summary: 'List payout accounts',
  done: 'Bank accounts listed',
  lists: 'accounts',
  request: () => fields({}),
  response: () =>
    payload({
      accounts: maybe(list('public', account())),
      total: maybe(integer('public')),
      defaultAccount: maybe(
        group('public', {
          accountId: maybe(opaqueUuid('public')),
          accountName: maybeText('public'),
          accountNumber: maybeText('public'),
          bankName: maybeText('public'),
          bankCode: maybeText('public'),
        }),
      ),
    }),
  errors: [],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

const accountNotFound = {
  when: 'no payout account has this id',
  fault: 'NOT_FOUND',
  remedy: 'list payout accounts with: fiatrail bank-accounts list',
} as const;

export const updateBankAccount = endpoint({
  id: 'banks.update',
  method: 'PUT',
  path: '/updatebankaccount',
  effect: 'write',
  summary: 'Rename a payout account or make it the default',
  done: 'Bank account updated',
  request: () =>
    fields({
      accountId: opaqueId('public'),
      label: optional(text('interface')),
      isDefault: optional(flag('public')),
    }),
  response: () =>
    payload({
      accountId: maybe(opaqueUuid('inferred')),
      accountName: maybeText('inferred'),
      accountNumber: maybeText('inferred'),
      bankName: maybeText('inferred'),
      bankCode: maybeText('inferred'),
      label: maybeText('inferred'),
      isDefault: maybe(flag('inferred')),
      isValidated: maybe(flag('inferred')),
      updatedAt: maybe(timestamp('inferred')),
    }),
  errors: [{ ...accountNotFound, source: 'public' }],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

export const deleteBankAccount = endpoint({
  id: 'banks.delete',
  method: 'DELETE',
  path: '/deletebankaccount',
  fieldsIn: 'query',
  effect: 'destructive',
  summary: 'Permanently remove a payout account',
  done: 'Bank account removed',
  request: () => fields({ accountId: opaqueId('public') }),
  response: () => payload({}),
  errors: [
    { when: 'payouts to the account are pending', fault: 'PENDING_TRANSACTIONS', source: 'public' },
    { ...accountNotFound, source: 'inferred' },
  ],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});

export const getBankAccount = endpoint({
  id: 'banks.get',
  method: 'GET',
  path: '/getbankaccounts',
  effect: 'read',
  summary: 'Show a payout account',
  done: 'Bank account retrieved',
  lists: 'accounts',
  request: () => fields({ accountId: opaqueId('public') }),
  response: () => payload({ accounts: maybe(list('public', account())) }),
  errors: [{ ...accountNotFound, source: 'inferred' }],
  rateLimit: { max: 30, windowSeconds: 60 },
  source: 'interface',
});
