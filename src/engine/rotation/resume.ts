import { unfinishedRotations } from '../../account/paths.ts';
import { advice } from '../../base/advice.ts';
import { CliError, withDetails } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import { getPlatformPublicKey } from '../../contract/endpoints/management.ts';
import { fingerprint } from '../../crypto/digest.ts';
import { isOpenStage, type Rotation } from '../../journal/rotations.ts';
import type { Account } from '../account.ts';
import { openAccount } from '../connection/connect.ts';
import type { Outcome } from '../outcome.ts';
import { endDryRun } from '../requests.ts';
import { rotationFile } from './files.ts';
import { holdersOf, type KeyHolders } from './holders.ts';
import { type CompletedRotation, cleanUpAfterKill, completeRotation, withRotationLock } from './rotation.ts';
import { pushWords, RESUME_COMMAND } from './steps.ts';

interface PrintInput {
  readonly printKey: boolean | undefined;
}

interface ResumeInput extends PrintInput {
  readonly pushCommand: readonly string[] | undefined;
}

/** Returns the key in use; an embedded sandbox knows its own. */
export async function currentKey({ world, profile }: Account): Promise<Secret> {
  if (profile.key) return profile.key.load();
  const { apiKey, close } = await openAccount(world, profile);
  await close();
  return apiKey;
}

/** Returns the result of a completed rotation, with a warning if the environment still has the old key. */
export async function finished(account: Account, completed: CompletedRotation, input: PrintInput): Promise<Outcome> {
  const { profile } = account;
  // The variable takes precedence over the store, in later commands too.
  if (profile.key?.from === 'FIATRAIL_API_KEY')
    await account.notices.say(
      'warning: FIATRAIL_API_KEY still contains the old key; unset it or set it to the new key',
    );
  const { world } = account;
  const { elsewhere } = await holdersOf(world, profile, completed.rotation.oldFingerprint);
  for (const { name, why } of elsewhere)
    await account.notices.say(`warning: profile ${name} ${why}; if that is the old key, give it the new one`);
  const { stored } = await holdersOf(world, profile, fingerprint(completed.key));
  return outcomeOf(
    completed,
    input,
    stored.map(({ name }) => name),
  );
}

/** The fields of a completed rotation, so that --fields is validated before the key is rotated. */
export function printedFields(
  { pushCommand = [], printKey }: Pick<ResumeInput, 'pushCommand'> & PrintInput,
  { stored }: KeyHolders,
): string[] {
  return [
    'profile',
    'outcome',
    'oldFingerprint',
    'fingerprint',
    'storedIn',
    ...(stored.length > 0 ? ['alsoStoredFor'] : []),
    ...(pushCommand.length > 0 ? ['pushedTo'] : []),
    ...(printKey ? ['apiKey'] : []),
    'operationId',
  ];
}

function outcomeOf(
  { rotation, key, keyFile }: CompletedRotation,
  { printKey }: PrintInput,
  alsoStoredFor: readonly string[],
): Outcome {
  return {
    result: {
      data: {
        profile: rotation.profile,
        outcome: 'replaced',
        oldFingerprint: rotation.oldFingerprint,
        fingerprint: fingerprint(key),
        storedIn: rotation.keyLocation,
        ...(alsoStoredFor.length > 0 ? { alsoStoredFor } : {}),
        ...(rotation.pushes.length > 0 ? { pushedTo: rotation.pushes.length } : {}),
        ...(keyFile ? { keyFile } : {}),
        ...(printKey ? { apiKey: key.reveal() } : {}),
        operationId: rotation.operationId,
      },
    },
  };
}

/** Completes the unfinished rotation of the account. If the latest one was lost, finds out whether the key was rotated. */
export async function resume(account: Account, input: ResumeInput): Promise<Outcome> {
  const { profile } = account;
  const journal = await account.journal();
  const rotation = await journal.rotations.openOf({ profile: profile.name, baseUrl: profile.baseUrl });
  if (rotation) {
    const { operationId, stage, pushes } = rotation;
    const { pushCommand } = input;
    for (const text of pushCommand ?? []) pushWords(account.world, text);
    endDryRun(account, { profile: profile.name, operationId, stage, pushCommands: pushCommand ?? pushes });
    return withRotationLock(account, operationId, async () => {
      if (pushCommand) await journal.rotations.pushInstead(operationId, pushCommand);
      return finished(account, await completeRotation(account, operationId), input);
    });
  }
  const latest = await journal.rotations.latestOf({ profile: profile.name, baseUrl: profile.baseUrl });
  if (latest?.stage !== 'lost') {
    throw new CliError('usage', `profile ${profile.name} has no unfinished key rotation`, {
      code: 'NOTHING_TO_RESUME',
      hint: advice`start a rotation with: [fiatrail keys rotate]`,
    });
  }
  return afterLost(account, latest);
}

