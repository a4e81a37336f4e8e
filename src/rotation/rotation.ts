import { stateDir } from '../account/paths.ts';
import { CliError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import type { Session } from '../cli/session.ts';
import { regenerateApiKey } from '../contract/endpoints/management.ts';
import { isOpenStage, type Rotation } from '../journal/rotations.ts';
import { keyOfAnswer, RESUME_COMMAND, unfinishedRotation } from './answer.ts';
import {
  KEEPER_WORD,
  lockRotation,
  readRotation,
  removeRotation,
  removeRotationLocks,
  reserveRotation,
  saveKeyForUser,
  unfinishedRotations,
} from './files.ts';
import type { KeeperOrder } from './keeper.ts';
import { advance, isWritable, prove, push, storeKey } from './steps.ts';

/** Beyond the time its request has: to start, and to write the answer down. */
const KEEPER_EXTRA_MS = 30_000;

/** How a replacement ended. */
export interface Settled {
  readonly rotation: Rotation;
  readonly key: Secret;
  /** Where the new key stands in clear, when no store of this machine has it. */
  readonly keyFile: string | undefined;
}

/** Another command replaces the key, or has done so while this one made ready. */
export function alreadyRotating(name: string): CliError {
  return new CliError('declined', `the key of ${name} is being replaced already; nothing was sent`, {
    code: 'ROTATION_UNDER_WAY',
    hint: `wait for the other command, or finish what it left with: ${RESUME_COMMAND}`,
  });
}

/** Nobody else brings a replacement to its end while this command does; what an end leaves of it is tidied away. */
export async function withRotationLock<T>(session: Session, operationId: string, work: () => Promise<T>): Promise<T> {
  const lock = await lockRotation(session.world, operationId, 'work', 0);
  if (!lock) {
    throw new CliError('declined', 'another command is finishing this replacement of the key; nothing was sent', {
      code: 'ROTATION_UNDER_WAY',
      operationId,
      hint: 'wait for it to end',
    });
  }
  try {
    return await work();
  } finally {
    // What is left lying about is tidied by a later command; how the work went must not be hidden by it.
    await tidy(session, operationId).catch(() => {});
    lock.release();
  }
}

/** Removes what is kept of a replacement that is at an end, and never what may be the only copy of a key. Held: its lock. */
async function tidy(session: Session, operationId: string): Promise<void> {
  const { world } = session;
  const { rotations } = await session.journal();
  const rotation = rotations.find(operationId);
  const stage = rotation?.stage;
  if (stage && isOpenStage(stage)) return;
  // A replacement that went through since has made an answer that was of no use worthless.
  const isOutdated = rotation?.stage === 'lost' && rotations.latestOf(rotation)?.stage === 'done';
  const isOver = stage === 'done' || stage === 'refused' || isOutdated;
  // One that no journal knows, or whose answer was of no use, is kept for a person as far as there is anything to see.
  const parts = (['answer', 'key'] as const).filter(
    (part) => isOver || readRotation(world, operationId, part) === undefined,
  );
  removeRotation(world, operationId, parts);
  removeRotationLocks(world, operationId);
}

/** Tidies after a process that was killed at the end of a replacement, or before its first word of it was in the journal. */
export async function tidyAfterKill(session: Session): Promise<void> {
  const kept = unfinishedRotations(session.world);
  if (kept.length === 0) return;
  const journal = await session.journal();
  for (const operationId of kept) {
    const stage = journal.rotations.find(operationId)?.stage;
    if (stage && isOpenStage(stage)) continue;
    const lock = await lockRotation(session.world, operationId, 'work', 0);
    if (lock) await tidy(session, operationId).finally(() => lock.release());
  }
}

/** Takes the room for a replacement's key and writes it down. Throws CliError declined when another one is not at an end. */
export async function beginRotation(
  session: Session,
  plan: Pick<Rotation, 'operationId' | 'keyPlace' | 'oldFingerprint' | 'pushes'>,
): Promise<void> {
  const { profile, world, commandLine } = session;
  const journal = await session.journal();
  reserveRotation(world, plan.operationId);
  const isOurs = journal.prepareRotation(
    {
      profile: profile.name,
      mode: profile.mode,
      baseUrl: profile.baseUrl,
      endpoint: regenerateApiKey.id,
      effect: regenerateApiKey.effect,
      command: commandLine,
      summary: `replacement of the API key of ${profile.name}`,
      request: '{}',
    },
    plan,
  );
  if (!isOurs) throw alreadyRotating(profile.name);
}

/** Has the keeper send the request; gives back what it could not write where it belongs. */
export async function sendRotation(session: Session, operationId: string, apiKey: Secret | undefined): Promise<string> {
  const { world, profile, globals } = session;
  const { name, mode, baseUrl } = profile;
  const order: KeeperOrder = {
    operationId,
    profile: { name, mode, baseUrl },
    apiKey: apiKey?.reveal(),
    timeoutMs: globals.timeoutMs,
  };
  const end = await world.runProgram([...world.self, KEEPER_WORD], {
    input: JSON.stringify(order),
    timeoutMs: globals.timeoutMs + KEEPER_EXTRA_MS,
    isDetached: true,
  });
  if (end.kind === 'ended') return end.stdout;
  if (world.interrupted.aborted) {
    throw new CliError('interrupted', 'interrupted while the key is replaced; that goes on without this command', {
      operationId,
      hint: `finish with: ${RESUME_COMMAND}`,
    });
  }
  return '';
}

/**
 * Brings a replacement to its end from wherever it stands: every step may be done twice. `spare` is what the keeper could
 * not write. Throws CliError: pending when the new key is safe and something is left to do, unknown when no answer came.
 */
export async function settleRotation(session: Session, operationId: string, spare = ''): Promise<Settled> {
  const { world } = session;
  // Who wrote to its standard output has ended; and then the folder of the lock may be gone.
  const sending = spare === '' ? await keeperGone(session, operationId) : undefined;
  try {
    await requireOpen(session, operationId);
    const kept = readRotation(world, operationId, 'key');
    const key = kept === undefined ? await keyOfAnswer(session, operationId, spare) : new Secret(kept);
    const rotation = await advance(session, operationId, 'sending', 'answered');
    await storeKey(session, operationId, key);
    await prove(session, operationId, key);
    await push(session, rotation, key);
    return await finish(session, operationId, key);
  } finally {
    sending?.release();
  }
}

/** Between the look at the journal and the lock another command may have come to the end. */
async function requireOpen(session: Session, operationId: string): Promise<void> {
  const stage = (await session.journal()).rotations.find(operationId)?.stage;
  if (stage && isOpenStage(stage)) return;
  throw new CliError('declined', 'another command has brought this replacement of the key to its end', {
    code: 'ROTATION_ENDED',
    operationId,
    hint: 'see what became of it with: fiatrail ops list',
  });
}

async function finish(session: Session, operationId: string, key: Secret): Promise<Settled> {
  const { world, profile } = session;
  const journal = await session.journal();
  const { pushes } = journal.rotations.find(operationId) ?? { pushes: [] };
  const isKept = profile.mode === 'embedded' || isWritable(profile) || pushes.length > 0;
  const keyFile = isKept ? undefined : saveKeyForUser(world, operationId);
  if (!isKept && !keyFile) {
    throw unfinishedRotation(session, 'the key was replaced and works, and could be written to no file', {
      code: 'KEY_NOT_KEPT',
      operationId,
      hint: `make room in ${stateDir(world)}, then finish with: ${RESUME_COMMAND}`,
    });
  }
  const rotation = await advance(session, operationId, 'proven', 'done');
  if (rotation.stage === 'done') return { rotation, key, keyFile };
  throw unfinishedRotation(session, 'the key was replaced and works, and the journal could not be written', {
    code: 'JOURNAL_NOT_WRITTEN',
    operationId,
    hint: `make room for the journal, then finish with: ${RESUME_COMMAND}`,
  });
}

/** Waits for the keeper to end, and keeps one that is late from beginning. Throws CliError. */
async function keeperGone(session: Session, operationId: string) {
  const { world, globals } = session;
  const deadlineMs = world.clock.now() + globals.timeoutMs + KEEPER_EXTRA_MS;
  for (;;) {
    const lock = await lockRotation(world, operationId, 'send', 0);
    if (lock) return lock;
    const stillOut = () =>
      unfinishedRotation(session, 'the answer with the new key has not come yet', {
        code: 'ROTATION_UNDER_WAY',
        operationId,
      });
    if (world.clock.now() >= deadlineMs) throw stillOut();
    await world.clock.sleep(POLL_MS, world.interrupted).catch(() => {
      throw stillOut();
    });
  }
}

const POLL_MS = 50;
