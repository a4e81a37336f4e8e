import { absolutePath } from '../../account/paths.ts';
import { CliError } from '../../base/errors.ts';
import { sandboxRestore, sandboxSnapshot } from '../../contract/control.ts';
import { stateFileProblem } from '../../contract/state-file.ts';
import { BytesFileError, type BytesProblem, createPrivateBytes, readPlainBytes } from '../../files/bytes-file.ts';
import { entryAt } from '../../files/inspect.ts';
import { command } from '../../terminal/command.ts';
import { argument, newFile, word } from '../../terminal/parse/parameters.ts';
import { requireSandbox } from './only.ts';
import { acceptPlainAgain } from './plain-again.ts';

const unusable = (path: string, why: string, cause?: unknown) =>
  new CliError('usage', `${path}: ${why}`, {
    code: 'UNUSABLE_FILE',
    hint: 'snapshot needs a path that does not exist yet; restore needs a file written by snapshot',
    ...(cause === undefined ? {} : { cause }),
  });

const WHEN_WRITING: Readonly<Partial<Record<BytesProblem, string>>> = {
  exists: 'the file already exists',
  missing: 'the folder does not exist',
};
const WHEN_READING: Readonly<Partial<Record<BytesProblem, string>>> = {
  missing: 'the file does not exist',
  'not plain': 'it is not a regular file',
  'too long': 'it is too large for a sandbox state file',
};

/** Runs work on a file. Throws CliError usage if there is a problem with the file. */
function onFile<T>(path: string, messages: typeof WHEN_READING, fallback: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof BytesFileError ? unusable(path, messages[error.problem] ?? fallback, error) : error;
  }
}

/** Turns the sandbox's rejection of a file into a usage error; nothing was changed. */
function asUsage(error: unknown, path: string): unknown {
  if (!(error instanceof CliError && error.category === 'refused' && error.responseCode === '01')) return error;
  // The useful part of the sandbox's message follows the name of the field.
  return unusable(path, error.message.replace(/^.*?\b(?:content|body): /, ''), error);
}

export const snapshotCommand = command({
  words: ['sandbox', 'snapshot'],
  summary: 'Save the sandbox’s state to a file',
  details: 'The file contains the sandbox’s keys and is readable only by its owner. It is written on this machine.',
  examples: ['fiatrail sandbox snapshot before.db', 'fiatrail sandbox snapshot before.db -o json --query bytes'],
  endpoints: [sandboxSnapshot.id],
  prints: { form: { path: 'text', bytes: 'whole number' } },
  parameters: { file: argument('file', 'file to create; it must not exist', newFile, 'File:') },
  run: async (session, input) => {
    requireSandbox(session);
    const path = absolutePath(input.file);
    if (entryAt(path)) throw unusable(path, 'the file already exists');
    const { data } = await session.call(sandboxSnapshot, {});
    const { unpackState } = await import('../../contract/state-content.ts');
    // A short text may unpack to a thousand times its size.
    const bytes = unpackState(data.content, data.bytes);
    if (bytes?.length !== data.bytes) throw new CliError('network', 'the sandbox’s response contains no state file');
    onFile(path, WHEN_WRITING, 'the file cannot be written', () => createPrivateBytes(path, bytes));
    return { result: { data: { path, bytes: bytes.length } } };
  },
});

export const restoreCommand = command({
  words: ['sandbox', 'restore'],
  summary: 'Restore the sandbox’s state from a snapshot',
  details: 'Replaces everything in the sandbox except its key.',
  examples: ['fiatrail sandbox restore before.db', 'fiatrail sandbox restore before.db --yes'],
  endpoints: [sandboxRestore.id],
  prints: { response: sandboxRestore, more: { path: 'text' } },
  parameters: { file: argument('file', 'file written by sandbox snapshot', word, 'File:') },
  run: async (session, input) => {
    requireSandbox(session);
    const path = absolutePath(input.file);
    const { MAX_STATE_BYTES, packState } = await import('../../contract/state-content.ts');
    const bytes = onFile(path, WHEN_READING, 'the file cannot be read', () => readPlainBytes(path, MAX_STATE_BYTES));
    const problem = stateFileProblem(bytes);
    if (problem) throw unusable(path, problem);
    const change = {
      summary: `restore the sandbox from ${path}`,
      lines: [['loses', 'everything in the sandbox now']] as const,
    };
    const options = { prints: ['path', 'fintechId', 'now'] };
    const { data } = await session
      .change(sandboxRestore, { content: packState(bytes) }, change, options)
      .catch((error) => {
        throw asUsage(error, path);
      });
    await acceptPlainAgain(session);
    return { result: { data: { path, ...data } } };
  },
});
