import { apiKeyFrom } from '../account/api-key.ts';
import { keepSecret } from '../account/keeping.ts';
import type { Profile } from '../account/profile.ts';
import { pushKey } from '../account/push.ts';
import {
  KEEPER_WORD,
  keepRotation,
  lockRotation,
  readRotation,
  removeRotation,
  reserveRotation,
  rotationFile,
} from '../account/rotation-files.ts';
import { replyOf } from '../client/client.ts';
import { sealedExchange } from '../client/sealing.ts';
import type { Sent } from '../client/transport.ts';
import { getPlatformPublicKey, regenerateApiKey } from '../contract/management.ts';
import { CliError } from '../exit.ts';
import type { Rotation, RotationStage } from '../journal/rotation.ts';
import { Secret } from '../secret.ts';
import { connect, sealingOf } from './connect.ts';
import type { KeeperOrder } from './keeper.ts';
import type { Session } from './session.ts';

/** Beyond the time its request has: to start, and to write the answer down. */
const KEEPER_EXTRA_MS = 30_000;

const RESUME = 'fiatrail keys rotate --resume';

/** The new key is safe, and something is still to be done with it. */
function unfinished(message: string, code: string, operationId: string, cause?: unknown, hint?: string): CliError {
  return new CliError('pending', message, { code, operationId, cause, hint: hint ?? `finish with: ${RESUME}` });
}

/** How a replacement ended. */
export interface Settled {
  readonly rotation: Rotation;
  readonly key: Secret;
  /** Where the new key stands in clear, when no store of this machine has it. */
  readonly keyFile: string | undefined;
}

/** Writes a replacement down and takes the room for its key. Throws CliError declined when another one is not at an end. */
export async function beginRotation(
  session: Session,
  plan: Pick<Rotation, 'keyPlace' | 'oldFingerprint' | 'pushes'>,
): Promise<string> {
  const { profile, world, commandLine } = session;
  const journal = await session.journal();
  const operationId = journal.prepareRotation(
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
  if (operationId === undefined) {
    throw new CliError('declined', `the key of ${profile.name} is being replaced already; nothing was sent`, {
      code: 'ROTATION_UNDER_WAY',
      hint: `wait for the other command, or finish what it left with: ${RESUME}`,
    });
  }
  try {
    reserveRotation(world, operationId);
  } catch (error) {
    await giveUp(session, operationId, 'prepared', 'nothing was sent: there is no room to keep the new key');
    throw error;
  }
  return operationId;
}

/** Has the keeper send the request; gives back what it could not write to the disk. */
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
  if (world.interrupted.aborted) {
    throw new CliError('interrupted', 'interrupted while the key is replaced; that goes on without this command', {
      operationId,
      hint: `finish with: ${RESUME}`,
    });
  }
  return end.kind === 'ended' ? end.stdout : '';
}

/** A replacement that came to nothing is closed, with the operation in the journal. */
async function giveUp(session: Session, operationId: string, stage: RotationStage, detail: string): Promise<void> {
  const journal = await session.journal();
  if (journal.rotations.move(operationId, stage, 'refused')) journal.refused(operationId, detail);
  removeRotation(session.world, operationId);
}

/** What is known is not lost because it cannot be written down: the files of the replacement tell the rest. */
async function record(session: Session, write: () => void): Promise<void> {
  try {
    write();
  } catch {
    await session.say(
      'warning: the journal could not be written; what the disk has of the new key is enough to finish',
    );
  }
}

/**
 * Brings a replacement to its end from wherever it stands: every step may be done twice. `spare` is what the keeper could
 * not write. Throws CliError: pending when the new key is safe and something is left to do, unknown when no answer came.
 */
