import { setDefaultProfile } from '../account/changes.ts';
import { isSandboxKey, modeForPeople, safeBaseUrl } from '../account/profile.ts';
import {
  BUILT_IN,
  profileName,
  readProfile,
  type StoredProfile,
  type UnknownPolicy,
} from '../account/stored-profile.ts';
import { probeKeyring } from '../account/stores/keyring-store.ts';
import { advice, joined } from '../base/advice.ts';
import { CliError, hintOf, withDetails } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { Prompter } from '../base/world.ts';
import { ipAllowlist } from '../contract/endpoints/allowlist.ts';
import { createSandboxKey, getPlatformPublicKey, storePublicKey } from '../contract/endpoints/management.ts';
import type { Account } from '../engine/account.ts';
import type { Outcome } from '../engine/outcome.ts';
import { endDryRun } from '../engine/requests.ts';
import { askFor, showEquivalentCommand } from '../terminal/ask/input.ts';
import { API_KEY, addProfile, type ProfileInput, profileParameters, tryProfile } from '../terminal/ask/new-profile.ts';
import { command, type Guided } from '../terminal/command.ts';
import { option, optionalArgument, switchOn } from '../terminal/parse/parameters.ts';
import type { Terminal } from '../terminal/terminal.ts';

const { baseUrl, serviceName, keyStdin, keyCommand, store, unknown } = profileParameters;

const parameters = {
  name: optionalArgument('name', 'profile name (default: main)', profileName),
  baseUrl,
  serviceName,
  keyStdin,
  keyCommand,
  store,
  unknown,
  sandboxAt: option(
    '--sandbox-at <url>',
    'also create a sandbox key at this address, saved as profile NAME-sandbox',
    safeBaseUrl,
  ),
  encrypt: switchOn('--encrypt', 'encrypt responses to a key stored on this machine'),
  use: switchOn('--use', 'make this the default profile'),
  embedded: switchOn('--embedded', 'use the embedded sandbox, which needs no account'),
};

type InitInput = { readonly [K in keyof typeof parameters]: ReturnType<(typeof parameters)[K]['parse']> };

/** The input after the prompts: the flags, and the key, which has no flag. */
interface InitAnswers extends Partial<InitInput> {
  readonly key?: Secret;
}

const askUrl = (account: Account, preset?: string): Promise<string> =>
  askFor({ question: 'Base URL, such as https://host/v1:', parse: safeBaseUrl, preset }, account);

/** Prompts for a key, and then for the base URL and the key again until a read with them succeeds. Nothing is stored yet. */
async function askKey(account: Account, firstUrl: string) {
  for (let url = firstUrl; ; url = await askUrl(account, url)) {
    const key = await askFor(API_KEY, account);
    const mode = isSandboxKey(key) ? 'sandbox' : 'live';
    try {
      await tryProfile(account, { name: 'init', mode, baseUrl: url, store: { kind: 'file' } }, key);
      await account.notices.say(`the key works (${modeForPeople(mode)})`);
      return { url, key, mode } as const;
    } catch (error) {
      if (!(error instanceof CliError) || error.category === 'interrupted') throw error;
      await account.notices.say(`could not connect: ${error.message}${error.hint ? `; ${error.hint}` : ''}`);
    }
  }
}

function askName(account: Account): Promise<string> {
  const parse = (text: string) => {
    const name = profileName(text);
    if (!readProfile(account.world, name)) return name;
    throw new CliError('usage', `profile ${name} already exists`, { hint: 'choose another name' });
  };
  return askFor({ question: 'Profile name:', parse, preset: 'main' }, account);
}

/** Asks where to store the key. The system keychain is offered only if it works. */
async function askStore({ world }: Account, prompter: Prompter): Promise<'file' | 'keyring'> {
  if ((await probeKeyring(world)) !== 'ok') return 'file';
  return prompter.select('Where should the key be stored?', [
    { name: 'System keychain', value: 'keyring' },
    { name: 'Private file', value: 'file' },
  ]);
}

async function askSandbox(account: Account, prompter: Prompter, mode: StoredProfile['mode']) {
  if (mode !== 'live' || !(await prompter.confirm('Create a sandbox key too?'))) return undefined;
  return askFor({ question: 'Sandbox base URL:', parse: safeBaseUrl }, account);
}

/** Asks who ends the unknown outcomes of a live account. The first answer is for whoever does not know: nothing is then concluded by likeness. */
async function askUnknown(prompter: Prompter, mode: StoredProfile['mode']): Promise<UnknownPolicy | undefined> {
  if (mode !== 'live') return undefined;
  return prompter.select('Does anything but fiatrail move money with this account: other programs, or people?', [
    { name: 'Yes, or I do not know: ask me about each unknown outcome', value: 'ask' },
    { name: 'No: end unknown outcomes by what the service’s lists show', value: 'auto' },
  ]);
}

