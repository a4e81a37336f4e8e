import * as z from 'zod/mini';
import { approvePin, changeProfile } from '../../account/changes.ts';
import { areRulesTrusted, EVIDENCE_SETTINGS, trustedRules, weakensRules } from '../../account/evidence-rules.ts';
import { findPin, isApproved } from '../../account/pin.ts';
import { modeForPeople } from '../../account/service-address.ts';
import { isTrusted, type KeyCommand, type StoredProfile, trustedStore } from '../../account/stored-profile.ts';
import { CliError } from '../../base/errors.ts';
import { endDryRun } from '../../engine/requests.ts';
import { visible } from '../../present/text.ts';
import { confirmChange } from '../../terminal/ask/confirm.ts';
import { command } from '../../terminal/command.ts';
import { optionalArgument, picked, shortDuration, switchOn, word } from '../../terminal/parse/parameters.ts';
import type { Session } from '../../terminal/session.ts';
import { requireProfile } from './show.ts';

/** What the user is asked to trust: a key command, and settings that are weaker than the defaults. */
interface Untrusted {
  readonly command: KeyCommand | undefined;
  readonly rules: Pick<StoredProfile, 'absence' | 'visibleAfterMs' | 'idempotencyLifetimeMs'> | undefined;
}

/** Returns what of a profile needs trust. Throws CliError usage if nothing does. */
function untrustedParts(stored: StoredProfile): Untrusted {
  const { name, store, absence, visibleAfterMs, idempotencyLifetimeMs } = stored;
  const command = store.kind === 'command' ? store : undefined;
  const rules = weakensRules(stored) ? { absence, visibleAfterMs, idempotencyLifetimeMs } : undefined;
  if (command || rules) return { command, rules };
  throw new CliError('usage', `profile ${name} has no key command and no setting that needs trust`, {
    hint: `see its settings with: fiatrail profiles show ${name}`,
  });
}

const rulesAsTyped = ({ absence, visibleAfterMs, idempotencyLifetimeMs }: NonNullable<Untrusted['rules']>): string =>
  [
    ...(absence === undefined ? [] : [`--absence ${absence}`]),
    ...(visibleAfterMs === undefined ? [] : [`--visible-after ${shortDuration(visibleAfterMs)}`]),
    ...(idempotencyLifetimeMs === undefined ? [] : [`--idempotency-lifetime ${shortDuration(idempotencyLifetimeMs)}`]),
  ].join(' ');

/** Asks before settings apply that were imported or edited and are weaker than the defaults. */
async function trustRules(session: Session, { name, mode, ...shown }: StoredProfile): Promise<void> {
  await confirmChange(session, {
    summary: `trust the settings of profile ${name}`,
    lines: [
      ['profile', `${name} (${modeForPeople(mode)})`],
      ['settings', rulesAsTyped(shown)],
      ['effect', 'a request that was done after all may be taken for not done, and then be paid twice'],
    ],
  });
  await changeProfile(session.world, name, (now) => {
    if (now?.mode === mode && EVIDENCE_SETTINGS.every((setting) => now[setting] === shown[setting]))
      return trustedRules(now);
    throw changedInTheMeantime(name);
  });
}

const changedInTheMeantime = (name: string) =>
  new CliError('usage', `another command changed profile ${name} in the meantime; nothing was saved`, {
    code: 'CONFIG_CHANGED',
    hint: 'run the command again',
  });

async function trustKeyCommand(session: Session, { name, mode, baseUrl }: StoredProfile, shown: KeyCommand) {
  await confirmChange(session, {
    summary: `trust the key command of profile ${name}`,
    lines: [
      ['profile', `${name} (${modeForPeople(mode)})`],
      ['base URL', baseUrl ?? ''],
      [shown.isShell ? 'shell command' : 'program', visible(shown.command)],
    ],
  });
  await changeProfile(session.world, name, (now) => {
    if (now?.store.kind === 'command' && now.store.command === shown.command && now.store.isShell === shown.isShell)
      return { ...now, store: trustedStore(now.store) };
    throw changedInTheMeantime(name);
  });
}

/** Lets the file of this folder choose the live profile that it names, after asking. */
async function trustPin(session: Session) {
  const { world } = session;
  const pin = findPin(world.cwd, world.userId);
  if (!pin)
    throw new CliError('usage', 'no .fiatrail.json was found in this folder or the folders above it', {
      hint: 'create one with: fiatrail profiles use NAME --here',
    });
  const { name, mode } = requireProfile(session, pin.profile);
  endDryRun(session, { name, mode, file: pin.path });
  if (mode === 'live' && !isApproved(world, pin)) {
    await confirmChange(session, {
      summary: `let a file choose the LIVE profile ${name}`,
      lines: [
        ['profile', `${name} (${modeForPeople(mode)})`],
        ['file', pin.path],
      ],
    });
    await approvePin(world, pin);
  }
  return { result: { data: { name, mode, file: pin.path, isTrusted: true } } };
}

export const trustCommand = command({
  words: ['profiles', 'trust'],
  summary: 'Trust imported settings, or a LIVE profile chosen by this folder',
  details:
    'With NAME, shows the profile’s key command, and settings that make it easier to conclude that nothing was done, and asks before they are used; editing them in the profile file ends the trust. With --here, asks whether the .fiatrail.json of this folder may choose the LIVE profile that it names.',
  examples: ['fiatrail profiles trust main', 'fiatrail profiles trust --here'],
  endpoints: [],
  prints: () =>
    z.union([
      z.object({ name: z.string(), mode: z.string(), file: z.string(), isTrusted: z.boolean() }),
      z.object({
        name: z.string(),
        command: z.optional(z.string()),
        isShell: z.optional(z.boolean()),
        settings: z.optional(z.unknown()),
        isTrusted: z.boolean(),
      }),
    ]),
  isLocal: true,
  parameters: {
    name: picked('profile', optionalArgument('name', 'profile name', word, 'Which profile?')),
    here: switchOn('--here', 'trust this folder’s choice of profile'),
  },
  asks: ({ here }) => (here ? [] : ['name']),
  run: async (session, { name, here }) => {
    if ((name === undefined) === (here !== true))
      throw new CliError('usage', 'expected either a profile name or --here', {
        hint: 'run: fiatrail profiles trust NAME, or: fiatrail profiles trust --here',
      });
    if (name === undefined) return trustPin(session);
    const stored = requireProfile(session, name);
    const { command: keyCommand, rules } = untrustedParts(stored);
    const trusted = {
      name,
      ...(keyCommand ? { command: keyCommand.command, isShell: keyCommand.isShell } : {}),
      ...(rules ? { settings: rulesAsTyped(rules) } : {}),
    };
    endDryRun(session, trusted);
    if (keyCommand && !isTrusted(keyCommand)) await trustKeyCommand(session, stored, keyCommand);
    if (rules && !areRulesTrusted(stored)) await trustRules(session, stored);
    return { result: { data: { ...trusted, isTrusted: true } } };
  },
});
