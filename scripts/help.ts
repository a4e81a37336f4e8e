/** Renders every help text at build time with the program's own code, so that bin/fiatrail.js can print it without loading that. */
import type { World } from '../src/base/world.ts';
import type { Group } from '../src/terminal/command.ts';
import { parse } from '../src/terminal/parse/program.ts';

/** An output that is no terminal, for which help has its default width. */
const NO_TERMINAL: Pick<World, 'env' | 'stdout'> = {
  env: {},
  stdout: { isTerminal: false, columns: undefined, write: async () => {} },
};

/** Returns the texts by file name: `help/fx.orders.txt` for `fiatrail fx orders --help`, `help/.txt` for the program. */
export async function helpFiles(catalogue: readonly Group[]): Promise<ReadonlyMap<string, string>> {
  const commands = (await Promise.all(catalogue.map((group) => group.load()))).flat();
  // `fx orders list`, and what stands above it: `fx orders` and `fx`.
  const all = commands.flatMap(({ words }) => words.map((_, index) => words.slice(0, index + 1).join(' ')));
  const files = new Map<string, string>();
  for (const words of ['', ...new Set(all)]) {
    const argv = words === '' ? [] : words.split(' ');
    const parsed = await parse([...argv, '--help'], catalogue, NO_TERMINAL);
    if (parsed.kind !== 'help') throw new Error(`fiatrail ${words} --help is not help`);
    files.set(`help/${argv.join('.')}.txt`, parsed.text);
  }
  return files;
}
