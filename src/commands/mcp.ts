import { absolutePath } from '../account/paths.ts';
import { chosenProfile, type Profile } from '../account/profile.ts';
import type { Calling } from '../agent/calls.ts';
import type { CommandRecord, RunCommand } from '../agent/commands.ts';
import type { About } from '../agent/server.ts';
import { PERMISSIONS, type Permission, toolsFor } from '../agent/tools.ts';
import { advice } from '../base/advice.ts';
import { CliError } from '../base/errors.ts';
import { listenProblem } from '../base/listening.ts';
import type { World } from '../base/world.ts';
import type { Account } from '../engine/account.ts';
import { BytesFileError } from '../files/plain-file.ts';
import { printable } from '../money/amount.ts';
import { command } from '../terminal/command.ts';
import { untilInterrupted } from '../terminal/parse/listening.ts';
import { newFile, option, withValues } from '../terminal/parse/parameters.ts';
import type { Terminal } from '../terminal/terminal.ts';

const DEFAULT: readonly Permission[] = ['read'];

/** `read,plan`. */
const permissions = withValues(PERMISSIONS, (text): readonly Permission[] => {
  const names = text.split(',').map((each) => each.trim());
  const unknown = names.find((each) => !PERMISSIONS.some((known) => known === each));
  if (unknown === undefined) return PERMISSIONS.filter((each) => names.includes(each));
  throw new CliError('usage', `there is no "${unknown.slice(0, 30)}" to allow`, {
    hint: `expected some of ${PERMISSIONS.join(',')}, separated by commas`,
  });
});

/** `127.0.0.1:8765`; 0 picks a free port. Throws CliError usage for an address that other machines can reach. */
const loopback = (text: string): { readonly host: string; readonly port: number } => {
  const [, host = '', figures = ''] = /^(127\.0\.0\.1|localhost|\[::1\]):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(figures);
  if (host !== '' && port <= 65_535) return { host: host.replace(/^\[|\]$/g, ''), port };
  throw new CliError('usage', `invalid address "${printable(text)}"; expected a loopback address and a port`, {
    hint: 'for example 127.0.0.1:8765, localhost:8765 or [::1]:8765',
  });
};

/** The name or the id of a group. Throws CliError usage. */
const groupName = (text: string): string => {
  if (/^([a-z_][a-z\d_.-]{0,31}|\d{1,10})$/i.test(text)) return text;
  throw new CliError('usage', `invalid group "${printable(text)}"; expected the name or the id of a group`);
};

/** Returns the flag that keeps every call on the account of this command, whatever becomes the default profile meanwhile. */
function profileFlag({ name }: Profile, chosen: string | undefined, world: World): readonly string[] {
  const { FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: apiKey } = world.env;
  const isOfEnvironment = chosenProfile(chosen, world).source === 'environment' || baseUrl || apiKey;
  return chosen === undefined && isOfEnvironment ? [] : [`--profile=${name}`];
}

/** Throws CliError usage if the account is not one that may be let do this. */
async function requirePermitted(account: Account, allowed: readonly Permission[]): Promise<void> {
  const { name, mode, stored } = account.profile;
  if (mode === 'live' && allowed.includes('sandbox'))
    throw new CliError('usage', `--allow sandbox is for sandboxes, and profile ${name} is LIVE`, {
      hint: 'omit sandbox, or choose a sandbox with --profile',
    });
  if (mode !== 'live' || !allowed.includes('apply')) return;
  const { approversOf } = await import('../engine/plans/approver-list.ts');
  const { approvalThresholdsOf } = await import('../engine/plans/signatures.ts');
  if (approvalThresholdsOf({ stored }, await approversOf(account)).length > 0) return;
  if ((await account.rules.agentAllowances()).length > 0) return;
  throw new CliError(
    'usage',
    `--allow apply needs an approval threshold or an allowance, and profile ${name} is LIVE with neither`,
    {
      hint: advice`set one with: [fiatrail profiles approval-threshold set AMOUNT], or: [fiatrail profiles rules set --agent-allowance "NGN 20000 a day"]`,
    },
  );
}

/** Reads what a command that needs no account prints. */
async function printed<T>(run: RunCommand, words: readonly string[], signal: AbortSignal): Promise<T> {
  const { stdout } = await run([...words, '--output=json'], signal);
  return JSON.parse(stdout) as T;
}

