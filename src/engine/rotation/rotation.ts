import { storeSecret } from '../../account/changes.ts';
import { ROTATION_PROCESS, stateDir, unfinishedRotations } from '../../account/paths.ts';
import { apiKeyFrom } from '../../account/profile.ts';
import { advice } from '../../base/advice.ts';
import { CliError, withDetails } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { encryptedExchange, replyOf } from '../../client/client.ts';
import type { Sent } from '../../client/transport.ts';
import { regenerateApiKey } from '../../contract/endpoints/management.ts';
import { fingerprint } from '../../crypto/digest.ts';
import type { RotationMove } from '../../journal/interface.ts';
import { isOpenStage, type Rotation, type RotationStage } from '../../journal/rotations.ts';
import type { Account } from '../account.ts';
import { encryptionPolicyOf, tryAccount } from '../connection/connect.ts';
import {
  lockRotation,
  readRotation,
  removeRotation,
  removeRotationLocks,
  reserveRotation,
  rotationFile,
  saveKeyForUser,
  saveRotationPart,
} from './files.ts';
import { replaceInHolders } from './holders.ts';
import type { RotationOrder } from './process.ts';
import { giveUp, isWritable, push, RESUME_COMMAND, record, unfinishedRotation } from './steps.ts';

/** The time the rotation process gets in addition to its request, to start and to save the response. */
const PROCESS_EXTRA_MS = 30_000;

/** A completed rotation. */
export interface CompletedRotation {
  readonly rotation: Rotation;
  readonly key: Secret;
  /** The file with the new key in plain text, if no store on this machine has it. */
  readonly keyFile: string | undefined;
}

/** The error if another command is rotating the key, or did so while this one was preparing. */
export function alreadyRotating(name: string): CliError {
  return new CliError('declined', `the API key of ${name} is already being rotated; nothing was sent`, {
    code: 'ROTATION_UNDER_WAY',
    hint: `wait for the other command, or finish an interrupted rotation with: ${RESUME_COMMAND}`,
  });
}

/** Runs `work` under the rotation's lock, and cleans up afterwards. Throws CliError declined if another command holds the lock. */
export async function withRotationLock<T>(account: Account, operationId: string, work: () => Promise<T>): Promise<T> {
  const lock = await lockRotation(account.world, operationId, 'work', 0);
  if (!lock) {
    throw new CliError('declined', 'another command is finishing this rotation; nothing was sent', {
      code: 'ROTATION_UNDER_WAY',
      operationId,
      hint: 'wait for it to finish',
    });
  }
  try {
    return await work();
  } finally {
    // A later command can clean up; a failure here must not hide the result of the work.
    await cleanUp(account, operationId).catch(() => {});
    lock.release();
  }
}

/** Removes the files of a closed rotation, except one that may be the only copy of a key. Call it under the rotation's lock. */
async function cleanUp(account: Account, operationId: string): Promise<void> {
  const { world } = account;
  const { rotations } = await account.journal();
  const rotation = await rotations.find(operationId);
  const stage = rotation?.stage;
  if (stage && isOpenStage(stage)) return;
  // A later rotation succeeded, so the response of this one is no longer needed.
  const isOutdated = rotation?.stage === 'lost' && (await rotations.latestOf(rotation))?.stage === 'done';
  const isFinished = stage === 'done' || stage === 'rejected' || isOutdated;
  // If the rotation is lost or missing from the journal, non-empty files are kept for a person to look at.
  const parts = (['answer', 'key'] as const).filter(
    (part) => isFinished || readRotation(world, operationId, part) === undefined,
  );
  removeRotation(world, operationId, parts);
  removeRotationLocks(world, operationId);
}

/** Cleans up after a process that was killed when its rotation was closed, or not yet in the journal. */
export async function cleanUpAfterKill(account: Account): Promise<void> {
  const unfinished = unfinishedRotations(account.world);
  if (unfinished.length === 0) return;
  const journal = await account.journal();
  for (const operationId of unfinished) {
    const stage = (await journal.rotations.find(operationId))?.stage;
    if (stage && isOpenStage(stage)) continue;
    const lock = await lockRotation(account.world, operationId, 'work', 0);
    if (lock) await cleanUp(account, operationId).finally(() => lock.release());
  }
}

/** Reserves disk space for the new key and records the rotation in the journal. Throws CliError declined if another one is open. */
export async function beginRotation(
  account: Account,
  plan: Pick<Rotation, 'operationId' | 'keyLocation' | 'oldFingerprint' | 'pushes'>,
): Promise<void> {
  const {
    profile,
    world,
    command: { line: commandLine },
  } = account;
  const journal = await account.journal();
  reserveRotation(world, plan.operationId);
  const isOurs = await journal.prepareRotation(
    {
      kind: 'destructive',
      account: { keyFingerprint: plan.oldFingerprint, profile: profile.name, baseUrl: profile.baseUrl },
      input: '{}',
      profile: profile.name,
      mode: profile.mode,
      baseUrl: profile.baseUrl,
      endpoint: regenerateApiKey.id,
      effect: regenerateApiKey.effect,
      command: commandLine,
      summary: `rotate the API key of ${profile.name}`,
      request: '{}',
    },
    plan,
  );
  if (!isOurs) throw alreadyRotating(profile.name);
}

