import * as z from 'zod/mini';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { Account } from '../../engine/account.ts';
import { VISIBLE_AFTER_MS } from '../../engine/evidence/absence.ts';
import { workStartedBy } from '../../engine/evidence/find-work.ts';
import { followWork } from '../../engine/evidence/started.ts';
import { isFollowed } from '../../engine/evidence/work.ts';
import { reconcileHint } from '../../engine/guard.ts';
import { accountsOf, type Looked, reconcileEach } from '../../engine/opening/accounts.ts';
import { refreshAccepted } from '../../engine/opening/refresh.ts';
import type { Operation } from '../../journal/operations.ts';
import { isOutcomeUnknown } from '../../journal/states.ts';
import { command, type Guided } from '../../terminal/command.ts';
import { DEFAULT_WAIT_MS, waitOption } from '../../terminal/parse/field-options.ts';
import { missingError } from '../../terminal/parse/missing.ts';
import { argument, id, option, optionalArgument, picked, required, switchOn } from '../../terminal/parse/parameters.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { retry } from '../../terminal/terminal.ts';
import { backupCommand, exportCommand, importCommand } from './files.ts';
import { listCommand } from './list.ts';
import { COLUMNS, OPERATION_ID, operationName, operationNamed, operationSchema, printed } from './printed.ts';
import { headCommand, verifyCommand } from './verify.ts';
import { wayOut } from './way-out.ts';

/** Reads the status of all accepted work once, so that the journal knows what has ended. */
async function resumeAll(account: Account) {
  const { operationIds, error } = await refreshAccepted(account, {});
  const operations = await Promise.all(operationIds.map(async (each) => printed(await operationNamed(account, each))));
  const result = { data: { operations }, lists: 'operations', list: { isWhole: true }, columns: COLUMNS };
  return { result, ...(error ? { error } : {}) };
}

const resumeCommand = command({
  words: ['ops', 'resume'],
  summary: 'Wait for an accepted operation to finish',
  details:
    'With --all, reads the status of every accepted operation once, without waiting. Operations with nothing to poll, such as a removal, return at once.',
  examples: [
    'fiatrail ops resume OPERATION_ID',
    'fiatrail ops resume OPERATION_ID --wait 1h -o json',
    'fiatrail ops resume --all -q',
  ],
  endpoints: [],
  parameters: {
    operationId: picked(
      'accepted operation',
      optionalArgument('operation-id', OPERATION_ID, operationName, 'Which operation?'),
    ),
    all: switchOn('--all', 'read the status of every accepted operation of this machine once'),
    wait: waitOption,
  },
  asks: ({ all }) => (all ? [] : ['operationId']),
  run: async (account, _terminal, { wait, all, operationId: given }) => {
    if (all && (given ?? wait) !== undefined)
      throw new CliError('usage', '--all cannot be combined with an operation id or --wait', {
        hint: 'use --all alone',
      });
    if (all) return resumeAll(account);
    if (given === undefined)
      throw missingError(['<operation-id> or --all'], {
        expected: 'the operation to wait for',
        hint: advice`find it with: [fiatrail ops list --status accepted]`,
      });
    const operation = await operationNamed(account, given);
    const { endpoint, requestId, state, operationId: found } = operation;
    const work = await workStartedBy(endpoint);
    if (state !== 'accepted' || requestId === null || !isFollowed(work))
      throw new CliError('declined', `nothing to wait for: the operation is already ${state}`, {
        hint: isOutcomeUnknown(operation) ? reconcileHint(found) : advice`see it with: [fiatrail ops show ${found}]`,
      });
    const accounts = accountsOf(account);
    try {
      return await followWork(await accounts.of(operation), work, requestId, wait ?? DEFAULT_WAIT_MS);
    } finally {
      await accounts.close();
    }
  },
});

const operationId = picked('operation', argument('operation-id', OPERATION_ID, operationName, 'Which operation?'));

