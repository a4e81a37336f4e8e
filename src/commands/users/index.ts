import type { ResponseOf } from '../../contract/endpoint.ts';
import { listUsers } from '../../contract/endpoints/user-list.ts';
import { getDetails } from '../../contract/endpoints/users.ts';
import { listed } from '../../engine/lists/listed.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import { command } from '../../terminal/command.ts';
import { listOptions, searchFilter, searchOption } from '../../terminal/parse/paging.ts';
import { argument, id, oneOf, option, picked } from '../../terminal/parse/parameters.ts';
import { periodOf, periodOptions } from '../../terminal/parse/period.ts';
import { DEACTIVATED_USER_SHOWN, USER_SHOWN } from './columns.ts';
import { defaultWalletCommands } from './default-wallet.ts';
import { manageCommands } from './manage.ts';
import { onboardCommands } from './onboard.ts';

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
    userId: picked(
      'user',
      argument('user-id', 'user id, from users onboarding start or users list', id, 'Which user?'),
    ),
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

type UserRow = ResponseOf<typeof listUsers>['users'][number];

const listCommand = command({
  words: ['users', 'list'],
  summary: 'List verified users',
  examples: ['fiatrail users list --status active', 'fiatrail users list --all -o ndjson --fields userId,lastName'],
  endpoints: [listUsers.id],
  prints: { response: listUsers },
  parameters: {
    status: option('--status <status>', 'active, inactive or all (default all)', oneOf('active', 'inactive', 'all')),
    search: searchOption('name or account number'),
    ...periodOptions,
    sortBy: option(
      '--sort-by <field>',
      'sort by createdAt or verifiedAt (default verifiedAt)',
      oneOf('createdAt', 'verifiedAt'),
    ),
    order: option('--sort-order <direction>', 'sort direction, asc or desc (default desc)', oneOf('asc', 'desc')),
    ...listOptions('users'),
  },
  fields: { orderDirection: 'order' },
  run: async (session, { status, search, sortBy, order, ...page }) =>
    listed(
      session,
      {
        endpoint: listUsers,
        columns: COLUMNS,
        request: ({ size, offset }) => ({ limit: size, offset, status, sortBy, orderDirection: order }),
        rowsOf: ({ users }) => users,
        totalOf: ({ pagination }) => pagination?.total,
        idOf: ({ userId }: UserRow) => userId,
        isOldestFirst: order === 'asc',
        timeOf: (user: UserRow) => (sortBy === 'createdAt' ? user.createdAt : user.verifiedAt),
        filter: searchFilter<UserRow>(search, ({ firstName, lastName, virtualAccount }) => [
          ...[firstName, lastName, virtualAccount?.accountNumber, virtualAccount?.accountName],
        ]),
      },
      page,
      periodOf(page, session),
    ),
});

export const commands = [...onboardCommands, showCommand, listCommand, ...manageCommands, ...defaultWalletCommands];
