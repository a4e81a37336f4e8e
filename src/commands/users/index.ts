import { once } from '../../base/calls.ts';
import { CliError } from '../../base/errors.ts';
import type { RequestOf, ResponseOf } from '../../contract/endpoint.ts';
import { getDefaultWallet, removeDefaultWallet, setDefaultWallet } from '../../contract/endpoints/default-wallets.ts';
import { listUsers } from '../../contract/endpoints/user-list.ts';
import { setStatus, updateOnrampAsset } from '../../contract/endpoints/user-settings.ts';
import { getDetails } from '../../contract/endpoints/users.ts';
import { migrateUserWallets } from '../../contract/endpoints/wallet-migration.ts';
import type { Account } from '../../engine/account.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import { userDetails, userLines } from '../../engine/previews/names.ts';
import { PREVIEW_READ, readPreviews } from '../../engine/previews/previews.ts';
import type { Change } from '../../engine/sending/change.ts';
import { percentText } from '../../money/rates.ts';
import { callCommand, command } from '../../terminal/command.ts';
import { listCommand, listPeriod, searchFilter, searchOption } from '../../terminal/list-command.ts';
import {
  anyAddress,
  labelOption,
  networkName,
  objectOf,
  properties,
  userArgument,
} from '../../terminal/parse/field-options.ts';
import {
  id,
  oneOf,
  onOrOff,
  option,
  percent,
  picked,
  plainText,
  required,
  someArguments,
  switchOn,
  ticker,
} from '../../terminal/parse/parameters.ts';
import { change } from '../../terminal/terminal.ts';
import { onboardCommands, USER_SHOWN } from './onboard.ts';

const userId = userArgument('user');

/** Reads a user's default wallet. */
async function currentWallet(account: Account, userId: string): Promise<string> {
  const { defaultWallet } = (await account.call(getDefaultWallet, { userId }, PREVIEW_READ)).data;
  return defaultWallet ? `${defaultWallet.address} on ${defaultWallet.blockchain}` : 'none';
}

const showDefault = command({
  words: ['users', 'default-wallet', 'show'],
  summary: 'Show a user’s default wallet',
  examples: [
    'fiatrail users default-wallet show USER_ID',
    'fiatrail users default-wallet show USER_ID -o json --query defaultWallet.address',
  ],
  endpoints: [getDefaultWallet.id],
  prints: { response: getDefaultWallet },
  parameters: { userId },
  run: async (account, _terminal, { userId }) => {
    const reply = await account.call(getDefaultWallet, { userId });
    if (reply.data.defaultWallet === null)
      await account.notices.note('no default wallet is set; cNGN goes to the user wallet');
    return outcomeOf(account, getDefaultWallet, reply);
  },
});

interface TypedWallet {
  readonly userId: string;
  readonly address: string;
  readonly network: string;
  readonly label: string | undefined;
}

const walletRequest = ({ userId, address, network, label }: TypedWallet) => ({
  userId,
  address,
  blockchain: network.toLowerCase(),
  label,
});

const setDefault = callCommand(setDefaultWallet, {
  words: ['users', 'default-wallet', 'set'],
  rows: { endpoint: setDefaultWallet, request: walletRequest },
  summary: 'Set the external wallet that receives a user’s cNGN',
  details:
    'The default wallet receives permanent-account deposits, onramps and sweeps. Swaps and offramps still use the user wallet. Replaces the current default wallet.',
  examples: [
    'fiatrail users default-wallet set USER_ID --address 0x52908400098527886E0F7030069857D2E4169EE7 --network base',
    'fiatrail users default-wallet set USER_ID --address 0x52908400098527886E0F7030069857D2E4169EE7 --network bsc --label "cold wallet" --yes -o json',
  ],
  parameters: {
    userId,
    address: required('--address <address>', 'address of the wallet on the network', anyAddress, 'Address:'),
    network: required('--network <network>', 'network, such as base, eth, bsc or sol', networkName, 'Which network?'),
    label: labelOption,
  },
  fields: { blockchain: 'network' },
  request: walletRequest,
  confirms: ({ userId, address, blockchain }, account) => ({
    summary: `send the cNGN of user ${userId} to ${address} on ${blockchain} from now on`,
    lines: [['user', userId]],
    replaces: [
      {
        label: 'destination',
        next: `${address} on ${blockchain}`,
        read: async () => ({ now: await currentWallet(account, userId) }),
      },
    ],
    previews: () => readPreviews(() => userLines(account, userId)),
  }),
});

const removeDefault = command({
  words: ['users', 'default-wallet', 'remove'],
  summary: 'Remove a user’s default wallet',
  details: 'The user’s cNGN goes to the user wallet again. Tokens already delivered stay where they are.',
  examples: [
    'fiatrail users default-wallet remove USER_ID',
    'fiatrail users default-wallet remove USER_ID --yes -o json --query note',
  ],
  endpoints: [removeDefaultWallet.id, getDefaultWallet.id],
  prints: { response: removeDefaultWallet },
  parameters: { userId },
  run: async (account, terminal, { userId }) => {
    const reply = await change(
      account,
      terminal,
      removeDefaultWallet,
      { userId },
      {
        summary: `remove the default wallet of user ${userId}`,
        lines: [
          ['user', userId],
          ['afterwards', 'cNGN goes to the user wallet'],
        ],
        previews: () =>
          readPreviews(
            () => userLines(account, userId),
            async () => [['current wallet', await currentWallet(account, userId)]],
          ),
      },
    );
    return outcomeOf(account, removeDefaultWallet, reply);
  },
});

