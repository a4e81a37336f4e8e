import { once } from '../base/calls.ts';
import { CliError } from '../base/errors.ts';
import { listSwaps, startSwap, triggerSwap } from '../contract/endpoints/swaps.ts';
import type { Account } from '../engine/account.ts';
import { swap } from '../engine/evidence/swaps.ts';
import { isUncertain, type ShownLine } from '../engine/plans/line.ts';
import { balanceLine, paidFrom, userWalletBalance, walletBalance } from '../engine/previews/balances.ts';
import { swapPreview } from '../engine/previews/book-previews.ts';
import { userDetails } from '../engine/previews/names.ts';
import { amountLine, readPreviews } from '../engine/previews/previews.ts';
import type { RequestOptions } from '../engine/requests.ts';
import { type Amount, ASSET_LABEL, amountForPeople, type Token, toWireNumber } from '../money/amount.ts';
import { type PercentMillionths, percentText, percentToWire } from '../money/rates.ts';
import { thingListCommand } from '../terminal/list-command.ts';
import { evmAddress } from '../terminal/parse/field-options.ts';
import {
  amountOfToken,
  id,
  option,
  optionalArgument,
  percent,
  picked,
  required,
  ticker,
} from '../terminal/parse/parameters.ts';
import { change, type Terminal } from '../terminal/terminal.ts';
import { startCommand, statusCommand } from '../terminal/work-commands.ts';
import { swap as aSwap } from '../things/swap.ts';

const TOKENS = 'CNGN, USDC or USDT';
const AMOUNT_HELP = 'amount to sell, in whole tokens unless a unit is given: 5000, 1.5, "1.5 USDC" or "1500000 base"';
const SLIPPAGE_HELP = 'maximum loss against the expected amount';

function checkTokens(sell: Token, buy: Token | undefined): void {
  if (sell === buy)
    throw new CliError('usage', `--sell and --buy are both ${sell}`, {
      code: 'VALIDATION_ERROR',
      hint: 'choose two different tokens',
    });
}

/** Returns the amount in the token to sell. Throws CliError usage. */
function soldOf(amount: (token: Token) => Amount, sell: Token): Amount {
  try {
    return amount(sell);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new CliError(error.category, `--amount: ${error.message.replace(/^--amount: /, '')}`, {
      code: error.code,
      hint: `write the amount in ${ASSET_LABEL[sell]}, the token to sell, or choose another token with --sell`,
    });
  }
}

const slippageLine = (slippage: PercentMillionths | undefined, usual: string): ShownLine => [
  'slippage',
  slippage === undefined ? `${usual}% (default)` : `${percentText(slippage)}%`,
];

/** What was typed, parsed. */
interface TypedSwap {
  readonly userId: string | undefined;
  readonly wallet: string | undefined;
  readonly sell: Token;
  readonly buy: Token | undefined;
  readonly amount: ((token: Token) => Amount) | undefined;
  readonly slippage: PercentMillionths | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Swaps what an onramp wallet has, or a part of it. */
function swapWallet(
  account: Account,
  terminal: Terminal,
  { wallet = '', sell, buy, amount, slippage }: TypedSwap,
  options: RequestOptions,
) {
  const sold = amount && soldOf(amount, sell);
  const into = buy ?? 'the wallet’s configured asset';
  const payer = () => {
    const read = once(() => walletBalance(account, wallet, sell, 'base'));
    const held = async (): Promise<readonly ShownLine[]> => {
      const balance = await read();
      if (!balance) return [];
      return [isUncertain(balance) ? balanceLine(balance) : balanceLine(balance, -(sold?.minor ?? balance.minor))];
    };
    const filled = async () => {
      const balance = sold ?? (await read());
      return balance && !isUncertain(balance) && buy ? swapPreview(account, { sold: balance, buy }) : [];
    };
    return readPreviews(held, filled);
  };
  return change(
    account,
    terminal,
    triggerSwap,
    {
      walletAddress: wallet,
      sellToken: sell,
      buyToken: buy,
      amount: sold && toWireNumber(sold, 'token'),
      slippage: slippage === undefined ? undefined : percentToWire(slippage),
    },
    {
      summary: `swap ${sold ? amountForPeople(sold) : `all ${ASSET_LABEL[sell]}`} in wallet ${wallet} for ${into}`,
      lines: [
        ['wallet', wallet],
        sold ? amountLine(sold, 'token') : ['amount', `all ${ASSET_LABEL[sell]} in the wallet`],
        ['into', into],
        slippageLine(slippage, '5'),
      ],
      previews: payer,
      payer,
    },
    options,
  );
}

/** Swaps tokens of a user. */
function swapOfUser(
  account: Account,
  terminal: Terminal,
  { userId, sell, buy, amount, slippage, from, to }: TypedSwap,
  options: RequestOptions,
) {
  if (!userId || !buy || !amount) throw new Error('a swap of a user needs the user, the token to buy and the amount');
  const sold = soldOf(amount, sell);
  const held = (address?: Promise<string | undefined>) =>
    from ? walletBalance(account, from, sell, 'base') : userWalletBalance(account, userId, sell, 'base', address);
  return change(
    account,
    terminal,
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
      summary: `swap ${amountForPeople(sold)} of user ${userId} for ${buy}`,
      lines: [
        ['user', userId],
        amountLine(sold, 'token'),
        ['from', from ?? 'the user wallet'],
        ['into', buy],
        ['destination', to ?? 'the user wallet'],
        slippageLine(slippage, '2'),
      ],
      previews: () => {
        const user = userDetails(account, userId);
        const managed = user.then(({ wallet }) => wallet).catch(() => undefined);
        return readPreviews(
          async () => (await user).lines,
          paidFrom(() => held(managed), sold),
        );
      },
      payer: paidFrom(() => held(), sold),
    },
    options,
  );
}

