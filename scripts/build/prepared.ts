/** What the program would compute the same way every time, computed once by its own code: help texts, and what completion reads. */
import type { Plugin } from 'esbuild';
import type { World } from '../../src/base/world.ts';
import type { Command, Group } from '../../src/cli/command.ts';
import { parse } from '../../src/cli/program.ts';
import type { CommandOutline } from '../../src/commands/completion/complete.ts';

/** A world without a terminal, for which help has its default width. */
const NO_TERMINAL: Pick<World, 'env' | 'stdout'> = {
  env: {},
  stdout: { isTerminal: false, columns: undefined, write: async () => {} },
};

/** Help by file: `fx.json` has the texts of `fx` and everything below it by their words, `index.json` that of the program. */
export async function helpFiles(catalogue: readonly Group[]): Promise<ReadonlyMap<string, string>> {
  const textOf = async (words: readonly string[]): Promise<[string, string]> => {
    const parsed = await parse([...words, '--help'], catalogue, NO_TERMINAL);
    if (parsed.kind !== 'help') throw new Error(`${words.join(' ')} --help is not help`);
    return [words.join(' '), parsed.text];
  };
  const fileOf = async (all: readonly (readonly string[])[]) =>
    JSON.stringify(Object.fromEntries(await Promise.all(all.map(textOf))));
  const groups = catalogue.map(
    async (group): Promise<[string, string]> => [
      `help/${group.name}.json`,
      await fileOf(withParts(await group.load())),
    ],
  );
  return new Map([['help/index.json', await fileOf([[]])], ...(await Promise.all(groups))]);
}

/** The words of each command and of what stands above it: `fx orders list`, `fx orders`, `fx`. */
function withParts(commands: readonly Command[]): readonly (readonly string[])[] {
  const all = commands.flatMap(({ words }) => words.map((_, index) => words.slice(0, index + 1)));
  return [...new Map(all.map((words) => [words.join(' '), words])).values()];
}

/** Replaces src/commands/completion/outlines.ts with one that holds data only, a module for each group. */
export const outlines = (catalogue: readonly Group[]): Plugin => ({
  name: 'outlines',
  setup: ({ onLoad, onResolve }) => {
    onLoad({ filter: /[\\/]completion[\\/]outlines\.ts$/ }, () => {
      const groups = catalogue.map(({ name, summary, parts }) => {
        const load = `async () => (await import("outlines:${name}")).commands`;
        return `{ ...${JSON.stringify({ name, summary, parts })}, load: ${load} }`;
      });
      return { contents: `export const OUTLINES = [${groups.join(',\n')}];` };
    });
    onResolve({ filter: /^outlines:/ }, ({ path }) => ({
      path: path.slice('outlines:'.length),
      namespace: 'outlines',
    }));
    onLoad({ filter: /.*/, namespace: 'outlines' }, async ({ path: wanted }) => {
      const commands = (await catalogue.find(({ name }) => name === wanted)?.load()) ?? [];
      const json = JSON.stringify(commands.map(outlineOf));
      return { contents: `export const commands = JSON.parse(${JSON.stringify(json)});` };
    });
  },
});

function outlineOf({ words, summary, parameters }: Command): CommandOutline {
  const shown = Object.entries(parameters).map(([key, { kind, name, help, values, repeats }]) => [
    key,
    { kind, name, help, ...(values ? { values } : {}), ...(repeats ? { repeats } : {}) },
  ]);
  return { words, summary, parameters: Object.fromEntries(shown) };
}
