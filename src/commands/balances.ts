import { balanceMulti, balanceUser } from '../contract/wallets.ts';
import { CliError } from '../exit.ts';
import { printable } from '../money/amount.ts';
import { command } from './command.ts';
import { argument, id, oneOf, option } from './parameters.ts';
import { outcomeOf } from './session.ts';

const tokenOption = option('--token <ticker>', 'CNGN, USDC or USDT (default CNGN)', (text) =>
  oneOf('CNGN', 'USDC', 'USDT')(text.toUpperCase()),
);

const networkList = (text: string) => {
  if (/^[a-z]+(,[a-z]+)*$/i.test(text)) return text.toLowerCase();
  throw new CliError('usage', `"${printable(text)}" is no list of networks`, {
    hint: 'write them with commas, such as base,eth,bsc',
  });
};

const fintechCommand = command({
  words: ['balances', 'fintech'],
  summary: "Show what the account's smart wallet holds, by network",
  examples: ['fiatrail balances fintech', 'fiatrail balances fintech --token USDC --networks base,eth -o json'],
  endpoints: [balanceMulti.id],
  parameters: {
    token: tokenOption,
    networks: option('--networks <list>', 'EVM networks with commas (default all)', networkList),
  },
  run: async (session, { token, networks }) =>
    outcomeOf(session, balanceMulti, await session.call(balanceMulti, { token, networks })),
});

const userCommand = command({
  words: ['balances', 'user'],
  summary: 'Show what a user holds, over all their wallets',
  examples: [
    'fiatrail balances user 4f1c…',
    'fiatrail balances user 4f1c… --token USDT -o json --query totalBalance.value',
  ],
  endpoints: [balanceUser.id],
  parameters: { userId: argument('user-id', 'as printed by users list', id), token: tokenOption },
  run: async (session, { userId, token }) =>
    outcomeOf(session, balanceUser, await session.call(balanceUser, { userId, token })),
});

export const commands = [fintechCommand, userCommand];
