import { CliError } from '../../base/errors.ts';
import { accountsOf } from '../../engine/operations/accounts.ts';
import { workStartedBy } from '../../engine/operations/find-work.ts';
import { followWork } from '../../engine/operations/started.ts';
import { isFollowed } from '../../engine/operations/work.ts';
import { command } from '../../terminal/command.ts';
import { DEFAULT_WAIT_MS, waitOption } from '../../terminal/parse/field-options.ts';
import { optionalArgument, switchOn } from '../../terminal/parse/parameters.ts';
import type { Session } from '../../terminal/session.ts';
import { COLUMNS, OPERATION_ID, operationName, operationNamed, printed } from './printed.ts';

/** Reads the status of all accepted work once, so that the journal knows what has ended. */
async function resumeAll(session: Session) {
  const journal = await session.journal();
  const accounts = accountsOf(session);
  const ids: string[] = [];
  let unread = 0;
  try {
    for (const operation of (await journal.list({ state: 'accepted', limit: Number.MAX_SAFE_INTEGER })).toReversed()) {
      const { endpoint, requestId, operationId: found } = operation;
      const work = await workStartedBy(endpoint);
      if (requestId === null || !isFollowed(work)) continue;
      ids.push(found);
      try {
        await followWork(await accounts.of(operation), work, requestId, 0);
      } catch (error) {
        if (!(error instanceof CliError) || error.category === 'interrupted') throw error;
        unread += 1;
        await session.note(`operation ${found}: ${error.message}`);
      }
    }
  } finally {
    await accounts.close();
  }
  const operations = await Promise.all(ids.map(async (each) => printed(await operationNamed(session, each))));
  const result = { data: { operations }, lists: 'operations', list: { isWhole: true }, columns: COLUMNS };
  if (unread === 0) return { result };
  const message = `the status of ${unread} of ${ids.length} operations cannot be read`;
  return { result, error: new CliError('network', message, { hint: 'run the command again' }) };
}

export const resumeCommand = command({
  words: ['ops', 'resume'],
  summary: 'Wait for an accepted operation to finish',
  details: 'With --all, the status of every accepted operation is read once, and nothing is waited for.',
  examples: [
    'fiatrail ops resume 0198c1f2',
    'fiatrail ops resume 0198c1f2 --wait 1h -o json',
    'fiatrail ops resume --all -q',
  ],
  endpoints: [],
  parameters: {
    operationId: optionalArgument('operation-id', OPERATION_ID, operationName),
    all: switchOn('--all', 'read the status of every accepted operation of this machine once'),
    wait: waitOption('until it completes or fails'),
  },
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
