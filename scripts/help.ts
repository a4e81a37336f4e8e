/** Renders every help text at build time with the program's own code, so that bin/fiatrail.js can print it without loading that. */
import type { Group } from '../src/terminal/command.ts';
import { helpOf, pageNamed } from '../src/terminal/help/help.ts';
import { TOPICS } from '../src/terminal/help/topics/index.ts';

/** The pages of `fiatrail help NAME` that are about no command. */
export const PAGES: readonly string[] = ['commands', 'options', 'topics', ...TOPICS.map(({ name }) => name)];

/**
 * Returns the texts by file name: `help/fx.orders.txt` for `fiatrail fx orders --help`, `help/.txt` for the program, and
 * `help/help.options.txt` for `fiatrail help options`.
 */
export async function helpFiles(catalogue: readonly Group[]): Promise<ReadonlyMap<string, string>> {
  const commands = (await Promise.all(catalogue.map((group) => group.load()))).flat();
  // `fx orders list`, and what stands above it: `fx orders` and `fx`.
  const all = commands.flatMap(({ words }) => words.map((_, index) => words.slice(0, index + 1).join(' ')));
  const files = new Map<string, string>();
  for (const words of ['', ...new Set(all)]) {
    const path = words.split(' ').filter(Boolean);
    files.set(`help/${path.join('.')}.txt`, await helpOf(path, catalogue));
  }
  for (const name of PAGES) {
    const text = await pageNamed([name], catalogue);
    if (text === undefined) throw new Error(`fiatrail help ${name} has no page`);
    files.set(`help/help.${name}.txt`, text);
  }
  return files;
}