/** Says who planned an operation, who signed the plan and who applied it; or who ran its command. */
export function whoDid({ authority, runBy, host }: Pick<Operation, 'authority' | 'runBy' | 'host'>): string {
  if (!authority) return `run by ${runBy} on ${host}, without a plan`;
  const { author, signers } = authority;
  const planned = `planned by ${author.user} on ${author.host}${author.approver === null ? '' : ` (approver ${author.approver})`}`;
  const names = signers.map(({ name, role }) => (role === 'author' ? `${name} (its author)` : name));
  return `${planned}; approved by ${names.join(', ') || 'no one'}; applied by ${runBy} on ${host}`;
}

const showCommand = command({
  words: ['ops', 'show'],
  summary: 'Show an operation',
  details: 'Prints the request, its status and what to do next.',
  examples: [
    'fiatrail ops show OPERATION_ID',
    'fiatrail ops show OPERATION_ID -o json --query state',
    'fiatrail ops show fees-2026-11',
  ],
  endpoints: [],
  prints: () => z.extend(operationSchema(), { who: z.string() }),
  isLocal: true,
  parameters: { operationId },
  run: async (account, _terminal, input) => {
    const operation = await operationNamed(account, input.operationId);
    const { operationId: named } = operation;
    if (isOutcomeUnknown(operation))
      await account.notices.note(
        `the outcome is unknown, and nothing equal is sent until it is known; ${reconcileHint(named)}; if you know it, record it with: fiatrail ops resolve ${named} --completed|--not-done --reason TEXT`,
      );
    return { result: { data: { ...(await printed(operation)), who: whoDid(operation) } } };
  },
});

const words = (text: string): string => {
  if (text.trim() !== '') return text.trim();
  throw new CliError('usage', 'the reason is empty', { hint: 'say how you know, in a few words' });
};

interface GivenVerdict {
  readonly operationId?: string | undefined;
  readonly completed?: boolean | undefined;
  readonly notDone?: boolean | undefined;
}

/** Asks which operation it is, and how it ended, before why one thinks so. */
async function resolveGuide(
  account: Account,
  terminal: Terminal,
  given: GivenVerdict,
): Promise<Guided<GivenVerdict> | undefined> {
  if (given.completed || given.notDone) return undefined;
  const { pick } = await import('../../terminal/ask/pick/index.ts');
  const { operationId = await pick('unknown outcome', 'Which operation?', account, terminal, 'ops', {}) } = given;
  if (operationId === undefined) return undefined;
  const isCompleted = await (await account.world.prompter()).select('How did it end?', [
    { name: 'nothing was done: its idempotency key becomes free', value: false },
    { name: 'the money moved', value: true },
  ]);
  return { values: { operationId, ...(isCompleted ? { completed: true } : { notDone: true }) } };
}

const resolveCommand = command({
  words: ['ops', 'resolve'],
  summary: 'Record how an operation with an unknown outcome ended',
  details:
    'Use it when you know from another source, such as a bank statement, whether the money moved. --not-done frees the idempotency key, so that the command can run again.',
  examples: [
    'fiatrail ops resolve OPERATION_ID --completed --request-id WITHDRAWAL_ID --reason "seen on the bank statement"',
    'fiatrail ops resolve OPERATION_ID --not-done --reason "the service confirmed that it never arrived"',
  ],
  endpoints: [],
  prints: operationSchema,
  isLocal: true,
  parameters: {
    operationId: { ...operationId, picks: 'unknown outcome' },
    completed: switchOn('--completed', 'the money moved'),
    notDone: switchOn('--not-done', 'nothing was done'),
    requestId: option('--request-id <request-id>', 'the service’s request id, if you know it', id),
    reason: required('--reason <text>', 'how you know', words, 'How do you know?'),
  },
  guide: resolveGuide,
  run: async (account, _terminal, { completed, notDone, requestId, reason, ...input }) => {
    if (completed === notDone)
      throw new CliError('usage', 'give either --completed or --not-done', {
        hint: advice`run: [fiatrail ops resolve --help]`,
      });
    const operation = await operationNamed(account, input.operationId);
    const journal = await account.journal();
    if (journal.isBusy(operation))
      throw new CliError('declined', 'the command that sent it is still running', { hint: 'wait for it to end' });
    // Work that the service accepted has an end of its own. To call it not done would free its idempotency key, and move the money twice.
    if (operation.state !== 'sent' && operation.state !== 'unknown')
      throw new CliError('declined', `the outcome of this operation is known: it is ${operation.state}`, {
        hint: advice`see it with: [fiatrail ops show ${operation.operationId}]`,
      });
    await journal.append(operation.operationId, 'resolved', {
      verdict: completed ? 'completed' : 'not-done',
      requestId,
      detail: `${account.world.host.user}: ${reason}`,
    });
    return { result: { data: await printed(await operationNamed(account, operation.operationId)), columns: COLUMNS } };
  },
});

