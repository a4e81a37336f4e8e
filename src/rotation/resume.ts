import { CliError, withDetails } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import { openAccount } from '../cli/connect.ts';
import { endDryRun } from '../cli/dry-run.ts';
import type { Outcome } from '../cli/outcome.ts';
import type { Session } from '../cli/session.ts';
import { getPlatformPublicKey } from '../contract/endpoints/management.ts';
import { fingerprint } from '../crypto/fingerprint.ts';
import type { Rotation } from '../journal/rotations.ts';
import { RESUME_COMMAND } from './answer.ts';
import { rotationFile, unfinishedRotations } from './files.ts';
import { pushWords } from './push.ts';
import { type Settled, settleRotation, tidyAfterKill, withRotationLock } from './rotation.ts';

interface Printing {
  readonly printKey: boolean | undefined;
}

interface Resuming extends Printing {
  readonly pushCommand: readonly string[] | undefined;
}

/** The key now in use; an embedded sandbox has its own. */
export async function currentKey({ world, profile }: Session): Promise<Secret> {
  if (profile.key) return profile.key.load();
  const { apiKey, close } = await openAccount(world, profile);
  await close();
  return apiKey;
}

/** What a replacement that is at its end leaves to print. */
export async function finished(session: Session, settled: Settled, input: Printing): Promise<Outcome> {
  const { profile } = session;
  // The variable comes before what is stored, in the next command too.
  if (profile.key?.from === 'FIATRAIL_API_KEY')
    await session.say('warning: FIATRAIL_API_KEY has the old key: unset it, or set it to the new one');
  return outcomeOf(settled, input);
}

/** The fields of a replacement that is at its end. Any other is refused while the old key lives. */
export function printedFields({ pushCommand = [], printKey }: Pick<Resuming, 'pushCommand'> & Printing): string[] {
  const always = ['profile', 'outcome', 'oldFingerprint', 'fingerprint', 'keptIn'];
  return [...always, ...(pushCommand.length > 0 ? ['pushedTo'] : []), ...(printKey ? ['apiKey'] : []), 'operationId'];
}

function outcomeOf({ rotation, key, keyFile }: Settled, { printKey }: Printing): Outcome {
  return {
    result: {
      data: {
        profile: rotation.profile,
        outcome: 'replaced',
        oldFingerprint: rotation.oldFingerprint,
        fingerprint: fingerprint(key),
        keptIn: rotation.keyPlace,
        ...(rotation.pushes.length > 0 ? { pushedTo: rotation.pushes.length } : {}),
        ...(keyFile ? { keyFile } : {}),
        ...(printKey ? { apiKey: key.reveal() } : {}),
        operationId: rotation.operationId,
      },
    },
  };
}

/** Brings the open replacement of the account to its end; where the last one was lost, finds out what it came to. */
export async function resume(session: Session, input: Resuming): Promise<Outcome> {
  const { profile } = session;
  const journal = await session.journal();
  const rotation = journal.rotations.openOf({ profile: profile.name, baseUrl: profile.baseUrl });
  if (rotation) {
    const { operationId, stage, pushes } = rotation;
    const { pushCommand } = input;
    for (const text of pushCommand ?? []) pushWords(session.world, text);
    endDryRun(session, { profile: profile.name, operationId, stage, pushCommands: pushCommand ?? pushes });
    return withRotationLock(session, operationId, async () => {
      if (pushCommand) journal.rotations.pushInstead(operationId, pushCommand);
      return finished(session, await settleRotation(session, operationId), input);
    });
  }
  const latest = journal.rotations.latestOf({ profile: profile.name, baseUrl: profile.baseUrl });
  if (latest?.stage !== 'lost') {
    throw new CliError('usage', `no replacement of the key of ${profile.name} is unfinished`, {
      code: 'NOTHING_TO_RESUME',
      hint: 'begin one with: fiatrail keys rotate',
    });
  }
  return afterLost(session, latest);
}

/** A key that works ends the doubt, and with it what was kept to look at. */
async function endDoubt(session: Session, operationId: string, isOld: boolean): Promise<void> {
  await withRotationLock(session, operationId, async () => {
    const journal = await session.journal();
    if (isOld) journal.moveRotation(operationId, 'lost', 'refused', 'the old key still works');
    else journal.moveRotation(operationId, 'lost', 'done', 'another key works by now');
  });
}

/** No answer came: whether the old key still works says what happened. */
async function afterLost(session: Session, { operationId, oldFingerprint }: Rotation): Promise<Outcome> {
  const { profile } = session;
  try {
    await session.call(getPlatformPublicKey, {}, { isBeforehand: true });
  } catch (error) {
    // An address that is not on the allowlist says nothing of the key.
    if (!(error instanceof CliError) || error.httpStatus !== 401) throw error;
    throw keyLost(session, operationId, error);
  }
  const print = fingerprint(await currentKey(session));
  const isOld = print === oldFingerprint;
  if (!session.globals.dryRun) await endDoubt(session, operationId, isOld);
  await session.note(isOld ? 'the key was not replaced: the old one still works' : 'the key that is kept now works');
  return {
    result: {
      data: {
        profile: profile.name,
        outcome: isOld ? 'not replaced' : 'another key works',
        fingerprint: print,
        operationId,
      },
    },
  };
}

function keyLost({ world, profile }: Session, operationId: string, cause: CliError): CliError {
  const file = rotationFile(world, operationId, 'answer');
  const [what, source] = file
    ? [`the new one is in an answer that could not be read, kept in ${file}`, 'take the new key from that file, or ask']
    : ['the new one never arrived', 'ask'];
  return withDetails(cause, {
    message: `the key that is kept is refused: the old one is dead, and ${what}`,
    code: 'KEY_LOST',
    operationId,
    hint: `${source} the service for a new key, then: fiatrail profiles add ${profile.name} --key-stdin`,
  });
}

/** Before another command runs: finishes what a killed one left of this account. What cannot be finished is told, and no hindrance. */
export async function finishRotations(session: Session): Promise<void> {
  // A dry run sends and keeps nothing, of an earlier command either.
  if (session.globals.dryRun) return;
  try {
    await finishOpen(session);
  } catch (error) {
    if (error instanceof CliError && error.code === 'ROTATION_ENDED') return;
    const why = error instanceof Error ? error.message : String(error);
    const next = (error instanceof CliError && error.hint) || `finish with: ${RESUME_COMMAND}`;
    await session.say(`warning: a replacement of the API key is unfinished: ${why}; ${next}`);
  }
}

async function finishOpen(session: Session): Promise<void> {
  const { world, profile } = session;
  const journal = await session.journal();
  await tidyAfterKill(session);
  const open = journal.rotations.openOf({ profile: profile.name, baseUrl: profile.baseUrl });
  if (!open || !unfinishedRotations(world).includes(open.operationId)) return;
  const { keyFile } = await withRotationLock(session, open.operationId, () =>
    settleRotation(session, open.operationId),
  );
  const where = keyFile ? `it is in ${keyFile}` : `it is kept in ${open.keyPlace}`;
  await session.say(`an interrupted replacement of the API key was finished: ${where}`);
}
