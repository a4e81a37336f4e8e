import { modeForPeople } from '../../account/profile.ts';
import { advice, type Hint } from '../../base/advice.ts';
import { CliError, withDetails } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { ResponseOf } from '../../contract/endpoint.ts';
import { getDetails, onboard, type onboardStatus } from '../../contract/endpoints/users.ts';
import type { Account } from '../../engine/account.ts';
import { recordedData } from '../../engine/evidence/recorded.ts';
import { followWork } from '../../engine/evidence/started.ts';
import { onboarding } from '../../engine/evidence/users.ts';
import { type Outcome, outcomeOf } from '../../engine/outcome.ts';
import type { Change } from '../../engine/sending/change.ts';
import { recognizableInput } from '../../engine/sending/send.ts';
import { NO_DIGEST } from '../../journal/chain.ts';
import type { Journal } from '../../journal/interface.ts';
import type { Operation } from '../../journal/operations.ts';
import { timeText } from '../../present/times.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import { askFor, showEquivalentCommand, wizardOutcome } from '../../terminal/ask/input.ts';
import type { Guided } from '../../terminal/command.ts';
import { DEFAULT_WAIT_MS, waitWords } from '../../terminal/parse/field-options.ts';
import { missingError } from '../../terminal/parse/missing.ts';
import { id, option, optionalArgument, switchOn } from '../../terminal/parse/parameters.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { startCommand, statusCommand } from '../../terminal/work-commands.ts';

const EVERY = 1_000;

/** An earlier onboarding to retry. */
interface EarlierOnboarding {
  readonly operation: Operation;
  /** Whether it is unknown if the service accepted it. */
  readonly isOutcomeUnknown: boolean;
  /** What the service said about its failure. */
  readonly why: string | undefined;
  /** Whether the service said that a retry with the same BVN does not help. */
  readonly isFinal: boolean;
}

/** Finds an onboarding of this account that can be retried. Throws CliError usage. */
async function earlierOnboarding(account: Account, id: string): Promise<EarlierOnboarding> {
  const journal = await account.journal();
  const found = await onboardingNamed(account, journal, id);
  // The journal may not know yet how it ended.
  if (found.state === 'accepted' && found.requestId)
    await followWork(account, onboarding, found.requestId, 0, { isBeforehand: true });
  const [operation = found] = await journal.find(found.operationId);
  const { state, requestId, operationId, verdict } = operation;
  if (journal.isBusy(operation)) throw unhelpful('its command is still running', 'wait until it ends');
  if (state === 'accepted')
    throw unhelpful(
      'it is still in progress',
      advice`check it with: [fiatrail users onboarding status ${requestId} --wait]`,
    );
  if (state === 'settled' || verdict === 'completed')
    throw unhelpful('the user was onboarded', advice`see it with: [fiatrail ops show ${operationId}]`);
  const { message, retryable } = endOf(operation);
  return {
    operation,
    isOutcomeUnknown: state === 'sent' || state === 'unknown',
    why: message ?? operation.detail ?? undefined,
    isFinal: state === 'failed' && retryable === false,
  };
}

const unhelpful = (why: string, hint: Hint) => new CliError('usage', `cannot retry this onboarding: ${why}`, { hint });

async function onboardingNamed(account: Account, journal: Journal, id: string): Promise<Operation> {
  const ids = await journal.accountIds(await account.accountNames());
  const found = (await journal.find(id)).filter(({ kind, account }) => kind === 'onboarding' && ids.includes(account));
  const [operation, other] = found;
  if (operation && !other) return operation;
  const many = 'more than one onboarding of this account matches this id';
  throw new CliError('usage', `--retry: ${other ? many : 'no onboarding of this account has this id'}`, {
    hint: advice`list them with: [fiatrail ops list --kind onboarding]`,
  });
}

/** The service's last word on an onboarding that failed. */
function endOf(operation: Operation): Partial<ResponseOf<typeof onboardStatus>> {
  if (operation.state !== 'failed') return {};
  return (recordedData(operation).data ?? {}) as Partial<ResponseOf<typeof onboardStatus>>;
}

/**
 * Checks that this BVN may be sent. If the outcome of the earlier onboarding is unknown, the BVN must be the same one: the service
 * accepts a BVN only once, so nobody is onboarded twice. Throws CliError: `usage`, `declined`.
 */
