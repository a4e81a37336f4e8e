import { tourDir } from '../account/paths.ts';
import { CliError } from '../base/errors.ts';
import { shellWord } from '../base/shell-word.ts';
import type { World } from '../base/world.ts';
import { toPlain } from '../present/plain.ts';
import { openPaint } from '../present/style.ts';
import { commandLines, wrap } from '../present/width.ts';
import { command } from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Values that later steps need from earlier ones. */
interface TourValues {
  userId: string;
  requestId: string;
  account: string;
  total: string;
  name: string;
}

interface TourStep {
  readonly title: string;
  readonly argv: (found: TourValues) => readonly string[];
  /** Takes the values that later steps need from the step's JSON output. */
  readonly learn?: (json: Record<string, unknown>, found: TourValues) => void;
}

const amountIn = (value: unknown) => String((value as { value?: unknown } | undefined)?.value ?? '');

const STEPS: readonly TourStep[] = [
  {
    title: 'Onboard a user by BVN and wait until the BVN is verified',
    argv: () => ['users', 'onboard', '--bvn-stdin', '--wait'],
    learn: (json, found) => Object.assign(found, { userId: json['userId'] }),
  },
  {
    title: 'Show the user: names from the BVN record, wallets and a permanent bank account',
    argv: ({ userId }) => ['users', 'show', userId],
  },
  {
    title: 'Create an onramp of ₦5,000, which opens a bank account for 30 minutes',
    argv: ({ userId }) => ['onramp', 'create', userId, '--amount', '5000', '--yes'],
    learn: (json, found) => Object.assign(found, { requestId: json['requestId'] }),
  },
  {
    title: 'Show the account and the exact total to pay',
    argv: ({ requestId }) => ['onramp', 'account', requestId],
    learn: (json, found) =>
      Object.assign(found, {
        account: json['accountNumber'],
        total: amountIn(json['totalAmountWithFee']),
        name: String(json['accountName']).split('/').at(-1),
      }),
  },
  {
    title: 'Pay by bank transfer (the sandbox acts as the bank)',
    argv: ({ account, total, name }) => ['sandbox', 'pay', account, '--amount', total, '--sender', name],
  },
  {
    title: 'Wait until the payment has become cNGN',
    argv: ({ requestId }) => [
      'onramp',
      'status',
      requestId,
      '--wait',
      '--fields',
      'requestId,status,amount,finalAsset,txHash,completedAt',
    ],
  },
  { title: 'Show the user’s balance', argv: ({ userId }) => ['balances', 'user', userId] },
  { title: 'Show the account’s balance', argv: () => ['balances', 'account'] },
  {
    title: 'Pay out ₦2,000 to a bank account and wait until the bank has it',
    argv: ({ userId }) => [
      'offramp',
      'create',
      userId,
      '--amount',
      '2000',
      '--bank-code',
      '000013',
      '--account-number',
      '0123456789',
      '--yes',
      '--wait',
    ],
  },
  { title: 'Show the balance after the payout and its fees', argv: ({ userId }) => ['balances', 'user', userId] },
  { title: 'Show the fees that the account earned', argv: () => ['fees', 'earned', '--fields', 'summary'] },
  { title: 'Find every money operation in the journal', argv: () => ['ops', 'list', '--limit', '2'] },
  { title: 'Check that the ledger balances', argv: () => ['sandbox', 'status', '--fields', 'ledger'] },
];

/** The last lines, each a paragraph. */
const END: readonly string[] = [
  'That is the tour. It ran in a sandbox of its own; your data is untouched.',
  'The same commands work in your sandbox and with a real account.',
  'Next: list the commands with fiatrail --help, or connect your account with fiatrail init.',
];

const widthOf = ({ stdout }: World): number => stdout.columns ?? Number.POSITIVE_INFINITY;

const tourCommand = command({
  words: ['tour'],
  summary: 'Walk through onboarding, onramp and payout on the embedded sandbox',
  details: 'Each step prints a command and then runs it. The tour uses its own sandbox; your data is untouched.',
  examples: ['fiatrail tour', 'fiatrail tour --color never'],
  endpoints: [],
  isLocal: true,
  parameters: {},
  run: async (account, terminal) => {
    if (account.globals.dryRun) {
      throw new CliError('usage', 'the tour does not support --dry-run, because its steps depend on each other', {
        hint: 'omit --dry-run; the tour only uses the sandbox',
      });
    }
    const found: TourValues = { userId: '', requestId: '', account: '', total: '', name: '' };
    const world = worldOfTour(account.world);
    for (const [index, step] of STEPS.entries()) await runStep(terminal, world, step, index + 1, found);
    await account.world.stdout.write(`\n${END.flatMap((line) => wrap(line, widthOf(account.world))).join('\n')}\n`);
    return {};
  },
});

/** The world without the user's account: its sandbox, journal and profiles are in a folder of the tour. */
function worldOfTour(world: World): World {
  const {
    FIATRAIL_PROFILE: _profile,
    FIATRAIL_API_KEY: _key,
    FIATRAIL_BASE_URL: _url,
    FIATRAIL_JOURNAL_URL: _journal,
    // Nothing in it is anyone's money.
    AI_AGENT: _agent,
    ...env
  } = world.env;
  const folder = tourDir(world);
  return { ...world, env: { ...env, FIATRAIL_STATE_DIR: folder, FIATRAIL_CONFIG_DIR: `${folder}/config` } };
}

async function runStep(
  { globals, runs }: Terminal,
  world: World,
  step: TourStep,
  number: number,
  found: TourValues,
): Promise<void> {
  const argv = step.argv(found);
  const isOnboarding = argv.includes('--bvn-stdin');
  const words = [...(isOnboarding ? ['printf "$BVN" |'] : []), 'fiatrail', ...argv.map(shellWord)];
  const line = commandLines(words, widthOf(world), '$ ').join('\n');
  const paint = await openPaint(globals.present.color);
  await world.stdout.write(
    `\n${paint(wrap(`${number}. ${step.title}`, widthOf(world)).join('\n'), 'bold')}\n${paint(line, 'cyan')}\n`,
  );
  const stdin = { isTerminal: false, readAll: async () => newBvn(world) };
  const { result, error } = await runs.line(['--profile', 'sandbox', '--quiet', ...argv], { ...world, stdin });
  if (error) throw error;
  if (!result) return;
  step.learn?.(toPlain(result.data, result.schema, result.nests, result.request) as Record<string, unknown>, found);
  const { present } = await import('../present/present.ts');
  const fields = argv.includes('--fields') ? argv.at(-1)?.split(',') : undefined;
  await present(result, { ...globals.present, fields, format: 'table', isCsvRaw: false }, world.stdout);
}

/** A random BVN of 11 digits that no seeded user has. */
function newBvn({ ids }: World): string {
  return `2${[...ids.bytes(10)].map((byte) => byte % 10).join('')}`;
}

export const commands = [tourCommand];
