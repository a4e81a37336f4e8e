import { getDetails, listUsers, onboard, onboardStatus } from '../contract/users.ts';
import { CliError } from '../exit.ts';
import { Secret } from '../secret.ts';
import { command } from './command.ts';
import { listedByPosition, positionOptions } from './listed.ts';
import { argument, id, oneOf, option, optionalArgument, switchOn } from './parameters.ts';
import { outcomeOf, type Session } from './session.ts';
import { defaultWalletCommands } from './users-default-wallet.ts';
import { manageCommands } from './users-manage.ts';
import { follow, waitOption } from './wait.ts';

const bvnText = (text: string) => {
  if (/^[0-9]{11}$/.test(text)) return new Secret(text);
  // The text may be a BVN with one digit off, so it is not repeated.
  throw new CliError('usage', 'this is no BVN: a BVN has exactly 11 digits', {
    hint: 'write the 11 digits without blanks or hyphens',
  });
};

/** The BVN from its argument, from stdin, or from a hidden prompt. */
async function readBvn(
  session: Session,
  input: { readonly bvn: Secret | undefined; readonly bvnStdin: boolean | undefined },
): Promise<Secret> {
  if (input.bvn && input.bvnStdin)
    throw new CliError('usage', 'the BVN is given twice: as an argument and with --bvn-stdin');
  if (input.bvn) return input.bvn;
  if (input.bvnStdin) return bvnText((await session.world.stdin.readAll(1000)).trim());
  if (!session.isInteractive) {
    throw new CliError('usage', 'the BVN is missing', {
      hint: 'give it on standard input with --bvn-stdin, so that it stands in no list of processes',
    });
  }
  const prompter = await session.world.prompter();
  return bvnText(
    await prompter.secret('BVN (11 digits):', (text) => /^[0-9]{11}$/.test(text) || 'a BVN has exactly 11 digits'),
  );
}

/** Follows an onboarding to its end. */
function followOnboarding(session: Session, requestId: string, waitMs: number) {
  return follow(session, {
    endpoint: onboardStatus,
    input: { requestId },
    stateOf: ({ status }) => status,
    done: ['completed', 'verified'],
    failed: ['failed'],
    what: 'the onboarding',
    again: `fiatrail users onboarding ${requestId} --wait`,
    waitMs,
    words: ({ message }) => message ?? undefined,
  });
}

const onboardCommand = command({
  words: ['users', 'onboard'],
  summary: 'Onboard a user by BVN',
  details:
    'Names come from the BVN record. The user gets wallets and a permanent virtual account once the BVN is verified.',
  examples: [
    'fiatrail users onboard --bvn-stdin --wait < bvn.txt',
    'printf 12345678901 | fiatrail users onboard --bvn-stdin --wait --yes -o json',
  ],
  endpoints: [onboard.id, onboardStatus.id],
  parameters: {
    bvn: optionalArgument('bvn', 'the BVN, 11 digits; better given with --bvn-stdin', bvnText),
    bvnStdin: switchOn('--bvn-stdin', 'read the BVN from standard input'),
    wait: waitOption('until the user is verified'),
  },
  run: async (session, input) => {
    const bvn = await readBvn(session, input);
    const reply = await session.call(
      onboard,
      { bvn: bvn.reveal() },
      input.wait === undefined ? {} : { prints: onboardStatus },
    );
    if (input.wait === undefined) return outcomeOf(session, onboard, reply);
    return followOnboarding(session, reply.data.requestId, input.wait);
  },
});

const onboardingCommand = command({
  words: ['users', 'onboarding'],
  summary: 'Show how an onboarding stands',
  examples: [
    'fiatrail users onboarding 0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de',
    'fiatrail users onboarding 0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de --wait 2m -o json',
  ],
  endpoints: [onboardStatus.id],
  parameters: {
    requestId: argument('request-id', 'as printed by users onboard', id),
    wait: waitOption('until the user is verified'),
  },
  run: async (session, { requestId, wait }) => followOnboarding(session, requestId, wait ?? 0),
});

const SHOWN = [
  { field: 'userId', title: 'User' },
  { field: 'isActive', title: 'Active' },
  { field: 'personalDetails.firstName', title: 'First name' },
  { field: 'personalDetails.middleName', title: 'Middle name' },
  { field: 'personalDetails.lastName', title: 'Last name' },
  { field: 'walletDetails.evmWallet', title: 'EVM wallet' },
  { field: 'walletDetails.bantuWallet', title: 'Bantu wallet' },
  { field: 'walletDetails.solanaWallet', title: 'Solana wallet' },
  {
    field: 'virtualAccounts',
    title: 'Permanent accounts',
    columns: [
      { field: 'accountNumber', title: 'Number' },
      { field: 'accountName', title: 'Name' },
      { field: 'bankName', title: 'Bank' },
      { field: 'status', title: 'Status' },
    ],
  },
] as const;

const showCommand = command({
  words: ['users', 'show'],
  summary: 'Show a user: names, wallets, permanent virtual account',
  examples: [
    'fiatrail users show 4f1c…',
    'fiatrail users show 4f1c… -o json --query "virtualAccounts[0].accountNumber"',
  ],
  endpoints: [getDetails.id],
  parameters: { userId: argument('user-id', 'as printed by users onboard or users list', id) },
  run: async (session, { userId }) =>
    outcomeOf(session, getDetails, await session.call(getDetails, { userId }), { columns: SHOWN }),
});

const COLUMNS = [
  { field: 'userId', title: 'User' },
  { field: 'firstName', title: 'First name' },
  { field: 'lastName', title: 'Last name' },
  { field: 'isActive', title: 'Active' },
  { field: 'virtualAccount.accountNumber', title: 'Account' },
] as const;

const listCommand = command({
  words: ['users', 'list'],
  summary: 'List the verified users',
  examples: ['fiatrail users list --status active', 'fiatrail users list --all -o ndjson --fields userId,lastName'],
  endpoints: [listUsers.id],
  parameters: {
    ...positionOptions('users'),
    status: option('--status <status>', 'active, inactive or all (default all)', oneOf('active', 'inactive', 'all')),
    sortBy: option(
      '--sort-by <field>',
      'createdAt or verifiedAt (default verifiedAt)',
      oneOf('createdAt', 'verifiedAt'),
    ),
    order: option('--order <direction>', 'asc or desc (default desc)', oneOf('asc', 'desc')),
  },
  run: async (session, { limit, offset, status, sortBy, order, all }) =>
    listedByPosition(
      session,
      {
        endpoint: listUsers,
        columns: COLUMNS,
        request: (size, at) => ({ limit: size, offset: at, status, sortBy, orderDirection: order }),
        rowsOf: ({ users }) => users,
        totalOf: ({ pagination }) => pagination?.total,
        idOf: ({ userId }) => userId,
        isOldestFirst: order === 'asc',
        joined: (data) => ({ ...data, pagination: { total: data.pagination?.total } }),
      },
      { limit, offset, all },
    ),
});

export const commands = [
  onboardCommand,
  onboardingCommand,
  showCommand,
  listCommand,
  ...manageCommands,
  ...defaultWalletCommands,
];
