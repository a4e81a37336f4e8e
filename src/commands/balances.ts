import { balanceAddress, balanceMulti, balanceUser } from '../contract/wallets.ts';
import { CliError } from '../exit.ts';
import { printable } from '../money/amount.ts';
import { scaledInteger } from '../money/decimal.ts';
import { command } from './command.ts';
import { argument, evmAddress, id, option, ticker } from './parameters.ts';
import { outcomeOf, type Session } from './session.ts';

const tokenOption = option('--token <ticker>', 'CNGN, USDC or USDT (default CNGN)', ticker);

const networkList = (text: string) => {
  if (/^[a-z]+(,[a-z]+)*$/i.test(text)) return text.toLowerCase();
  throw new CliError('usage', `"${printable(text)}" is no list of networks`, {
    hint: 'write them with commas, such as base,eth,bsc',
  });
};

const networksOption = option('--networks <list>', 'EVM networks with commas (default all)', networkList);

interface NetworkBalance {
  readonly network?: string | null | undefined;
  readonly walletAddress?: unknown;
  readonly balance?: string | null | undefined;
  readonly error?: string | null | undefined;
}

/**
 * For a person: the networks that hold something or could not be read, and the names of the others. What else reads the
 * answer gets all of it.
 */
function forReading<D extends { readonly networkBalances?: readonly NetworkBalance[] | null | undefined }>(
  { globals: { present } }: Session,
  data: D,
) {
  if (present.format !== 'table' || present.fields || present.query !== undefined) return data;
  const all = data.networkBalances ?? [];
  const isEmpty = ({ balance, error }: NetworkBalance) => !error && (!balance || scaledInteger(balance, 6) === 0n);
  const empty = [...new Set(all.filter(isEmpty).map(({ network }) => network))];
  return { ...data, networkBalances: all.filter((each) => !isEmpty(each)), emptyNetworks: empty.join(', ') || null };
}

const NETWORKS = [
  { field: 'network', title: 'Network' },
  { field: 'balance', title: 'Balance' },
  { field: 'walletAddress', title: 'Wallet' },
  { field: 'error', title: 'Not read' },
] as const;

const EACH_NETWORK = [
  { field: 'networkBalances', title: 'Where', columns: NETWORKS },
  { field: 'emptyNetworks', title: 'Nothing on' },
  { field: 'checkedAt', title: 'Checked at' },
] as const;

const FINTECH = [
  { field: 'walletAddress', title: 'Wallet' },
  { field: 'totalBalance', title: 'Balance' },
  ...EACH_NETWORK,
] as const;

const fintechCommand = command({
  words: ['balances', 'fintech'],
  summary: "Show what the account's smart wallet holds, by network",
  examples: ['fiatrail balances fintech', 'fiatrail balances fintech --token USDC --networks base,eth -o json'],
  endpoints: [balanceMulti.id],
  parameters: { token: tokenOption, networks: networksOption },
  run: async (session, { token, networks }) => {
    const reply = await session.call(balanceMulti, { token, networks });
    return outcomeOf(session, balanceMulti, { ...reply, data: forReading(session, reply.data) }, { columns: FINTECH });
  },
});

const ADDRESS = [
  { field: 'address', title: 'Address' },
  { field: 'totalBalance', title: 'Balance' },
  ...EACH_NETWORK,
] as const;

const addressCommand = command({
  words: ['balances', 'address'],
  summary: 'Show what any EVM address holds, by network',
  examples: [
    'fiatrail balances address 0x52908400098527886E0F7030069857D2E4169EE7',
    'fiatrail balances address 0x5290… --token USDC --networks base,eth -o json --query totalBalance.value',
  ],
  endpoints: [balanceAddress.id],
  parameters: {
    address: argument('address', 'an EVM address, yours or not', evmAddress, 'Address:'),
    token: tokenOption,
    networks: networksOption,
  },
  run: async (session, { address, token, networks }) => {
    const reply = await session.call(balanceAddress, { address, token, networks: networks?.split(',') });
    const data = forReading(session, reply.data);
    return outcomeOf(session, balanceAddress, { ...reply, data }, { columns: ADDRESS });
  },
});

const USER = [
  { field: 'userId', title: 'User' },
  { field: 'totalBalance', title: 'Balance' },
  ...EACH_NETWORK,
] as const;

const userCommand = command({
  words: ['balances', 'user'],
  summary: 'Show what a user holds, over all their wallets',
  examples: [
    'fiatrail balances user 4f1c…',
    'fiatrail balances user 4f1c… --token USDT -o json --query totalBalance.value',
  ],
  endpoints: [balanceUser.id],
  parameters: { userId: argument('user-id', 'as printed by users list', id), token: tokenOption },
  run: async (session, { userId, token }) => {
    const reply = await session.call(balanceUser, { userId, token });
    return outcomeOf(session, balanceUser, { ...reply, data: forReading(session, reply.data) }, { columns: USER });
  },
});

export const commands = [fintechCommand, addressCommand, userCommand];
