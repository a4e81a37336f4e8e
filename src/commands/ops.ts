import { CliError } from '../base/errors.ts';
import { command } from '../cli/command.ts';
import { argument, id, oneOf, option, optionalArgument, switchOn, wholeNumber } from '../cli/parameters.ts';
import type { Session } from '../cli/session.ts';
import { DEFAULT_WAIT_MS, waitOption } from '../cli/wait.ts';
import type { Operation } from '../journal/journal.ts';
import { NEXT, type OperationState } from '../journal/states.ts';
import { parseExactJson } from '../money/decimal.ts';
import { toPlain } from '../present/plain.ts';
import { workStartedBy } from '../works/find-work.ts';
import { type Reconciled, reconcile } from '../works/reconcile.ts';
import { endpointNamed, recordedData } from '../works/recorded.ts';
import { followWork } from '../works/work.ts';

/** What to do about an operation in each state. */
const ADVICE: Readonly<Record<OperationState, string>> = {
  prepared: 'nothing was sent',
  sent: 'no response was recorded; the outcome is unknown unless its command is still running',
  accepted: 'the service accepted it; follow it by its request id',
  settled: 'it was completed',
  failed: 'the service accepted it, and the work failed',
  refused: 'nothing was done',
  unknown: 'it was sent, but no usable response arrived; check the account before you repeat it',
  resolved: 'its outcome was decided without a response',
};

const COLUMNS = [
  { field: 'operationId', title: 'Operation' },
  { field: 'state', title: 'State' },
  { field: 'summary', title: 'Summary' },
  { field: 'createdAt', title: 'When' },
  { field: 'requestId', title: 'Request', isWide: true },
  { field: 'onceKey', title: 'Once key', isWide: true },
] as const;

const STATES = Object.keys(NEXT) as readonly OperationState[];
const KINDS = ['money', 'destructive', 'onboarding'] as const;

/** An operation as printed: without what only the journal needs, and with amounts that are not in wire units. */
async function printed(operation: Operation) {
  const { inputDigest: _digest, processId: _process, busyUntil: _until, account: _account, ...shown } = operation;
  const { endpoint, state } = operation;
  const { endpoint: ofResult, data } = recordedData(operation);
  const sent = parseExactJson(operation.request);
  const request = toPlain(sent, (await endpointNamed(endpoint))?.request());
  const ended = await endpointNamed(ofResult);
  const result = data === undefined ? null : toPlain(data, ended?.response(), ended?.nests, sent);
  return { ...shown, request, result, advice: ADVICE[state] };
}

const listCommand = command({
  words: ['ops', 'list'],
  summary: 'List the money operations of this machine, unknown outcomes first',
  details: 'Operations with an unknown outcome come first, however old they are. The rest is listed newest first.',
  examples: ['fiatrail ops list', 'fiatrail ops list --in-doubt -o json --query "operations[].operationId"'],
  endpoints: [],
  isLocal: true,
  parameters: {
    limit: option('--limit <count>', 'maximum number of operations (default 20)', wholeNumber(1, 10_000)),
    inDoubt: switchOn('--in-doubt', 'only operations with an unknown outcome'),
    state: option('--state <state>', STATES.join(', '), oneOf(...STATES)),
    kind: option('--kind <kind>', KINDS.join(', '), oneOf(...KINDS)),
    after: option('--after <operation-id>', 'only operations older than this one', id),
  },
  run: async (session, { limit = 20, inDoubt, state, kind, after }) => {
    const journal = await session.journal();
    const wanted = { kind, limit };
    const doubts = state || after ? [] : journal.list({ ...wanted, state: 'in-doubt' });
    const others = inDoubt ? [] : journal.list({ ...wanted, state, before: after });
    const rest = others.filter(({ operationId }) => !doubts.some((each) => each.operationId === operationId));
    const operations = [...doubts, ...rest].slice(0, limit);
    const data = { operations: await Promise.all(operations.map(printed)), total: journal.count() };
    return { result: { data, request: { limit }, lists: 'operations', list: { isWhole: false }, columns: COLUMNS } };
  },
});

/** Finds an operation by its id or a unique prefix of it. Throws CliError usage. */
async function operationNamed(session: Session, prefix: string): Promise<Operation> {
  const [operation, ...others] = (await session.journal()).find(prefix);
  if (operation && others.length === 0) return operation;
  const why = operation ? 'more than one operation matches this id prefix' : 'no operation on this machine has this id';
  throw new CliError('usage', why, { hint: 'list the ids with: fiatrail ops list' });
}

const operationId = argument('operation-id', 'operation id, from ops list; a unique prefix is enough', id);

const showCommand = command({
  words: ['ops', 'show'],
  summary: 'Show a money operation',
  details: 'Prints the request, its state and what to do next.',
  examples: [
    'fiatrail ops show 0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de',
    'fiatrail ops show 0198c1f2 -o json --query state',
  ],
  endpoints: [],
  isLocal: true,
  parameters: { operationId },
  run: async (session, input) => {
    const operation = await operationNamed(session, input.operationId);
    return { result: { data: await printed(operation) } };
  },
});

