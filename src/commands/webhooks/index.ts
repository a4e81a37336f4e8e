import * as z from 'zod/mini';
import { storedOrBuiltIn } from '../../account/profile.ts';
import { isShortSecret, storeWebhookSecret, webhookSecretFrom } from '../../account/profile-secrets.ts';
import type { StoredProfile } from '../../account/stored-profile.ts';
import { secretPrintedBy } from '../../account/stores/command-store.ts';
import { advice } from '../../base/advice.ts';
import { type Category, CliError, ExchangeError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { validRequest } from '../../client/request.ts';
import { getWebhook, setWebhook, toggleWebhook } from '../../contract/endpoints/management.ts';
import { ALL_EVENTS, eventOf } from '../../contract/events.ts';
import { INBOX_URL } from '../../contract/sandbox.ts';
import { fingerprint } from '../../crypto/digest.ts';
import type { Account } from '../../engine/account.ts';
import { existingProfileInbox } from '../../engine/connection/inbox.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import { PREVIEW_READ } from '../../engine/previews/previews.ts';
import { printable } from '../../money/amount.ts';
import { command } from '../../terminal/command.ts';
import { argument, option, switchOn, word } from '../../terminal/parse/parameters.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { change } from '../../terminal/terminal.ts';
import type { Listener } from '../../webhooks/inbox/listener.ts';
import { eventsCommand, triggerCommand } from './events.ts';
import { gapsCommand } from './gaps.ts';
import { inboxCommands } from './inbox.ts';
import { listenCommand } from './listen.ts';
import { openCommand, verifyCommand } from './offline.ts';

const COLUMNS = [
  { field: 'webhookUrl', title: 'URL' },
  { field: 'enabled', title: 'Enabled' },
  { field: 'hasSecret', title: 'Secret set' },
  { field: 'urlValidated', title: 'URL reachable' },
  { field: 'events', title: 'Events' },
  { field: 'updatedAt', title: 'Updated' },
] as const;

/** What is known of a secret that was set just now. */
const SECRET_COLUMNS = [
  { field: 'secretFingerprint', title: 'Secret fingerprint' },
  { field: 'secret', title: 'Secret' },
] as const;

const showCommand = command({
  words: ['webhooks', 'show'],
  summary: 'Show the account’s webhook',
  details: 'The service masks the URL, and says only whether a signing secret is set.',
  examples: ['fiatrail webhooks show', 'fiatrail webhooks show -o json --query events'],
  endpoints: [getWebhook.id],
  prints: { response: getWebhook },
  parameters: {},
  run: async (account) => outcomeOf(account, getWebhook, await account.call(getWebhook, {}), { columns: COLUMNS }),
});

/** Parses the URL of a webhook; whether the service may call it is for the service to say. Throws CliError usage. */
function webhookUrl(text: string): string {
  const url = URL.parse(text);
  if (url?.username || url?.password)
    throw new CliError('usage', 'the webhook URL contains a user name or a password, which a webhook cannot have', {
      hint: 'give the URL without them; the signature of each event proves who sent it',
    });
  if (url && /^https?:$/.test(url.protocol)) return word(text);
  throw new CliError('usage', `invalid URL "${printable(text)}"; expected a public HTTPS URL`, {
    hint: 'for example https://hooks.example.com/fiatrail',
  });
}

/** Parses a list of event names, with the names that other documents use. Throws CliError usage. */
function eventNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  const known = names.map((name) => (name === ALL_EVENTS ? name : eventOf(name)?.name));
  const unknown = names.filter((_, index) => known[index] === undefined);
  if (unknown.length > 0)
    throw new CliError('usage', `unknown event ${printable(unknown.join(', '))}`, {
      hint: advice`list the events with: [fiatrail webhooks events]`,
    });
  return [...new Set(known.flatMap((name) => name ?? []))];
}

const MAX_SECRET_BYTES = 4096;
/** The length of a secret that we make. */
const NEW_SECRET_BYTES = 32;

