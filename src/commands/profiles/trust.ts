import { changeProfile } from '../../account/changes.ts';
import { modeForPeople } from '../../account/mode.ts';
import { isTrusted, type KeyCommand, type StoredProfile, trustedStore } from '../../account/stored-profile.ts';
import { CliError } from '../../base/errors.ts';
import { command } from '../../cli/command.ts';
import { confirmChange } from '../../cli/confirm.ts';
import { endDryRun } from '../../cli/dry-run.ts';
import { argument, word } from '../../cli/parameters.ts';
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

export const trustCommand = command({
  words: ['profiles', 'trust'],
  summary: 'Trust the key command of an imported profile',
  details:
    'Shows the command and asks before it may run. If the profile file is edited later, the command needs to be trusted again.',
  examples: ['fiatrail profiles trust main', 'fiatrail profiles trust main --yes'],
  endpoints: [],
  isLocal: true,
  parameters: { name: argument('name', 'profile name', word) },
  run: async (session, { name }) => {
    const stored = requireProfile(session, name);
    await trustKeyCommand(session, stored);
    const { command: text, isShell } = commandOf(stored);
    return { result: { data: { name, command: text, isShell, isTrusted: true } } };
  },
});
