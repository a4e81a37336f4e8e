import { apiKeyFrom } from '../../account/service-address.ts';
import { CliError, withDetails } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { replyOf } from '../../client/client.ts';
import { sealedExchange } from '../../client/sealing.ts';
import type { Sent } from '../../client/transport.ts';
import { regenerateApiKey } from '../../contract/endpoints/management.ts';
import type { RotationStage } from '../../journal/rotations.ts';
import type { Account } from '../account.ts';
import { sealingOf } from '../connect.ts';
import { readRotation, removeRotation, rotationFile, saveRotationPart } from './files.ts';

export const RESUME_COMMAND = 'fiatrail keys rotate --resume';

/** The error of a rotation that --resume can finish. After Ctrl-C its category is `interrupted` instead of `pending`. */
export function unfinishedRotation(
  { world }: Account,
  message: string,
  { code, operationId, cause, hint }: { code: string; operationId: string; cause?: unknown; hint?: string },
): CliError {
  const { aborted } = world.interrupted;
  const next = `finish with: ${RESUME_COMMAND}`;
  const details = { code, operationId, cause, hint: aborted ? next : (hint ?? next) };
  return new CliError(aborted ? 'interrupted' : 'pending', message, details);
}

/** Closes a rotation, and its operation, in which the key was not rotated. */
export async function giveUp(
  account: Account,
  operationId: string,
  stage: RotationStage,
  detail: string,
): Promise<void> {
  const journal = await account.journal();
  await record(account, () => journal.moveRotation(operationId, stage, 'refused', { detail }));
}

/** Writes to the journal. A failure is only a warning: the files of the rotation are enough to resume it. */
export async function record(account: Account, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch {
    await account.say(`warning: cannot write to the journal; once that is fixed, run: ${RESUME_COMMAND}`);
  }
}

/**
 * Reads the new key from the response and saves it in plain text before anything else happens to it. `unsaved` is a response
 * that the rotation process could not write to disk. Throws CliError.
 */
export async function readNewKey(account: Account, operationId: string, unsaved: string): Promise<Secret> {
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
      `cannot open the response with the new key: its body is sealed, but ${opened.response.unreadable.why}`,
      {
        code: 'ANSWER_SEALED',
        operationId,
        hint: `add the private key to this profile with: fiatrail keys encryption enable --private-key-stdin --yes < key.txt; then run: ${RESUME_COMMAND}`,
      },
    );
  }
  try {
    const { data } = replyOf(regenerateApiKey, {}, opened, await oldKey(account));
    return apiKeyFrom(data.apiKey ?? '', 'the new API key');
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if ('response' in opened && opened.response.isUnsealed && error.category === 'unknown')
      throw unsealedAnswer(account, operationId, error);
    if (error.category === 'unknown' || error.category === 'usage') throw await lost(account, operationId, sent, error);
    await giveUp(account, operationId, 'sending', error.message);
    throw withDetails(error, { operationId });
  }
}

/** The error of a plain response where sealed ones are required. It stays on disk, and the rotation open: it may have the new key. */
function unsealedAnswer({ world, profile }: Account, operationId: string, error: CliError): CliError {
  const file = rotationFile(world, operationId, 'answer');
  return withDetails(error, {
    message: `${profile.name}: ${error.message}${file ? ` (the response is saved in ${file})` : ''}`,
    operationId,
    hint: `if you expect plain responses, run: fiatrail profiles add ${profile.name} --sealing accept; then: ${RESUME_COMMAND}`,
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
  const opening = sealedExchange(async () => response, sealingOf(world, profile));
  return opening({ method: 'GET', url: profile.baseUrl, headers: {}, body: undefined }, new AbortController().signal);
}
