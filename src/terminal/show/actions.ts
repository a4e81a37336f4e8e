import type { AdvisedCommand } from '../../base/advice.ts';
import type { Action } from '../../present/error.ts';
import type { Command, Group } from '../command.ts';
import { GLOBAL_OPTIONS } from '../parse/globals.ts';

/**
 * Returns the command lines of a hint for programs, with what each still needs, as the map of the commands names it. An agent gets those that it
 * may run.
 */
export async function actionsOf(
  commands: readonly AdvisedCommand[],
  catalogue: readonly Group[],
  agent?: string,
): Promise<readonly Action[]> {
  const actions = await Promise.all(commands.map((each) => actionOf(each, catalogue, agent)));
  return actions.filter((each) => each !== undefined);
}

async function actionOf(
  advised: AdvisedCommand,
  catalogue: readonly Group[],
  agent: string | undefined,
): Promise<Action | undefined> {
  const words = advised.map(({ text }) => text);
  const commands = (await catalogue.find(({ name }) => name === words[0])?.load()) ?? [];
  const [command] = commands
    .filter((each) => each.words.every((word, at) => word === words[at]))
    .toSorted((a, b) => b.words.length - a.words.length);
  const { argv, needs } = command ? filledIn(command, advised) : plain(advised);
  if (agent !== undefined && command && !(await isOpen(agent, command, argv))) return undefined;
  return { argv, ...(needs.length > 0 ? { needs } : {}) };
}

/** Whether an agent may run a command line. */
async function isOpen(agent: string, command: Command, argv: readonly string[]): Promise<boolean> {
  const { requireForAgent } = await import('../agent-gate.ts');
  const has = (flag: string) => argv.includes(flag);
  const given = Object.entries(command.parameters).filter(([, { name }]) => has(flagIn(name)));
  try {
    await requireForAgent(agent, command, Object.fromEntries(given.map(([key]) => [key, true])), {
      dryRun: has('--dry-run'),
    });
    return true;
  } catch {
    return has('--help');
  }
}

/** What has no command, such as a page of help. */
const plain = (advised: AdvisedCommand) => ({
  argv: advised.flatMap(({ text, isNeeded }) => (isNeeded ? [] : [text])),
  needs: advised.flatMap(({ text, isNeeded }) => (isNeeded ? [text] : [])),
});

const flagIn = (syntax: string) => /--[\w-]+/.exec(syntax)?.[0] ?? syntax;

/** Splits a command line into what can be typed as it is and what is needed besides. */
function filledIn({ words, parameters }: Command, advised: AdvisedCommand) {
  const all = Object.values(parameters);
  const args = all.filter(({ kind }) => kind === 'argument');
  const syntaxes = [
    ...all.filter(({ kind }) => kind === 'option').map(({ name }) => name),
    ...GLOBAL_OPTIONS.map(([flags]) => flags),
  ];
  const takesValue = (flag: string) =>
    syntaxes.some((syntax) => /<.*>$/.test(syntax) && syntax.split(/, | /).includes(flag));
  const [argv, needs, given] = [[...words], [] as string[], [] as string[]];
  let position = 0;
  for (let at = words.length; at < advised.length; at += 1) {
    const { text, isNeeded } = advised[at] ?? { text: '', isNeeded: true };
    if (text.startsWith('-') && text !== '-') {
      const value = takesValue(text) ? advised[at + 1] : undefined;
      // A choice that only the reader can make.
      if (text.includes('|')) needs.push(text);
      else if (takesValue(text) && (!value || value.isNeeded)) needs.push(text);
      else argv.push(text, ...(value ? [value.text] : []));
      given.push(text.split('=')[0] ?? '');
      if (takesValue(text)) at += 1;
      continue;
    }
    const { name = text, repeats = false } = args[position] ?? {};
    given.push(name);
    // Behind an argument that is missing, no other one can stand.
    if (isNeeded || args.slice(0, position).some((each) => needs.includes(each.name))) needs.push(name);
    else argv.push(text);
    if (!repeats) position += 1;
  }
  if (advised.some(({ text }) => text === '--help')) return { argv, needs };
  const missing = all
    .filter(({ required }) => required)
    .map(({ kind, name }) => (kind === 'option' ? flagIn(name) : name));
  return { argv, needs: [...needs, ...missing.filter((name) => !given.includes(name))] };
}
