import { absolutePath } from '../../account/paths.ts';
import { CliError } from '../../base/errors.ts';
import { command } from '../../cli/command.ts';
import { argument, word } from '../../cli/parameters.ts';
import { outcomeOf } from '../../cli/session.ts';
import { sandboxRestore, sandboxSnapshot } from '../../contract/control.ts';
import { requireSandbox } from './only.ts';

/** What is wrong with the file is wrong input, and nothing was changed. */
function asUsage(error: unknown, path: string): unknown {
  if (!(error instanceof CliError && error.category === 'refused' && error.responseCode === '01')) return error;
  // The sandbox's own words begin with the path.
  return new CliError('usage', error.message.slice(Math.max(0, error.message.indexOf(path))), {
    code: 'UNUSABLE_FILE',
    hint: 'snapshot makes a new file; restore takes one that snapshot made',
    cause: error,
  });
}

export const snapshotCommand = command({
  words: ['sandbox', 'snapshot'],
  summary: 'Write the whole state of the sandbox to a new file',
  details:
    'Only its owner can read the file. It holds the keys of the sandbox. A served sandbox writes it where it runs.',
  examples: ['fiatrail sandbox snapshot before.db', 'fiatrail sandbox snapshot before.db -o json --query bytes'],
  endpoints: [sandboxSnapshot.id],
  parameters: { file: argument('file', 'the file to make; nothing may stand there', word, 'File:') },
  run: async (session, input) => {
    requireSandbox(session);
    const path = absolutePath(input.file);
    const reply = await session.call(sandboxSnapshot, { path }).catch((error) => {
      throw asUsage(error, path);
    });
    return outcomeOf(session, sandboxSnapshot, reply);
  },
});

export const restoreCommand = command({
  words: ['sandbox', 'restore'],
  summary: 'Put the state of a snapshot in the place of what the sandbox holds; its key stays',
  examples: ['fiatrail sandbox restore before.db', 'fiatrail sandbox restore before.db --yes'],
  endpoints: [sandboxRestore.id],
  parameters: { file: argument('file', 'a file that snapshot made', word, 'File:') },
  run: async (session, input) => {
    requireSandbox(session);
    const path = absolutePath(input.file);
    const change = {
      summary: `restore of the sandbox from ${path}`,
      lines: [['loses', 'everything the sandbox holds now']] as const,
    };
    const reply = await session.change(sandboxRestore, { path }, change).catch((error) => {
      throw asUsage(error, path);
    });
    return outcomeOf(session, sandboxRestore, reply);
  },
});
