import * as z from 'zod/mini';
import { AGENT_FOLDERS, AGENT_NAMES, type AgentName, agentAtHand, skillFolder } from '../agent/skill/folders.ts';
import { serverSetting, withoutServer, withServer } from '../agent/skill/mcp-settings.ts';
import { differenceBetween, type FileStatus, isOurs, skillFiles, statusOf } from '../agent/skill/written.ts';
import { CliError } from '../base/errors.ts';
import type { World } from '../base/world.ts';
import type { Account } from '../engine/account.ts';
import { endDryRun } from '../engine/requests.ts';
import { entryAt } from '../files/inspect.ts';
import { readText, removeText, writeText } from '../files/plain-file.ts';
import { command } from '../terminal/command.ts';
import { missingError } from '../terminal/parse/missing.ts';
import { oneOf, option, switchOn } from '../terminal/parse/parameters.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** A file that a command writes, or removes if `text` is undefined, with what is there now. */
interface FileChange {
  readonly path: string;
  readonly status: FileStatus;
  readonly before: string | undefined;
  readonly text: string | undefined;
}

/** What an agent may do with the server that its settings name. `apply` is left to a server that runs as another user. */
const ALLOWED = ['read', 'read,plan'] as const;

const ofAgent = option(
  '--for <agent>',
  `${AGENT_NAMES.join(', ')}, where agents is every other one that reads .agents (default: the agent at hand)`,
  oneOf(...AGENT_NAMES),
);

const inHome = switchOn('--global', 'in the home folder, for all projects (default: in this folder)');

/** Returns the agent that was named, or the one at hand. Throws CliError usage. */
function agentFor(world: World, named: AgentName | undefined): AgentName {
  const isFolder = (path: string) => entryAt(path)?.kind === 'folder';
  const found = named ?? agentAtHand(world, [world.cwd, world.homeDir], isFolder);
  if (found) return found;
  throw missingError(['--for <agent>'], {
    expected: 'the agent, because nothing here says which one is at hand',
    hint: `name it: --for ${AGENT_NAMES.join(', or --for ')}`,
  });
}

/** Reads a file of an agent; undefined if there is none. Throws CliError usage if something else is in its place. */
function textAt(path: string): string | undefined {
  const kind = entryAt(path)?.kind;
  if (kind === undefined || kind === 'file') return readText(path);
  throw new CliError('usage', `${path} is a ${kind}, and no file; it was left unchanged`, {
    code: 'IN_THE_WAY',
    hint: 'move it away, then run the command again',
  });
}

/** The files of the skill below a folder, as they are and as this version writes them. */
const filesIn = (folder: string): readonly (FileChange & { readonly text: string })[] =>
  skillFiles().map(({ name, text }) => {
    const path = `${folder}/${name}`;
    const before = textAt(path);
    return { path, text, before, status: statusOf(before, text) };
  });

/** Shows what is written and what it replaces, line by line, and asks. Throws CliError usage or declined. */
async function agreed({ dialog }: Terminal, summary: string, changes: readonly FileChange[]): Promise<void> {
  const mustShow = (each: FileChange) => !dialog.globals.yes || each.status === 'changed' || each.status === 'foreign';
  for (const each of changes.filter(mustShow)) {
    await dialog.say(`${each.path} (${each.status}):`);
    for (const line of differenceBetween(each.before ?? '', each.text ?? '')) await dialog.say(`  ${line}`);
  }
  const { confirmChange } = await import('../terminal/ask/confirm.ts');
  await confirmChange(dialog, { summary, lines: changes.map(({ path, status }) => [status, path] as const) });
}

/** Makes changes of files, and returns their paths. */
function make({ ids }: World, changes: readonly FileChange[]): readonly string[] {
  for (const { path, text } of changes) {
    if (text === undefined) removeText(path);
    else writeText(path, text, ids.uuid());
  }
  return changes.map(({ path }) => path);
}

const changedSchema = () => z.object({ agent: z.enum(AGENT_NAMES), files: z.array(z.string()), mcp: z.unknown() });

/** The change of an agent's settings for MCP servers. Throws CliError usage if it has no file for them in a project. */
function settingsChange(
  agent: AgentName,
  world: World,
  isGlobal: boolean,
  profile: string | undefined,
  allow: string,
): FileChange {
  const { mcp } = AGENT_FOLDERS[agent];
  if (mcp === undefined || isGlobal)
    throw new CliError(
      'usage',
      `--mcp writes the settings of a project for ${agent === 'agents' ? 'claude or cursor' : agent}`,
      {
        hint: 'leave out --mcp; what is printed as mcp goes into the settings of your agent',
      },
    );
  const path = `${world.cwd}/${mcp}`;
  const before = textAt(path);
  const text = withServer(before, serverSetting(profile, allow), path);
  return { path, before, text, status: statusOf(before, text) };
}