/** Prompts for everything before changing anything, so that leaving halfway leaves nothing behind. */
async function guide(
  account: Account,
  terminal: Terminal,
  given: Partial<InitInput>,
): Promise<Guided<InitAnswers> | undefined> {
  if (given.embedded || given.keyStdin || given.keyCommand || given.store === 'environment') return undefined;
  const prompter = await account.world.prompter();
  const isEmbedded =
    given.baseUrl === undefined &&
    (await prompter.select('Which account?', [
      { name: 'An account over the network', value: false },
      { name: 'The embedded sandbox, with nothing to set up', value: true },
    ]));
  if (isEmbedded)
    return { values: { embedded: true }, end: () => showEquivalentCommand(account, terminal, ['init', '--embedded']) };
  const firstUrl = given.baseUrl ?? (await askUrl(account));
  // Early, so that nobody pastes the key where something else is asked, and sets up what does not work.
  const { url, key, mode } = await askKey(account, firstUrl);
  const name = given.name ?? (await askName(account));
  const storedIn = given.store ?? (await askStore(account, prompter));
  const encrypt =
    given.encrypt ||
    (await prompter.confirm('Encrypt responses to a key stored on this machine? This cannot be turned off again.'));
  const use = given.use || (await prompter.confirm(`Make ${name} the default profile?`));
  const unknown = given.unknown ?? (await askUnknown(prompter, mode));
  // Only a live key has a sandbox beside it.
  const sandboxAt = given.sandboxAt ?? (await askSandbox(account, prompter, mode));
  const words = [
    'init',
    name,
    '--base-url',
    url,
    '--key-stdin',
    '--store',
    storedIn,
    ...(given.serviceName ? ['--service-name', given.serviceName] : []),
    ...(unknown ? ['--unknown', unknown] : []),
    ...(sandboxAt ? ['--sandbox-at', sandboxAt] : []),
    ...(encrypt ? ['--encrypt'] : []),
    ...(use ? ['--use'] : []),
  ];
  return {
    values: { name, baseUrl: url, key, store: storedIn, unknown, sandboxAt, encrypt, use },
    end: () => showEquivalentCommand(account, terminal, words, '< key.txt'),
  };
}

/** Runs a further step once the profile is saved. An error says so, and how to repeat the step. */
async function step(account: Account, terminal: Terminal, argv: readonly string[]): Promise<Outcome> {
  try {
    return await terminal.runs.line(argv, account.world);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw withDetails(error, {
      message: `the profile was saved, but a later step failed: ${error.message}`,
      hint: joined([hintOf(error), advice`continue with: [fiatrail ${argv}]`], '; '),
    });
  }
}

async function setUp(account: Account, terminal: Terminal, input: InitInput & InitAnswers): Promise<Outcome> {
  const name = input.name ?? 'main';
  const profileInput: ProfileInput = {
    ...input,
    name,
    mode: undefined,
    keyShell: undefined,
    defaultOutput: undefined,
    encryptionPolicy: undefined,
    check: true,
  };
  await addProfile(account, terminal, profileInput, input.key);
  if (input.use) await setDefaultProfile(account.world, name);
  if (input.sandboxAt)
    await step(account, terminal, [
      'keys',
      'sandbox',
      'add',
      '--profile',
      name,
      '--base-url',
      input.sandboxAt,
      '--save',
      `${name}-sandbox`,
    ]);
  if (input.encrypt) await step(account, terminal, ['keys', 'encryption', 'enable', '--profile', name, '--yes']);
  await noteAllowlist(account, terminal, name);
  return step(account, terminal, ['status', '--profile', name]);
}

/** Notes whether the allowlist lets this machine call. */
async function noteAllowlist(account: Account, terminal: Terminal, name: string): Promise<void> {
  const { result } = await step(account, terminal, ['ip', 'check', '--profile', name]);
  const { yourIp, isAllowed, totalConfiguredIps } = (result?.data ?? {}) as {
    readonly yourIp?: string | null;
    readonly isAllowed?: boolean;
    readonly totalConfiguredIps?: number;
  };
  const more =
    totalConfiguredIps === 0
      ? '; the allowlist is empty, so any address can call. Restrict it with: fiatrail ip add'
      : '';
  await account.notices.note(
    `this machine (${yourIp ?? 'unknown address'}) ${isAllowed ? 'is' : 'is not'} allowed to call the service${more}`,
  );
}

const initCommand = command({
  words: ['init'],
  summary: 'Set up a profile step by step',
  details:
    'Stores the address and the key, and tests them with a read. On a terminal it prompts for each value and changes nothing before the last prompt. In a script, pass flags, and the key on standard input or from a command.',
  examples: [
    'fiatrail init',
    'fiatrail init main --base-url https://host/v1 --key-stdin --use < key.txt',
    'fiatrail init --embedded',
  ],
  endpoints: [getPlatformPublicKey.id, createSandboxKey.id, storePublicKey.id, ipAllowlist.id],
  isLocal: true,
  parameters,
  guide,
  run: async (account, terminal, input: InitInput & InitAnswers) => {
    if (!input.embedded) return setUp(account, terminal, input);
    if (input.name !== undefined && input.name !== BUILT_IN)
      throw new CliError('usage', `the profile of the embedded sandbox is always named ${BUILT_IN}`, {
        hint: advice`omit the name: [fiatrail init --embedded]`,
      });
    endDryRun(account, { name: BUILT_IN });
    await setDefaultProfile(account.world, BUILT_IN);
    return terminal.runs.line(['status', '--profile', BUILT_IN], account.world);
  },
});

export const commands = [initCommand];
