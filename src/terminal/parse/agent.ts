import { CliError } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';

/** What a name can be in a plan, an entry of the journal and a header of a request. */
const NAME = /^[!-~](?:[ -~]{0,38}[!-~])?$/;

/** Whether a line that could not be parsed is an agent's. In `ops list`, the option filters. */
export const isOfAgent = (argv: readonly string[], { AI_AGENT }: World['env']): boolean =>
  Boolean(AI_AGENT) ||
  (argv.some((word) => /^--agent(=|$)/.test(word)) && !['ops', 'list'].every((word) => argv.includes(word)));

/** Returns the agent that runs a command, which `--agent` or AI_AGENT names; undefined for a person or a job. Throws CliError usage. */
export function agentIn(given: string | undefined, { AI_AGENT }: World['env']): string | undefined {
  const name = given ?? (AI_AGENT || undefined);
  if (name === undefined || NAME.test(name)) return name;
  throw new CliError('usage', `${given === undefined ? 'AI_AGENT' : '--agent'}: invalid agent name`, {
    code: 'INVALID_AGENT',
    hint: 'expected 1 to 40 printable ASCII characters, such as claude-code; nothing was sent',
  });
}