interface SecretInput {
  readonly secretStdin?: boolean | undefined;
  readonly secretCommand?: string | undefined;
  readonly newSecret?: boolean | undefined;
}

const makeSecret = ({ ids }: Account['world']) => new Secret(Buffer.from(ids.bytes(NEW_SECRET_BYTES)).toString('hex'));

/** A secret to set; `isNew` if we made it, so that it must be shown once. */
interface ChosenSecret {
  readonly secret: Secret | undefined;
  readonly isNew?: boolean;
}

/** Returns the secret that a flag or the environment gives; undefined if none does. Throws CliError usage. */
async function givenSecret(
  { world }: Account,
  { secretStdin, secretCommand, newSecret }: SecretInput,
): Promise<ChosenSecret | undefined> {
  if ([secretStdin, secretCommand, newSecret].filter((each) => each !== undefined && each !== false).length > 1)
    throw new CliError('usage', '--secret-stdin, --secret-command and --new-secret cannot be combined', {
      hint: 'give one of them, or none to keep the secret that is set',
    });
  const from = (text: string, where: string) => ({ secret: webhookSecretFrom(text, where) });
  if (secretStdin) return from(await world.stdin.readAll(MAX_SECRET_BYTES), 'the secret on standard input');
  if (secretCommand !== undefined) {
    const settings = {
      command: secretCommand,
      isShell: true,
      name: 'the secret command',
      change: 'fix --secret-command',
    };
    return from((await secretPrintedBy(settings, world)).reveal(), 'the secret of the command');
  }
  if (newSecret) return { secret: makeSecret(world), isNew: true };
  const variable = world.env['FIATRAIL_WEBHOOK_SECRET'];
  return variable ? from(variable, 'FIATRAIL_WEBHOOK_SECRET') : undefined;
}