const resolveCommand = command({
  words: ['ops', 'resolve'],
  summary: 'Record how an operation with an unknown outcome ended',
  details:
    'Use it when you know from another source, such as a bank statement, whether the money moved. --not-done frees the once key, so that the command can run again.',
  examples: [
    'fiatrail ops resolve 0198c1f2 --completed --request-id FTW_0198… --reason "seen on the bank statement"',
    'fiatrail ops resolve 0198c1f2 --not-done --reason "the service confirmed that it never arrived"',
  ],
  endpoints: [],
  isLocal: true,
  parameters: {
    operationId,
    completed: switchOn('--completed', 'the money moved'),
    notDone: switchOn('--not-done', 'nothing was done'),
    requestId: option('--request-id <id>', 'the service’s id of the work, if you know it', id),
    reason: option('--reason <text>', 'how you know (required)', (text) => text.trim()),
  },
  run: async (session, { completed, notDone, requestId, reason, ...input }) => {
    if (completed === notDone)
      throw new CliError('usage', 'give either --completed or --not-done', {
        hint: 'run: fiatrail ops resolve --help',
      });
    if (!reason) throw new CliError('usage', 'missing --reason', { hint: 'say how you know, in a few words' });
    const operation = await operationNamed(session, input.operationId);
    const journal = await session.journal();
    if (journal.isBusy(operation))
      throw new CliError('declined', 'the command that sent it is still running', { hint: 'wait for it to end' });
    if (!NEXT[operation.state].some((state) => state === 'resolved'))
      throw new CliError('declined', `the outcome of this operation is known: it is ${operation.state}`, {
        hint: `see it with: fiatrail ops show ${operation.operationId}`,
      });
    journal.append(operation.operationId, 'resolved', {
      verdict: completed ? 'completed' : 'not-done',
      requestId,
      detail: `${session.world.host.user}: ${reason}`,
    });
    return { result: { data: await printed(await operationNamed(session, operation.operationId)), columns: COLUMNS } };
  },
});

const verifyCommand = command({
  words: ['ops', 'verify'],
  summary: 'Check that the journal was not damaged or edited',
  details:
    'Every entry carries a hash of the one before it. --head detects entries removed from the end: it must be a head that an earlier run printed.',
  examples: ['fiatrail ops verify', 'fiatrail ops verify --head "$HEAD" -o json'],
  endpoints: [],
  isLocal: true,
  parameters: { head: option('--head <hash>', 'a head that ops verify printed before', id) },
  run: async (session, { head }) => {
    const { transitions, operations, heads, problem } = (await session.journal()).verify(head);
    const data = { transitions, operations, heads, problem: problem ?? null };
    if (!problem) return { result: { data } };
    const error = new CliError('refused', `the journal is damaged: ${problem.what}`, {
      code: 'JOURNAL_CHANGED',
      operationId: problem.operationId,
      hint: 'keep the file, and compare it with a backup',
    });
    return { result: { data }, error };
  },
});

/** What to do about what looking for an operation found. */
function nextStep({ kind, operation, where, ...found }: Reconciled): string | null {
  const resolve = `fiatrail ops resolve ${operation.operationId} --completed|--not-done --reason TEXT`;
  const look = where === undefined ? 'ask the service' : `look with: ${where}`;
  if (kind === 'ended') return null;
  if (kind === 'busy') return 'its command is still running; wait for it';
  if (kind === 'unseen' && 'lookAgainMs' in found)
    return `not found yet; run this again after ${new Date(found.lookAgainMs).toISOString()}`;
  if (kind === 'several' && 'candidates' in found)
    return `may be ${found.candidates.map(({ requestId }) => requestId).join(' or ')}; ${look}, then: ${resolve}`;
  return `${look}, then: ${resolve}`;
}

const RECONCILED = [
  { field: 'operationId', title: 'Operation' },
  { field: 'state', title: 'State' },
  { field: 'found', title: 'Found' },
  { field: 'summary', title: 'Summary' },
  { field: 'requestId', title: 'Request' },
  { field: 'next', title: 'Next' },
] as const;

const reconcileCommand = command({
  words: ['ops', 'reconcile'],
  summary: 'Find out how operations with an unknown outcome ended',
  details:
    'Looks for them in the service’s lists and records what it finds. What is in no list is believed absent after two looks 10 minutes apart, and on a live account only when a person says so. Exits with 6 while an outcome is unknown.',
  examples: ['fiatrail ops reconcile', 'fiatrail ops reconcile 0198c1f2 -o json --query "operations[].next"'],
  endpoints: [],
  parameters: {
    operationId: optionalArgument(
      'operation-id',
      'operation id, from ops list (default: every unknown outcome of this profile)',
      id,
    ),
  },
  run: async (session, input) => {
    const journal = await session.journal();
    const sought = input.operationId
      ? [await operationNamed(session, input.operationId)]
      : journal.list({ state: 'in-doubt', profile: session.profile.name, limit: 10_000 }).reverse();
    // Oldest first, so that an older request takes its row before a later one can mistake it for its own.
    const all: Reconciled[] = [];
    for (const operation of sought) all.push(await reconcile(session, operation));
    const rows = all.map(async (each) => ({
      ...(await printed(each.operation)),
      found: each.kind,
      candidates: 'candidates' in each ? each.candidates : [],
      next: nextStep(each),
    }));
    const operations = await Promise.all(rows);
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

const resumeCommand = command({
  words: ['ops', 'resume'],
  summary: 'Wait for an accepted operation to finish',
  examples: ['fiatrail ops resume 0198c1f2', 'fiatrail ops resume 0198c1f2 --wait 1h -o json'],
  endpoints: [],
  parameters: { operationId, wait: waitOption('until it completes or fails') },
  run: async (session, { wait, ...input }) => {
    const { endpoint, requestId, state, operationId: found } = await operationNamed(session, input.operationId);
    const work = await workStartedBy(endpoint);
    if (state !== 'accepted' || requestId === null || !work?.status)
      throw new CliError('declined', `this operation has nothing to wait for: it is ${state}`, {
        hint: `see it with: fiatrail ops show ${found}`,
      });
    return followWork(session, work, requestId, wait ?? DEFAULT_WAIT_MS);
  },
});

export const commands = [listCommand, showCommand, reconcileCommand, resumeCommand, resolveCommand, verifyCommand];
