import type { Command, Group } from '../../terminal/command.ts';
import type { Parameter } from '../../terminal/parse/parameters.ts';

/** A parameter as completion needs it. */
export type OutlinedParameter = Pick<Parameter<unknown>, 'kind' | 'name' | 'help' | 'values' | 'repeats'>;

/** A command as completion needs it: what is typed, without the code that runs it. */
export interface Outline extends Pick<Command, 'words' | 'summary'> {
  readonly parameters: Readonly<Record<string, OutlinedParameter>>;
}

/** Returns the outlines of a group's commands. In the bundle they are data (scripts/build.ts), because loading the commands would take most of the time of a completion. */
export async function outlineOf(group: Group): Promise<readonly Outline[]> {
  const commands = await group.load();
  return commands.map(({ words, summary, parameters }) => ({
    words,
    summary,
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([key, { kind, name, help, values, repeats }]) => [
        key,
        { kind, name, help, ...(values ? { values } : {}), ...(repeats ? { repeats } : {}) },
      ]),
    ),
  }));
}
