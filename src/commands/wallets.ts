import { getFintechWallet, listUserWallets } from '../contract/wallets.ts';
import { command } from './command.ts';
import { argument, id } from './parameters.ts';
import { outcomeOf } from './session.ts';

const showCommand = command({
  words: ['wallets', 'show'],
  summary: "Show the account's smart wallet and registered external wallets",
  examples: ['fiatrail wallets show', 'fiatrail wallets show -o json --query smartWallet.address'],
  endpoints: [getFintechWallet.id],
  parameters: {},
  run: async (session) => outcomeOf(session, getFintechWallet, await session.call(getFintechWallet, {})),
});

const COLUMNS = [
  { field: 'walletAddress', title: 'Wallet' },
  { field: 'blockchain', title: 'Chain' },
  { field: 'status', title: 'Kind' },
  { field: 'balances.CNGN.balance', title: 'cNGN', align: 'right' },
  { field: 'balances.USDC.balance', title: 'USDC', align: 'right' },
  { field: 'balances.USDT.balance', title: 'USDT', align: 'right' },
] as const;

const userCommand = command({
  words: ['wallets', 'user'],
  summary: "List a user's wallets with their balances",
  examples: ['fiatrail wallets user 4f1c…', 'fiatrail wallets user 4f1c… -o csv'],
  endpoints: [listUserWallets.id],
  parameters: { userId: argument('user-id', 'as printed by users list', id) },
  run: async (session, { userId }) =>
    outcomeOf(session, listUserWallets, await session.call(listUserWallets, { userId }), { columns: COLUMNS }),
});

export const commands = [showCommand, userCommand];