/** What to do about what looking for an operation found, in one line. */
function nextStep(looked: Looked): string | null {
  if (looked.kind === 'unreachable') return [looked.error.message, looked.error.hint].filter(Boolean).join('; ');
  const { kind, operation, where, retry, ...found } = looked;
  const resolve = `fiatrail ops resolve ${operation.operationId} --completed|--not-done --reason TEXT`;
  const look = where === undefined ? 'ask the service' : `look with: ${where}`;
  if (kind === 'ended') return null;
  if (kind === 'busy') return 'its command, or one with an equal request, is still running; wait for it';
  const again = retry === undefined ? '' : `retry safely with: ${retry}; or `;
  if (kind === 'unseen' && 'lookAgainMs' in found && found.lookAgainMs !== undefined)
    return `not found yet; ${again}run this again after ${new Date(found.lookAgainMs).toISOString()}`;
  if (kind === 'several' && 'candidates' in found)
    return `may be ${found.candidates.map(({ requestId }) => requestId).join(' or ')}; ${again}${look}, then: ${resolve}`;
  const missing = 'conditions' in found ? found.conditions.find(({ holds }) => !holds) : undefined;
  return `${missing ? `not found, which proves nothing: ${missing.says}; ` : ''}${again}${look}, then: ${resolve}`;
}

const RECONCILED = [
  { field: 'operationId', title: 'Operation' },
  { field: 'state', title: 'Status' },
  { field: 'found', title: 'Found' },
  { field: 'summary', title: 'Summary' },
  { field: 'requestId', title: 'Request' },
  { field: 'profile', title: 'Profile', isWide: true },
  { field: 'next', title: 'Next' },
] as const;

/** More than any journal has. */
const EVERY = Number.MAX_SAFE_INTEGER;

/** Returns the operations with an unknown outcome of this profile and of its account, whatever the profile was called then. */
async function ownUnknown(account: Account): Promise<Operation[]> {
  const journal = await account.journal();
  const all = await journal.list({ state: 'unknown-outcome', limit: EVERY });
  const isNamed = ({ profile }: Operation) => profile === account.profile.name;
  if (all.every(isNamed)) return all;
  // Without a key, only the name is known.
  const names = await account.accountNames().catch((error) => {
    if (error instanceof CliError) return undefined;
    throw error;
  });
  const accounts = names ? await journal.accountIds(names) : [];
  const own = all.filter((each) => isNamed(each) || accounts.includes(each.account));
  if (own.length < all.length)
    await account.notices.note(
      `other profiles have ${all.length - own.length} more; see: fiatrail ops reconcile --all`,
    );
  return own;
}

