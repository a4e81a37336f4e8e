import { setCompletionCached } from '../../account/changes.ts';
import { forgetSeen, KEPT_DAYS, stateOfCache } from '../../account/completion-cache.ts';
import { completionCachePath } from '../../account/paths.ts';
import { isCompletionCached } from '../../account/stored-profile.ts';
import type { World } from '../../base/world.ts';
import { type Command, command } from '../../cli/command.ts';
import { endDryRun } from '../../cli/dry-run.ts';
import { oneOf, optionalArgument } from '../../cli/parameters.ts';
import { install, shellIn, uninstall } from './place.ts';
import { SCRIPTS } from './scripts.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** How the script of each shell is used without installing it. */
const SOURCED = {
  bash: 'source <(fiatrail completion bash)',
  zsh: 'source <(fiatrail completion zsh)',
  fish: 'fiatrail completion fish | source',
} as const;

const scriptCommands = SHELLS.map(
  (shell): Command => ({
    words: ['completion', shell],
    summary: `Print the completion script for ${shell}`,
    details:
      'The first line of the script says how to use it. Every new shell has it after: fiatrail completion install',
    examples: [SOURCED[shell], `fiatrail completion ${shell} > fiatrail.${shell}`],
    endpoints: [],
    isLocal: true,
    parameters: {},
    run: async () => ({ result: { data: SCRIPTS[shell], always: 'text' } }),
  }),
);

const ofShell = optionalArgument('shell', 'the shell (default: that of SHELL)', oneOf(...SHELLS));

const PLACED = {
  form: { shell: ['one of', 'bash', 'zsh', 'fish'], file: 'text', installed: 'flag', next: ['null or', 'text'] },
} as const;

const installCommand = command({
  words: ['completion', 'install'],
  summary: 'Install completion for a shell',
  details:
    'Writes the script to the folder in which the shell looks for it. Commands, flags, values, ids and banks are completed. Ids come from the journal, from the embedded sandbox and, for other profiles, from what earlier reads showed: nothing is sent to the service.',
  examples: ['fiatrail completion install zsh', 'fiatrail completion install fish -o json'],
  endpoints: [],
  isLocal: true,
  prints: PLACED,
  parameters: { shell: ofShell },
  run: async (session, { shell: named }) => {
    const shell = shellIn(session.world, named);
    endDryRun(session, { shell });
    return { result: { data: install(session.world, shell, SCRIPTS[shell]) } };
  },
});

const uninstallCommand = command({
  words: ['completion', 'uninstall'],
  summary: 'Remove completion for a shell',
  examples: ['fiatrail completion uninstall zsh', 'fiatrail completion uninstall fish -o json'],
  endpoints: [],
  isLocal: true,
  prints: PLACED,
  parameters: { shell: ofShell },
  run: async (session, { shell: named }) => {
    const shell = shellIn(session.world, named);
    endDryRun(session, { shell });
    return { result: { data: uninstall(session.world, shell) } };
  },
});

async function cacheState(world: World) {
  const { accounts, things, oldestMs, newestMs } = await stateOfCache(world);
  const timeOf = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
  return {
    cache: isCompletionCached(world) ? 'on' : 'off',
    file: completionCachePath(world),
    keptDays: KEPT_DAYS,
    accounts,
    oldest: timeOf(oldestMs),
    newest: timeOf(newestMs),
    things,
  };
}

const COLUMNS = [
  { field: 'cache', title: 'Cache' },
  { field: 'file', title: 'File' },
  { field: 'keptDays', title: 'Days kept' },
  { field: 'accounts', title: 'Accounts' },
  { field: 'oldest', title: 'Oldest' },
  { field: 'newest', title: 'Newest' },
  {
    field: 'things',
    title: 'Remembered',
    columns: [
      { field: 'kind', title: 'Kind' },
      { field: 'count', title: 'Count', align: 'right' },
    ],
  },
] as const;

const cacheCommand = command({
  words: ['completion', 'cache'],
  summary: 'Show what is remembered for completion, or switch it on or off',
  details: `Reads with a profile over the network remember ids, the names of users, of the account’s bank accounts and of banks, and the labels of wallets, so that Tab can offer them without a call. Only completion uses them. They are kept in one file that only you can read, apart for each API key, for ${KEPT_DAYS} days after they were last read. "off" deletes the file, and nothing is remembered until "on".`,
  examples: [
    'fiatrail completion cache',
    'fiatrail completion cache off',
    'fiatrail completion cache -o json --query things',
  ],
  endpoints: [],
  isLocal: true,
  prints: {
    form: {
      cache: ['one of', 'on', 'off'],
      file: 'text',
      keptDays: 'whole number',
      accounts: 'whole number',
      oldest: ['null or', 'time'],
      newest: ['null or', 'time'],
      things: ['list of', { kind: 'text', count: 'whole number' }],
    },
  },
  parameters: {
    state: optionalArgument('state', 'on or off (default: show it)', oneOf('on', 'off')),
  },
  run: async (session, { state }) => {
    const { world } = session;
    if (state !== undefined) {
      endDryRun(session, { cache: state, file: completionCachePath(world) });
      await setCompletionCached(world, state === 'on');
      // After the setting: whoever writes in between sees it, and deletes the file too.
      if (state === 'off') forgetSeen(world);
    }
    return { result: { data: await cacheState(world), columns: COLUMNS } };
  },
});

export const commands: readonly Command[] = [...scriptCommands, installCommand, uninstallCommand, cacheCommand];
