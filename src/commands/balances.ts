import { CliError } from '../base/errors.ts';
import type { Reply } from '../client/client.ts';
import type { ResponseOf } from '../contract/endpoint.ts';
import { balanceAddress, balanceMulti, balanceUser } from '../contract/endpoints/balances.ts';
import type { Account } from '../engine/account.ts';
import { type Outcome, outcomeOf } from '../engine/outcome.ts';
import { isUncertain } from '../engine/plans/line.ts';
import { balanceIn } from '../engine/previews/balances.ts';
import { amountForPeople, isZero, printable, type Token, type UnknownFigure } from '../money/amount.ts';
import type { Column } from '../present/result.ts';
import { command } from '../terminal/command.ts';
import { evmAddress, userArgument } from '../terminal/parse/field-options.ts';
import { amountOfTokenIn, argument, option, ticker } from '../terminal/parse/parameters.ts';

const tokenOption = option('--token <ticker>', 'CNGN, USDC or USDT (default CNGN)', ticker);

const requireOption = option(
  '--require <amount>',
  'exit with 9 if the balance is below this, such as 100000 or "100000 CNGN"',
  amountOfTokenIn('--require'),
);

type Required = ReturnType<ReturnType<typeof amountOfTokenIn>> | undefined;

/**
 * Returns an error for a balance that is below the required one, or that the response does not say in a unit and an asset that
 * are known. The balance is printed too.
 */
function shortfall(data: TokenBalances, token: Token = 'CNGN', required: Required): CliError | undefined {
  if (!required) return undefined;
  const least = required(token);
  const found = balanceIn(data.totalBalance, token, [data]);
  if (!found || isUncertain(found))
    return new CliError('network', found?.uncertainty ?? 'the response has no balance', {
      code: 'UNUSABLE_RESPONSE',
      hint: 'see it with: -o raw',
    });
  if (found.minor >= least.minor) return undefined;
  return new CliError(
    'declined',
    `the balance is ${amountForPeople(found)}, below the required ${amountForPeople(least)}`,
    {
      code: 'BALANCE_BELOW',
      hint: 'add tokens to the account wallet, or require less',
    },
  );
}

const networkList = (text: string) => {
  if (/^[a-z]+(,[a-z]+)*$/i.test(text)) return text.toLowerCase();
  throw new CliError('usage', `invalid network list "${printable(text)}"`, {
    hint: 'separate networks with commas, such as base,eth,bsc',
  });
};

const networksOption = option('--networks <list>', 'comma-separated EVM networks (default all)', networkList);

interface BalanceOnNetwork {
  readonly network?: string | null | undefined;
  readonly walletAddress?: unknown;
  readonly balance?: string | UnknownFigure | null | undefined;
  readonly error?: string | null | undefined;
}

const NETWORKS = [
  { field: 'network', title: 'Network' },
  { field: 'balance', title: 'Balance' },
  { field: 'walletAddress', title: 'Wallet' },
  { field: 'error', title: 'Error' },
] as const;

const WHERE = { field: 'networkBalances', title: 'By network', columns: NETWORKS } as const;
const NOTHING_ON = { field: 'emptyNetworks', title: 'Empty on' } as const;

/** Splits the networks: those with a balance or an error, and the names of the empty ones. */
function summarized(all: readonly BalanceOnNetwork[]) {
  const isEmpty = ({ balance, error }: BalanceOnNetwork) =>
    !error && (!balance || (typeof balance === 'string' && isZero(balance)));
  const networkBalances = all.filter((each) => !isEmpty(each));
  const names = new Set(networkBalances.map(({ network }) => network));
  const others = all.map(({ network }) => network).filter((network) => !names.has(network));
  return { networkBalances, emptyNetworks: [...new Set(others)].join(', ') };
}

interface TokenBalances {
  readonly totalBalance?: string | UnknownFigure | null | undefined;
  readonly networkBalances?: readonly BalanceOnNetwork[] | null | undefined;
}

/** Shows the total balance and where it is. Formats other than a table get the whole response. */
async function shown<E extends typeof balanceMulti | typeof balanceAddress | typeof balanceUser>(
  account: Account,
  endpoint: E,
  reply: Reply<ResponseOf<E> & TokenBalances>,
  whose: Column,
): Promise<Outcome> {
  const { format, fields, query } = account.globals.present;
  if (format !== 'table' || fields || query !== undefined) return outcomeOf(account, endpoint, reply);
  const brief = summarized(reply.data.networkBalances ?? []);
  const columns = [
    whose,
    { field: 'totalBalance', title: 'Balance' },
    ...(brief.networkBalances.length > 0 ? [WHERE] : []),
    ...(brief.emptyNetworks === '' ? [] : [NOTHING_ON]),
    { field: 'checkedAt', title: 'Checked at' },
  ];
  return outcomeOf(account, endpoint, { ...reply, data: { ...reply.data, ...brief } }, { columns });
}

const withError = (outcome: Outcome, error: CliError | undefined): Outcome => (error ? { ...outcome, error } : outcome);

const fintechCommand = command({
  words: ['balances', 'account'],
  summary: 'Show the balance of the account wallet by network',
  examples: [
    'fiatrail balances account',
    'fiatrail balances account --token USDC --networks base,eth -o json',
    'fiatrail balances account --require 100000 -q',
  ],
  endpoints: [balanceMulti.id],
  prints: { response: balanceMulti },
  parameters: { token: tokenOption, networks: networksOption, require: requireOption },
  run: async (account, _terminal, { token, networks, require }) => {
    require?.(token ?? 'CNGN');
    const reply = await account.call(balanceMulti, { token, networks });
    const outcome = await shown(account, balanceMulti, reply, { field: 'walletAddress', title: 'Wallet' });
    return withError(outcome, shortfall(reply.data, token, require));
  },
});

const addressCommand = command({
  words: ['balances', 'address'],
  summary: 'Show the balance of any EVM address by network',
  examples: [
    'fiatrail balances address 0x52908400098527886E0F7030069857D2E4169EE7',
    'fiatrail balances address 0x52908400098527886E0F7030069857D2E4169EE7 --token USDC --networks base,eth -o json --query totalBalance.value',
  ],
  endpoints: [balanceAddress.id],
  prints: { response: balanceAddress },
  parameters: {
    address: argument('address', 'any EVM address', evmAddress, 'Address:'),
    token: tokenOption,
    networks: networksOption,
    require: requireOption,
  },
  run: async (account, _terminal, { address, token, networks, require }) => {
    require?.(token ?? 'CNGN');
    const reply = await account.call(balanceAddress, { address, token, networks: networks?.split(',') });
    const outcome = await shown(account, balanceAddress, reply, { field: 'address', title: 'Address' });
    return withError(outcome, shortfall(reply.data, token, require));
  },
});

const userCommand = command({
  words: ['balances', 'user'],
  summary: 'Show the balance of a user across all wallets',
  examples: [
    'fiatrail balances user USER_ID',
    'fiatrail balances user USER_ID --token USDT -o json --query totalBalance.value',
  ],
  endpoints: [balanceUser.id],
  prints: { response: balanceUser },
  parameters: {
    userId: userArgument('user'),
    token: tokenOption,
    require: requireOption,
  },
  run: async (account, _terminal, { userId, token, require }) => {
    require?.(token ?? 'CNGN');
    const reply = await account.call(balanceUser, { userId, token });
    const outcome = await shown(account, balanceUser, reply, { field: 'userId', title: 'User' });
    return withError(outcome, shortfall(reply.data, token, require));
  },
});

export const commands = [fintechCommand, addressCommand, userCommand];
