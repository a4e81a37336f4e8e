import * as z from 'zod/mini';
import packageJson from '../../package.json' with { type: 'json' };
import { CliError } from '../base/errors.ts';
import type { World } from '../base/world.ts';
import { command } from '../terminal/command.ts';
import { switchOn } from '../terminal/parse/parameters.ts';

const { version } = packageJson;

const versionCommand = command({
  words: ['version'],
  summary: 'Print the version',
  examples: ['fiatrail version', 'fiatrail version --verify', 'fiatrail version -o json'],
  endpoints: [],
  prints: () => z.object({ version: z.string(), checkedFiles: z.optional(z.number()) }),
  isLocal: true,
  parameters: {
    verify: switchOn('--verify', 'also compare the files of fiatrail with the digests that its build recorded'),
  },
  run: async ({ world, globals: { present } }, _terminal, { verify }) => {
    const checkedFiles = verify ? await checkedFileCount(world) : undefined;
    const isAlone = present.format === 'table' && !present.fields && present.query === undefined;
    if (!isAlone) return { result: { data: checkedFiles === undefined ? { version } : { version, checkedFiles } } };
    const text =
      checkedFiles === undefined
        ? version
        : `fiatrail ${version} is as built (${checkedFiles} ${checkedFiles === 1 ? 'file' : 'files'} checked)`;
    return { result: { data: `${text}\n`, always: 'text' } };
  },
});

/** How many names of damaged files an error lists. */
const NAMED = 3;

/** Returns how many files are as they were built. Throws if one is not. */
async function checkedFileCount(world: World): Promise<number> {
  const { count, damaged } = await world.checkFiles();
  if (damaged.length === 0) return count;
  const more = damaged.length > NAMED ? ` and ${damaged.length - NAMED} more` : '';
  throw new CliError(
    'internal',
    `fiatrail is not as built; changed or missing: ${damaged.slice(0, NAMED).join(', ')}${more}`,
    {
      code: 'FILES_DAMAGED',
      hint: 'install fiatrail again; if you did not change these files, find out who did',
    },
  );
}

export const commands = [versionCommand];