export async function settleRotation(session: Session, operationId: string, spare = ''): Promise<Settled> {
  const { world } = session;
  const sending = await keeperGone(session, operationId);
  try {
    const kept = readRotation(world, operationId, 'key');
    const key = kept === undefined ? await keyOfAnswer(session, operationId, spare) : new Secret(kept);
    const rotation = await advance(session, operationId, 'sending', 'answered');
    await storeKey(session, operationId, key);
    await prove(session, operationId, key);
    await push(session, rotation, key);
    await advance(session, operationId, 'proven', 'done');
    const isKept = session.profile.mode === 'embedded' || isWritable(session.profile) || rotation.pushes.length > 0;
    if (isKept) removeRotation(world, operationId);
    return { rotation, key, keyFile: isKept ? undefined : rotationFile(world, operationId, 'key') };
  } finally {
    sending.release();
  }
}

/** Waits for the keeper to end, and keeps one that is late from beginning. Throws CliError. */
async function keeperGone({ world, globals }: Session, operationId: string) {
  const deadlineMs = world.clock.now() + globals.timeoutMs + KEEPER_EXTRA_MS;
  for (;;) {
    const lock = await lockRotation(world, operationId, 'send', 0);
    if (lock) return lock;
    const stillOut = unfinished('the answer with the new key has not come yet', 'ROTATION_UNDER_WAY', operationId);
    if (world.clock.now() >= deadlineMs) throw stillOut;
    await world.clock.sleep(POLL_MS, world.interrupted).catch(() => {
      throw stillOut;
    });
  }
}

const POLL_MS = 50;

/** Notes that a stage is reached, unless it was before. */
async function advance(
  session: Session,
  operationId: string,
  from: RotationStage,
  to: RotationStage,
): Promise<Rotation> {
  const journal = await session.journal();
  await record(session, () => {
    if (journal.rotations.move(operationId, from, to) && to === 'answered') journal.accepted(operationId, undefined);
  });
  const rotation = journal.rotations.find(operationId);
  if (!rotation) throw new Error(`the journal has no rotation ${operationId}`);
  return rotation;
}

/** The new key from the answer, kept in clear before anything else is done with it. Throws CliError. */
async function keyOfAnswer(session: Session, operationId: string, spare: string): Promise<Secret> {
  const { world } = session;
  const text = readRotation(world, operationId, 'answer') ?? spare;
  const journal = await session.journal();
  const stage = journal.rotations.find(operationId)?.stage ?? 'lost';
  if (text === '' && stage === 'prepared') {
    await giveUp(session, operationId, stage, 'nothing was sent');
    throw new CliError('network', 'the request could not be started; nothing was sent', {
      operationId,
      hint: 'run the command again',
    });
  }
  const sent = text === '' ? NO_ANSWER : (JSON.parse(text) as Sent);
  const key = await readAnswer(session, operationId, sent);
  try {
    keepRotation(world, operationId, 'key', key.reveal());
    removeRotation(world, operationId, ['answer']);
  } catch {
    // The answer that has it stays.
  }
  return key;
}

const NO_ANSWER: Sent = {
  noAnswer: 'network',
  sent: true,
  reason: 'the process that sent it ended before an answer came',
};

async function readAnswer(session: Session, operationId: string, sent: Sent): Promise<Secret> {
  const { world, profile } = session;
  const opened = 'response' in sent ? { response: await open(session, sent.response) } : sent;
  if ('response' in opened && opened.response.unreadable !== undefined) {
    throw unfinished(
      `the answer with the new key cannot be read: ${opened.response.unreadable}`,
      'ANSWER_SEALED',
      operationId,
      undefined,
      `give this profile the private key with: fiatrail keys encryption enable --private-key-stdin; then: ${RESUME}`,
    );
  }
  try {
    const { data } = replyOf(regenerateApiKey, {}, opened, new Secret(''));
    return apiKeyFrom(data.apiKey ?? '', 'the new API key');
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.category !== 'unknown' && error.category !== 'usage') {
      await giveUp(session, operationId, 'sending', error.message);
      throw withOperation(error, operationId);
    }
    const journal = await session.journal();
    await record(session, () => {
      if (journal.rotations.move(operationId, 'sending', 'lost')) journal.unknown(operationId, error.message);
    });
    // An answer without a key that can be used may have it in another form: it stays for a person to look at.
    const hasAnswer = 'response' in sent;
    if (!hasAnswer) removeRotation(world, operationId);
    const seen = hasAnswer ? ` (the answer is kept in ${rotationFile(world, operationId, 'answer')})` : '';
    throw new CliError('unknown', `${profile.name}: ${error.message}${seen}`, {
      code: error.code,
      operationId,
      hint: `the old key may be dead: find out, and what to do then, with: ${RESUME}`,
      cause: error,
    });
  }
}