const defaultWalletCommands = [showDefault, setDefault, removeDefault];

/** The columns of a deactivated user whose reason is known. */
const DEACTIVATED_USER_SHOWN = [
  ...USER_SHOWN.slice(0, 2),
  { field: 'deactivationReason', title: 'Reason' },
  ...USER_SHOWN.slice(2),
] as const;

const showCommand = command({
  words: ['users', 'show'],
  summary: 'Show a user’s names, wallets and permanent account',
  examples: [
    'fiatrail users show USER_ID',
    'fiatrail users show USER_ID -o json --query "virtualAccounts[0].accountNumber"',
  ],
  endpoints: [getDetails.id],
  prints: { response: getDetails },
  parameters: {
    userId: userArgument('user', 'user id, from users list'),
  },
  run: async (account, _terminal, { userId }) => {
    const reply = await account.call(getDetails, { userId });
    const columns = reply.data.deactivationReason ? DEACTIVATED_USER_SHOWN : USER_SHOWN;
    return outcomeOf(account, getDetails, reply, { columns });
  },
});

const COLUMNS = [
  { field: 'userId', title: 'User' },
  { field: 'firstName', title: 'First name' },
  { field: 'lastName', title: 'Last name' },
  { field: 'isActive', title: 'Active' },
  { field: 'virtualAccount.accountNumber', title: 'Account' },
] as const;

type ListedUser = ResponseOf<typeof listUsers>['users'][number];

const list = listCommand(listUsers, {
  words: ['users', 'list'],
  summary: 'List verified users',
  examples: ['fiatrail users list --status active', 'fiatrail users list --all -o ndjson --fields userId,lastName'],
  parameters: {
    status: option('--status <status>', 'active, inactive, all (default all)', oneOf('active', 'inactive', 'all')),
    search: searchOption('name or account number'),
    ...listPeriod,
    sortBy: option(
      '--sort-by <field>',
      'sort by createdAt or verifiedAt (default verifiedAt)',
      oneOf('createdAt', 'verifiedAt'),
    ),
    orderDirection: option(
      '--sort-order <direction>',
      'sort direction, asc or desc (default desc)',
      oneOf('asc', 'desc'),
    ),
  },
  listing: ({ status, search, sortBy, orderDirection }) => ({
    endpoint: listUsers,
    columns: COLUMNS,
    request: ({ size, offset }) => ({ limit: size, offset, status, sortBy, orderDirection }),
    rowsOf: ({ users }) => users,
    totalOf: ({ pagination }) => pagination?.total,
    idOf: ({ userId }) => userId,
    isOldestFirst: orderDirection === 'asc',
    timeOf: (user) => (sortBy === 'createdAt' ? user.createdAt : user.verifiedAt),
    filter: searchFilter(search, ({ firstName, lastName, virtualAccount }: ListedUser) => [
      firstName,
      lastName,
      virtualAccount?.accountNumber,
      virtualAccount?.accountName,
    ]),
  }),
});

/** Describes how a user's status changes. */
function statusChange({ userId, active, reason }: RequestOf<typeof setStatus>, account: Account): Change {
  const details = once(() => userDetails(account, userId));
  return {
    summary: `${active ? 'activate' : 'deactivate'} user ${userId}`,
    lines: [['user', userId], ...(reason === undefined ? [] : [['reason', reason] as const])],
    replaces: [
      {
        label: 'status',
        next: active ? 'active' : 'inactive',
        read: async () => {
          const { isActive } = await details();
          return { now: isActive === undefined ? undefined : isActive ? 'active' : 'inactive' };
        },
      },
    ],
    previews: () => readPreviews(async () => (await details()).lines),
  };
}

const activateCommand = callCommand(setStatus, {
  words: ['users', 'activate'],
  summary: 'Activate a user',
  details: 'The user can transact and receive deposits again.',
  examples: ['fiatrail users activate USER_ID', 'fiatrail users activate USER_ID --yes -o json --query changedAt'],
  parameters: { userId: userArgument('inactive user') },
  request: ({ userId }) => ({ userId, active: true }),
  confirms: statusChange,
});

const deactivateCommand = callCommand(setStatus, {
  words: ['users', 'deactivate'],
  summary: 'Deactivate a user',
  details: 'The user can neither transact nor receive deposits until reactivated.',
  examples: [
    'fiatrail users deactivate USER_ID --reason "asked by compliance, case 118"',
    'fiatrail users deactivate USER_ID --reason "lost phone" --yes -o json --query active',
  ],
  parameters: {
    userId: userArgument('active user'),
    reason: required('--reason <text>', 'reason, kept in the audit log', plainText, 'Reason (kept in the audit log):'),
  },
  request: ({ userId, reason }) => ({ userId, active: false, reason }),
  confirms: statusChange,
});

