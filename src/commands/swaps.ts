import { CliError } from '../base/errors.ts';
import { evmAddress } from '../cli/addresses.ts';
import { command } from '../cli/command.ts';
import { listedByPosition, positionOptions } from '../cli/listed.ts';
import type { Outcome } from '../cli/outcome.ts';
import { amountOfToken, argument, id, oneOf, option, percent, required, ticker } from '../cli/parameters.ts';
import { periodOf, periodOptions } from '../cli/period.ts';
import { amountLine, balanceLine, type Line, readPreviews, userBalance } from '../cli/previews.ts';
import { outcomeOf, type Session } from '../cli/session.ts';
import { followStatus, waitOption } from '../cli/wait.ts';
import { balanceAddress } from '../contract/endpoints/balances.ts';
import { listSwaps, startSwap, swapStatus, triggerSwap } from '../contract/endpoints/swaps.ts';
import { type Amount, ASSET_LABEL, amountForPeople, type Token } from '../money/amount.ts';
import { type PercentMillionths, percentText, percentToWire } from '../money/rates.ts';
import { fromWire, toWireNumber } from '../money/units.ts';

const TOKENS = 'CNGN, USDC or USDT';
const AMOUNT_HELP = 'whole tokens unless a unit is written: 5000, 1.5, "1.5 USDC" or "1500000 base"';
const SLIPPAGE_HELP = 'how much less than expected is taken';

const FOLLOWED = [
  { field: 'requestId', title: 'Request ID' },
  { field: 'type', title: 'Type' },
  { field: 'status', title: 'Status' },
  { field: 'amountOut', title: 'Bought, in base units' },
  { field: 'executionRate', title: 'Rate' },
  { field: 'executionMethod', title: 'Method' },
  { field: 'smartWalletAddress', title: 'Wallet' },
  { field: 'txHash', title: 'Transaction' },
  { field: 'createdAt', title: 'Created' },
  { field: 'updatedAt', title: 'Updated' },
] as const;

function followSwap(session: Session, requestId: string, waitMs: number): Promise<Outcome> {
  return followStatus(session, {
    endpoint: swapStatus,
    input: { requestId },
    stateOf: ({ status }) => status,
    done: ['completed'],
    failed: ['failed'],
    what: 'the swap',
    again: `fiatrail swaps status ${requestId} --wait`,
    waitMs,
    columns: FOLLOWED,
  });
}

function checkTokens(sell: Token, buy: Token | undefined): void {
  if (sell === buy)
    throw new CliError('usage', `--sell and --buy are both ${sell}`, { hint: 'choose two of CNGN, USDC and USDT' });
}

/** The amount in the token that is sold. Throws CliError usage. */
function soldOf(amount: (token: Token) => Amount, sell: Token): Amount {
  try {
    return amount(sell);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new CliError(error.category, `--amount: ${error.message.replace(/^--amount: /, '')}`, {
      code: error.code,
      hint: `the amount is of what is sold: write it in ${ASSET_LABEL[sell]}, or sell the other token with --sell`,
    });
  }
}

const slippageLine = (slippage: PercentMillionths | undefined, usual: string): Line => [
  'slippage',
  slippage === undefined ? `${usual} percent, as is usual` : `${percentText(slippage)} percent`,
];

const triggerCommand = command({
  words: ['swaps', 'trigger'],
  summary: "Swap what an onramp's wallet holds",
  details: 'Without --amount all of it; without --buy into what the wallet is set to.',
  examples: [
    'fiatrail swaps trigger --wallet 0x52908400098527886E0F7030069857D2E4169EE7 --sell CNGN --buy USDC',
    'fiatrail swaps trigger --wallet 0x52908400098527886E0F7030069857D2E4169EE7 --sell CNGN --amount 5000 --yes --wait -o json',
  ],
  endpoints: [triggerSwap.id, swapStatus.id],
  parameters: {
    wallet: required('--wallet <address>', 'the wallet that an onramp made', evmAddress, 'Wallet address:'),
    sell: required('--sell <token>', TOKENS, ticker, `Token to sell (${TOKENS}):`),
    buy: option('--buy <token>', TOKENS, ticker),
    amount: option('--amount <tokens>', AMOUNT_HELP, amountOfToken),
    slippage: option('--slippage <percent>', `${SLIPPAGE_HELP}, 0% to 100% (default 5%)`, percent),
    wait: waitOption('until the swap has ended'),
  },
  run: async (session, { wallet, sell, buy, amount, slippage, wait }) => {
    checkTokens(sell, buy);
    const sold = amount && soldOf(amount, sell);
    const into = buy ?? 'what the wallet is set to';
    const held = async (): Promise<readonly Line[]> => {
      const { data } = await session.call(balanceAddress, { address: wallet, token: sell });
      const balance = fromWire(data.totalBalance ?? '', 'token', sell);
      return balance ? [balanceLine(balance, -(sold?.minor ?? balance.minor))] : [];
    };
    const reply = await session.change(
      triggerSwap,
      {
        walletAddress: wallet,
        sellToken: sell,
        buyToken: buy,
        amount: sold && toWireNumber(sold, 'token'),
        slippage: slippage === undefined ? undefined : percentToWire(slippage),
      },
      {
        summary: `swap of ${sold ? amountForPeople(sold) : `all ${sell}`} of wallet ${wallet} into ${into}`,
        lines: [
          ['wallet', wallet],
          sold ? amountLine(sold, 'token') : ['amount', `all ${sell} that it holds`],
          ['into', into],
          slippageLine(slippage, '5'),
        ],
        previews: () => readPreviews(held),
      },
      wait === undefined ? {} : { prints: swapStatus },
    );
    if (wait === undefined) return outcomeOf(session, triggerSwap, reply);
    return followSwap(session, reply.data.requestId, wait);
  },
});