function withOperation(error: CliError, operationId: string): CliError {
  const { code, hint, httpStatus, responseCode } = error;
  return new CliError(error.category, error.message, {
    code,
    hint,
    httpStatus,
    responseCode,
    operationId,
    cause: error,
  });
}

function open({ world, profile }: Session, response: Extract<Sent, { response: unknown }>['response']) {
  const opening = sealedExchange(async () => response, sealingOf(world, profile));
  return opening({ method: 'GET', url: profile.baseUrl, headers: {}, body: undefined }, new AbortController().signal);
}

/** Whether this program can put a new key where the profile's key comes from; an embedded sandbox keeps its own. */
export function isWritable({ stored, mode }: Profile): boolean {
  return mode !== 'embedded' && (stored?.store.kind === 'file' || stored?.store.kind === 'keyring');
}

async function storeKey(session: Session, operationId: string, key: Secret): Promise<void> {
  const { profile, world } = session;
  if (profile.stored && isWritable(profile)) {
    try {
      await keepSecret(world, profile.stored, 'api-key', key);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const file = placeOfKey(session, operationId);
      throw unfinished(
        `the key was replaced, and the new one could not be stored: ${why}; it is in ${file}`,
        'KEY_NOT_STORED',
        operationId,
        error,
        `mend the store, then finish with: ${RESUME}`,
      );
    }
  }
  await advance(session, operationId, 'answered', 'stored');
}

function placeOfKey({ world }: Session, operationId: string): string {
  const part = readRotation(world, operationId, 'key') === undefined ? 'answer' : 'key';
  return rotationFile(world, operationId, part);
}

/** A read goes through with the new key. */
async function prove(session: Session, operationId: string, key: Secret): Promise<void> {
  const { world, profile, globals } = session;
  const withKey = profile.key ? { ...profile, key: { from: 'rotation', load: async () => key } } : profile;
  try {
    const connection = await connect(world, withKey, globals);
    await connection.client.call(getPlatformPublicKey, {}).finally(() => connection.close());
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw unfinished(
      `the key was replaced and is kept, and a read with the new one failed: ${error.message}`,
      'NEW_KEY_NOT_PROVEN',
      operationId,
      error,
    );
  }
  await advance(session, operationId, 'stored', 'proven');
}

async function push(session: Session, { operationId, pushes, pushed }: Rotation, key: Secret): Promise<void> {
  const journal = await session.journal();
  for (const [index, words] of pushes.entries()) {
    if (index < pushed) continue;
    const problem = await pushKey(session.world, words, key);
    if (problem !== undefined) {
      throw unfinished(
        `the key was replaced and works, and push command ${index + 1} of ${pushes.length} ${problem}`,
        'PUSH_FAILED',
        operationId,
      );
    }
    await record(session, () => journal.rotations.pushed(operationId, index + 1));
  }
  await requireSameKey(session, operationId, key);
}

/** What a key command prints must be the new key by now: somebody else keeps it. */
async function requireSameKey({ profile }: Session, operationId: string, key: Secret): Promise<void> {
  if (profile.stored?.store.kind !== 'command' || !profile.key) return;
  const found = await profile.key.load().catch((error: unknown) => {
    if (error instanceof CliError) return undefined;
    throw error;
  });
  if (found?.reveal() === key.reveal()) return;
  throw unfinished(
    'the key was replaced and works, and the key command does not print it yet',
    'KEY_COMMAND_OLD',
    operationId,
  );
}
