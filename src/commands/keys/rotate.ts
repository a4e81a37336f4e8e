import { type Profile, storeFor } from '../../account/profile.ts';
import { openStore, requireWritable } from '../../account/stores/stores.ts';
import { CliError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import { command } from '../../cli/command.ts';
import { confirmRequest } from '../../cli/confirm.ts';
import { askFor } from '../../cli/input.ts';
import type { Outcome } from '../../cli/outcome.ts';
import { repeated, switchOn, word } from '../../cli/parameters.ts';
import { prepareRequest, type Session } from '../../cli/session.ts';
import { showEquivalentCommand } from '../../cli/wizard.ts';
import { getPlatformPublicKey, regenerateApiKey } from '../../contract/endpoints/management.ts';
import { fingerprint } from '../../crypto/fingerprint.ts';
import { giveUp } from '../../rotation/answer.ts';
import { pushWords } from '../../rotation/push.ts';
import { currentKey, finished, printedFields, resume } from '../../rotation/resume.ts';
import {
  alreadyRotating,
  beginRotation,
  cleanUpAfterKill,
  completeRotation,
  sendRotation,
  withRotationLock,
} from '../../rotation/rotation.ts';
import { isWritable } from '../../rotation/steps.ts';

interface Input {
  readonly pushCommand: readonly string[] | undefined;
  readonly printKey: boolean | undefined;
}

/** Where the new key will be kept, for people. */
function placeOf({ mode, stored }: Profile): string {
  if (mode === 'embedded') return 'the sandbox';
  const words = {
    file: 'its file',
    keyring: 'the key store of the system',
    command: 'what its key command reads',
  } as const;
  const kind = stored?.store.kind;
  return kind === undefined || kind === 'environment' ? 'nowhere on this machine' : words[kind];
}

/** Everything that could go wrong after the old key is dead is tried while it lives. Throws CliError; nothing was changed. */
async function requireRotatable(
  session: Session,
  { pushCommand = [], printKey }: Input,
  apiKey: Secret,
): Promise<void> {
  const { world, profile } = session;
  for (const text of pushCommand) pushWords(world, text);
  const { stored } = profile;
  if (stored && isWritable(profile)) {
    const store = await openStore(world, storeFor(stored, 'api-key'));
    await requireWritable(store, profile.name, world.ids);
    if (profile.key?.from === 'FIATRAIL_API_KEY')
      requireSame(profile, await store.read(profile.name, 'api-key'), apiKey);
  } else if (profile.mode !== 'embedded' && pushCommand.length === 0 && !printKey) {
    throw new CliError('usage', `the new key could not be kept: ${profile.name} takes its key from ${from(profile)}`, {
      code: 'NO_STORE',
      hint: 'add --push-command "PROGRAM WORDS", which gets the new key on its standard input, or --print-key',
    });
  }
  await session.call(getPlatformPublicKey, {}, { isBeforehand: true });
}

/** The new key takes the place of the one that is stored, which nobody else may have. Throws CliError usage where the variable has another. */
function requireSame({ name }: Profile, stored: Secret | undefined, apiKey: Secret): void {
  if (!stored || stored.reveal() === apiKey.reveal()) return;
  throw new CliError('usage', `FIATRAIL_API_KEY is another key than that of the profile ${name}, which would be lost`, {
    code: 'TWO_KEYS',
    hint: 'unset FIATRAIL_API_KEY to replace the key of the profile, or add a profile for the key of the variable',
  });
}

const from = ({ stored }: Profile) => (stored?.store.kind === 'command' ? 'a command' : 'FIATRAIL_API_KEY');

function confirmation({ profile }: Session, { pushCommand = [] }: Input, oldKey: string) {
  return [
    ['key', `${oldKey} (fingerprint) dies at once; the service sends the new one only now`],
    ['kept in', placeOf(profile)],
    ...pushCommand.map((text, index) => [index ? '' : 'pushed by', text] as const),
  ] as const;
}

async function isUnderWay(session: Session): Promise<boolean> {
  const { name, baseUrl } = session.profile;
  return (await session.journal()).rotations.openOf({ profile: name, baseUrl }) !== undefined;
}

/** Tries out what can be; a key that died because another command replaces it is told as that. Throws CliError. */
async function rotatable(session: Session, input: Input): Promise<Secret> {
  if (await isUnderWay(session)) throw alreadyRotating(session.profile.name);
  const apiKey = await currentKey(session);
  try {
    await requireRotatable(session, input, apiKey);
  } catch (error) {
    const isDead = error instanceof CliError && error.category === 'auth';
    if (isDead && ((await isUnderWay(session)) || fingerprint(await currentKey(session)) !== fingerprint(apiKey)))
      throw alreadyRotating(session.profile.name);
    throw error;
  }
  return apiKey;
}

async function rotate(session: Session, input: Input): Promise<Outcome> {
  const { profile, world } = session;
  const oldFingerprint = fingerprint(await rotatable(session, input));
  // The keeper sends the request, so it is only checked here.
  await prepareRequest(session, regenerateApiKey, {}, { prints: printedFields(input) });
  await confirmRequest(session, profile, regenerateApiKey.effect, {
    summary: `replace the API key of ${profile.name}`,
    lines: confirmation(session, input, oldFingerprint),
  });
  const operationId = world.ids.uuid();
  // Held before anybody else can see that there is something to finish.
  return withRotationLock(session, operationId, async () => {
    const pushes = input.pushCommand ?? [];
    await beginRotation(session, { operationId, keyPlace: placeOf(profile), oldFingerprint, pushes });
    const apiKey = await sameKey(session, operationId, oldFingerprint);
    const spare = await sendRotation(session, operationId, profile.key ? apiKey : undefined);
    session.noteChanged({ operationId, requestId: undefined });
    return finished(session, await completeRotation(session, operationId, spare), input);
  });
}

/** The key that was agreed to be replaced, unless another command replaced it while this one asked. Throws CliError declined. */
async function sameKey(session: Session, operationId: string, oldFingerprint: string): Promise<Secret> {
  const apiKey = await currentKey(session).catch(() => undefined);
  if (apiKey && fingerprint(apiKey) === oldFingerprint) return apiKey;
  await giveUp(session, operationId, 'prepared', 'the key is another one by now');
  throw new CliError('declined', `the key of ${session.profile.name} is another one by now; nothing was sent`, {
    code: 'KEY_CHANGED',
    operationId,
    hint: 'run the command again to replace that one',
  });
}

/** Asks for what the flags would say: whether to finish what another command left, and who else gets the new key. */
async function guide(session: Session, given: Partial<Input> & { readonly resume?: boolean | undefined }) {
  const { world, profile } = session;
  if (given.resume || given.pushCommand || given.printKey) return undefined;
  const prompter = await world.prompter();
  const journal = await session.journal();
  const isUnfinished = journal.rotations.openOf({ profile: profile.name, baseUrl: profile.baseUrl }) !== undefined;
  if (isUnfinished && (await prompter.confirm('An earlier replacement is unfinished. Finish it?', true)))
    return { values: { resume: true }, end: () => showEquivalentCommand(session, ['keys', 'rotate', '--resume']) };
  const pushCommand = await askPushes(session);
  const words = pushCommand.flatMap((text) => ['--push-command', text]);
  return {
    values: { pushCommand },
    end: () => showEquivalentCommand(session, ['keys', 'rotate', ...words, ...(session.globals.yes ? [] : ['--yes'])]),
  };
}

async function askPushes(session: Session): Promise<string[]> {
  const { world, profile } = session;
  const isNeeded = profile.mode !== 'embedded' && !isWritable(profile);
  const all: string[] = [];
  const parse = (text: string) => {
    if (text === '' && isNeeded && all.length === 0)
      throw new CliError(
        'usage',
        `${profile.name} takes its key from ${from(profile)}, so the new one must go somewhere`,
        { hint: 'write a program that takes it on its standard input' },
      );
    if (text !== '') pushWords(world, text);
    return text;
  };
  for (;;) {
    const more = all.length === 0 ? 'A command that gets the new key on its standard input' : 'Another one';
    const text = await askFor({ question: `${more} (Enter for none):`, parse }, session);
    if (text === '') return all;
    all.push(text);
  }
}

export const rotateCommand = command({
  words: ['keys', 'rotate'],
  summary: 'Replace the API key; the old one dies at once',
  details:
    'Store, key and push commands are tried first. The request is sent once, by a process that outlives this one, and its answer is on the disk before anything else is done with it: whatever ends this command, the next one finishes. Exit code 8: the new key is safe, and something is left to do. Each push command gets the new key on its standard input, without a line end; with --resume, push commands take the place of those that have not got it yet.',
  examples: [
    'fiatrail keys rotate',
    'fiatrail keys rotate --push-command "vault kv put kv/fiatrail key=-" --yes --no-input -o json',
    'fiatrail keys rotate --resume',
    'fiatrail keys rotate --resume --push-command "vault kv put kv/fiatrail key=-"',
  ],
  endpoints: [regenerateApiKey.id, getPlatformPublicKey.id],
  finishesRotations: true,
  parameters: {
    pushCommand: repeated(
      '--push-command <command>',
      'a program that gets the new key on standard input; may be repeated',
      word,
    ),
    printKey: switchOn('--print-key', 'print the new key too'),
    resume: switchOn('--resume', 'finish a replacement that was interrupted'),
  },
  guide,
  run: async (session, { pushCommand, printKey, resume: isResumed }) => {
    if (!session.globals.dryRun) await cleanUpAfterKill(session);
    return (isResumed ? resume : rotate)(session, { pushCommand, printKey });
  },
});