const reconcileCommand = command({
  words: ['ops', 'reconcile'],
  summary: 'Find out how operations with an unknown outcome ended',
  details: `Looks for each operation in the service’s lists, using the account that sent it, and records what it finds. It only reads. A request that no list shows counts as not executed only if the list proves it: fiatrail looked twice, the second time at least ${VISIBLE_AFTER_MS.sandbox / 60_000} minutes after it was sent (${VISIBLE_AFTER_MS.live / 60_000} if live), and the list was read to its end, still has every row that it had before, and has a later row. Otherwise, fiatrail prints which of these conditions are met, and you decide with: fiatrail ops resolve. With profiles add --unknown ask, you always decide. Exits with 6 while an outcome is unknown.`,
  examples: [
    'fiatrail ops reconcile',
    'fiatrail ops reconcile --all -q',
    'fiatrail ops reconcile OPERATION_ID -o json --query "operations[].next"',
  ],
  endpoints: [],
  prints: () =>
    z.object({
      operations: z.array(
        z.extend(operationSchema(), {
          found: z.string(),
          candidates: z.array(z.object({ requestId: z.string(), state: z.string() })),
          conditions: z.array(z.object({ name: z.string(), holds: z.boolean(), says: z.string() })),
          next: z.nullable(z.string()),
          wayOut: z.array(z.string()),
        }),
      ),
    }),
  parameters: {
    operationId: optionalArgument(
      'operation-id',
      `${OPERATION_ID} (default: every unknown outcome of this profile)`,
      operationName,
    ),
    all: switchOn('--all', 'every unknown outcome of every profile of this machine'),
  },
  run: async (account, _terminal, input) => {
    if (input.all && input.operationId !== undefined)
      throw new CliError('usage', 'an operation id and --all cannot be combined', { hint: 'remove one of them' });
    const journal = await account.journal();
    const everything = () =>
      input.all ? journal.list({ state: 'unknown-outcome', limit: EVERY }) : ownUnknown(account);
    // Oldest first, so that an older request takes its row before a later one can mistake it for its own.
    const selected = input.operationId
      ? [await operationNamed(account, input.operationId)]
      : (await everything()).toReversed();
    const all = await reconcileEach(account, selected, input.operationId === undefined);
    const rows = all.map(async (each) => ({
      ...(await printed(each.operation)),
      found: each.kind,
      candidates: 'candidates' in each ? each.candidates.map(({ requestId, state }) => ({ requestId, state })) : [],
      conditions: 'conditions' in each ? each.conditions : [],
      next: nextStep(each),
      wayOut: wayOut(each, 'atMs' in each ? each.atMs : undefined),
    }));
    const operations = await Promise.all(rows);
    for (const { operationId: id, wayOut: lines } of operations)
      for (const line of lines.length > 0 ? [`operation ${id}`, ...lines.map((each) => `  ${each}`)] : [])
        await account.notices.note(line);
    const result = { data: { operations }, lists: 'operations', columns: RECONCILED };
    const left = all.filter(({ kind }) => kind !== 'ended').length;
    if (left === 0) return { result };
    const message =
      left === 1
        ? 'the outcome of 1 operation is still unknown'
        : `the outcomes of ${left} operations are still unknown`;
    return {
      result,
      error: new CliError('unknown', message, { code: 'OUTCOME_UNKNOWN', hint: 'see what to do in the output' }),
    };
  },
});

const retryCommand = command({
  words: ['ops', 'retry'],
  summary: 'Send a request that may have been lost again, under the service’s idempotency key',
  details:
    'Only for a trade or market order sent with --once or --idempotency-key in the last 10 minutes: the service executes it at most once under its key, and returns the earlier result if there is one. fiatrail looks for the request first. The current rules, limits, hours and approvers apply, and the confirmation shows the current price. Running the same command again with the same --once does the same. Any other request could be executed twice: use fiatrail ops reconcile.',
  examples: ['fiatrail ops retry OPERATION_ID', 'fiatrail ops retry OPERATION_ID --yes --wait -o json'],
  endpoints: [],
  parameters: {
    operationId: { ...operationId, picks: 'unknown outcome' },
    wait: waitOption,
  },
  run: async (account, terminal, { wait, ...input }) =>
    retry(account, terminal, await operationNamed(account, input.operationId), { isRerun: false, waitMs: wait }),
});

export const commands = [
  listCommand,
  showCommand,
  reconcileCommand,
  retryCommand,
  resumeCommand,
  resolveCommand,
  verifyCommand,
  headCommand,
  exportCommand,
  importCommand,
  backupCommand,
];
