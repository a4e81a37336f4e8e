import { getFintechAccount } from '../../contract/endpoints/virtual-accounts.ts';
import { getFintechWallet, listUserWallets } from '../../contract/endpoints/wallets.ts';
import { callCommand } from '../../terminal/command.ts';
import { wholeList } from '../../terminal/list-command.ts';
import { userArgument } from '../../terminal/parse/field-options.ts';
import { EXTERNAL_COLUMNS, externalCommands } from './external.ts';

const SHOWN = [
  { field: 'fintechName', title: 'Account' },
  { field: 'smartWallet.address', title: 'Smart wallet' },
  { field: 'smartWallet.deployed', title: 'Deployed' },
  { field: 'totalUsers', title: 'Users' },
  { field: 'externalWallets', title: 'External wallets', columns: EXTERNAL_COLUMNS },
] as const;

const showCommand = callCommand(getFintechWallet, {
  words: ['wallets', 'show'],
  summary: 'Show the account’s smart wallet and external wallets',
  examples: ['fiatrail wallets show', 'fiatrail wallets show -o json --query smartWallet.address'],
  parameters: {},
  request: () => ({}),
  columns: SHOWN,
});

const COLUMNS = [
  { field: 'walletAddress', title: 'Wallet' },
  { field: 'blockchain', title: 'Network' },
  { field: 'status', title: 'Status' },
  { field: 'balances.CNGN.balance', title: 'cNGN', align: 'right' },
  { field: 'balances.USDC.balance', title: 'USDC', align: 'right' },
  { field: 'balances.USDT.balance', title: 'USDT', align: 'right' },
] as const;

const userCommand = wholeList(
  callCommand(listUserWallets, {
    words: ['wallets', 'list'],
    summary: 'List a user’s wallets and their balances',
    examples: ['fiatrail wallets list 4f1c…', 'fiatrail wallets list 4f1c… -o csv'],
    parameters: { userId: userArgument('user') },
    request: ({ userId }) => ({ userId }),
    columns: COLUMNS,
  }),
  { time: 'createdAt', statuses: ['smart_wallet', 'multi_chain'] },
);

const DEPOSIT_ACCOUNT = [
  { field: 'accountNumber', title: 'Number' },
  { field: 'accountName', title: 'Name' },
  { field: 'bankName', title: 'Bank' },
  { field: 'status', title: 'Status' },
  { field: 'createdAt', title: 'Created' },
] as const;

const depositAccountCommand = callCommand(getFintechAccount, {
  words: ['wallets', 'deposit-account'],
  summary: 'Show the bank account that funds the account’s default wallet',
  details:
    'Naira paid into it becomes cNGN in the default wallet. It never expires and accepts any amount from any sender.',
  examples: ['fiatrail wallets deposit-account', 'fiatrail wallets deposit-account -o json --query accountNumber'],
  parameters: {},
  request: () => ({}),
  columns: DEPOSIT_ACCOUNT,
});

export const commands = [showCommand, userCommand, depositAccountCommand, ...externalCommands];
