import { modeForPeople } from '../../account/service-address.ts';
import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { getDetails, onboard } from '../../contract/endpoints/users.ts';
import { onboarding } from '../../engine/operations/users.ts';
import { type Outcome, outcomeOf } from '../../engine/outcome.ts';
import { timeText } from '../../present/times.ts';
import { askFor } from '../../terminal/ask/input.ts';
import { showEquivalentCommand, wizardOutcome } from '../../terminal/ask/wizard.ts';
import type { Guided } from '../../terminal/command.ts';
import { DEFAULT_WAIT_MS, waitWords } from '../../terminal/parse/field-options.ts';
import { id, option, optionalArgument, switchOn } from '../../terminal/parse/parameters.ts';
import type { Session } from '../../terminal/session.ts';
import { startCommand, statusCommand } from '../../terminal/work-commands.ts';
import { earlierOnboarding, recordRetried, refusedAgain, requireUseful } from './retry.ts';

/** The columns of a user: names, wallets and permanent accounts. */
export const USER_SHOWN = [
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

/** Parses a BVN, which people write in groups: `222 4567 8901`. Throws CliError usage. */
const bvnText = (text: string) => {
  const digits = text.replaceAll(/[^\S\r\n]/g, '');
  if (/^[0-9]{11}$/.test(digits)) return new Secret(digits);
  // The text may be a BVN with a typo, so it is not printed.
  throw new CliError('usage', 'invalid BVN; expected 11 digits', {
    code: 'VALIDATION_ERROR',
    hint: 'write the digits without hyphens',
  });
};

interface GivenOnboarding {
  readonly bvn?: Secret | undefined;
  readonly bvnStdin?: boolean | undefined;
  readonly retry?: string | undefined;
  readonly wait?: number | undefined;
}

const PIPE_BVN = 'pipe the 11 digits into the command, or redirect a file: --bvn-stdin < bvn.txt';

/** Reads the BVN from the argument or from standard input. Throws CliError usage. */
async function readBvn(session: Session, { bvn, bvnStdin }: GivenOnboarding): Promise<Secret> {
  if (bvn && bvnStdin) throw new CliError('usage', '<bvn> cannot be combined with --bvn-stdin');
  if (bvn) return bvn;
  if (bvnStdin) {
    const text = (await session.world.stdin.readAll(1000)).trim();
    if (text === '')
      throw new CliError('usage', 'standard input is empty; expected a BVN', {
        code: 'VALIDATION_ERROR',
        hint: PIPE_BVN,
      });
    return bvnText(text);
  }
  throw new CliError('usage', 'missing BVN', {
    code: 'VALIDATION_ERROR',
    hint: 'pass it on standard input with --bvn-stdin, which keeps it out of the process list',
  });
}

/** Prompts for the BVN, waits until its holder is verified, and shows the user with the permanent account. */
async function guide(session: Session, given: GivenOnboarding): Promise<Guided<GivenOnboarding> | undefined> {
  if (given.bvn || given.bvnStdin) return undefined;
  const earlier = given.retry === undefined ? undefined : await earlierOnboarding(session, given.retry);
  if (earlier) {
    const { createdAt } = earlier.operation;
    const time = timeText(createdAt, { zone: session.globals.zone }) ?? createdAt;
    await session.say(`retrying the onboarding of ${time}: ${earlier.why ?? 'no details are recorded'}`);
  }
  const bvn = await askFor({ parse: bvnText, question: 'BVN (11 digits):', isSecret: true }, session);
  const { profile, globals, world } = session;
  if (!globals.yes && !globals.dryRun) {
    const question = `Onboard the holder of this BVN with profile ${profile.name} (${modeForPeople(profile.mode)})?`;
    const prompter = await world.prompter();
    if (!(await prompter.confirm(question))) throw new CliError('declined', 'declined; nothing was sent');
  }
  const waitMs = given.wait ?? DEFAULT_WAIT_MS;
  return {
    values: { bvn, wait: waitMs },
    after: (own) => showOnboarded(session, own),
    end: () => {
      const retry = given.retry === undefined ? [] : ['--retry', given.retry];
      const words = ['users', 'onboarding', 'start', ...retry, '--bvn-stdin', ...waitWords(waitMs)];
      return showEquivalentCommand(session, words, '< bvn.txt');
    },
  };
}

/** Shows the onboarded user. If that fails, the onboarding still succeeded. */
async function showOnboarded(session: Session, own: Outcome): Promise<Outcome> {
  const { userId } = (own.result?.data ?? {}) as { userId?: string | null };
  if (!userId) return own;
  try {
    const reply = await session.call(getDetails, { userId });
    return wizardOutcome(session, own, await outcomeOf(session, getDetails, reply, { columns: USER_SHOWN }));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    await session.say(`the user could not be shown: ${error.message}; try: fiatrail users show ${userId}`);
    return own;
  }
}

const start = startCommand(onboarding, onboard, {
  words: ['users', 'onboarding', 'start'],
  summary: 'Onboard a user by BVN',
  details:
    'The user’s names come from the BVN record. Once the BVN is verified, the user has wallets and a permanent virtual account. On a terminal, without a BVN, the command prompts for it with hidden input, waits and shows the user. With --retry, the command retries an onboarding that failed or whose outcome is unknown. The service accepts each BVN only once, so nobody is onboarded twice.',
  examples: [
    'fiatrail users onboarding start --bvn-stdin --wait < bvn.txt',
    'printf 12345678901 | fiatrail users onboarding start --bvn-stdin --wait --yes -o json',
    'fiatrail users onboarding start --retry 0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de --bvn-stdin < bvn.txt',
  ],
  until: 'until the user is verified',
  calls: [getDetails.id],
  parameters: {
    bvn: optionalArgument('bvn', 'BVN, 11 digits; prefer --bvn-stdin', bvnText),
    bvnStdin: switchOn('--bvn-stdin', 'read the BVN from standard input'),
    retry: option(
      '--retry <operation-id>',
      'onboarding to retry: its operation id or request id, from ops list --kind onboarding',
      id,
    ),
  },
  guide,
  send: async (session, input, options) => {
    const bvn = await readBvn(session, input);
    const earlier = input.retry === undefined ? undefined : await earlierOnboarding(session, input.retry);
    if (earlier) await requireUseful(session, earlier, bvn);
    const sent = session.call(onboard, { bvn: bvn.reveal() }, options);
    const reply = await sent.catch(async (error: unknown) => {
      throw earlier ? await refusedAgain(session, error, earlier) : error;
    });
    if (earlier) await recordRetried(session, earlier);
    return reply;
  },
});

const status = statusCommand(onboarding, {
  summary: 'Show the status of an onboarding',
  id: 'request id, from users onboarding start',
  examples: ['0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de', '0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de --wait 2m -o json'],
  until: 'until the user is verified',
});

export const onboardCommands = [start, status];
