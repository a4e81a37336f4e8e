import { isSandboxKey } from '../account/api-key.ts';
import { safeBaseUrl } from '../account/base-url.ts';
import { setDefaultProfile } from '../account/changes.ts';
import { modeForPeople } from '../account/mode.ts';
import { BUILT_IN, profileName, readProfile, type StoredProfile } from '../account/stored-profile.ts';
import { probeKeyring } from '../account/stores/keyring-store.ts';
import { CliError, withDetails } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { Prompter } from '../base/world.ts';
import { command, type Guided } from '../cli/command.ts';
import { endDryRun } from '../cli/dry-run.ts';
import { askFor } from '../cli/input.ts';
import { API_KEY, addProfile, type ProfileInput, profileParameters, tryProfile } from '../cli/new-profile.ts';
import type { Outcome } from '../cli/outcome.ts';
import { option, optionalArgument, switchOn } from '../cli/parameters.ts';
import type { Session } from '../cli/session.ts';
import { showEquivalentCommand } from '../cli/wizard.ts';
import { ipAllowlist } from '../contract/endpoints/allowlist.ts';
import { createSandboxKey, getPlatformPublicKey, storePublicKey } from '../contract/endpoints/management.ts';

const { baseUrl, serviceName, keyStdin, keyCommand, store } = profileParameters;

const parameters = {
  name: optionalArgument('name', 'of the profile (default: main)', profileName),
  baseUrl,
  serviceName,
  keyStdin,
  keyCommand,
  store,
  sandboxAt: option('--sandbox-at <url>', 'make a sandbox key there too, kept as NAME-sandbox', safeBaseUrl),
  encryption: switchOn('--encryption', 'have answers sealed to a key of this machine'),
  use: switchOn('--use', 'use the profile from now on, everywhere'),
  embedded: switchOn('--embedded', 'use the sandbox in this program, which needs no account'),
};

type Input = { readonly [K in keyof typeof parameters]: ReturnType<(typeof parameters)[K]['parse']> };

/** What the questions bring beside the flags: a key stands in no flag. */
interface Asked extends Partial<Input> {
  readonly key?: Secret;
}

/** An address and a key that go together: a read is tried before anything is kept, and asked again after. */
async function askAccount(session: Session, given: Asked) {
  let url = given.baseUrl;
  for (let isFirst = true; ; isFirst = false) {
    if (!url || !isFirst)
      url = await askFor({ question: 'Base URL, such as https://host/v1:', parse: safeBaseUrl, preset: url }, session);
    const key = await askFor(API_KEY, session);
    const mode = isSandboxKey(key) ? 'sandbox' : 'live';
    try {
      await tryProfile(session, { name: 'init', mode, baseUrl: url, store: { kind: 'file' } }, key);
      await session.say(`the key works; it is a ${modeForPeople(mode)} key`);
      return { url, key, mode } as const;
    } catch (error) {
      if (!(error instanceof CliError) || error.category === 'interrupted') throw error;
      await session.say(`this did not work: ${error.message}${error.hint ? `; ${error.hint}` : ''}`);
    }
  }
}

function askName(session: Session, mode: StoredProfile['mode']): Promise<string> {
  const parse = (text: string) => {
    const name = profileName(text);
    if (!readProfile(session.world, name)) return name;
    throw new CliError('usage', `there is a profile ${name}`, { hint: 'choose another name' });
  };
  const preset = mode === 'live' ? 'main' : 'main-sandbox';
  return askFor({ question: 'Name of the profile:', parse, preset }, session);
}

/** The key store of the system is offered where it works. */
async function askStore({ world }: Session, prompter: Prompter): Promise<'file' | 'keyring'> {
  if ((await probeKeyring(world)) !== 'ok') return 'file';
  return prompter.select('Where is the key to be kept?', [
    { name: 'the key store of the system', value: 'keyring' },
    { name: 'a file that only you can read', value: 'file' },
  ]);
}

async function askSandbox(session: Session, prompter: Prompter, mode: StoredProfile['mode']) {
  if (mode !== 'live' || !(await prompter.confirm('Make a key for the service’s sandbox too?'))) return undefined;
  return askFor({ question: 'Base URL of the sandbox:', parse: safeBaseUrl }, session);
}

