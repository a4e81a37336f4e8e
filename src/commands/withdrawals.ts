import { withdrawAsset } from '../contract/endpoints/withdrawals.ts';
import { outcomeOf } from '../engine/outcome.ts';
import { amountLine, balanceLine, readPreviews, userBalance } from '../engine/previews.ts';
import { amountForPeople } from '../money/amount.ts';
import { toWireNumber } from '../money/units.ts';
import { command } from '../terminal/command.ts';
import {
  amountHelp,
  amountOfToken,
  argument,
  id,
  oneOf,
  option,
  picked,
  required,
  ticker,
} from '../terminal/parse/parameters.ts';

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

const withdrawCommand = command({
  words: ['withdrawals', 'start'],
  money: 'guarded',
  summary: 'Send a user’s tokens to an external address',
  details:
    'The withdrawal is final when the command returns. Fees are deducted from the amount. Networks other than base go through a bridge.',
  examples: [
    'fiatrail withdrawals start 4f1c… --amount 200 --token CNGN --from 0x52908400098527886E0F7030069857D2E4169EE7 --to 0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    'fiatrail withdrawals start 4f1c… --amount 25.5 --token USDC --from 0x52908400098527886E0F7030069857D2E4169EE7 --to 0x8617E340B3D01FA5F11F306F4090FD50E238070D --network bsc --yes -o json',
  ],
  endpoints: [withdrawAsset.id],
  prints: { response: withdrawAsset },
  parameters: {
    userId: picked('active user', argument('user-id', 'user whose tokens are sent', id, 'Which user?')),
    amount: required('--amount <tokens>', amountHelp('CNGN'), amountOfToken, 'Amount in whole tokens:'),
    token: required('--token <ticker>', 'token to send: CNGN, USDC or USDT', ticker, 'Token (CNGN, USDC or USDT):'),
    from: required('--from <wallet>', 'user’s wallet, from wallets list', id, 'From (one of the user’s wallets):'),
    to: required(
      '--to <address>',
      'destination address on the network; transfers to it cannot be reversed',
      id,
      'Destination address:',
    ),
    network: option('--network <network>', `${NETWORKS.join(', ')} (default base)`, oneOf(...NETWORKS)),
  },
  fields: { internalWallet: 'from', destinationWallet: 'to', ticker: 'token' },
  run: async (session, { userId, amount: amountIn, token, from, to, network }) => {
    const amount = amountIn(token);
    const request = {
      userId,
      internalWallet: from,
      destinationWallet: to,
      amount: toWireNumber(amount, 'token'),
      ticker: token,
      network,
    };
    const reply = await session.change(withdrawAsset, request, {
      summary: `withdraw ${amountForPeople(amount)} from user ${userId} to ${to} on ${network ?? 'base'}`,
      lines: [
        ['user', userId],
        amountLine(amount, 'token', 'fees are deducted from it'),
        ['from', from],
        ['destination', `${to} on ${network ?? 'base'}`],
      ],
      previews: () =>
        readPreviews(async () => {
          const before = await userBalance(session, userId, token, from);
          return before ? [balanceLine(before, -amount.minor)] : [];
        }),
    });
    return outcomeOf(session, withdrawAsset, reply, { columns: COLUMNS });
  },
});

export const commands = [withdrawCommand];
