import { storeSecret } from '../../account/changes.ts';
import type { Profile } from '../../account/profile.ts';
import { isOurStore } from '../../account/stored-profile.ts';
import { CliError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import type { RotationMove } from '../../journal/interface.ts';
import type { Rotation, RotationStage } from '../../journal/rotations.ts';
import type { Account } from '../account.ts';
import { tryAccount } from '../connect.ts';
import { RESUME_COMMAND, record, unfinishedRotation } from './answer.ts';
import { rotationFile } from './files.ts';
import { pushKey } from './push.ts';

/** Records that a stage is reached, if it was not reached before. */
export async function advance(
  account: Account,
  operationId: string,
  from: RotationStage,
  to: RotationStage,
  more?: RotationMove,
): Promise<Rotation> {
  const journal = await account.journal();
  await record(account, () => journal.moveRotation(operationId, from, to, more));
  const rotation = await journal.rotations.find(operationId);
  if (!rotation) throw new Error(`the journal has no rotation ${operationId}`);
  return rotation;
}

/** Whether fiatrail can write a new key to the profile's store. */
export function isWritable({ stored, mode }: Profile): boolean {
  return mode !== 'embedded' && stored !== undefined && isOurStore(stored.store);
}

/** Writes the new key to the profile's store, if fiatrail can write to it. */
export async function storeKey(account: Account, operationId: string, key: Secret): Promise<void> {
  const { profile, world } = account;
  if (profile.stored && isWritable(profile)) {
    try {
      await storeSecret(world, profile.stored, 'api-key', key);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const file = rotationFile(world, operationId, 'key') ?? rotationFile(world, operationId, 'answer');
      throw unfinishedRotation(
        account,
        `the API key was rotated, but the new key could not be stored: ${why}; the new key is in ${file ?? 'no file'}`,
        {
          code: 'KEY_NOT_STORED',
          operationId,
          cause: error,
          hint: `fix the store, then finish with: ${RESUME_COMMAND}`,
        },
      );
    }
  }
  await advance(account, operationId, 'answered', 'stored');
}

/** Proves that the new key works by a read. */
export async function prove(account: Account, operationId: string, key: Secret): Promise<void> {
  const { profile } = account;
  const withKey = profile.key ? { ...profile, key: { from: 'rotation', load: async () => key } } : profile;
  try {
    await tryAccount(account, withKey);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const message = `the API key was rotated and stored, but a read with the new key failed: ${error.message}`;
    throw unfinishedRotation(account, message, { code: 'NEW_KEY_NOT_PROVEN', operationId, cause: error });
  }
  await advance(account, operationId, 'stored', 'proven');
}

/** Runs the push commands that have not received the new key yet. */
export async function push(account: Account, { operationId, pushes, pushed }: Rotation, key: Secret): Promise<void> {
  const journal = await account.journal();
  for (const [index, words] of pushes.entries()) {
    if (index < pushed) continue;
    const problem = await pushKey(account.world, words, key);
    if (problem !== undefined) {
      const message = `the API key was rotated and the new key works, but push command ${index + 1} of ${pushes.length} ${problem}`;
      const hint = `fix it, then finish with: ${RESUME_COMMAND}; add --push-command to that to run another command instead`;
      throw unfinishedRotation(account, message, { code: 'PUSH_FAILED', operationId, hint });
    }
    await record(account, () => journal.rotations.pushed(operationId, index + 1));
  }
  await requireSameKey(account, operationId, key);
}

/** Checks that the profile's key command prints the new key; fiatrail cannot write to such a store. */
async function requireSameKey(account: Account, operationId: string, key: Secret): Promise<void> {
  const { profile } = account;
  if (profile.stored?.store.kind !== 'command' || !profile.key) return;
  const found = await profile.key.load().catch((error: unknown) => {
    if (error instanceof CliError) return undefined;
    throw error;
  });
  if (found?.reveal() === key.reveal()) return;
  const file = rotationFile(account.world, operationId, 'key');
  const message = `the API key was rotated and the new key works, but the key command does not print it yet${file ? `; the new key is in ${file}` : ''}`;
  throw unfinishedRotation(account, message, { code: 'KEY_COMMAND_OLD', operationId });
}