/** An onramp wallet belongs to one user, and its tokens stay in it. */
function checkWallet({ wallet, userId, from, to }: TypedSwap): void {
  const extra = Object.entries({ '<user-id>': userId, '--from': from, '--to': to }).filter(([, value]) => value);
  if (wallet === undefined || extra.length === 0) return;
  throw new CliError('usage', `--wallet cannot be combined with ${extra.map(([name]) => name).join(' and ')}`, {
    hint: 'give a user id to swap a user’s tokens, or --wallet for the tokens in an onramp wallet',
  });
}

const start = startCommand(swap, startSwap, {
  words: ['swaps', 'create'],
  money: 'guarded',
  summary: 'Swap a user’s tokens, or the tokens in an onramp wallet',
  details:
    'Swaps within the user wallet unless --from or --to is given. Only service-managed wallets can sell. With --wallet, swaps the tokens in an onramp wallet: all of them without --amount, for the wallet’s configured asset without --buy.',
  examples: [
    'fiatrail swaps create USER_ID --sell CNGN --buy USDC --amount 5000',
    'fiatrail swaps create USER_ID --sell USDT --buy CNGN --amount 2.5 --slippage 1% --yes --wait -o json',
    'fiatrail swaps create --wallet 0x52908400098527886E0F7030069857D2E4169EE7 --sell CNGN --buy USDC',
  ],
  calls: [listSwaps.id],
  or: { start: triggerSwap, takes: ({ wallet }) => wallet !== undefined },
  parameters: {
    userId: picked(
      'active user',
      optionalArgument('user-id', 'user whose tokens are swapped, from users list', id, 'Which user?'),
    ),
    wallet: option('--wallet <address>', 'swap the tokens in this wallet, which an onramp created', evmAddress),
    sell: required('--sell <token>', `token to sell: ${TOKENS}`, ticker, `Token to sell (${TOKENS}):`),
    buy: {
      ...option('--buy <token>', `token to buy: ${TOKENS}`, ticker, `Token to buy (${TOKENS}):`),
      fits: (buy: Token | undefined, { sell }: { readonly sell?: unknown }) => checkTokens(sell as Token, buy),
    },
    amount: {
      ...option('--amount <tokens>', AMOUNT_HELP, amountOfToken, 'Amount to sell:'),
      fits: (value: ReturnType<typeof amountOfToken> | undefined, { sell }: { readonly sell?: unknown }) => {
        if (value) soldOf(value, sell as Token);
      },
    },
    slippage: option('--slippage <percent>', `${SLIPPAGE_HELP}, 0% to 100% (default 2%; with --wallet 5%)`, percent),
    from: option('--from <address>', 'user’s wallet to sell from (default: the user wallet)', evmAddress),
    to: option('--to <address>', 'address that receives the bought tokens (default: the user wallet)', evmAddress),
  },
  fields: {
    walletAddress: 'wallet',
    sellToken: 'sell',
    buyToken: 'buy',
    smartWalletAddress: 'from',
    destinationAssetSwap: 'to',
  },
  needs: ({ wallet }) => (wallet === undefined ? ['userId', 'buy', 'amount'] : []),
  send: async (account, terminal, typed, options) => {
    checkWallet(typed);
    checkTokens(typed.sell, typed.buy);
    return (typed.wallet === undefined ? swapOfUser : swapWallet)(account, terminal, typed, options);
  },
  names: ({ buy }) => ({ buyToken: buy }),
});

const status = statusCommand(swap, {
  calls: [listSwaps.id],
});

const list = thingListCommand(aSwap);

export const commands = [start, status, list];
