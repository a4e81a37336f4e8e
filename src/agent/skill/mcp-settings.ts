import { CliError } from '../../base/errors.ts';
import { isJsonObject } from '../../money/decimal.ts';

/** The name of our server in the settings of an agent. */
const NAME = 'fiatrail';

/** What the settings of an agent say of our server. */
interface ServerSetting {
  readonly command: 'fiatrail';
  readonly args: readonly string[];
}

/** Returns the setting of a server for a profile, with what it allows. */
export const serverSetting = (profile: string | undefined, allow: string): ServerSetting => ({
  command: 'fiatrail',
  args: ['mcp', ...(profile === undefined ? [] : ['--profile', profile]), '--allow', allow],
});

/** Returns the settings as a text that has our server, with all others as they are. Throws CliError usage if the text has no settings. */
export function withServer(text: string | undefined, setting: ServerSetting, path: string): string {
  const { settings, servers } = settingsIn(text, path);
  return textOf({ ...settings, mcpServers: { ...servers, [NAME]: setting } });
}

/** Returns the settings without our server, if it is as fiatrail writes it; undefined otherwise. */
export function withoutServer(text: string | undefined, path: string): string | undefined {
  if (text === undefined) return undefined;
  const { settings, servers } = settingsIn(text, path);
  const { [NAME]: own, ...others } = servers;
  return isWritten(own) ? textOf({ ...settings, mcpServers: others }) : undefined;
}

/** `{"command":"fiatrail","args":["mcp","--profile","main","--allow","read,plan"]}` and nothing else. */
function isWritten(own: unknown): boolean {
  if (!isJsonObject(own) || Object.keys(own).join() !== 'command,args' || !Array.isArray(own['args'])) return false;
  const [, profile, allow = ''] = /^mcp(?: --profile (\S+))? --allow (\S+)$/.exec(own['args'].join(' ')) ?? [];
  return JSON.stringify(own) === JSON.stringify(serverSetting(profile, allow));
}

const textOf = (settings: object) => `${JSON.stringify(settings, null, 2)}\n`;

function settingsIn(text: string | undefined, path: string) {
  const problem = new CliError('usage', `${path} is no JSON with settings of MCP servers; it was left unchanged`, {
    code: 'UNUSABLE_FILE',
    hint: 'correct it, or leave out --mcp',
  });
  let settings: unknown;
  try {
    settings = text === undefined || text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    throw problem;
  }
  if (!isJsonObject(settings)) throw problem;
  const { mcpServers = {} } = settings;
  if (!isJsonObject(mcpServers)) throw problem;
  return { settings, servers: mcpServers };
}