/** Has the rotation process send the request. Returns the response if the rotation process could not write it to its reserved file, else ''. */
export async function sendRotation(account: Account, operationId: string, apiKey: Secret | undefined): Promise<string> {
  const { world, profile, globals } = account;
  const { name, mode, baseUrl } = profile;
  const order: RotationOrder = {
    operationId,
    profile: { name, mode, baseUrl },
    apiKey: apiKey?.reveal(),
    timeoutMs: globals.timeoutMs,
  };
  const end = await world.runProgram([...world.self, ROTATION_PROCESS], {
    input: JSON.stringify(order),
    timeoutMs: globals.timeoutMs + PROCESS_EXTRA_MS,
    isDetached: true,
  });
  if (end.kind === 'ended') return end.stdout;
  if (world.interrupted.aborted) {
    throw new CliError('interrupted', 'interrupted; the key rotation continues in the background', {
      operationId,
      hint: `finish with: ${RESUME_COMMAND}`,
    });
  }
  return '';
}

/**
 * Reads the new key from the response and saves it in plain text before anything else happens to it. `unsaved` is a response
 * that the rotation process could not write to disk. Throws CliError.
 */
async function readNewKey(account: Account, operationId: string, unsaved: string): Promise<Secret> {
  const { world } = account;
  const text = readRotation(world, operationId, 'answer') ?? unsaved;
  const journal = await account.journal();
  if (text === '' && (await journal.rotations.find(operationId))?.stage === 'prepared') {
    await giveUp(account, operationId, 'prepared', 'nothing was sent');
    throw new CliError('network', 'the request could not be started; nothing was sent', {
      operationId,
      hint: 'run the command again',
    });
  }
  const key = await keyIn(account, operationId, parseSent(text));
  try {
    saveRotationPart(world, operationId, 'key', key.reveal());
    removeRotation(world, operationId, ['answer']);
  } catch {
    // The file with the response is kept, and contains the key.
  }
  return key;
}

const noAnswer = (reason: string): Sent => ({ noAnswer: 'network', sent: true, reason });

const TORN = 'only part of the response was saved';

/** Whether a person should look at the saved response: it may contain the key in an unexpected form. */
const mayContainKey = (sent: Sent) => 'response' in sent || sent.reason === TORN;

/** Parses the result that the rotation process saved. */
function parseSent(text: string): Sent {
  if (text === '') return noAnswer('the process that sent the request ended before a response arrived');
  try {
    return JSON.parse(text) as Sent;
  } catch {
    return noAnswer(TORN);
  }
}

async function keyIn(account: Account, operationId: string, sent: Sent): Promise<Secret> {
  const opened = 'response' in sent ? { response: await open(account, sent.response) } : sent;
  if ('response' in opened && opened.response.unreadable !== undefined) {
    throw unfinishedRotation(
      account,
      `cannot decrypt the response with the new key: its body is encrypted, but ${opened.response.unreadable.why}`,
      {
        code: 'RESPONSE_ENCRYPTED',
        operationId,
        hint: advice`add the private key to this profile with: [fiatrail keys encryption enable --private-key-stdin --yes] < key.txt; then run: ${RESUME_COMMAND}`,
      },
    );
  }
  try {
    const { data } = replyOf(regenerateApiKey, {}, opened, await oldKey(account));
    return apiKeyFrom(data.apiKey ?? '', 'the new API key');
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if ('response' in opened && opened.response.isUnencrypted && error.category === 'unknown')
      throw unencryptedResponse(account, operationId, error);
    if (error.category === 'unknown' || error.category === 'usage') throw await lost(account, operationId, sent, error);
    await giveUp(account, operationId, 'sending', error.message);
    throw withDetails(error, { operationId });
  }
}

/** The error of a plain response where encrypted ones are required. It stays on disk, and the rotation open: it may have the new key. */
function unencryptedResponse({ world, profile }: Account, operationId: string, error: CliError): CliError {
  const file = rotationFile(world, operationId, 'answer');
  return withDetails(error, {
    message: `${profile.name}: ${error.message}${file ? ` (the response is saved in ${file})` : ''}`,
    operationId,
    hint: advice`if you expect plain responses, run: [fiatrail profiles add ${profile.name} --encryption accept]; then: ${RESUME_COMMAND}`,
  });
}

/** The key to redact in the service's messages. If it cannot be read, nothing needs redacting. */
async function oldKey({ profile }: Account): Promise<Secret> {
  const key = await profile.key?.load().catch(() => undefined);
  return key ?? new Secret('no key is known');
}