async function requireUseful(
  account: Account,
  terminal: Terminal,
  { operation, ...earlier }: EarlierOnboarding,
  bvn: Secret,
): Promise<void> {
  const journal = await account.journal();
  const isSame = await isSameBvn(account, journal, operation, bvn);
  if (earlier.isOutcomeUnknown && isSame === undefined)
    throw new CliError(
      'usage',
      'the outcome of that onboarding is unknown, and nothing is stored that could recognize its BVN; nothing was sent',
      {
        hint: advice`only a profile stores that; leave out --retry, because the service accepts a BVN only once, then record what became of the first one with: [fiatrail ops resolve]`,
      },
    );
  if (earlier.isOutcomeUnknown && !isSame)
    throw new CliError(
      'usage',
      'this is another BVN, but the outcome of that onboarding is unknown: retry it with its own BVN; nothing was sent',
      {
        hint: 'to onboard another BVN, leave out --retry; only the profile that sent a BVN recognizes it, and not in a journal that was imported without its digest key',
      },
    );
  // A BVN that cannot be recognized may be the refused one.
  if (!earlier.isFinal || isSame === false) return;
  const { yes, dryRun } = terminal.globals;
  const change: Change = {
    summary: 'resend a BVN that the service rejected',
    lines: [
      ['rejected', `${earlier.why ?? 'without a reason'}; the service says that a retry does not help`],
      ['risk', 'many rejected BVNs in a row can block the account'],
    ],
  };
  await confirmChange(terminal.dialog, change, !yes && !dryRun);
}

/** Whether an operation sent this BVN; undefined if that cannot be known, because no profile recorded it. */
async function isSameBvn(
  account: Account,
  journal: Journal,
  { command, inputDigest }: Operation,
  bvn: Secret,
): Promise<boolean | undefined> {
  if (inputDigest === NO_DIGEST) return undefined;
  const input = await recognizableInput(account, command, onboard, { bvn: bvn.reveal() });
  return input === undefined ? undefined : journal.digest(input) === inputDigest;
}

/** Resolves earlier onboardings of a BVN that was accepted now: they were not accepted, or they failed. */
async function recordRetried(account: Account, { operation, isOutcomeUnknown }: EarlierOnboarding): Promise<void> {
  if (!isOutcomeUnknown) return;
  const resolve = `fiatrail ops resolve ${operation.operationId} --not-done --reason TEXT`;
  const taken = account.activity.changed?.operationId;
  const detail = `it onboarded no one: the service accepted its BVN again, in operation ${taken}`;
  const { inputDigest, account: of, kind } = operation;
  try {
    const journal = await account.journal();
    const all = await journal.list({ state: 'unknown-outcome', kind, inputDigest, account: [of], limit: EVERY });
    // A later one, of another process, may be what has the BVN. Ids are in the order of time.
    const earlier = all.filter((each) => !journal.isBusy(each) && taken !== undefined && each.operationId < taken);
    for (const { operationId } of earlier)
      await journal.append(operationId, 'resolved', { verdict: 'not-done', detail });
  } catch {
    await account.notices.say(`warning: cannot write to the journal; resolve the earlier onboarding with: ${resolve}`);
  }
}

/** Adds a hint to a refusal: the BVN may belong to the user that the earlier onboarding created, or another one. */
async function refusedAgain(account: Account, error: unknown, earlier: EarlierOnboarding): Promise<unknown> {
  if (!earlier.isOutcomeUnknown || !(error instanceof CliError) || error.category !== 'rejected') return error;
  const alike = await onboardingsLike(account, earlier.operation).catch(() => []);
  const { operationId: known } = earlier.operation;
  const settled = alike.find(({ state }) => state === 'settled');
  const open = alike.find(({ state }) => state === 'accepted');
  if (settled)
    return withDetails(error, {
      hint: advice`the BVN belongs to the user of operation ${settled.operationId}, so record it with: [fiatrail ops resolve ${known} --not-done --reason TEXT]`,
    });
  if (open)
    return withDetails(error, {
      hint: advice`operation ${open.operationId} may have the BVN; wait for it, then run this command again: [fiatrail users onboarding status ${open.requestId} --wait]`,
    });
  const ids = alike.filter(({ state }) => state === 'sent' || state === 'unknown').map((each) => each.operationId);
  const rest =
    ids.length > 1
      ? `; only one of these operations created the user, resolve the others with --not-done: ${ids.join(', ')}`
      : '';
  return withDetails(error, {
    hint: advice`check with: [fiatrail users list]; if the BVN belongs to a user now: [fiatrail ops resolve ${known} --completed --reason TEXT]${rest}`,
  });
}

