import type { ProgramFiles, World } from './base/world.ts';
import { CATALOGUE } from './commands/catalogue.ts';
import { QUERY_PROCESS } from './copy/questions/sql/process-word.ts';
import { createSystemWorld } from './system/world.ts';

/**
 * Runs a command line and returns its exit code. Called by bin/fiatrail.js. The shell asks for completions on every Tab, so
 * they are answered without loading what runs commands; so is the process of a query, for which a command waits.
 */
export async function run(argv: readonly string[], files: ProgramFiles, given?: World): Promise<number> {
  const [first, second, ...words] = argv;
  const isTab = first === 'completion' && second === 'complete';
  const world = given ?? createSystemWorld(files, isTab);
  if (isTab) {
    const { complete } = await import('./commands/completion/complete.ts');
    return complete(words[0] === '--' ? words.slice(1) : words, CATALOGUE, world);
  }
  if (first === QUERY_PROCESS) return (await import('./copy/questions/sql/process.ts')).runQueryProcess(world);
  const { main } = await import('./main.ts');
  const code = await main(argv, world);
  if (world.abandoned.aborted) world.exit(code);
  return code;
}
