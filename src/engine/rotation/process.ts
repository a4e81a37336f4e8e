import type { Profile } from '../../account/profile.ts';
import { Secret } from '../../base/secret.ts';
import type { World } from '../../base/world.ts';
import { encodeRequest, isRateLimited } from '../../client/codec.ts';
import { validRequest } from '../../client/request.ts';
import { type Sent, send } from '../../client/transport.ts';
import { regenerateApiKey } from '../../contract/endpoints/management.ts';
import { openJournalAt } from '../../journal/open.ts';
import { openAccount } from '../connection/connect.ts';
import { journalLocationOf } from '../connection/journal-location.ts';
import { lockRotation, removeRotationLocks, saveRotationPart } from './files.ts';

/** What the rotation process reads from standard input, because argv must not contain secrets. */
export interface RotationOrder {
  readonly operationId: string;
  readonly profile: Pick<Profile, 'name' | 'mode' | 'baseUrl'>;
  /** Undefined for an embedded sandbox, which knows its own key. */
  readonly apiKey: string | undefined;
  readonly timeoutMs: number;
}

const MAX_ORDER_BYTES = 64 * 1024;
/** Other processes hold this lock only for moments. */
const LOCK_WAIT_MS = 5_000;

/**
 * Sends the rotation request and saves the response, in a separate process that outlives the command which started it: a command
 * killed between the response and the disk would lose the only copy of the new key. A response that cannot be written to its
 * reserved file is also printed to standard output. Returns the exit code.
 */
export async function runRotationProcess(world: World): Promise<number> {
  const order = JSON.parse(await world.stdin.readAll(MAX_ORDER_BYTES)) as RotationOrder;
  const { operationId } = order;
  const lock = await lockRotation(world, operationId, 'send', LOCK_WAIT_MS);
  if (!lock) return 1;
  const journal = await openJournalAt(journalLocationOf(world, order.profile), world, { limitMs: order.timeoutMs });
  const account = await openAccount(world, accountOf(order));
  try {
    // The command that started this process may have given up and closed the rotation; then nothing may be sent.
    if (!(await journal.moveRotation(operationId, 'prepared', 'sending'))) {
      removeRotationLocks(world, operationId);
      return 1;
    }
    const sent = JSON.stringify(await sendOnce(world, order, account));
    if (!saveResponse(world, operationId, sent)) await world.stdout.write(sent);
    return 0;
  } finally {
    await account.close();
    await journal.close();
    lock.release();
  }
}

/** Returns false if the response must also go to standard output, for a command that is still waiting. */
function saveResponse(world: World, operationId: string, sent: string): boolean {
  try {
    return saveRotationPart(world, operationId, 'answer', sent);
  } catch {
    return false;
  }
}

function accountOf({ profile, apiKey }: RotationOrder): Profile {
  const key = apiKey === undefined ? undefined : { from: 'order', load: async () => new Secret(apiKey) };
  return { ...profile, key, stored: undefined };
}

async function sendOnce(
  { clock }: World,
  { profile: { baseUrl }, timeoutMs }: RotationOrder,
  { exchange, apiKey }: Awaited<ReturnType<typeof openAccount>>,
): Promise<Sent> {
  try {
    return await send(encodeRequest(validRequest(regenerateApiKey, {}), { baseUrl, apiKey }), exchange, {
      effect: regenerateApiKey.effect,
      isRateLimited: (response) => isRateLimited(regenerateApiKey, response),
      totalMs: timeoutMs,
      clock,
      // Ctrl-C stops the waiting command, not the rotation process.
      interrupted: new AbortController().signal,
    });
  } catch (error) {
    return { noAnswer: 'network', sent: true, reason: error instanceof Error ? error.message : String(error) };
  }
}
