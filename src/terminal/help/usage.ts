import type { Command } from '../command.ts';
import type { Parameter } from '../parse/parameters.ts';

/** How a parameter is written: `<user-id>` for a required argument, `[address]` for an optional one, and an option as it is. */
export function formOf({ kind, name, required }: Parameter<unknown>): string {
  if (kind === 'option') return name;
  return required ? `<${name}>` : `[${name}]`;
}

/** Returns the arguments of a command as they are typed. */
export function argumentsOf({ parameters }: Pick<Command, 'parameters'>): string[] {
  const args = Object.values(parameters).filter(({ kind }) => kind === 'argument');
  return args.map((each) => formOf(each) + (each.repeats ? '...' : ''));
}

/** Returns what follows the name of a command: `<user-id> [options]`. */
export function usageOf(command: Pick<Command, 'parameters'>): string {
  const hasOptions = Object.values(command.parameters).some(({ kind }) => kind === 'option');
  return [...argumentsOf(command), ...(hasOptions ? ['[options]'] : [])].join(' ');
}
