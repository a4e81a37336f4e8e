import * as z from 'zod/mini';
import { type Profile, storeFor } from '../../account/profile.ts';
import { openStore, requireWritable } from '../../account/stores/stores.ts';
import { CliError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import { getPlatformPublicKey, regenerateApiKey } from '../../contract/endpoints/management.ts';
import { fingerprint } from '../../crypto/digest.ts';
import type { Account } from '../../engine/account.ts';
import type { Outcome } from '../../engine/outcome.ts';
import { prepareRequest } from '../../engine/requests.ts';
import { holdersOf, type KeyHolders, requireHoldersWritable } from '../../engine/rotation/holders.ts';
import { currentKey, finished, printedFields, resume } from '../../engine/rotation/resume.ts';
import {
  alreadyRotating,
  beginRotation,
  cleanUpAfterKill,
  completeRotation,
  sendRotation,
  withRotationLock,
} from '../../engine/rotation/rotation.ts';
import { giveUp, isWritable, pushWords } from '../../engine/rotation/steps.ts';
import { confirmRequest } from '../../terminal/ask/confirm.ts';
import { askFor, showEquivalentCommand } from '../../terminal/ask/input.ts';
import { command } from '../../terminal/command.ts';
import { repeated, switchOn, word } from '../../terminal/parse/parameters.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { acceptedPlatformKey } from './platform.ts';

interface RotateInput {
  readonly pushCommand: readonly string[] | undefined;
  readonly printKey: boolean | undefined;
}

/** Describes where the new key will be stored. */
function keyLocationOf({ mode, stored }: Profile): string {
  if (mode === 'embedded') return 'the sandbox';
  const words = {
    file: 'the key file',
    keyring: 'the system keychain',
    command: 'wherever the key command reads it',
  } as const;
  const kind = stored?.store.kind;
  return kind === undefined || kind === 'environment' ? 'nowhere on this machine' : words[kind];
}

/** Tries everything that could fail after the rotation while the old key still works. Throws CliError; nothing has changed. */
async function requireRotatable(
  account: Account,
  { pushCommand = [], printKey }: RotateInput,
  apiKey: Secret,
): Promise<KeyHolders> {
  const { world, profile } = account;
  for (const text of pushCommand) pushWords(world, text);
  const { stored } = profile;
  if (stored && isWritable(profile)) {
    const store = await openStore(world, storeFor(stored, 'api-key'));
    await requireWritable(store, profile.name, world.ids);
    if (profile.key?.from === 'FIATRAIL_API_KEY')
      requireSame(profile, await store.read(profile.name, 'api-key'), apiKey);
  } else if (profile.mode !== 'embedded' && pushCommand.length === 0 && !printKey) {
    throw new CliError(
      'usage',
      `the new key cannot be stored: profile ${profile.name} gets its key from ${from(profile)}`,
      {
        code: 'NO_STORE',
        hint: 'add --push-command "PROGRAM ARGS", which receives the new key on standard input, or --print-key',
      },
    );
  }
  const holders = await holdersOf(world, profile, fingerprint(apiKey));
  await requireHoldersWritable(world, holders);
  // The rotation process sends the request without this check.
  if (stored?.encryption?.requests) await acceptedPlatformKey(account, stored);
  else await account.call(getPlatformPublicKey, {}, { isBeforehand: true });
  return holders;
}

/** The new key overwrites the stored one. Throws CliError usage if the key in use, from FIATRAIL_API_KEY, is a different key. */
function requireSame({ name }: Profile, stored: Secret | undefined, apiKey: Secret): void {
  if (!stored || stored.reveal() === apiKey.reveal()) return;
  throw new CliError('usage', `FIATRAIL_API_KEY differs from the key of profile ${name}, which would be overwritten`, {
    code: 'TWO_KEYS',
    hint: 'unset FIATRAIL_API_KEY to rotate the profile’s key, or add a profile for the key in the variable',
  });
}

const from = ({ stored }: Profile) => (stored?.store.kind === 'command' ? 'a command' : 'FIATRAIL_API_KEY');

function confirmation(
  { profile }: Account,
  { pushCommand = [] }: RotateInput,
  { oldFingerprint, holders: { stored, elsewhere } }: Rotatable,
) {
  const also = stored.map(({ name }) => name).join(', ');
  return [
    ['key', `${oldFingerprint} (fingerprint) stops working at once; the service shows the new key only once`],
    ['stored in', keyLocationOf(profile)],
    ...(also
      ? [['also for', `${stored.length > 1 ? 'profiles' : 'profile'} ${also}, with the same key`] as const]
      : []),
    ...elsewhere.map(({ name, why }) => ['not for', `profile ${name}, which ${why}: give it the new key`] as const),
    ...pushCommand.map((text, index) => [index ? '' : 'pushed with', text] as const),
  ] as const;
}

async function isRotating(account: Account): Promise<boolean> {
  const { name, baseUrl } = account.profile;
  const { rotations } = await account.journal();
  return (await rotations.openOf({ profile: name, baseUrl })) !== undefined;
}

/** The key that is about to be rotated. */
interface Rotatable {
  readonly oldFingerprint: string;
  readonly holders: KeyHolders;
}

/** Runs the preliminary checks. A key that another command has just rotated is reported as such. Throws CliError. */
async function rotatable(account: Account, input: RotateInput): Promise<Rotatable> {
  if (await isRotating(account)) throw alreadyRotating(account.profile.name);
  const apiKey = await currentKey(account);
  try {
    return { oldFingerprint: fingerprint(apiKey), holders: await requireRotatable(account, input, apiKey) };
  } catch (error) {
    const isDead = error instanceof CliError && error.category === 'auth';
    if (isDead && ((await isRotating(account)) || fingerprint(await currentKey(account)) !== fingerprint(apiKey)))
      throw alreadyRotating(account.profile.name);
    throw error;
  }
}

async function rotate(account: Account, terminal: Terminal, input: RotateInput): Promise<Outcome> {
  const { profile, world } = account;
  const found = await rotatable(account, input);
  const { oldFingerprint, holders } = found;
  // The rotation process sends the request, so it is only validated here.
  await prepareRequest(account, regenerateApiKey, {}, { prints: printedFields(input, holders) });
  await confirmRequest(terminal.dialog, profile, {
    summary: `rotate the API key of profile ${profile.name}`,
    lines: confirmation(account, input, found),
  });
  const operationId = world.ids.uuid();
  // Take the lock before the rotation becomes visible to others, who would try to finish it.
  return withRotationLock(account, operationId, async () => {
    const pushes = input.pushCommand ?? [];
    await beginRotation(account, { operationId, keyLocation: keyLocationOf(profile), oldFingerprint, pushes });
    const apiKey = await unchangedKey(account, operationId, oldFingerprint);
    const spare = await sendRotation(account, operationId, profile.key ? apiKey : undefined);
    account.activity.changed = { operationId, requestId: undefined };
    return finished(account, await completeRotation(account, operationId, spare), input);
  });
}

/** Returns the key if it is still the one confirmed; another command may have rotated it during the prompt. Throws CliError declined. */
async function unchangedKey(account: Account, operationId: string, oldFingerprint: string): Promise<Secret> {
  const apiKey = await currentKey(account).catch(() => undefined);
  if (apiKey && fingerprint(apiKey) === oldFingerprint) return apiKey;
  await giveUp(account, operationId, 'prepared', 'the key changed in the meantime');
  throw new CliError(
    'declined',
    `the key of profile ${account.profile.name} changed in the meantime; nothing was sent`,
    {
      code: 'KEY_CHANGED',
      operationId,
      hint: 'run the command again to rotate the new key',
    },
  );
}

/** Asks whether to finish an interrupted rotation, and which push commands receive the new key. */
async function guide(
  account: Account,
  terminal: Terminal,
  given: Partial<RotateInput> & { readonly resume?: boolean | undefined },
) {
  const { world, profile } = account;
  if (given.resume || given.pushCommand || given.printKey) return undefined;
  const prompter = await world.prompter();
  const journal = await account.journal();
  const open = await journal.rotations.openOf({ profile: profile.name, baseUrl: profile.baseUrl });
  if (open && (await prompter.confirm('An earlier rotation is unfinished. Finish it?')))
    return {
      values: { resume: true },
      end: () => showEquivalentCommand(account, terminal, ['keys', 'rotate', '--resume']),
    };
  const pushCommand = await askPushes(account);
  const words = pushCommand.flatMap((text) => ['--push-command', text]);
  return {
    values: { pushCommand },
    end: () =>
      showEquivalentCommand(account, terminal, [
        'keys',
        'rotate',
        ...words,
        ...(terminal.globals.yes ? [] : ['--yes']),
      ]),
  };
}

async function askPushes(account: Account): Promise<string[]> {
  const { world, profile } = account;
  const isNeeded = profile.mode !== 'embedded' && !isWritable(profile);
  const all: string[] = [];
  const parse = (text: string) => {
    if (text === '' && isNeeded && all.length === 0)
      throw new CliError(
        'usage',
        `profile ${profile.name} gets its key from ${from(profile)}, so the new key needs a push command`,
        { hint: 'enter a command that reads the key from standard input' },
      );
    if (text !== '') pushWords(world, text);
    return text;
  };
  for (;;) {
    const more = all.length === 0 ? 'Command to pipe the new key to' : 'Another command';
    const text = await askFor({ question: `${more} (Enter for none):`, parse }, account);
    if (text === '') return all;
    all.push(text);
  }
}

export const rotateCommand = command({
  words: ['keys', 'rotate'],
  summary: 'Rotate the API key',
  details:
    'Checks the secret store, the key and the push commands, then replaces the key, in every profile that uses it with the same base URL. The old key stops working at once. If this command is interrupted, the next fiatrail command finishes the rotation. Exit code 8 means that the new key is safe but a step failed: fix the cause, then run fiatrail keys rotate --resume. Each push command receives the new key on standard input, without a trailing newline. Push commands given with --resume replace those that have not run yet.',
  examples: [
    'fiatrail keys rotate',
    'fiatrail keys rotate --push-command "vault kv put kv/fiatrail key=-" --yes --no-input -o json',
    'fiatrail keys rotate --resume',
    'fiatrail keys rotate --resume --push-command "vault kv put kv/fiatrail key=-"',
  ],
  endpoints: [regenerateApiKey.id, getPlatformPublicKey.id],
  prints: () =>
    z.object({
      profile: z.string(),
      outcome: z.string(),
      oldFingerprint: z.optional(z.string()),
      fingerprint: z.string(),
      storedIn: z.optional(z.string()),
      alsoStoredFor: z.optional(z.array(z.string())),
      pushedTo: z.optional(z.int()),
      keyFile: z.optional(z.string()),
      apiKey: z.optional(z.string()),
      operationId: z.string(),
    }),
  finishesRotations: true,
  parameters: {
    pushCommand: repeated('--push-command <command>', 'command that receives the new key on standard input', word),
    printKey: switchOn('--print-key', 'also print the new key'),
    resume: switchOn('--resume', 'finish an interrupted rotation'),
  },
  guide,
  run: async (account, terminal, { pushCommand, printKey, resume: isResumed }) => {
    if (!account.globals.dryRun) await cleanUpAfterKill(account);
    const input = { pushCommand, printKey };
    return isResumed ? resume(account, input) : rotate(account, terminal, input);
  },
});
