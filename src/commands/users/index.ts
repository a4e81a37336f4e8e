import type { ResponseOf } from '../../contract/endpoint.ts';
import { listUsers } from '../../contract/endpoints/user-list.ts';
import { getDetails } from '../../contract/endpoints/users.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import { command } from '../../terminal/command.ts';
import { listCommand, listPeriod, searchFilter, searchOption } from '../../terminal/list-command.ts';
import { userArgument } from '../../terminal/parse/field-options.ts';
import { oneOf, option } from '../../terminal/parse/parameters.ts';
import { defaultWalletCommands } from './default-wallet.ts';
import { manageCommands } from './manage.ts';
import { onboardCommands, USER_SHOWN } from './onboard.ts';

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
    'fiatrail users show 4f1c…',
    'fiatrail users show 4f1c… -o json --query "virtualAccounts[0].accountNumber"',
  ],
  endpoints: [getDetails.id],
  prints: { response: getDetails },
  parameters: {
    userId: userArgument('user', 'user id, from users onboarding start or users list'),
  },
  run: async (session, { userId }) => {
    const reply = await session.call(getDetails, { userId });
    const columns = reply.data.deactivationReason ? DEACTIVATED_USER_SHOWN : USER_SHOWN;
    return outcomeOf(session, getDetails, reply, { columns });
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
  rows: 'users',
  parameters: {
    status: option('--status <status>', 'active, inactive or all (default all)', oneOf('active', 'inactive', 'all')),
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
      ...[firstName, lastName, virtualAccount?.accountNumber, virtualAccount?.accountName],
    ]),
  }),
});

export const commands = [...onboardCommands, showCommand, list, ...manageCommands, ...defaultWalletCommands];