/** Returns what calls are made with, and what the server says of itself. */
async function serving(account: Account, terminal: Terminal, allowed: readonly Permission[]) {
  const { world, profile } = account;
  const { interrupted } = world;
  const [{ commandsIn }, { createTurns }] = await Promise.all([import('../agent/run.ts'), import('../agent/turns.ts')]);
  // What it runs, an agent runs: only as a plan says, if it changes something.
  const env = { ...world.env, AI_AGENT: terminal.globals.agent ?? 'mcp' };
  const run = commandsIn({ ...world, env }, terminal.runs.program);
  const isMasked = terminal.globals.isMasked !== false;
  const { commands } = await printed<{ commands: readonly CommandRecord[] }>(run, ['help', 'commands'], interrupted);
  const { topics } = await printed<{ topics: readonly { name: string; title: string }[] }>(
    run,
    ['help', 'topics'],
    interrupted,
  );
  const { version } = await printed<{ version: string }>(run, ['version'], interrupted);
  const calling: Calling = {
    tools: toolsFor(allowed),
    commands,
    run,
    turns: createTurns(),
    isMasked,
    globals: [
      ...profileFlag(profile, terminal.globals.profile, world),
      '--output=json',
      '--no-input',
      '--quiet',
      isMasked ? '--mask' : '--no-mask',
    ],
  };
  const about: About = {
    version,
    topics: topics.map(({ name, title }) => ({
      name,
      title,
      text: async (signal) => (await printed<{ text: string }>(run, ['help', name], signal)).text,
    })),
  };
  return { calling, about };
}

interface ListenAt {
  readonly host: string;
  readonly port: number;
  readonly tokenPath: string;
  /** The group whose users can read the token. */
  readonly tokenGroup: string | undefined;
}

/** Serves agents that run as other users of this machine, until it is stopped. */
async function listen(
  account: Account,
  terminal: Terminal,
  allowed: readonly Permission[],
  { host, port, tokenPath, tokenGroup }: ListenAt,
): Promise<void> {
  const { world, notices } = account;
  const [{ serveOverHttp }, { tokenIn }, { calling, about }] = await Promise.all([
    import('../agent/listen.ts'),
    import('../files/token-file.ts'),
    serving(account, terminal, allowed),
  ]);
  const { token, isNew } = tokenOf(tokenPath, () =>
    tokenIn(tokenPath, () => Buffer.from(world.ids.bytes(32)).toString('base64url'), tokenGroup),
  );
  const server = await serveOverHttp(calling, about, { host, port, token }).catch((error) => {
    throw listenProblem(error, host, port, '--listen');
  });
  try {
    const { url } = server;
    await world.stdout.write(terminal.globals.present.format === 'table' ? `${url}\n` : `${JSON.stringify({ url })}\n`);
    await notices.note(`the token is in ${tokenPath}${isNew ? ', which is new' : ''}. Press Ctrl-C to stop`);
    await untilInterrupted(world);
  } finally {
    await server.close();
  }
}

/** Reads the token, and says what is wrong with its file. Throws CliError usage. */
function tokenOf<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BytesFileError)) throw error;
    throw new CliError('usage', `the token file ${path} cannot be used`, {
      code: 'UNUSABLE_FILE',
      hint: 'give the path of a file in a folder of yours',
      cause: error,
    });
  }
}

const mcpCommand = command({
  words: ['mcp'],
  summary: 'Serve the account to an agent over MCP',
  details:
    'Speaks the Model Context Protocol on standard input and output. By default, an agent can only look: balances, lists, reports, operations and events. Names and numbers are masked, unless you pass --no-mask. plan lets it prepare payments that a person approves, apply lets it send what someone else has approved, and sandbox lets it control a sandbox. No tool shows a key, approves a plan, or changes a rule or a profile.',
  examples: [
    'fiatrail mcp',
    'fiatrail mcp --allow read,plan',
    'fiatrail mcp --profile sandbox --allow read,plan,sandbox',
  ],
  endpoints: [],
  parameters: {
    listen: option(
      '--listen <host:port>',
      'serve agents of other users of this machine over HTTP, at a loopback address such as 127.0.0.1:8765',
      loopback,
    ),
    tokenFile: option(
      '--token-file <file>',
      'file with the token that callers must send; made if there is none',
      newFile,
    ),
    tokenGroup: option('--token-group <group>', 'group of this machine whose users can read the token file', groupName),
    allow: option('--allow <list>', `what the agent may do: ${PERMISSIONS.join(', ')} (default read)`, permissions),
  },
  run: async (account, terminal, { allow: allowed = DEFAULT, listen: address, tokenFile, tokenGroup }) => {
    const { world, notices } = account;
    for (const [name, value] of [
      ['--token-file', tokenFile],
      ['--token-group', tokenGroup],
    ])
      if (value !== undefined && !address)
        throw new CliError('usage', `${name} is about --listen`, { hint: 'add --listen 127.0.0.1:8765' });
    if (address && tokenFile === undefined)
      throw new CliError('usage', '--listen needs --token-file', {
        hint: 'name a file for the token; if there is none, a new token is put there',
      });
    await requirePermitted(account, allowed);
    if (address && tokenFile !== undefined) {
      await listen(account, terminal, allowed, { ...address, tokenPath: absolutePath(tokenFile), tokenGroup });
      return {};
    }
    const [{ serveOverStdio }, { calling, about }] = await Promise.all([
      import('../agent/stdio.ts'),
      serving(account, terminal, allowed),
    ]);
    if (world.stdin.isTerminal)
      await notices.note('this waits for messages of an agent, whose settings name this command; press Ctrl-C to stop');
    await serveOverStdio(world, calling, about, (what) => void notices.note(what));
    return {};
  },
});

export const commands = [mcpCommand];