/** Asks everything before anything is changed: who leaves half-way leaves nothing behind. */
async function guide(session: Session, given: Partial<Input>): Promise<Guided<Asked> | undefined> {
  if (given.embedded || given.keyStdin || given.keyCommand || given.store === 'environment') return undefined;
  const prompter = await session.world.prompter();
  const isEmbedded =
    given.baseUrl === undefined &&
    (await prompter.select('Which account?', [
      { name: 'an account over the network', value: false },
      { name: 'the embedded sandbox: the whole service in this program, nothing to set up', value: true },
    ]));
  if (isEmbedded)
    return { values: { embedded: true }, end: () => showEquivalentCommand(session, ['init', '--embedded']) };
  const { url, key, mode } = await askAccount(session, given);
  const name = given.name ?? (await askName(session, mode));
  const keptIn = given.store ?? (await askStore(session, prompter));
  const sandboxAt = given.sandboxAt ?? (await askSandbox(session, prompter, mode));
  const encryption =
    given.encryption ||
    (await prompter.confirm('Have answers sealed to a key of this machine? There is no way back to plain answers.'));
  const use = given.use || (await prompter.confirm(`Use ${name} from now on, wherever nothing else is said?`, true));
  const words = [
    ...['init', name, '--base-url', url, '--key-stdin', '--store', keptIn],
    ...(given.serviceName ? ['--service-name', given.serviceName] : []),
    ...(sandboxAt ? ['--sandbox-at', sandboxAt] : []),
    ...(encryption ? ['--encryption'] : []),
    ...(use ? ['--use'] : []),
  ];
  return {
    values: { name, baseUrl: url, key, store: keptIn, sandboxAt, encryption, use },
    end: () => showEquivalentCommand(session, words, '< key.txt'),
  };
}

/** One more step for a profile that is kept by now: what fails in it is told with how to do it again. */
async function step(session: Session, argv: readonly string[]): Promise<Outcome> {
  try {
    return await session.runLine(argv, session.world);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw withDetails(error, {
      message: `the profile is kept, and then: ${error.message}`,
      hint: `${error.hint ? `${error.hint}; ` : ''}go on with: fiatrail ${argv.join(' ')}`,
    });
  }
}

async function setUp(session: Session, input: Input & Asked): Promise<Outcome> {
  const name = input.name ?? 'main';
  const whole: ProfileInput = {
    ...input,
    name,
    mode: undefined,
    keyShell: undefined,
    defaultOutput: undefined,
    check: true,
  };
  await addProfile(session, whole, input.key);
  if (input.use) await setDefaultProfile(session.world, name);
  if (input.sandboxAt)
    await step(session, ['keys', 'sandbox', '--profile', name, '--at', input.sandboxAt, '--save', `${name}-sandbox`]);
  if (input.encryption) await step(session, ['keys', 'encryption', 'enable', '--profile', name]);
  await tellAllowlist(session, name);
  return step(session, ['status', '--profile', name]);
}

/** Whether this machine stands on the list of addresses that may call. */
async function tellAllowlist(session: Session, name: string): Promise<void> {
  const { result } = await step(session, ['ip', 'check', '--profile', name]);
  const { yourIp, isAllowed, totalConfiguredIps } = (result?.data ?? {}) as {
    readonly yourIp?: string | null;
    readonly isAllowed?: boolean;
    readonly totalConfiguredIps?: number;
  };
  const more =
    totalConfiguredIps === 0 ? '; the list of addresses is empty, so every address may: fiatrail ip add' : '';
  await session.note(`this machine (${yourIp ?? 'address not told'}) ${isAllowed ? 'may' : 'may not'} call${more}`);
}

const initCommand = command({
  words: ['init'],
  summary: 'Set up a profile: address, key, where it is kept, and a first read',
  details:
    'On a terminal it asks, and changes nothing before the last answer. With flags it does the same without asking: for a script, the key comes on standard input or from a command.',
  examples: [
    'fiatrail init',
    'fiatrail init main --base-url https://host/v1 --key-stdin --use < key.txt',
    'fiatrail init --embedded',
  ],
  endpoints: [getPlatformPublicKey.id, createSandboxKey.id, storePublicKey.id, ipAllowlist.id],
  isLocal: true,
  parameters,
  guide,
  run: async (session, input: Input & Asked) => {
    if (!input.embedded) return setUp(session, input);
    endDryRun(session, { name: BUILT_IN });
    await setDefaultProfile(session.world, BUILT_IN);
    return session.runLine(['status', '--profile', BUILT_IN], session.world);
  },
});

export const commands = [initCommand];
