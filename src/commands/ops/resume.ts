import { CliError } from '../../base/errors.ts';
import { accountsOf } from '../../engine/operations/accounts.ts';
import { workStartedBy } from '../../engine/operations/find-work.ts';
import { refreshAccepted } from '../../engine/operations/refresh.ts';
import { followWork } from '../../engine/operations/started.ts';
import { isFollowed } from '../../engine/operations/work.ts';
import { command } from '../../terminal/command.ts';
import { DEFAULT_WAIT_MS, waitOption } from '../../terminal/parse/field-options.ts';
import { optionalArgument, picked, switchOn } from '../../terminal/parse/parameters.ts';
import type { Session } from '../../terminal/session.ts';
import { COLUMNS, OPERATION_ID, operationName, operationNamed, printed } from './printed.ts';

/** Reads the status of all accepted work once, so that the journal knows what has ended. */
async function resumeAll(session: Session) {
  const { operationIds, error } = await refreshAccepted(session, {});
  const operations = await Promise.all(operationIds.map(async (each) => printed(await operationNamed(session, each))));
  const result = { data: { operations }, lists: 'operations', list: { isWhole: true }, columns: COLUMNS };
  return { result, ...(error ? { error } : {}) };
}

export const resumeCommand = command({
  words: ['ops', 'resume'],
  summary: 'Wait for an accepted operation to finish',
  details:
    'With --all, the status of every accepted operation is read once, and nothing is waited for. What has no later status, such as a removal, ends without a request.',
  examples: [
    'fiatrail ops resume 0198c1f2',
    'fiatrail ops resume 0198c1f2 --wait 1h -o json',
    'fiatrail ops resume --all -q',
  ],
  endpoints: [],
  parameters: {
    operationId: picked(
      'accepted operation',
      optionalArgument('operation-id', OPERATION_ID, operationName, 'Which operation?'),
    ),
    all: switchOn('--all', 'read the status of every accepted operation of this machine once'),
    wait: waitOption('until it completes or fails'),
  },
  asks: ({ all }) => (all ? [] : ['operationId']),
  run: async (session, { wait, all, operationId: given }) => {
    if (all && (given ?? wait) !== undefined)
      throw new CliError('usage', '--all cannot be combined with an operation id or --wait', {
        hint: 'use --all alone',
      });
    if (all) return resumeAll(session);
    if (given === undefined)
      throw new CliError('usage', 'missing required argument: operation-id', {
        hint: 'find it with: fiatrail ops list --status accepted; or read all with --all',
      });
    const operation = await operationNamed(session, given);
    const { endpoint, requestId, state, operationId: found } = operation;
    const work = await workStartedBy(endpoint);
    if (state !== 'accepted' || requestId === null || !isFollowed(work))
      throw new CliError('declined', `this operation has nothing to wait for: it is ${state}`, {
        hint: `see it with: fiatrail ops show ${found}`,
      });
    const accounts = accountsOf(session);
    try {
      return await followWork(await accounts.of(operation), work, requestId, wait ?? DEFAULT_WAIT_MS);
    } finally {
      await accounts.close();
    }
  },
});