const MIGRATED = [
  { field: 'userId', title: 'User' },
  { field: 'status', title: 'Outcome' },
  { field: 'walletAddress', title: 'Wallet' },
  { field: 'reason', title: 'Reason' },
] as const;

const migrateCommand = command({
  words: ['users', 'migrate-wallets'],
  summary: 'Create missing wallets for users',
  details:
    'For users onboarded before wallets were created automatically. Users may get new addresses; tokens at the old addresses are not moved.',
  examples: [
    'fiatrail users migrate-wallets USER_ID OTHER_USER_ID',
    'fiatrail users migrate-wallets USER_ID --force --yes -o json --query failed',
  ],
  endpoints: [migrateUserWallets.id],
  prints: { response: migrateUserWallets },
  parameters: {
    userIds: picked('user', someArguments('user-id', 'one or more user ids, from users list', id, 'Which user?')),
    force: switchOn('--force', 'also replace existing wallets'),
    options: properties('--option', 'option passed to the service unchanged'),
  },
  fields: { userId: 'userIds' },
  run: async (account, terminal, { userIds, force, options }) => {
    const request = { userId: [...userIds], force: force || undefined, options: objectOf(options) };
    const reply = await change(account, terminal, migrateUserWallets, request, {
      summary: `replace the wallets of ${userIds.length === 1 ? `user ${userIds[0]}` : `${userIds.length} users`}`,
      lines: [
        ['users', userIds.join(', ')],
        ['afterwards', 'tokens at the old addresses stay there'],
      ],
    });
    const { created = 0, migrated = 0, skipped = 0, failed = 0 } = reply.data;
    await account.notices.note(`${created} created, ${migrated} migrated, ${skipped} skipped, ${failed} failed`);
    const outcome = await outcomeOf(account, migrateUserWallets, reply, { columns: MIGRATED });
    if (!failed) return outcome;
    const others = failed < userIds.length ? '; the other users are done' : '';
    const hint = `see the reason for each in the output${others}`;
    return {
      ...outcome,
      error: new CliError('failed', `migration failed for ${failed} of ${userIds.length} users`, { hint }),
    };
  },
});

const onrampAssetCommand = callCommand(updateOnrampAsset, {
  words: ['users', 'onramp-asset', 'set'],
  summary: 'Set the asset that a user’s onramps deliver',
  details: 'Applies to future onramps. The --auto-swap option of an onramp overrides it.',
  examples: [
    'fiatrail users onramp-asset set USER_ID --asset USDC --enabled on --slippage 0.5%',
    'fiatrail users onramp-asset set USER_ID --asset CNGN --enabled off --yes -o json',
  ],
  parameters: {
    userId: userArgument('active user'),
    asset: required('--asset <ticker>', 'asset to deliver: CNGN, USDC or USDT', ticker, 'Asset (CNGN, USDC or USDT):'),
    autoSwap: option('--enabled <on|off>', 'swap into the asset unless an onramp overrides it', onOrOff),
    slippage: option('--slippage <percent>', 'maximum slippage of a swap, such as 0.5%', percent),
  },
  fields: { preferredAsset: 'asset', 'preferences.autoSwap': 'autoSwap', 'preferences.slippageTolerance': 'slippage' },
  request: ({ userId, asset, autoSwap, slippage }) => {
    if (asset === 'CNGN' && autoSwap)
      throw new CliError(
        'usage',
        '--enabled on cannot be combined with --asset CNGN, because onramps already deliver cNGN',
        { hint: 'use --asset USDC, --asset USDT or --enabled off' },
      );
    const slippageTolerance = slippage === undefined ? undefined : percentText(slippage);
    const isPlain = autoSwap === undefined && slippageTolerance === undefined;
    return { userId, preferredAsset: asset, preferences: isPlain ? undefined : { autoSwap, slippageTolerance } };
  },
  confirms: ({ userId, preferredAsset = '', preferences }, account) => {
    const { autoSwap, slippageTolerance } = preferences ?? {};
    const more = [
      autoSwap === undefined ? '' : `, swaps ${autoSwap ? 'on' : 'off'}`,
      slippageTolerance === undefined ? '' : `, slippage up to ${slippageTolerance}%`,
    ].join('');
    const next = `${preferredAsset}${more}`;
    return {
      summary: `deliver the onramps of user ${userId} in ${next}`,
      lines: [['user', userId]],
      // No response of the service says it.
      replaces: [{ label: 'onramp asset', next, read: async () => ({ now: undefined }) }],
      previews: () => readPreviews(() => userLines(account, userId)),
    };
  },
});

const manageCommands = [activateCommand, deactivateCommand, migrateCommand, onrampAssetCommand];

export const commands = [...onboardCommands, showCommand, list, ...manageCommands, ...defaultWalletCommands];
