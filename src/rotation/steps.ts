import { storeSecret } from '../account/changes.ts';
import type { Profile } from '../account/profile.ts';
import { isOurStore } from '../account/stored-profile.ts';
import { CliError } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import { tryAccount } from '../cli/connect.ts';
import type { Session } from '../cli/session.ts';
import type { Rotation, RotationStage } from '../journal/rotations.ts';
import { RESUME_COMMAND, record, unfinishedRotation } from './answer.ts';
import { rotationFile } from './files.ts';
import { pushKey } from './push.ts';

/** Notes that a stage is reached, unless it was before. */
export async function advance(
  session: Session,
  operationId: string,
  from: RotationStage,
  to: RotationStage,
): Promise<Rotation> {
  const journal = await session.journal();
  await record(session, () => {
    journal.moveRotation(operationId, from, to);
  });
  const rotation = journal.rotations.find(operationId);
  if (!rotation) throw new Error(`the journal has no rotation ${operationId}`);
  return rotation;
}

/** Whether this program can put a new key where the profile's key comes from; an embedded sandbox keeps its own. */
export function isWritable({ stored, mode }: Profile): boolean {
  return mode !== 'embedded' && stored !== undefined && isOurStore(stored.store);
}

/** Puts the new key where its profile keeps it, if that is of ours to write. */
export async function storeKey(session: Session, operationId: string, key: Secret): Promise<void> {
  const { profile, world } = session;
  if (profile.stored && isWritable(profile)) {
    try {
      await storeSecret(world, profile.stored, 'api-key', key);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const file = rotationFile(world, operationId, 'key') ?? rotationFile(world, operationId, 'answer');
      throw unfinishedRotation(
        session,
        `the key was replaced, and the new one could not be stored: ${why}; it is in ${file ?? 'no file'}`,
        {
          code: 'KEY_NOT_STORED',
          operationId,
          cause: error,
          hint: `mend the store, then finish with: ${RESUME_COMMAND}`,
        },
      );
    }
  }
  await advance(session, operationId, 'answered', 'stored');
}

/** A read goes through with the new key. */
export async function prove(session: Session, operationId: string, key: Secret): Promise<void> {
  const { world, profile, globals } = session;
  const withKey = profile.key ? { ...profile, key: { from: 'rotation', load: async () => key } } : profile;
  try {
    await tryAccount(world, withKey, globals);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const message = `the key was replaced and is kept, and a read with the new one failed: ${error.message}`;
    throw unfinishedRotation(session, message, { code: 'NEW_KEY_NOT_PROVEN', operationId, cause: error });
  }
  await advance(session, operationId, 'stored', 'proven');
}

/** Gives the new key to the push commands that have not got it yet. */
export async function push(session: Session, { operationId, pushes, pushed }: Rotation, key: Secret): Promise<void> {
  const journal = await session.journal();
  for (const [index, words] of pushes.entries()) {
    if (index < pushed) continue;
    const problem = await pushKey(session.world, words, key);
    if (problem !== undefined) {
      const message = `the key was replaced and works, and push command ${index + 1} of ${pushes.length} ${problem}`;
      const hint = `mend it, then finish with: ${RESUME_COMMAND}; or add --push-command to that, to run another one in its place`;
      throw unfinishedRotation(session, message, { code: 'PUSH_FAILED', operationId, hint });
    }
    await record(session, () => journal.rotations.pushed(operationId, index + 1));
  }
  await requireSameKey(session, operationId, key);
}

/** What a key command prints must be the new key by now: somebody else keeps it. */
async function requireSameKey(session: Session, operationId: string, key: Secret): Promise<void> {
  const { profile } = session;
  if (profile.stored?.store.kind !== 'command' || !profile.key) return;
  const found = await profile.key.load().catch((error: unknown) => {
    if (error instanceof CliError) return undefined;
    throw error;
  });
  if (found?.reveal() === key.reveal()) return;
  const file = rotationFile(session.world, operationId, 'key');
  const message = `the key was replaced and works, and the key command does not print it yet${file ? `; it is in ${file}` : ''}`;
  throw unfinishedRotation(session, message, { code: 'KEY_COMMAND_OLD', operationId });
}
