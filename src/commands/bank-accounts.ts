import { addBankAccount, listBankAccounts } from '../contract/banks.ts';
import { command } from './command.ts';
import { digits, option, required, switchOn, word } from './parameters.ts';
import { outcomeOf } from './session.ts';

const addCommand = command({
  words: ['bank-accounts', 'add'],
  summary: 'Add a payout account; the bank confirms its number and tells its holder',
  examples: [
    'fiatrail bank-accounts add --account-number 0123456789 --bank-code 000013',
    'fiatrail bank-accounts add --account-number 0123456789 --bank-code 000013 --default -o json --query accountId',
  ],
  endpoints: [addBankAccount.id],
  parameters: {
    accountNumber: required(
      '--account-number <digits>',
      '10 digits',
      digits('account number', 10),
      'Account number (10 digits):',
    ),
    bankCode: required('--bank-code <code>', 'NIBSS code, from banks list', digits('bank code', 3, 6), 'Bank code:'),
    label: option('--label <text>', 'a name of your own for it', word),
    isDefault: switchOn('--default', 'make it the default payout account'),
  },
  run: async (session, { accountNumber, bankCode, label, isDefault }) => {
    const reply = await session.call(addBankAccount, {
      accountNumber,
      bankCode,
      label,
      isDefault: isDefault || undefined,
    });
    return outcomeOf(session, addBankAccount, reply);
  },
});

const COLUMNS = [
  { field: 'accountId', title: 'Id' },
  { field: 'accountName', title: 'Holder' },
  { field: 'accountNumber', title: 'Number' },
  { field: 'bankName', title: 'Bank' },
  { field: 'isDefault', title: 'Default' },
] as const;

const listCommand = command({
  words: ['bank-accounts', 'list'],
  summary: 'List the payout accounts',
  examples: ['fiatrail bank-accounts list', 'fiatrail bank-accounts list -o json --query defaultAccount.accountId'],
  endpoints: [listBankAccounts.id],
  parameters: {},
  run: async (session) =>
    outcomeOf(session, listBankAccounts, await session.call(listBankAccounts, {}), { columns: COLUMNS }),
});

export const commands = [addCommand, listCommand];