/** Closes a lost rotation because a key works, and removes its files. Without a new key, the old one works. */
async function closeLost(account: Account, operationId: string, newFingerprint: string | undefined): Promise<void> {
  await withRotationLock(account, operationId, async () => {
    const journal = await account.journal();
    if (newFingerprint === undefined)
      await journal.moveRotation(operationId, 'lost', 'rejected', { detail: 'the old key still works' });
    else
      await journal.moveRotation(operationId, 'lost', 'done', { detail: 'a different key works now', newFingerprint });
  });
}

/** Finds out what a lost rotation did: it did nothing if the old key still works. */
async function afterLost(account: Account, { operationId, oldFingerprint }: Rotation): Promise<Outcome> {
  const { profile } = account;
  try {
    await account.call(getPlatformPublicKey, {}, { isBeforehand: true });
  } catch (error) {
    // A 403, for an address that is not on the allowlist, says nothing about the key.
    if (!(error instanceof CliError) || error.httpStatus !== 401) throw error;
    throw keyLost(account, operationId, error);
  }
  const print = fingerprint(await currentKey(account));
  const isOld = print === oldFingerprint;
  if (!account.globals.dryRun) await closeLost(account, operationId, isOld ? undefined : print);
  await account.notices.note(
    isOld ? 'the API key was not rotated: the old key still works' : 'the stored API key works',
  );
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

function keyLost({ world, profile }: Account, operationId: string, cause: CliError): CliError {
  const file = rotationFile(world, operationId, 'answer');
  const [what, source] = file
    ? [
        `the new one is in a response that could not be read, saved in ${file}`,
        'take the new key from that file, or ask',
      ]
    : ['the new one never arrived', 'ask'];
  return withDetails(cause, {
    message: `the service rejects the stored API key: it was rotated, and ${what}`,
    code: 'KEY_LOST',
    operationId,
    hint: advice`${source} the service for a new key; then store it with: [fiatrail profiles add ${profile.name} --key-stdin]`,
  });
}

/** Finishes a rotation that a killed command left, before another command runs. A failure is only a warning. */
export async function finishRotations(account: Account): Promise<void> {
  // A dry run sends and changes nothing, not even for an earlier command.
  if (account.globals.dryRun) return;
  try {
    await finishOpen(account);
  } catch (error) {
    if (error instanceof CliError && error.code === 'ROTATION_ENDED') return;
    const why = error instanceof Error ? error.message : String(error);
    const next = (error instanceof CliError && error.hint) || `finish with: ${RESUME_COMMAND}`;
    await account.notices.say(`warning: an API key rotation is unfinished: ${why}; ${next}`);
  }
}

/** Returns the open rotation of another profile with the key of this one, which that rotation replaces here too. */
async function openWithThisKey(account: Account, operationIds: readonly string[]): Promise<Rotation | undefined> {
  const { rotations } = await account.journal();
  for (const operationId of operationIds) {
    const rotation = await rotations.find(operationId);
    if (!rotation || !isOpenStage(rotation.stage) || rotation.baseUrl !== account.profile.baseUrl) continue;
    if (fingerprint(await currentKey(account)) === rotation.oldFingerprint) return rotation;
  }
  return undefined;
}

async function finishOpen(account: Account): Promise<void> {
  const { world, profile } = account;
  const journal = await account.journal();
  await cleanUpAfterKill(account);
  const unfinished = unfinishedRotations(world);
  const own = await journal.rotations.openOf({ profile: profile.name, baseUrl: profile.baseUrl });
  const open = own ?? (await openWithThisKey(account, unfinished));
  if (!open || !unfinished.includes(open.operationId)) return;
  const { keyFile } = await withRotationLock(account, open.operationId, () =>
    completeRotation(account, open.operationId),
  );
  await account.notices.say(
    `finished an interrupted API key rotation; new key stored in: ${keyFile ?? open.keyLocation}`,
  );
}
