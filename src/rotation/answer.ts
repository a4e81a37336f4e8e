import { apiKeyFrom } from '../account/api-key.ts';
import { CliError, withDetails } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import { sealingOf } from '../cli/connect.ts';
import type { Session } from '../cli/session.ts';
import { replyOf } from '../client/client.ts';
import { sealedExchange } from '../client/sealing.ts';
import type { Sent } from '../client/transport.ts';
import { regenerateApiKey } from '../contract/endpoints/management.ts';
import type { RotationStage } from '../journal/rotations.ts';
import { readRotation, removeRotation, rotationFile, saveRotationPart } from './files.ts';

export const RESUME_COMMAND = 'fiatrail keys rotate --resume';

/** The new key is safe, or may still come, and something is to be done with it; a Ctrl-C in the midst of that is told as one. */
export function unfinishedRotation(
  { world }: Session,
  message: string,
  { code, operationId, cause, hint }: { code: string; operationId: string; cause?: unknown; hint?: string },
): CliError {
  const { aborted } = world.interrupted;
  const next = `finish with: ${RESUME_COMMAND}`;
  const details = { code, operationId, cause, hint: aborted ? next : (hint ?? next) };
  return new CliError(aborted ? 'interrupted' : 'pending', message, details);
}

/** A replacement that came to nothing is closed, with its operation. */
export async function giveUp(
  session: Session,
  operationId: string,
  stage: RotationStage,
  detail: string,
): Promise<void> {
  const journal = await session.journal();
  await record(session, () => {
    journal.moveRotation(operationId, stage, 'refused', detail);
  });
}

/** What is known is not lost because it cannot be written down: the files of the replacement tell the rest. */
export async function record(session: Session, write: () => void): Promise<void> {
  try {
    write();
  } catch {
    await session.say(`warning: the journal could not be written; once it can, run: ${RESUME_COMMAND}`);
  }
}

/** The new key from the answer, kept in clear before anything else is done with it. Throws CliError. */
export async function keyOfAnswer(session: Session, operationId: string, spare: string): Promise<Secret> {
  const { world } = session;
  const text = readRotation(world, operationId, 'answer') ?? spare;
  const journal = await session.journal();
  if (text === '' && journal.rotations.find(operationId)?.stage === 'prepared') {
    await giveUp(session, operationId, 'prepared', 'nothing was sent');
    throw new CliError('network', 'the request could not be started; nothing was sent', {
      operationId,
      hint: 'run the command again',
    });
  }
  const key = await readAnswer(session, operationId, sentOf(text));
  try {
    saveRotationPart(world, operationId, 'key', key.reveal());
    removeRotation(world, operationId, ['answer']);
  } catch {
    // The answer that has it stays.
  }
  return key;
}

const noAnswer = (reason: string): Sent => ({ noAnswer: 'network', sent: true, reason });

const TORN = 'the answer was not written whole';

/** An answer without a key that can be used may have it in another form: it stays for a person to look at. */
const isWorthALook = (sent: Sent) => 'response' in sent || sent.reason === TORN;

/** What was kept of the sending. */
function sentOf(text: string): Sent {
  if (text === '') return noAnswer('the process that sent it ended before an answer came');
  try {
    return JSON.parse(text) as Sent;
  } catch {
    return noAnswer(TORN);
  }
}

async function readAnswer(session: Session, operationId: string, sent: Sent): Promise<Secret> {
  const opened = 'response' in sent ? { response: await open(session, sent.response) } : sent;
  if ('response' in opened && opened.response.unreadable !== undefined) {
    throw unfinishedRotation(session, `the answer with the new key cannot be read: ${opened.response.unreadable}`, {
      code: 'ANSWER_SEALED',
      operationId,
      hint: `give this profile the private key with: fiatrail keys encryption enable --private-key-stdin; then: ${RESUME_COMMAND}`,
    });
  }
  try {
    const { data } = replyOf(regenerateApiKey, {}, opened, await oldKey(session));
    return apiKeyFrom(data.apiKey ?? '', 'the new API key');
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.category === 'unknown' || error.category === 'usage') throw await lost(session, operationId, sent, error);
    await giveUp(session, operationId, 'sending', error.message);
    throw withDetails(error, { operationId });
  }
}

/** To be struck out of what the service says. Where a key cannot be read there is none to strike out. */
async function oldKey({ profile }: Session): Promise<Secret> {
  const key = await profile.key?.load().catch(() => undefined);
  return key ?? new Secret('no key is known');
}

/** Nobody knows whether the key was replaced. */
async function lost(session: Session, operationId: string, sent: Sent, error: CliError): Promise<CliError> {
  const journal = await session.journal();
  await record(session, () => {
    journal.moveRotation(operationId, 'sending', 'lost', error.message);
  });
  if (!isWorthALook(sent)) removeRotation(session.world, operationId, ['answer']);
  const file = rotationFile(session.world, operationId, 'answer');
  const seen = file ? ` (the answer is kept in ${file})` : '';
  return withDetails(error, {
    category: 'unknown',
    message: `${session.profile.name}: ${error.message}${seen}`,
    operationId,
    hint: `the old key may be dead: find out, and what to do then, with: ${RESUME_COMMAND}`,
  });
}

function open({ world, profile }: Session, response: Extract<Sent, { response: unknown }>['response']) {
  const opening = sealedExchange(async () => response, sealingOf(world, profile));
  return opening({ method: 'GET', url: profile.baseUrl, headers: {}, body: undefined }, new AbortController().signal);
}
