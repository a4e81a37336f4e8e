import type { Profile } from '../account/profile.ts';
import { storeFor } from '../account/profile.ts';
import { pushWords } from '../account/push.ts';
import { keptRotations, lockRotation } from '../account/rotation-files.ts';
import { openStore, requireWritable } from '../account/stores.ts';
import { getPlatformPublicKey, regenerateApiKey } from '../contract/management.ts';
import { fingerprint } from '../crypto/fingerprint.ts';
import { CliError } from '../exit.ts';
import type { Rotation } from '../journal/rotation.ts';
import type { Secret } from '../secret.ts';
import type { Prompter } from '../world.ts';
import { command, type Outcome } from './command.ts';
import { checkOf } from './input.ts';
import { repeated, switchOn, word } from './parameters.ts';
import { beginRotation, isWritable, type Settled, sendRotation, settleRotation } from './rotation.ts';
import type { Session } from './session.ts';
import { equivalent } from './wizard.ts';

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
async function requireRotatable(session: Session, { pushCommand = [], printKey }: Input): Promise<void> {
  const { world, profile } = session;
  for (const text of pushCommand) pushWords(world, text);
  const { stored } = profile;
  if (stored && isWritable(profile)) {
    await requireWritable(await openStore(world, storeFor(stored, 'api-key')), profile.name, world.ids);
  } else if (profile.mode !== 'embedded' && pushCommand.length === 0 && !printKey) {
    throw new CliError('usage', `the new key could not be kept: ${profile.name} takes its key from ${from(profile)}`, {
      code: 'NO_STORE',
      hint: 'add --push-command "PROGRAM WORDS", which gets the new key on its standard input, or --print-key',
    });
  }
  await session.call(getPlatformPublicKey, {}, { isBeforehand: true });
}

const from = ({ stored }: Profile) => (stored?.store.kind === 'command' ? 'a command' : 'FIATRAIL_API_KEY');

function confirmation({ profile }: Session, { pushCommand = [] }: Input, oldKey: string) {
  return [
    ['key', `${oldKey} (fingerprint) dies at once; the service sends the new one only now`],
    ['kept in', placeOf(profile)],
    ...pushCommand.map((text, index) => [index ? '' : 'pushed by', text] as const),
  ] as const;
}

/** The key now in use, by its fingerprint; an embedded sandbox has its own. */
async function currentKey({ profile, connection }: Session): Promise<Secret | undefined> {
  await connection();
  return profile.key?.load();
}

async function rotate(session: Session, input: Input): Promise<Outcome> {
  const { profile } = session;
  await requireRotatable(session, input);
  const apiKey = await currentKey(session);
  const oldFingerprint = apiKey ? fingerprint(apiKey) : 'the sandbox’s own';
  await session.agreeTo(
    regenerateApiKey,
    {},
    {
      summary: `replace the API key of ${profile.name}`,
      lines: confirmation(session, input, oldFingerprint),
    },
  );
  const operationId = await beginRotation(session, {
    keyPlace: placeOf(profile),
    oldFingerprint,
    pushes: input.pushCommand ?? [],
  });
  return working(session, operationId, async () => {
    const spare = await sendRotation(session, operationId, apiKey);
    session.accepted({ operationId, requestId: undefined });
    return outcomeOf(await settleRotation(session, operationId, spare), input);
  });
}

/** Nobody else brings a replacement to its end while this command does. */
async function working<T>({ world }: Session, operationId: string, work: () => Promise<T>): Promise<T> {
  const lock = await lockRotation(world, operationId, 'work', 0);
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
    lock.release();
  }
}

