import { CliError } from '../../base/errors.ts';
import type { Operation, Selection } from '../../journal/operations.ts';
import type { Account } from '../account.ts';
import { listedAs } from '../evidence/evidence.ts';
import { workStartedBy } from '../evidence/find-work.ts';
import { followWork } from '../evidence/started.ts';
import { endsAccepted, isFollowed, type Work } from '../evidence/work.ts';
import { pacer } from '../lists/pages.ts';
import { accountsOf } from './accounts.ts';

/** What became of the accepted operations that were looked at. */
interface Refreshed {
  readonly operationIds: readonly string[];
  /** How many the service was asked about. */
  readonly asked: number;
  /** How many have ended. */
  readonly changed: number;
  /** The service did not say how some of them are. */
  readonly error?: CliError;
}

const ENDED_ACCEPTED = 'it ended when the service accepted it';

/**
 * Reads once how each accepted operation of a selection is, each in its own account, and records what has ended. What has no later state ends
 * without a request. A state that cannot be read is a notice, and an error at the end.
 */
export async function refreshAccepted(account: Account, selection: Omit<Selection, 'limit'>): Promise<Refreshed> {
  const journal = await account.journal();
  const accounts = accountsOf(account);
  const turns = new Map<Account, Map<Work, () => Promise<void>>>();
  const turnOf = (own: Account, work: Work) => {
    const ofAccount = turns.get(own) ?? new Map<Work, () => Promise<void>>();
    turns.set(own, ofAccount);
    const endpoint = work.status?.endpoint ?? work.starts[0];
    const turn = ofAccount.get(work) ?? (endpoint ? pacer(own, endpoint) : async () => {});
    ofAccount.set(work, turn);
    return turn();
  };
  const operationIds: string[] = [];
  let [asked, changed, unread] = [0, 0, 0];
  const look = async (operation: Operation): Promise<void> => {
    const { operationId, endpoint, requestId } = operation;
    const work = await workStartedBy(endpoint);
    if (endsAccepted(work)) await journal.append(operationId, 'settled', { detail: ENDED_ACCEPTED });
    else if (work && requestId !== null && (isFollowed(work) || work.list)) {
      asked += 1;
      const own = await accounts.of(operation);
      await turnOf(own, work);
      if (isFollowed(work)) await followWork(own, work, requestId, 0);
      else await recordListed(own, work, operation);
    } else return;
    operationIds.push(operationId);
    if ((await journal.find(operationId))[0]?.state !== 'accepted') changed += 1;
  };
  try {
    const accepted = await journal.list({ ...selection, state: 'accepted', limit: Number.MAX_SAFE_INTEGER });
    for (const operation of accepted.toReversed()) {
      try {
        await look(operation);
      } catch (error) {
        if (!(error instanceof CliError) || error.category === 'interrupted') throw error;
        operationIds.push(operation.operationId);
        unread += 1;
        await account.notices.note(`operation ${operation.operationId}: ${error.message}`);
      }
    }
  } finally {
    await accounts.close();
  }
  if (unread === 0) return { operationIds, asked, changed };
  const message = `the status of ${unread} of ${asked} operations cannot be read`;
  return { operationIds, asked, changed, error: new CliError('network', message, { hint: 'run the command again' }) };
}

/** Records how work ended that only a list shows. */
async function recordListed(account: Account, work: Work, operation: Operation): Promise<void> {
  const row = await listedAs(account, work, operation);
  if (!row || row.outcome === 'accepted') return;
  const detail = `found with the status ${row.state}`;
  await (await account.journal()).append(operation.operationId, row.outcome, { detail });
}
