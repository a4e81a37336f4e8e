import { CliError } from '../base/errors.ts';
import type { World } from '../base/world.ts';
import { command } from '../cli/command.ts';
import type { Session } from '../cli/session.ts';
import { toPlain } from '../present/plain.ts';
import { shellWord } from '../present/text.ts';

/** What the steps learn from each other. */
interface Found {
  userId: string;
  requestId: string;
  account: string;
  total: string;
  name: string;
}

interface Step {
  readonly title: string;
  readonly argv: (found: Found) => readonly string[];
  /** Takes what later steps need from the step's JSON. */
  readonly learn?: (json: Record<string, unknown>, found: Found) => void;
}

const amountIn = (value: unknown) => String((value as { value?: unknown } | undefined)?.value ?? '');

const STEPS: readonly Step[] = [
  {
    title: 'Onboard a user by BVN, and wait until the BVN is verified',
    argv: () => ['users', 'onboard', '--bvn-stdin', '--wait'],
    learn: (json, found) => Object.assign(found, { userId: json['userId'] }),
  },
  {
    title: 'Their names come from the BVN record; they have wallets and a bank account of their own',
    argv: ({ userId }) => ['users', 'show', userId],
  },
  {
    title: 'Start an onramp of ₦5,000: a bank account to pay into, for 30 minutes',
    argv: ({ userId }) => ['onramp', 'start', userId, '--amount', '5000', '--yes'],
    learn: (json, found) => Object.assign(found, { requestId: json['requestId'] }),
  },
  {
    title: 'The account, and the exact total to pay',
    argv: ({ requestId }) => ['onramp', 'account', requestId],
    learn: (json, found) =>
      Object.assign(found, {
        account: json['accountNumber'],
        total: amountIn(json['totalAmountWithFee']),
        name: String(json['accountName']).split('/').at(-1),
      }),
  },
  {
    title: 'The user pays by bank transfer (the sandbox plays the bank)',
    argv: ({ account, total, name }) => ['sandbox', 'pay', account, '--amount', total, '--from', name],
  },
  {
    title: 'The payment becomes cNGN',
    argv: ({ requestId }) => [
      'onramp',
      'status',
      requestId,
      '--wait',
      '--fields',
      'requestId,status,amount,finalAsset,txHash,completedAt',
    ],
  },
  { title: 'What the user holds now', argv: ({ userId }) => ['balances', 'user', userId] },
  { title: 'What the account holds', argv: () => ['balances', 'fintech'] },
  {
    title: 'Pay ₦2,000 out to a bank account, and wait until the bank has it',
    argv: ({ userId }) => [
      'offramp',
      'start',
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
  { title: 'What is left after the payout and its fees', argv: ({ userId }) => ['balances', 'user', userId] },
  { title: 'The fees the account earned on the way', argv: () => ['fees', 'earned', '--fields', 'summary'] },
  { title: 'Every money operation is in the journal', argv: () => ['ops', 'list', '--limit', '2'] },
  { title: 'And the ledger adds up', argv: () => ['sandbox', 'status', '--fields', 'ledger'] },
];

const tourCommand = command({
  words: ['tour'],
  summary: 'Walk from a BVN to money in a bank account, on the embedded sandbox',
  details: 'Every step is printed as the command it is, then run in this process by the same code.',
  examples: ['fiatrail tour', 'fiatrail tour --no-color'],
  endpoints: [],
  parameters: {},
  run: async (session) => {
    if (session.profile.mode !== 'embedded') {
      throw new CliError(
        'usage',
        `the tour plays on the embedded sandbox, and the profile is ${session.profile.name}`,
        { hint: 'run it with --profile sandbox' },
      );
    }
    if (session.globals.dryRun) {
      throw new CliError('usage', 'the tour cannot be played with --dry-run: its steps need each other', {
        hint: 'run it without; it plays on the sandbox',
      });
    }
    const found: Found = { userId: '', requestId: '', account: '', total: '', name: '' };
    for (const [index, step] of STEPS.entries()) await runStep(session, step, index + 1, found);
    await session.world.stdout.write(
      '\nThat was the tour. The same commands work on a real account; fiatrail --help lists them all.\n',
    );
    return {};
  },
});

async function runStep(session: Session, step: Step, number: number, found: Found): Promise<void> {
  const { world, globals } = session;
  const argv = step.argv(found);
  const isOnboarding = argv.includes('--bvn-stdin');
  const line = `${isOnboarding ? 'printf "$BVN" | ' : ''}fiatrail ${argv.map(shellWord).join(' ')}`;
  const paint = (text: string, code: number) =>
    globals.present.color && world.stdout.isTerminal ? `\u001b[${code}m${text}\u001b[0m` : text;
  await world.stdout.write(`\n${paint(`${number}. ${step.title}`, 1)}\n${paint(`$ ${line}`, 36)}\n`);
  const stdin = { isTerminal: false, readAll: async () => newBvn(world) };
  const { result, error } = await session.runLine(['--profile', 'sandbox', '--quiet', ...argv], { ...world, stdin });
  if (error) throw error;
  if (!result) return;
  step.learn?.(toPlain(result.data, result.schema, result.nests) as Record<string, unknown>, found);
  const { present } = await import('../present/present.ts');
  const fields = argv.includes('--fields') ? argv.at(-1)?.split(',') : undefined;
  await present(result, { ...globals.present, fields, format: 'table' }, world.stdout);
}

/** A BVN that nobody has: 11 digits, from chance. */
function newBvn({ ids }: World): string {
  return `2${[...ids.bytes(10)].map((byte) => byte % 10).join('')}`;
}

export const commands = [tourCommand];
