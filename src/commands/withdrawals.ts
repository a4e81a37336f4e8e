import { withdrawAsset } from '../contract/endpoints/withdrawals.ts';
import { outcomeOf } from '../engine/outcome.ts';
import { paidFrom, withdrawableFrom } from '../engine/previews/balances.ts';
import { externalWalletLines, userLines } from '../engine/previews/names.ts';
import { amountLine, readPreviews } from '../engine/previews/previews.ts';
import { type Amount, amountForPeople, type Token, toWireNumber } from '../money/amount.ts';
import { command } from '../terminal/command.ts';
import { thingListCommand } from '../terminal/list-command.ts';
import { amountOfThatToken, anyAddress, userArgument } from '../terminal/parse/field-options.ts';
import { oneOf, option, picked, required, ticker } from '../terminal/parse/parameters.ts';
import { change } from '../terminal/terminal.ts';
import { listedStatus } from '../terminal/work-commands.ts';
import { withdrawal } from '../things/token-transfers.ts';

const NETWORKS = ['base', 'bsc', 'sol', 'eth', 'xbn', 'asc', 'arc', 'lisk'] as const;

const COLUMNS = [
  { field: 'requestId', title: 'Request' },
  { field: 'amount', title: 'Amount' },
  { field: 'feeBreakdown.totalFee', title: 'Fees' },
  { field: 'feeBreakdown.netAmount', title: 'Arrives' },
  { field: 'destinationWallet', title: 'To' },
  { field: 'networkDisplayName', title: 'Network' },
  { field: 'transactionHash', title: 'Transaction' },
  { field: 'estimatedConfirmationTime', title: 'Confirms in' },
  { field: 'warnings', title: 'Warnings' },
  { field: 'executedAt', title: 'Executed' },
] as const;

interface TypedWithdrawal {
  readonly userId: string;
  readonly token: Token;
  readonly amount: (token: Token) => Amount;
  readonly from: string;
  readonly to: string;
  readonly network: (typeof NETWORKS)[number] | undefined;
}

const requestOf = ({ userId, token, amount, from, to, network }: TypedWithdrawal) => ({
  userId,
  internalWallet: from,
  destinationWallet: to,
  amount: toWireNumber(amount(token), 'token'),
  ticker: token,
  network,
});

const start = command({
  words: ['withdrawals', 'create'],
  money: 'guarded',
  rows: { endpoint: withdrawAsset, request: requestOf },
  summary: 'Send a user’s tokens to an external address',
  details:
    'The withdrawal is final when the command returns. Fees are deducted from the amount. Networks other than base go through a bridge.',
  examples: [
    'fiatrail withdrawals create USER_ID --amount 200 --token CNGN --from 0x52908400098527886E0F7030069857D2E4169EE7 --to 0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    'fiatrail withdrawals create USER_ID --amount 25.5 --token USDC --from 0x52908400098527886E0F7030069857D2E4169EE7 --to 0x8617E340B3D01FA5F11F306F4090FD50E238070D --network bsc --yes -o json',
  ],
  endpoints: [withdrawAsset.id],
  prints: { response: withdrawAsset },
  parameters: {
    userId: userArgument('active user', 'user whose tokens are sent'),
    token: required('--token <ticker>', 'CNGN, USDC or USDT', ticker, 'Token (CNGN, USDC or USDT):'),
    amount: amountOfThatToken,
    from: picked(
      'wallet of the user',
      required('--from <wallet>', 'user’s wallet, from wallets list', anyAddress, 'From which wallet of the user?'),
    ),
    to: required(
      '--to <address>',
      'destination address on the network; transfers to it cannot be reversed',
      anyAddress,
      'Destination address:',
    ),
    network: option('--network <network>', 'network, such as base, eth, bsc or sol (default base)', oneOf(...NETWORKS)),
  },
  fields: { internalWallet: 'from', destinationWallet: 'to', ticker: 'token' },
  run: async (account, terminal, { userId, amount: amountIn, token, from, to, network }) => {
    const amount = amountIn(token);
    const request = requestOf({ userId, token, amount: amountIn, from, to, network });
    const payer = paidFrom(() => withdrawableFrom(account, userId, from, token), amount);
    const reply = await change(account, terminal, withdrawAsset, request, {
      summary: `withdraw ${amountForPeople(amount)} from user ${userId} to ${to} on ${network ?? 'base'}`,
      lines: [
        ['user', userId],
        amountLine(amount, 'token', 'fees are deducted from it'),
        ['from', from],
        ['destination', `${to} on ${network ?? 'base'}`],
      ],
      previews: () =>
        readPreviews(
          () => userLines(account, userId),
          () => externalWalletLines(account, to),
          payer,
        ),
      payer,
    });
    return outcomeOf(account, withdrawAsset, reply, { columns: COLUMNS });
  },
});

const list = thingListCommand(withdrawal, {
  details: 'A fintech_user_withdrawal was made by the account, a user_withdrawal by the user.',
});

export const commands = [start, list, listedStatus('withdrawals', withdrawal)];
