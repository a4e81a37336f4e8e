import * as z from 'zod/mini';
import packageJson from '../../package.json' with { type: 'json' };
import { command } from '../terminal/command.ts';

const { version } = packageJson;

const versionCommand = command({
  words: ['version'],
  summary: 'Print the version',
  examples: ['fiatrail version', 'fiatrail version -o json'],
  endpoints: [],
  prints: () => z.object({ version: z.string() }),
  isLocal: true,
  parameters: {},
  run: async ({ globals: { present } }) => {
    const isAlone = present.format === 'table' && !present.fields && present.query === undefined;
    return { result: isAlone ? { data: `${version}\n`, always: 'text' } : { data: { version } } };
  },
});

export const commands = [versionCommand];
