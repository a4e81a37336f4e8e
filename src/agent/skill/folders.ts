import type { World } from '../../base/world.ts';

/** An agent, or all that follow the open standard: where they look for skills, and for the settings of MCP servers in a project. */
interface AgentFolders {
  /** Below the project, or the home folder. */
  readonly folder: string;
  /** Variables that it sets for what it runs. */
  readonly variables: readonly string[];
  /** Undefined if it has no file of a project for them. */
  readonly mcp: string | undefined;
}

/** Codex, Gemini CLI, Copilot, OpenCode and others read `.agents`. Source: their documentation as of November 2026. */
export const AGENT_FOLDERS = {
  claude: { folder: '.claude', variables: ['CLAUDECODE'], mcp: '.mcp.json' },
  cursor: { folder: '.cursor', variables: ['CURSOR_AGENT', 'CURSOR_TRACE_ID'], mcp: '.cursor/mcp.json' },
  agents: {
    folder: '.agents',
    variables: ['CODEX_SANDBOX', 'CODEX_THREAD_ID', 'GEMINI_CLI', 'OPENCODE'],
    mcp: undefined,
  },
} as const satisfies Readonly<Record<string, AgentFolders>>;

export type AgentName = keyof typeof AGENT_FOLDERS;

export const AGENT_NAMES = Object.keys(AGENT_FOLDERS) as readonly AgentName[];

/** Returns the folder of the skill. */
export const skillFolder = (agent: AgentName, above: string): string =>
  `${above}/${AGENT_FOLDERS[agent].folder}/skills/fiatrail`;

/** Returns the agent at hand: the one that runs this, or else the one that alone has a folder here or, with none here, at home. */
export function agentAtHand(
  { env }: Pick<World, 'env'>,
  folders: readonly string[],
  isFolder: (path: string) => boolean,
): AgentName | undefined {
  const running = AGENT_NAMES.find((name) => AGENT_FOLDERS[name].variables.some((variable) => env[variable]));
  if (running) return running;
  const found = folders.map((above) =>
    AGENT_NAMES.filter((name) => isFolder(`${above}/${AGENT_FOLDERS[name].folder}`)),
  );
  const [only, ...others] = found.find(({ length }) => length > 0) ?? [];
  return others.length === 0 ? only : undefined;
}