async function setUp(
  account: Account,
  terminal: Terminal,
  {
    agent,
    isGlobal,
    allow,
  }: { readonly agent: AgentName; readonly isGlobal: boolean; readonly allow: string | undefined },
) {
  const { world } = account;
  const { profile } = terminal.globals;
  const folder = skillFolder(agent, isGlobal ? world.homeDir : world.cwd);
  const changes = [
    ...filesIn(folder),
    ...(allow === undefined ? [] : [settingsChange(agent, world, isGlobal, profile, allow)]),
  ].filter(({ status }) => status !== 'current');
  const mcp = { mcpServers: { fiatrail: serverSetting(profile, allow ?? 'read') } };
  endDryRun(account, { agent, files: changes.map(({ path }) => path), mcp });
  if (changes.length > 0) await agreed(terminal, `write the skill for ${agent}`, changes);
  return { agent, files: make(world, changes), mcp };
}

const setupCommand = command({
  words: ['agent', 'setup'],
  summary: 'Teach an agent to use fiatrail',
  details:
    'Writes a skill, which tells an agent how to look at the account and how to plan payments, to where the agent looks for skills. It shows what it writes, and asks. A file that someone else wrote or changed is replaced only after its lines were shown. Also prints the settings with which an agent starts fiatrail mcp; --mcp writes them.',
  examples: [
    'fiatrail agent setup --for claude',
    'fiatrail agent setup --for claude --mcp read,plan',
    'fiatrail agent setup --for agents --global --yes',
  ],
  endpoints: [],
  isLocal: true,
  prints: changedSchema,
  parameters: {
    agent: ofAgent,
    global: inHome,
    mcp: option(
      '--mcp <list>',
      'also write the settings of fiatrail mcp, which allow this: read, or read,plan',
      oneOf(...ALLOWED),
    ),
  },
  run: async (account, terminal, { agent: named, global, mcp: allow }) => ({
    result: {
      data: await setUp(account, terminal, { agent: agentFor(account.world, named), isGlobal: global === true, allow }),
    },
  }),
});

const showCommand = command({
  words: ['agent', 'show'],
  summary: 'Show where the skill is, or what it says',
  details:
    'A file is missing, current, older (written by another version), changed (by someone else since) or foreign (not written by fiatrail).',
  examples: ['fiatrail agent show', 'fiatrail agent show --text'],
  endpoints: [],
  isLocal: true,
  prints: () =>
    z.object({
      files: z.array(z.object({ agent: z.enum(AGENT_NAMES), status: z.string(), file: z.string() })),
    }),
  parameters: { text: switchOn('--text', 'print the skill itself') },
  run: async ({ world }, _terminal, { text }) => {
    if (text) return { result: { data: skillFiles()[0]?.text ?? '', always: 'text' } };
    const folders = AGENT_NAMES.flatMap((agent) =>
      [...new Set([world.cwd, world.homeDir])].map((above) => ({ agent, folder: skillFolder(agent, above) })),
    );
    const files = folders.flatMap(({ agent, folder }) => {
      const found = filesIn(folder);
      const isThere = found.some(({ status }) => status !== 'missing');
      return isThere ? found.map(({ status, path: file }) => ({ agent, status, file })) : [];
    });
    const columns = ['agent', 'status', 'file'].map((field) => ({
      field,
      title: field.charAt(0).toUpperCase() + field.slice(1),
    }));
    return { result: { data: { files }, lists: 'files', columns } };
  },
});

const removeCommand = command({
  words: ['agent', 'remove'],
  summary: 'Remove the skill from an agent',
  details:
    'Removes only what fiatrail wrote and no one has changed since: the files of the skill, and the settings of fiatrail mcp in this folder.',
  examples: ['fiatrail agent remove --for cursor', 'fiatrail agent remove --for claude --yes'],
  endpoints: [],
  isLocal: true,
  prints: () => z.object({ agent: z.enum(AGENT_NAMES), files: z.array(z.string()), left: z.array(z.string()) }),
  parameters: { agent: ofAgent, global: inHome },
  run: async (account, terminal, { agent: named, global }) => {
    const { world } = account;
    const agent = agentFor(world, named);
    const found = filesIn(skillFolder(agent, global ? world.homeDir : world.cwd));
    const own = found.filter(({ status }) => isOurs(status)).map((each): FileChange => ({ ...each, text: undefined }));
    const left = found.filter(({ status }) => status === 'changed' || status === 'foreign').map(({ path }) => path);
    const changes = [...own, ...(global ? [] : settingsWithout(agent, world))];
    endDryRun(account, { agent, files: changes.map(({ path }) => path), left });
    if (changes.length > 0) await agreed(terminal, `remove the skill from ${agent}`, changes);
    return { result: { data: { agent, files: make(world, changes), left } } };
  },
});

/** The settings of an agent in this folder without our server, if fiatrail wrote it. */
function settingsWithout(agent: AgentName, { cwd }: World): readonly FileChange[] {
  const { mcp } = AGENT_FOLDERS[agent];
  if (mcp === undefined) return [];
  const path = `${cwd}/${mcp}`;
  const before = textAt(path);
  const text = withoutServer(before, path);
  return text === undefined ? [] : [{ path, before, text, status: 'current' }];
}

export const commands = [setupCommand, showCommand, removeCommand];