/** Marks the rotation as lost, and returns the error: it is unknown whether the key was rotated. */
async function lost(account: Account, operationId: string, sent: Sent, error: CliError): Promise<CliError> {
  const journal = await account.journal();
  await record(account, () => journal.moveRotation(operationId, 'sending', 'lost', { detail: error.message }));
  if (!mayContainKey(sent)) removeRotation(account.world, operationId, ['answer']);
  const file = rotationFile(account.world, operationId, 'answer');
  const saved = file ? ` (the response is saved in ${file})` : '';
  return withDetails(error, {
    category: 'unknown',
    message: `${account.profile.name}: ${error.message}${saved}`,
    operationId,
    hint: `the old key may no longer work; find out and recover with: ${RESUME_COMMAND}`,
  });
}

function open({ world, profile }: Account, response: Extract<Sent, { response: unknown }>['response']) {
  const opening = encryptedExchange(async () => response, encryptionPolicyOf(world, profile));
  return opening({ method: 'GET', url: profile.baseUrl, headers: {}, body: undefined }, new AbortController().signal);
}

/** Records that a stage is reached, if it was not reached before. */
async function advance(
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

/** Writes the new key to the profile's store, if fiatrail can write to it, and to the other profiles that hold the old one. */
async function storeKey(account: Account, { operationId, oldFingerprint }: Rotation, key: Secret): Promise<void> {
  const { profile, world } = account;
  try {
    if (profile.stored && isWritable(profile)) await storeSecret(world, profile.stored, 'api-key', key);
    await replaceInHolders(world, profile, oldFingerprint, key);
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
  await advance(account, operationId, 'answered', 'stored');
}

/** Proves that the new key works by a read. */
async function prove(account: Account, operationId: string, key: Secret): Promise<void> {
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

/**
 * Completes a rotation from any stage; every step can be repeated. `unsaved` is a response that the rotation process could not write to disk.
 * Throws CliError: pending if the new key is safe but a step failed, unknown if no usable response arrived.
 */
export async function completeRotation(
  account: Account,
  operationId: string,
  unsaved = '',
): Promise<CompletedRotation> {
  const { world } = account;
  // A rotation process that printed the response has ended, and the folder of its lock may be gone.
  const sendLock = unsaved === '' ? await waitForRotationProcess(account, operationId) : undefined;
  try {
    await requireOpen(account, operationId);
    const saved = readRotation(world, operationId, 'key');
    const key = saved === undefined ? await readNewKey(account, operationId, unsaved) : new Secret(saved);
    // Before the key is stored: a command that already uses it must find the account's idempotency keys and unknown outcomes.
    const link = { newFingerprint: fingerprint(key) };
    const rotation = await advance(account, operationId, 'sending', 'answered', link);
    await storeKey(account, rotation, key);
    await prove(account, operationId, key);
    await push(account, rotation, key);
    return await finish(account, operationId, key);
  } finally {
    sendLock?.release();
  }
}

/** Throws CliError declined if another command finished the rotation before this one got the lock. */
async function requireOpen(account: Account, operationId: string): Promise<void> {
  const { rotations } = await account.journal();
  const stage = (await rotations.find(operationId))?.stage;
  if (stage && isOpenStage(stage)) return;
  throw new CliError('declined', 'another command has already finished this rotation', {
    code: 'ROTATION_ENDED',
    operationId,
    hint: advice`see the result with: [fiatrail ops list]`,
  });
}

async function finish(account: Account, operationId: string, key: Secret): Promise<CompletedRotation> {
  const { world, profile } = account;
  const journal = await account.journal();
  const { pushes } = (await journal.rotations.find(operationId)) ?? { pushes: [] };
  const isStored = profile.mode === 'embedded' || isWritable(profile) || pushes.length > 0;
  const keyFile = isStored ? undefined : saveKeyForUser(world, operationId);
  if (!isStored && !keyFile) {
    throw unfinishedRotation(
      account,
      'the API key was rotated and the new key works, but it could not be saved to a file',
      {
        code: 'KEY_NOT_KEPT',
        operationId,
        hint: `free some space for ${stateDir(world)}, then finish with: ${RESUME_COMMAND}`,
      },
    );
  }
  const rotation = await advance(account, operationId, 'proven', 'done');
  if (rotation.stage === 'done') return { rotation, key, keyFile };
  throw unfinishedRotation(
    account,
    'the API key was rotated and the new key works, but the journal could not be written',
    {
      code: 'JOURNAL_NOT_WRITTEN',
      operationId,
      hint: `free some space for the journal, then finish with: ${RESUME_COMMAND}`,
    },
  );
}

/** Waits until the rotation process has ended and takes its lock, which stops a late one from sending. Throws CliError. */
async function waitForRotationProcess(account: Account, operationId: string) {
  const { world, globals } = account;
  const deadlineMs = world.clock.now() + globals.timeoutMs + PROCESS_EXTRA_MS;
  for (;;) {
    const lock = await lockRotation(world, operationId, 'send', 0);
    if (lock) return lock;
    const notYet = () =>
      unfinishedRotation(account, 'the response with the new key has not arrived yet', {
        code: 'ROTATION_UNDER_WAY',
        operationId,
      });
    if (world.clock.now() >= deadlineMs) throw notYet();
    await world.clock.sleep(POLL_MS, world.interrupted).catch(() => {
      throw notYet();
    });
  }
}

const POLL_MS = 50;
