import { approvePin, changeProfile } from '../../account/changes.ts';
import { modeForPeople } from '../../account/mode.ts';
import { findPin } from '../../account/pin.ts';
import { isApproved } from '../../account/pins.ts';
import { isTrusted, type KeyCommand, type StoredProfile, trustedStore } from '../../account/stored-profile.ts';
import { CliError } from '../../base/errors.ts';
import { command } from '../../cli/command.ts';
import { confirmChange } from '../../cli/confirm.ts';
import { endDryRun } from '../../cli/dry-run.ts';
import { optionalArgument, switchOn, word } from '../../cli/parameters.ts';
import type { Session } from '../../cli/session.ts';
import { requireProfile } from './show.ts';

/** Escapes what a terminal would hide or act on, so that the text shown is the text that runs. */
export function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`,
  );
}

/** Returns the key command of a profile. Throws CliError usage if it has none. */
function commandOf({ name, store }: StoredProfile): KeyCommand {
  if (store.kind === 'command') return store;
  throw new CliError('usage', `profile ${name} has no key command`, {
    hint: `see where its key is stored with: fiatrail profiles show ${name}`,
  });
}

async function trustKeyCommand(session: Session, stored: StoredProfile): Promise<void> {
  const { name, mode, baseUrl } = stored;
  const shown = commandOf(stored);
  endDryRun(session, { name, command: shown.command, isShell: shown.isShell });
  if (isTrusted(shown)) return;
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
    throw new CliError('usage', `another command changed profile ${name} in the meantime; nothing was saved`, {
      code: 'CONFIG_CHANGED',
      hint: 'run the command again',
    });
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
  summary: 'Trust an imported key command, or a LIVE profile chosen by this folder',
  details:
    'With NAME, shows the profile’s key command and asks before it may run; editing the command in the profile file ends the trust. With --here, asks whether the .fiatrail.json of this folder may choose the LIVE profile that it names.',
  examples: ['fiatrail profiles trust main', 'fiatrail profiles trust --here'],
  endpoints: [],
  isLocal: true,
  parameters: {
    name: optionalArgument('name', 'profile name', word),
    here: switchOn('--here', 'trust this folder’s choice of profile'),
  },
  run: async (session, { name, here }) => {
    if ((name === undefined) === (here !== true))
      throw new CliError('usage', 'expected either a profile name or --here', {
        hint: 'run: fiatrail profiles trust NAME, or: fiatrail profiles trust --here',
      });
    if (name === undefined) return trustPin(session);
    const stored = requireProfile(session, name);
    await trustKeyCommand(session, stored);
    const { command: text, isShell } = commandOf(stored);
    return { result: { data: { name, command: text, isShell, isTrusted: true } } };
  },
});