/** Asks for the secret to set, on a terminal; `isSet` if the service has one. */
async function askedSecret(
  { world, notices: { isInteractive } }: Account,
  { globals }: Terminal,
  isSet: boolean,
): Promise<ChosenSecret> {
  if (!isInteractive || globals.yes || globals.dryRun) return { secret: undefined };
  const prompter = await world.prompter();
  const unchangedChoice = isSet ? 'keep the one that is set' : 'none: deliveries are signed with the AES key';
  const choice = await prompter.select('Signing secret:', [
    { name: isSet ? unchangedChoice : 'make a new one', value: isSet ? 'keep' : 'new' },
    { name: isSet ? 'make a new one' : unchangedChoice, value: isSet ? 'new' : 'keep' },
    { name: 'type one', value: 'type' },
  ]);
  if (choice === 'keep') return { secret: undefined };
  if (choice === 'new') return { secret: makeSecret(world), isNew: true };
  const check = (text: string) => {
    try {
      webhookSecretFrom(text, 'the secret');
      return true;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  return { secret: webhookSecretFrom(await prompter.secret('Secret:', check), 'the secret') };
}

/** Returns whether anything answers at a URL from this machine, for the confirmation. */
async function reachability(account: Account, url: string): Promise<string> {
  if (url === INBOX_URL) return 'the inbox of the embedded sandbox, without a port';
  const limit = AbortSignal.any([account.world.interrupted, AbortSignal.timeout(5_000)]);
  try {
    const { status } = await account.world.network({ method: 'GET', url, headers: {}, body: undefined }, limit, true);
    return `something answers there (HTTP ${status})`;
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    return `nothing answers there from this machine: ${error.message}`;
  }
}

const setCommand = command({
  words: ['webhooks', 'set'],
  summary: 'Set the account’s webhook URL, its events and its signing secret',
  details:
    'Shows the current settings, and asks before it sends events to another address. On a terminal, it also asks for the signing secret. Elsewhere, the secret stays unchanged unless a flag or FIATRAIL_WEBHOOK_SECRET gives one. The secret is stored with the profile too, where webhooks listen and webhooks verify find it; the previous one is accepted for another 24 hours. A running listener accepts the new secret before the service starts to use it.',
  examples: [
    'fiatrail webhooks set https://hooks.example.com/fiatrail --new-secret --yes',
    'op read op://ops/webhook/secret | fiatrail webhooks set https://hooks.example.com/fiatrail --secret-stdin --yes',
  ],
  endpoints: [setWebhook.id, getWebhook.id],
  prints: {
    response: setWebhook,
    more: () => ({ secretFingerprint: z.optional(z.string()), secret: z.optional(z.string()) }),
  },
  parameters: {
    url: argument('url', 'public HTTPS URL that receives the events', webhookUrl, 'Webhook URL:'),
    events: option('--events <names>', 'event names, separated by commas (default all)', eventNames),
    disabled: switchOn('--disabled', 'save it without enabling delivery'),
    secretStdin: switchOn('--secret-stdin', 'read the signing secret from standard input'),
    secretCommand: option('--secret-command <command>', 'shell command that prints the signing secret', word),
    newSecret: switchOn('--new-secret', 'make a new signing secret, and print it once'),
  },
  fields: { webhookUrl: 'url' },
  run: async (account, terminal, { url, events, disabled, ...given }) => {
    const { profile, globals } = account;
    const input = { webhookUrl: url, enabled: !disabled, events: [...(events ?? [ALL_EVENTS])] };
    // Before anything is shown, asked or stored.
    validRequest(setWebhook, input, account.command.inputName);
    const flagged = await givenSecret(account, given);
    const { data: now } = await account.call(getWebhook, {}, { isBeforehand: true });
    const isReplacing = now.webhookUrl != null;
    const { secret, isNew } = flagged ?? (await askedSecret(account, terminal, now.hasSecret === true));
    if (secret && isShortSecret(secret))
      await account.notices.say(
        'warning: the secret has fewer than 8 characters, so others can guess it and sign events',
      );
    const stored = globals.dryRun ? undefined : writable(storedOrBuiltIn(profile));
    const setting = {
      summary: isReplacing ? `replace the webhook ${now.webhookUrl}` : `set the webhook ${url}`,
      lines: [
        ['now', isReplacing ? `${now.webhookUrl} (${(now.events ?? []).join(', ')})` : 'no webhook is set'],
        ['new', `${url} (${input.events.join(', ')})`],
        ['secret', secret ? 'is replaced' : 'stays as it is'],
        ...(globals.dryRun ? [] : [['reachable', await reachability(account, url)] as const]),
      ],
      needsConsent: isReplacing,
    } as const;
    const request = { ...input, ...(secret ? { secret: secret.reveal() } : {}) };
    const reply = await withSecret(account, stored, secret, (before) =>
      change(account, terminal, setWebhook, request, { ...setting, before }),
    );
    if (secret && !stored)
      await account.notices.say(
        'warning: this profile cannot store the secret; keep it yourself, and give it in FIATRAIL_WEBHOOK_SECRET',
      );
    const columns = secret ? [...COLUMNS, ...SECRET_COLUMNS] : COLUMNS;
    const outcome = outcomeOf(account, setWebhook, reply, { columns });
    if (!secret || !outcome.result) return outcome;
    const shown = isNew ? { secret: secret.reveal() } : {};
    const data = { ...(reply.data as object), secretFingerprint: fingerprint(secret), ...shown };
    return { ...outcome, result: { ...outcome.result, data } };
  },
});

/** The profile, if its store can keep a secret. */
const writable = (stored: StoredProfile | undefined) => (stored?.store.kind === 'command' ? undefined : stored);

/** The errors of a request that surely changed nothing. */
const NOT_DONE: readonly Category[] = ['usage', 'rejected', 'auth', 'rate-limited'];

/**
 * Sets a webhook with a secret that is stored, and known to the listeners, before the service knows it, because from then on deliveries may be
 * signed with it. A definite refusal takes it back; if the outcome is unknown, both secrets count.
 */
async function withSecret<T>(
  account: Account,
  stored: StoredProfile | undefined,
  secret: Secret | undefined,
  send: (before: () => Promise<void>) => Promise<T>,
): Promise<T> {
  let takeBack = async () => {};
  let isKnown = false;
  const before = async () => {
    if (!secret) return;
    if (stored) takeBack = await storeWebhookSecret(account.world, stored, secret);
    await untilKnown(account, fingerprint(secret));
    isKnown = true;
  };
  try {
    return await send(before);
  } catch (error) {
    if (!isKnown || (error instanceof CliError && NOT_DONE.includes(error.category))) await takeBack();
    throw error;
  }
}

/** How long a listener may take to learn a secret. */
const LEARNING_MS = 15_000;
const LOOK_MS = 200;

/**
 * Waits until the listener of the profile knows the secret with a fingerprint, so that it refuses no delivery that is signed with it. Says so
 * if it does not learn it.
 */
async function untilKnown({ world, profile, notices: { say } }: Account, wanted: string): Promise<void> {
  const inbox = await existingProfileInbox(world, profile);
  if (!inbox) return;
  try {
    await inbox.wantSecret(wanted);
    for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
      const unknowing = (await inbox.listeners()).filter(
        ({ secrets }) => secrets && !secrets.fingerprints.includes(wanted),
      );
      const waitedFor = unknowing.filter(({ secrets }) => secrets?.canLearn);
      const isOver = waitedFor.length === 0 || waitedMs >= LEARNING_MS;
      if (isOver) {
        for (const listener of unknowing) await say(`warning: ${whyUnknowing(listener)}`);
        return;
      }
      await world.clock.sleep(LOOK_MS, world.interrupted);
    }
  } finally {
    await inbox.close();
  }
}

function whyUnknowing({ secrets, processId, host }: Listener): string {
  const which = `the listener of process ${processId} on ${host}`;
  return secrets?.canLearn
    ? `${which} has not learned the new secret within ${LEARNING_MS / 1_000} seconds`
    : `${which} cannot learn the new secret, because its own is not in the profile’s store: restart it with the new one`;
}

/** Switches delivery on or off. */
async function switchDelivery(account: Account, terminal: Terminal, enabled: boolean) {
  const isOn = (value: boolean | null | undefined) => (value == null ? undefined : value ? 'on' : 'off');
  const reply = await change(
    account,
    terminal,
    toggleWebhook,
    { enabled },
    {
      summary: `turn the delivery of events ${isOn(enabled)}`,
      lines: [],
      replaces: [
        {
          label: 'delivery',
          next: isOn(enabled) ?? '',
          read: async () => ({ now: isOn((await account.call(getWebhook, {}, PREVIEW_READ)).data.enabled) }),
        },
      ],
    },
  );
  return outcomeOf(account, toggleWebhook, reply, { columns: COLUMNS });
}

const enableCommand = command({
  words: ['webhooks', 'enable'],
  summary: 'Deliver events to the webhook',
  details: 'Events that happened while it was disabled are not delivered.',
  examples: ['fiatrail webhooks enable', 'fiatrail webhooks enable -o json'],
  endpoints: [toggleWebhook.id],
  prints: { response: toggleWebhook },
  parameters: {},
  run: (account, terminal) => switchDelivery(account, terminal, true),
});

const disableCommand = command({
  words: ['webhooks', 'disable'],
  summary: 'Stop delivering events to the webhook',
  details: 'The URL, the events and the secret stay set. Events that happen meanwhile are not delivered later.',
  examples: ['fiatrail webhooks disable', 'fiatrail webhooks disable --yes -o json'],
  endpoints: [toggleWebhook.id],
  prints: { response: toggleWebhook },
  parameters: {},
  run: (account, terminal) => switchDelivery(account, terminal, false),
});

export const commands = [
  showCommand,
  setCommand,
  enableCommand,
  disableCommand,
  eventsCommand,
  listenCommand,
  ...inboxCommands,
  gapsCommand,
  verifyCommand,
  openCommand,
  triggerCommand,
];
