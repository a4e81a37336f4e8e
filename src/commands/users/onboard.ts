import { modeForPeople } from '../../account/mode.ts';
import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { getDetails, onboard, onboardStatus } from '../../contract/endpoints/users.ts';
import { followWork } from '../../engine/operations/follow-work.ts';
import { startedOutcome, startedShape } from '../../engine/operations/started.ts';
import { onboarding } from '../../engine/operations/users.ts';
import type { Outcome } from '../../engine/outcome.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import { timeText } from '../../present/times.ts';
import { askFor } from '../../terminal/ask/input.ts';
import { showEquivalentCommand, wizardOutcome } from '../../terminal/ask/wizard.ts';
import { command, type Guided } from '../../terminal/command.ts';
import { argument, id, option, optionalArgument, picked, switchOn } from '../../terminal/parse/parameters.ts';
import { DEFAULT_WAIT_MS, waitOption, waitWords } from '../../terminal/parse/wait-option.ts';
import type { Session } from '../../terminal/session.ts';
import { USER_SHOWN } from './columns.ts';
import { earlierOnboarding, recordRetried, refusedAgain, requireUseful } from './retry.ts';

const bvnText = (text: string) => {
  if (/^[0-9]{11}$/.test(text)) return new Secret(text);
  // The text may be a BVN with a typo, so it is not printed.
  throw new CliError('usage', 'invalid BVN; expected 11 digits', {
    code: 'VALIDATION_ERROR',
    hint: 'write the digits without spaces or hyphens',
  });
};

interface Given {
  readonly bvn?: Secret | undefined;
  readonly bvnStdin?: boolean | undefined;
  readonly retry?: string | undefined;
  readonly wait?: number | undefined;
}

const PIPE_BVN = 'pipe the 11 digits into the command, or redirect a file: --bvn-stdin < bvn.txt';

/** Reads the BVN from the argument or from standard input. Throws CliError usage. */
async function readBvn(session: Session, { bvn, bvnStdin }: Given): Promise<Secret> {
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
async function guide(session: Session, given: Given): Promise<Guided<Given> | undefined> {
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
    if (!(await prompter.confirm(question, true))) throw new CliError('declined', 'declined; nothing was sent');
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

const WORK = { start: onboard, status: onboardStatus } as const;

const onboardCommand = command({
  words: ['users', 'onboarding', 'start'],
  summary: 'Onboard a user by BVN',
  details:
    'The user’s names come from the BVN record. Once the BVN is verified, the user has wallets and a permanent virtual account. On a terminal, without a BVN, the command prompts for it with hidden input, waits and shows the user. With --retry, the command retries an onboarding that failed or whose outcome is unknown. The service accepts each BVN only once, so nobody is onboarded twice.',
  examples: [
    'fiatrail users onboarding start --bvn-stdin --wait < bvn.txt',
    'printf 12345678901 | fiatrail users onboarding start --bvn-stdin --wait --yes -o json',
    'fiatrail users onboarding start --retry 0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de --bvn-stdin < bvn.txt',
  ],
  endpoints: [onboard.id, onboardStatus.id, getDetails.id],
  prints: WORK,
  parameters: {
    bvn: optionalArgument('bvn', 'BVN, 11 digits; prefer --bvn-stdin', bvnText),
    bvnStdin: switchOn('--bvn-stdin', 'read the BVN from standard input'),
    retry: option(
      '--retry <operation-id>',
      'onboarding to retry: its operation id or request id, from ops list --kind onboarding',
      id,
    ),
    wait: waitOption('until the user is verified'),
  },
  guide,
  run: async (session, input) => {
    const bvn = await readBvn(session, input);
    const earlier = input.retry === undefined ? undefined : await earlierOnboarding(session, input.retry);
    if (earlier) await requireUseful(session, earlier, bvn);
    const sent = session.call(onboard, { bvn: bvn.reveal() }, { prints: startedShape(WORK) });
    const reply = await sent.catch(async (error: unknown) => {
      throw earlier ? await refusedAgain(session, error, earlier) : error;
    });
    if (earlier) await recordRetried(session, earlier);
    const started = outcomeOf(session, onboard, reply);
    if (input.wait === undefined) return startedOutcome(session, WORK, started);
    return startedOutcome(
      session,
      WORK,
      started,
      await followWork(session, onboarding, reply.data.requestId, input.wait),
    );
  },
});

const onboardingCommand = command({
  words: ['users', 'onboarding', 'status'],
  summary: 'Show the status of an onboarding',
  examples: [
    'fiatrail users onboarding status 0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de',
    'fiatrail users onboarding status 0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de --wait 2m -o json',
  ],
  endpoints: [onboardStatus.id],
  prints: { response: onboardStatus },
  parameters: {
    requestId: picked(
      'request',
      argument('request-id', 'request id, from users onboarding start', id, 'Which request?'),
    ),
    wait: waitOption('until the user is verified'),
  },
  run: async (session, { requestId, wait }) => followWork(session, onboarding, requestId, wait ?? 0),
});

export const onboardCommands = [onboardCommand, onboardingCommand];
