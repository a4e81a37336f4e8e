import { journalPath } from '../account/paths.ts';
import type { Profile } from '../account/profile.ts';
import { Secret } from '../base/secret.ts';
import type { World } from '../base/world.ts';
import { openAccount } from '../cli/connect.ts';
import { encodeRequest } from '../client/codec.ts';
import { validRequest } from '../client/request.ts';
import { type Sent, send } from '../client/transport.ts';
import { regenerateApiKey } from '../contract/endpoints/management.ts';
import { openJournal } from '../journal/journal.ts';
import { lockRotation, removeRotationLocks, saveRotationPart } from './files.ts';

/** What the keeper is told on its standard input, since nothing secret may stand in argv. */
export interface KeeperOrder {
  readonly operationId: string;
  readonly profile: Pick<Profile, 'name' | 'mode' | 'baseUrl'>;
  /** None for an embedded sandbox, which knows its own. */
  readonly apiKey: string | undefined;
  readonly timeoutMs: number;
}

const MAX_ORDER_BYTES = 64 * 1024;
/** Nobody else holds the keeper's lock but for an instant. */
const LOCK_WAIT_MS = 5_000;

/**
 * Replaces an API key and keeps the answer: a process of its own, which outlives the command that started it, since between
 * an answer and the disk a command that is killed would take the only copy of the new key with it. The answer that cannot be
 * written where it belongs goes to standard output too.
 */
export async function keep(world: World): Promise<number> {
  const order = JSON.parse(await world.stdin.readAll(MAX_ORDER_BYTES)) as KeeperOrder;
  const { operationId } = order;
  const lock = await lockRotation(world, operationId, 'send', LOCK_WAIT_MS);
  if (!lock) return 1;
  const journal = await openJournal(journalPath(world), world.clock, world.ids);
  const account = await openAccount(world, accountOf(order));
  try {
    // Who waited for this process and gave it up has closed the replacement: then nothing may be sent any more.
    if (!journal.moveRotation(operationId, 'prepared', 'sending')) {
      removeRotationLocks(world, operationId);
      return 1;
    }
    const sent = JSON.stringify(await sendOnce(world, order, account));
    if (!isInItsRoom(world, operationId, sent)) await world.stdout.write(sent);
    return 0;
  } finally {
    await account.close();
    journal.close();
    lock.release();
  }
}

/** False when somebody who still waits for this process should have the answer from its own mouth. */
function isInItsRoom(world: World, operationId: string, sent: string): boolean {
  try {
    return saveRotationPart(world, operationId, 'answer', sent);
  } catch {
    return false;
  }
}

function accountOf({ profile, apiKey }: KeeperOrder): Profile {
  const key = apiKey === undefined ? undefined : { from: 'order', load: async () => new Secret(apiKey) };
  return { ...profile, key, stored: undefined };
}

async function sendOnce(
  { clock }: World,
  { profile: { baseUrl }, timeoutMs }: KeeperOrder,
  { exchange, apiKey }: Awaited<ReturnType<typeof openAccount>>,
): Promise<Sent> {
  try {
    return await send(encodeRequest(validRequest(regenerateApiKey, {}), { baseUrl, apiKey }), exchange, {
      effect: regenerateApiKey.effect,
      totalMs: timeoutMs,
      clock,
      // A Ctrl-C is for the command that waits; this goes on.
      interrupted: new AbortController().signal,
    });
  } catch (error) {
    return { noAnswer: 'network', sent: true, reason: error instanceof Error ? error.message : String(error) };
  }
}
