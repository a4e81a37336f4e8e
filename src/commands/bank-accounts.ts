import {
  addBankAccount,
  deleteBankAccount,
  getBankAccount,
  listBankAccounts,
  updateBankAccount,
} from '../contract/endpoints/banks.ts';
import { outcomeOf } from '../engine/outcome.ts';
import { bankCodeFor } from '../engine/previews/banks.ts';
import { bankLines, payoutAccounts } from '../engine/previews/names.ts';
import { PREVIEW_READ, readPreviews } from '../engine/previews/previews.ts';
import { callCommand, command } from '../terminal/command.ts';
import { wholeList } from '../terminal/list-command.ts';
import { labelOption, objectOf, properties, requiredBank } from '../terminal/parse/field-options.ts';
import { argument, digits, id, nothingTo, picked, required, switchOn } from '../terminal/parse/parameters.ts';
import { change } from '../terminal/terminal.ts';

const accountId = picked(
  'bank account',
  argument('bank-account-id', 'bank account id, from bank-accounts list', id, 'Which bank account?'),
);

interface TypedAccount {
  readonly accountNumber: string;
  readonly bankCode: string;
  readonly label: string | undefined;
}

const requestOf = ({ accountNumber, bankCode, label }: TypedAccount) => ({ accountNumber, bankCode, label });

const addCommand = callCommand(addBankAccount, {
  words: ['bank-accounts', 'add'],
  rows: { endpoint: addBankAccount, leavesOut: ['isDefault', 'metadata'], request: requestOf },
  summary: 'Add a payout bank account',
  details: 'The bank verifies the account number and returns the holder’s name.',
  examples: [
    'fiatrail bank-accounts add --account-number 0123456789 --bank-code 000013',
    'fiatrail bank-accounts add --account-number 0123456789 --bank-code gtbank --default --yes -o json --query accountId',
  ],
  parameters: {
    accountNumber: required(
      '--account-number <digits>',
      'account number, 10 digits',
      digits('account number', 10),
      'Account number (10 digits):',
    ),
    bankCode: requiredBank,
    label: labelOption,
    isDefault: switchOn('--default', 'make this the default payout account'),
    metadata: properties('--metadata', 'metadata, passed to the service unchanged'),
  },
  request: async ({ accountNumber, bankCode, label, isDefault, metadata }, account) => ({
    ...requestOf({ accountNumber, bankCode: await bankCodeFor(account, bankCode), label }),
    isDefault: isDefault || undefined,
    metadata: objectOf(metadata),
  }),
  confirms: ({ accountNumber, bankCode, isDefault }, account) => ({
    summary: `add account ${accountNumber} at bank ${bankCode} as ${isDefault ? 'the default' : 'a'} payout account`,
    lines: [['account', `${accountNumber} at bank ${bankCode}`]],
    replaces: isDefault ? [{ label: 'default', next: accountNumber, read: () => payoutAccounts(account) }] : [],
    previews: () => readPreviews(() => bankLines(account, bankCode)),
  }),
});

const COLUMNS = [
  { field: 'accountId', title: 'ID' },
  { field: 'accountName', title: 'Holder' },
  { field: 'accountNumber', title: 'Number' },
  { field: 'bankName', title: 'Bank' },
  { field: 'isDefault', title: 'Default' },
  { field: 'label', title: 'Label', isWide: true },
] as const;

const listCommand = wholeList(
  callCommand(listBankAccounts, {
    words: ['bank-accounts', 'list'],
    summary: 'List payout bank accounts',
    examples: [
      'fiatrail bank-accounts list --search settlement',
      'fiatrail bank-accounts list -o json --query defaultAccount.accountId',
    ],
    parameters: {},
    request: () => ({}),
    columns: COLUMNS,
  }),
  { names: { called: 'holder, bank or label', fields: ['accountName', 'bankName', 'label'] }, time: 'createdAt' },
);

const SHOWN = [
  { field: 'accountId', title: 'ID' },
  { field: 'accountName', title: 'Holder' },
  { field: 'accountNumber', title: 'Number' },
  { field: 'bankName', title: 'Bank' },
  { field: 'bankCode', title: 'Bank code' },
  { field: 'label', title: 'Label' },
  { field: 'isDefault', title: 'Default' },
  { field: 'isValidated', title: 'Verified' },
  { field: 'createdAt', title: 'Added' },
] as const;

const showCommand = command({
  words: ['bank-accounts', 'show'],
  summary: 'Show a payout bank account',
  examples: [
    'fiatrail bank-accounts show BANK_ACCOUNT_ID',
    'fiatrail bank-accounts show BANK_ACCOUNT_ID -o json --query accountName',
  ],
  endpoints: [getBankAccount.id],
  prints: { response: getBankAccount, isRow: true },
  parameters: { accountId },
  run: async (account, _terminal, { accountId }) => {
    const reply = await account.call(getBankAccount, { accountId });
    const { result, ...outcome } = await outcomeOf(account, getBankAccount, reply);
    const [found] = reply.data.accounts ?? [];
    // The service returns a list of one.
    return {
      ...outcome,
      result: { data: found ?? null, columns: SHOWN, ...(result?.raw ? { raw: result.raw } : {}) },
    };
  },
});

const CHANGED = {
  label: labelOption,
  isDefault: switchOn('--default', 'make this the default payout account'),
};

const updateCommand = callCommand(updateBankAccount, {
  words: ['bank-accounts', 'update'],
  summary: 'Relabel a payout bank account or make it the default',
  details: 'The account number and bank cannot be changed; add another account and remove this one.',
  examples: [
    'fiatrail bank-accounts update BANK_ACCOUNT_ID --label "fees"',
    'fiatrail bank-accounts update BANK_ACCOUNT_ID --default --yes -o json',
  ],
  parameters: {
    accountId,
    ...CHANGED,
  },
  request: ({ accountId, label, isDefault }) => {
    if (label === undefined && !isDefault) throw nothingTo('update', CHANGED);
    return { accountId, label, isDefault: isDefault || undefined };
  },
  confirms: ({ accountId }, account) => ({
    summary: `make payout account ${accountId} the default`,
    lines: [['account', accountId]],
    replaces: [{ label: 'default', next: accountId, read: () => payoutAccounts(account, accountId) }],
  }),
});

const removeCommand = command({
  words: ['bank-accounts', 'remove'],
  summary: 'Remove a payout bank account permanently',
  details: 'An account with pending payouts cannot be removed.',
  examples: [
    'fiatrail bank-accounts remove BANK_ACCOUNT_ID',
    'fiatrail bank-accounts remove BANK_ACCOUNT_ID --yes -o json',
  ],
  endpoints: [deleteBankAccount.id, getBankAccount.id],
  prints: { response: deleteBankAccount },
  parameters: { accountId },
  run: async (account, terminal, { accountId }) => {
    const reply = await change(
      account,
      terminal,
      deleteBankAccount,
      { accountId },
      {
        summary: `remove payout account ${accountId}`,
        lines: [['account', accountId]],
        previews: () =>
          readPreviews(async () => {
            const [found] = (await account.call(getBankAccount, { accountId }, PREVIEW_READ)).data.accounts ?? [];
            if (!found) return [];
            return [['holder', `${found.accountName}, ${found.accountNumber} at ${found.bankName}`]];
          }),
      },
    );
    await account.notices.note('payout account removed');
    return outcomeOf(account, deleteBankAccount, reply);
  },
});

export const commands = [addCommand, listCommand, showCommand, updateCommand, removeCommand];
