import * as z from 'zod/mini';
import { absolutePath } from '../../account/paths.ts';
import { CliError } from '../../base/errors.ts';
import { sandboxRestore, sandboxSnapshot } from '../../contract/control.ts';
import type { ResponseOf } from '../../contract/endpoint.ts';
import { STATE_FILE_ID } from '../../contract/sandbox.ts';
import { entryAt } from '../../files/inspect.ts';
import { BytesFileError, type BytesProblem, createPrivateFile, readPlainBytes } from '../../files/plain-file.ts';
import { command } from '../../terminal/command.ts';
import { argument, newFile, word } from '../../terminal/parse/parameters.ts';
import { change } from '../../terminal/terminal.ts';
import { acceptPlainResponses, requireSandbox } from './require-sandbox.ts';

const FOR_SNAPSHOT = 'give the path of a new file, in a folder that exists';

const FOR_RESTORE = 'give a file that fiatrail sandbox snapshot wrote';

const unusable = (path: string, why: string, hint: string, cause?: unknown) =>
  new CliError('usage', `${path}: ${why}`, {
    code: 'UNUSABLE_FILE',
    hint,
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
    throw error instanceof BytesFileError
      ? unusable(
          path,
          messages[error.problem] ?? fallback,
          messages === WHEN_WRITING ? FOR_SNAPSHOT : FOR_RESTORE,
          error,
        )
      : error;
  }
}

/** Writes a state file as it is unpacked, and returns its size. Throws CliError `usage` for the file, and `network` if there is no state in the response. */
async function saveState(path: string, { content, bytes }: ResponseOf<typeof sandboxSnapshot>): Promise<number> {
  const { UnpackError, unpackState } = await import('../../contract/state-content.ts');
  async function* whole() {
    let leftBytes = bytes;
    for await (const piece of unpackState(content, bytes)) {
      leftBytes -= piece.length;
      yield piece;
    }
    if (leftBytes > 0) throw new UnpackError('fewer bytes than there are said to be');
  }
  try {
    return await createPrivateFile(path, whole());
  } catch (error) {
    if (error instanceof UnpackError) throw new CliError('network', 'the sandbox’s response contains no state file');
    return onFile(path, WHEN_WRITING, 'the file cannot be written', () => {
      throw error;
    });
  }
}

/** Turns the sandbox's rejection of a file into a usage error; nothing was changed. */
function asUsage(error: unknown, path: string): unknown {
  if (!(error instanceof CliError && error.category === 'rejected' && error.responseCode === '01')) return error;
  // The useful part of the sandbox's message follows the name of the field.
  return unusable(path, error.message.replace(/^.*?\b(?:content|body): /, ''), FOR_RESTORE, error);
}

export const snapshotCommand = command({
  words: ['sandbox', 'snapshot'],
  summary: 'Save the sandbox’s state to a file',
  details: 'The file contains the sandbox’s keys and is readable only by its owner. It is written on this machine.',
  examples: ['fiatrail sandbox snapshot before.db', 'fiatrail sandbox snapshot before.db -o json --query bytes'],
  endpoints: [sandboxSnapshot.id],
  prints: () => z.object({ path: z.string(), bytes: z.int() }),
  parameters: { file: argument('file', 'file to create; it must not exist', newFile, 'File:') },
  run: async (account, _terminal, input) => {
    requireSandbox(account);
    const path = absolutePath(input.file);
    if (entryAt(path)) throw unusable(path, 'the file already exists', FOR_SNAPSHOT);
    const { data } = await account.call(sandboxSnapshot, {});
    const bytes = await saveState(path, data);
    return { result: { data: { path, bytes } } };
  },
});

/** The start of every SQLite file, and where its header has what is read here. Source: sqlite.org/fileformat.html. */
const SQLITE = 'SQLite format 3\0';

const HEADER_BYTES = 100;

const PAGE_SIZE_AT = 16;

const PAGE_COUNT_AT = 28;

const APPLICATION_ID_AT = 68;

/** Returns what keeps bytes from being a whole state file, as far as its header shows it; undefined if nothing does. */
function stateFileProblem(bytes: Uint8Array): string | undefined {
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = Buffer.from(bytes.subarray(0, SQLITE.length)).toString('latin1');
  if (bytes.length < HEADER_BYTES || start !== SQLITE || header.getUint32(APPLICATION_ID_AT) !== STATE_FILE_ID)
    return 'it is not a sandbox state file';
  // The largest page size does not fit into its two bytes and is written as 1.
  const pageSize = header.getUint16(PAGE_SIZE_AT) === 1 ? 65_536 : header.getUint16(PAGE_SIZE_AT);
  return bytes.length < pageSize * header.getUint32(PAGE_COUNT_AT) ? 'it is incomplete' : undefined;
}

export const restoreCommand = command({
  words: ['sandbox', 'restore'],
  summary: 'Restore the sandbox’s state from a snapshot',
  details: 'Replaces everything in the sandbox except its key.',
  examples: ['fiatrail sandbox restore before.db', 'fiatrail sandbox restore before.db --yes'],
  endpoints: [sandboxRestore.id],
  prints: { response: sandboxRestore, more: () => ({ path: z.string() }) },
  parameters: { file: argument('file', 'file written by sandbox snapshot', word, 'File:') },
  run: async (account, terminal, input) => {
    requireSandbox(account);
    const path = absolutePath(input.file);
    const { MAX_STATE_BYTES, packState } = await import('../../contract/state-content.ts');
    const bytes = onFile(path, WHEN_READING, 'the file cannot be read', () => readPlainBytes(path, MAX_STATE_BYTES));
    const problem = stateFileProblem(bytes);
    if (problem) throw unusable(path, problem, FOR_RESTORE);
    const restoring = {
      summary: `restore the sandbox from ${path}`,
      lines: [['loses', 'everything in the sandbox now']] as const,
    };
    const options = { prints: ['path', 'fintechId', 'now'] };
    const { data } = await change(
      account,
      terminal,
      sandboxRestore,
      { content: packState(bytes) },
      restoring,
      options,
    ).catch((error) => {
      throw asUsage(error, path);
    });
    await acceptPlainResponses(account);
    return { result: { data: { path, ...data } } };
  },
});
