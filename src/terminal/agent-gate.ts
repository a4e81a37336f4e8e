import { plannedInput } from '../engine/plans/apply.ts';
import { requireOpenToAgents } from '../engine/sending/agent.ts';
import { wordsOfLine } from './ask/input.ts';
import type { Command } from './command.ts';
import { effectOf } from './help/effects.ts';
import type { Globals } from './parse/globals.ts';

/** Commands and options that print a secret, by their words. */
const SHOWS_SECRET: readonly string[] = ['fx book-token'];
const SECRET_OPTIONS: readonly string[] = ['printKey', 'withDigestKey'];

/** Throws CliError declined unless an agent may run a command line. Nothing was asked or sent before. */
export async function requireForAgent(
  agent: string,
  command: Command,
  texts: Readonly<Record<string, unknown>>,
  { dryRun }: Pick<Globals, 'dryRun'>,
): Promise<void> {
  const { words, parameters } = command;
  const changes = Object.entries(texts).some(
    ([key, text]) => text !== undefined && text !== false && parameters[key]?.changes,
  );
  const effect = await effectOf(command);
  requireOpenToAgents(agent, {
    words,
    effect: changes && effect === 'read' ? 'write' : effect,
    isPlannable: Object.hasOwn(parameters, 'plan'),
    isPlan: texts['plan'] !== undefined,
    isDryRun: dryRun && !changes,
    planned: [...wordsOfLine(command, plannedInput({ texts, parameters })), '--plan'],
    showsSecret: SHOWS_SECRET.includes(words.join(' ')) || SECRET_OPTIONS.some((name) => texts[name] === true),
  });
}