/** The onboardings of the same BVN. */
async function onboardingsLike(account: Account, { inputDigest, account: of, kind }: Operation) {
  const journal = await account.journal();
  return journal.list({ kind, inputDigest, account: [of], limit: EVERY });
}

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
async function readBvn(account: Account, { bvn, bvnStdin }: GivenOnboarding): Promise<Secret> {
  if (bvn && bvnStdin) throw new CliError('usage', '<bvn> cannot be combined with --bvn-stdin');
  if (bvn) return bvn;
  if (bvnStdin) {
    const text = (await account.world.stdin.readAll(1000)).trim();
    if (text === '')
      throw new CliError('usage', 'standard input is empty; expected a BVN', {
        code: 'VALIDATION_ERROR',
        hint: PIPE_BVN,
      });
    return bvnText(text);
  }
  throw missingError(['--bvn-stdin or <bvn>'], {
    expected: 'an 11-digit BVN',
    hint: PIPE_BVN,
  });
}

/** Prompts for the BVN, waits until its holder is verified, and shows the user with the permanent account. */
async function guide(
  account: Account,
  terminal: Terminal,
  given: GivenOnboarding,
): Promise<Guided<GivenOnboarding> | undefined> {
  if (given.bvn || given.bvnStdin) return undefined;
  const earlier = given.retry === undefined ? undefined : await earlierOnboarding(account, given.retry);
  if (earlier) {
    const { createdAt } = earlier.operation;
    const time = timeText(createdAt, { zone: terminal.globals.zone }) ?? createdAt;
    await account.notices.say(`retrying the onboarding of ${time}: ${earlier.why ?? 'no details are recorded'}`);
  }
  const bvn = await askFor({ parse: bvnText, question: 'BVN (11 digits):', isSecret: true }, account);
  const { profile, world } = account;
  const { globals } = terminal;
  if (!globals.yes && !globals.dryRun) {
    const question = `Onboard the holder of this BVN with profile ${profile.name} (${modeForPeople(profile.mode)})?`;
    const prompter = await world.prompter();
    if (!(await prompter.confirm(question))) throw new CliError('declined', 'declined; nothing was sent');
  }
  const waitMs = given.wait ?? DEFAULT_WAIT_MS;
  return {
    values: { bvn, wait: waitMs },
    after: (own) => showOnboarded(account, own),
    end: () => {
      const retry = given.retry === undefined ? [] : ['--retry', given.retry];
      const words = ['users', 'onboard', ...retry, '--bvn-stdin', ...waitWords(waitMs)];
      return showEquivalentCommand(account, terminal, words, '< bvn.txt');
    },
  };
}

/** Shows the onboarded user. If that fails, the onboarding still succeeded. */
async function showOnboarded(account: Account, own: Outcome): Promise<Outcome> {
  const { userId } = (own.result?.data ?? {}) as { userId?: string | null };
  if (!userId) return own;
  try {
    const reply = await account.call(getDetails, { userId });
    return wizardOutcome(account, own, await outcomeOf(account, getDetails, reply, { columns: USER_SHOWN }));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    await account.notices.say(`the user could not be shown: ${error.message}; try: fiatrail users show ${userId}`);
    return own;
  }
}

const start = startCommand(onboarding, onboard, {
  words: ['users', 'onboard'],
  rows: {
    endpoint: onboard,
    leavesOut: ['bvnStdin', 'retry'],
    needs: ['bvn'],
    request: ({ bvn }) => ({ bvn: bvn?.reveal() }),
  },
  summary: 'Onboard a user by BVN',
  details:
    'The user’s names come from the BVN record. Once the BVN is verified, the user has wallets and a permanent virtual account. On a terminal, without a BVN, the command prompts for it with hidden input, waits and shows the user. With --retry, the command retries an onboarding that failed or whose outcome is unknown. The service accepts each BVN only once, so no one is onboarded twice.',
  examples: [
    'fiatrail users onboard --bvn-stdin --wait < bvn.txt',
    'printf 12345678901 | fiatrail users onboard --bvn-stdin --wait --yes -o json',
    'fiatrail users onboard --retry OPERATION_ID --bvn-stdin < bvn.txt',
  ],
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
  send: async (account, terminal, input, options) => {
    const bvn = await readBvn(account, input);
    const earlier = input.retry === undefined ? undefined : await earlierOnboarding(account, input.retry);
    if (earlier) await requireUseful(account, terminal, earlier, bvn);
    const sent = account.call(onboard, { bvn: bvn.reveal() }, options);
    const reply = await sent.catch(async (error: unknown) => {
      throw earlier ? await refusedAgain(account, error, earlier) : error;
    });
    if (earlier) await recordRetried(account, earlier);
    return reply;
  },
});

const status = statusCommand(onboarding, {
  id: 'request id, from users onboard',
});

export const onboardCommands = [start, status];