function outcomeOf({ rotation, key, keyFile }: Settled, { printKey }: Pick<Input, 'printKey'>): Outcome {
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

async function resume(session: Session, input: Input): Promise<Outcome> {
  const { profile } = session;
  const journal = await session.journal();
  const rotation = journal.rotations.openOf({ profile: profile.name, baseUrl: profile.baseUrl });
  if (rotation) {
    return working(session, rotation.operationId, async () =>
      outcomeOf(await settleRotation(session, rotation.operationId), input),
    );
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

/** No answer came: whether the old key still works says what happened. */
async function afterLost(session: Session, { operationId, oldFingerprint }: Rotation): Promise<Outcome> {
  const { profile } = session;
  try {
    await session.call(getPlatformPublicKey, {});
  } catch (error) {
    if (!(error instanceof CliError) || error.category !== 'auth') throw error;
    throw new CliError('auth', 'the key that is kept is refused: the old one is dead, and the new one never arrived', {
      code: 'KEY_LOST',
      operationId,
      httpStatus: error.httpStatus,
      responseCode: error.responseCode,
      hint: `ask the service for a new key, then: fiatrail profiles add ${profile.name} --key-stdin`,
    });
  }
  const now = await currentKey(session);
  const print = now ? fingerprint(now) : oldFingerprint;
  const isOld = print === oldFingerprint;
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

/** Asks for what the flags would say: whether to finish what another command left, and who else gets the new key. */
async function guide(session: Session, given: Partial<Input> & { readonly resume?: boolean | undefined }) {
  const { world, profile } = session;
  if (given.resume || given.pushCommand || given.printKey) return undefined;
  const prompter = await world.prompter();
  const journal = await session.journal();
  const isUnfinished = journal.rotations.openOf({ profile: profile.name, baseUrl: profile.baseUrl }) !== undefined;
  if (isUnfinished && (await prompter.confirm('An earlier replacement is unfinished. Finish it?', true)))
    return { values: { resume: true }, end: () => equivalent(session, ['keys', 'rotate', '--resume']) };
  const pushCommand = await askPushes(session, prompter);
  const words = pushCommand.flatMap((text) => ['--push-command', text]);
  return {
    values: { pushCommand },
    end: () => equivalent(session, ['keys', 'rotate', ...words, ...(session.globals.yes ? [] : ['--yes'])]),
  };
}

async function askPushes({ world, profile }: Session, prompter: Prompter): Promise<string[]> {
  const isNeeded = profile.mode !== 'embedded' && !isWritable(profile);
  const check = (given: number) =>
    checkOf((text) => {
      if (text === '' && isNeeded && given === 0)
        throw new CliError(
          'usage',
          `${profile.name} takes its key from ${from(profile)}, so the new one must go somewhere`,
          {
            hint: 'write a program that takes it on its standard input',
          },
        );
      if (text !== '') pushWords(world, text);
    });
  const all: string[] = [];
  for (;;) {
    const more = all.length === 0 ? 'A command that gets the new key on its standard input' : 'Another one';
    const text = (await prompter.text(`${more} (Enter for none):`, check(all.length))).trim();
    if (text === '') return all;
    all.push(text);
  }
}

export const rotateCommand = command({
  words: ['keys', 'rotate'],
  summary: 'Replace the API key; the old one dies at once',
  details:
    'Store, key and push commands are tried first. The request is sent once, by a process that outlives this one, and its answer is on the disk before anything else is done with it: whatever ends this command, the next one finishes. Exit code 8: the new key is safe, and something is left to do. Each push command gets the new key on its standard input, without a line end.',
  examples: [
    'fiatrail keys rotate',
    'fiatrail keys rotate --push-command "vault kv put kv/fiatrail key=-" --yes --no-input -o json',
    'fiatrail keys rotate --resume',
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
    if (isResumed && pushCommand) {
      throw new CliError('usage', '--resume and --push-command cannot go together', {
        hint: 'the push commands of the interrupted replacement are run',
      });
    }
    return (isResumed ? resume : rotate)(session, { pushCommand, printKey });
  },
});

/** Before another command runs: finishes what a killed one left of this account. What cannot be finished is told, and no hindrance. */
export async function finishRotations(session: Session): Promise<void> {
  const { world, profile } = session;
  const kept = keptRotations(world);
  const journal = await session.journal();
  const open = journal.rotations.openOf({ profile: profile.name, baseUrl: profile.baseUrl });
  if (!open || !kept.includes(open.operationId)) return;
  try {
    const { keyFile } = await working(session, open.operationId, () => settleRotation(session, open.operationId));
    const where = keyFile ? `it is in ${keyFile}` : `it is kept in ${open.keyPlace}`;
    await session.say(`an interrupted replacement of the API key was finished: ${where}`);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    await session.say(`warning: a replacement of the API key is unfinished: ${error.message}; ${error.hint ?? ''}`);
  }
}