const startCommand = command({
  words: ['swaps', 'start'],
  summary: 'Swap tokens of a user',
  details:
    'From the managed wallet and back into it, unless --from and --to say otherwise. Only wallets the service signs for can be sold from.',
  examples: [
    'fiatrail swaps start 4f1c… --sell CNGN --buy USDC --amount 5000',
    'fiatrail swaps start 4f1c… --sell USDT --buy CNGN --amount 2.5 --slippage 1% --yes --wait -o json',
  ],
  endpoints: [startSwap.id, swapStatus.id],
  parameters: {
    userId: argument('user-id', 'whose tokens are swapped', id, 'User id:'),
    sell: required('--sell <token>', TOKENS, ticker, `Token to sell (${TOKENS}):`),
    buy: required('--buy <token>', TOKENS, ticker, `Token to buy (${TOKENS}):`),
    amount: required('--amount <tokens>', `${AMOUNT_HELP}, of what is sold`, amountOfToken, 'Amount to sell:'),
    slippage: option('--slippage <percent>', `${SLIPPAGE_HELP}, 0% to 100% (default 2%)`, percent),
    from: option('--from <address>', "the user's wallet to sell from (default: the managed wallet)", evmAddress),
    to: option('--to <address>', 'where the bought tokens go (default: the managed wallet)', evmAddress),
    wait: waitOption('until the swap has ended'),
  },
  run: async (session, { userId, sell, buy, amount, slippage, from, to, wait }) => {
    checkTokens(sell, buy);
    const sold = soldOf(amount, sell);
    const held = async (): Promise<readonly Line[]> => {
      const balance = await userBalance(session, userId, sell, from);
      return balance ? [balanceLine(balance, -sold.minor)] : [];
    };
    const reply = await session.change(
      startSwap,
      {
        userId,
        sellToken: sell,
        buyToken: buy,
        amount: toWireNumber(sold, 'token'),
        slippage: slippage === undefined ? undefined : percentToWire(slippage),
        smartWalletAddress: from,
        destinationAssetSwap: to,
      },
      {
        summary: `swap of ${amountForPeople(sold)} of user ${userId} into ${buy}`,
        lines: [
          ['user', userId],
          amountLine(sold, 'token'),
          ['from', from ?? 'the managed wallet'],
          ['into', buy],
          ['destination', to ?? 'the managed wallet'],
          slippageLine(slippage, '2'),
        ],
        previews: () => readPreviews(held),
      },
      wait === undefined ? {} : { prints: swapStatus },
    );
    if (wait === undefined) return outcomeOf(session, startSwap, reply);
    return followSwap(session, reply.data.requestId, wait);
  },
});

const statusCommand = command({
  words: ['swaps', 'status'],
  summary: 'Show how a swap stands',
  examples: ['fiatrail swaps status swap-0198…', 'fiatrail swaps status swap-0198… --wait 2m -o json'],
  endpoints: [swapStatus.id],
  parameters: {
    requestId: argument('request-id', 'as printed by swaps start, swaps trigger or swaps list', id),
    wait: waitOption('until it has ended'),
  },
  run: async (session, { requestId, wait }) => followSwap(session, requestId, wait ?? 0),
});

const COLUMNS = [
  { field: 'requestId', title: 'Swap' },
  { field: 'status', title: 'Status' },
  { field: 'amountIn', title: 'Sold' },
  { field: 'amountOut', title: 'Bought' },
  { field: 'executionRate', title: 'Rate' },
  { field: 'createdAt', title: 'When' },
] as const;

const listCommand = command({
  words: ['swaps', 'list'],
  summary: 'List the swaps, newest first',
  examples: ['fiatrail swaps list --status completed', 'fiatrail swaps list --since 2026-08-01 --all -o csv'],
  endpoints: [listSwaps.id],
  parameters: {
    status: option(
      '--status <status>',
      'requested (not ended yet), completed or failed',
      oneOf('requested', 'completed', 'failed'),
    ),
    ...periodOptions,
    ...positionOptions('swaps'),
  },
  run: async (session, { status, limit, offset, all, ...period }) =>
    listedByPosition(
      session,
      {
        endpoint: listSwaps,
        columns: COLUMNS,
        request: (size, at) => ({ status, ...periodOf(period), limit: size, offset: at }),
        rowsOf: ({ swaps }) => swaps,
        totalOf: ({ pagination }) => pagination.total,
        idOf: ({ requestId }) => requestId,
        joined: (data) => ({ ...data, pagination: { total: data.pagination.total } }),
      },
      { limit, offset, all },
    ),
});

export const commands = [triggerCommand, startCommand, statusCommand, listCommand];
