import { absolutePath } from '../../account/paths.ts';
import { CliError } from '../../base/errors.ts';
import { command } from '../../cli/command.ts';
import { argument, word } from '../../cli/parameters.ts';
import { outcomeOf } from '../../cli/session.ts';
import { sandboxRestore, sandboxSnapshot } from '../../contract/control.ts';
import { requireSandbox } from './only.ts';

/** Turns the sandbox's rejection of a file into a usage error; nothing was changed. */
function asUsage(error: unknown, path: string): unknown {
  if (!(error instanceof CliError && error.category === 'refused' && error.responseCode === '01')) return error;
  // The useful part of the sandbox's message begins with the path.
  return new CliError('usage', error.message.slice(Math.max(0, error.message.indexOf(path))), {
    code: 'UNUSABLE_FILE',
    hint: 'snapshot needs a path that does not exist yet; restore needs a file written by snapshot',
    cause: error,
  });
}

export const snapshotCommand = command({
  words: ['sandbox', 'snapshot'],
  summary: 'Save the sandbox’s state to a file',
  details:
    'The file contains the sandbox’s keys and is readable only by its owner. A served sandbox writes it on the machine it runs on.',
  examples: ['fiatrail sandbox snapshot before.db', 'fiatrail sandbox snapshot before.db -o json --query bytes'],
  endpoints: [sandboxSnapshot.id],
  parameters: { file: argument('file', 'file to create; it must not exist', word, 'File:') },
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
  summary: 'Restore the sandbox’s state from a snapshot',
  details: 'Replaces everything in the sandbox except its key.',
  examples: ['fiatrail sandbox restore before.db', 'fiatrail sandbox restore before.db --yes'],
  endpoints: [sandboxRestore.id],
  parameters: { file: argument('file', 'file written by sandbox snapshot', word, 'File:') },
  run: async (session, input) => {
    requireSandbox(session);
    const path = absolutePath(input.file);
    const change = {
      summary: `restore the sandbox from ${path}`,
      lines: [['loses', 'everything in the sandbox now']] as const,
    };
    const reply = await session.change(sandboxRestore, { path }, change).catch((error) => {
      throw asUsage(error, path);
    });
    return outcomeOf(session, sandboxRestore, reply);
  },
});
