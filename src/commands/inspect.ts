import * as z from 'zod/mini';
import { absolutePath } from '../account/paths.ts';
import { CliError } from '../base/errors.ts';
import { listenProblem } from '../base/listening.ts';
import type { Account } from '../engine/account.ts';
import { endDryRun } from '../engine/requests.ts';
import { BytesFileError, type BytesProblem, createPrivateBytes, readPlainBytes } from '../files/plain-file.ts';
import type { InspectorSource } from '../inspector/source.ts';
import { requireUnmasked } from '../present/result.ts';
import { command } from '../terminal/command.ts';
import { untilInterrupted } from '../terminal/parse/listening.ts';
import { newFile, option, optionalArgument, switchOn, wholeNumber, word } from '../terminal/parse/parameters.ts';
import type { Terminal } from '../terminal/terminal.ts';

const HOST = '127.0.0.1';

const WHY: Readonly<Record<BytesProblem, string>> = {
  exists: 'exists already',
  missing: 'does not exist',
  'not plain': 'is not a regular file',
  'too long': 'is larger than any saved session',
  unusable: 'cannot be used',
};

function unusable(path: string, error: unknown): unknown {
  if (!(error instanceof BytesFileError)) return error;
  const hint = error.problem === 'exists' ? 'give the path of a new file' : 'give the path of a saved session';
  return new CliError('usage', `${path} ${WHY[error.problem]}`, { code: 'UNUSABLE_FILE', hint, cause: error });
}

/** Reads a saved session. Throws CliError usage. */
async function savedAt(file: string): Promise<InspectorSource> {
  const { MAX_SESSION_BYTES, parseSession, savedSource } = await import('../inspector/saved.ts');
  const path = absolutePath(file);
  let bytes: Uint8Array;
  try {
    bytes = readPlainBytes(path, MAX_SESSION_BYTES);
  } catch (error) {
    throw unusable(path, error);
  }
  return savedSource(parseSession(Buffer.from(bytes).toString('utf8'), path));
}

/** Saves what the page of the account would show. */
async function save(account: Account, terminal: Terminal, file: string, hasPersonalData: boolean) {
  const { world } = account;
  const path = absolutePath(file);
  endDryRun(account, { file: path });
  const [{ accountSource }, { sessionText }, { createMask }] = await Promise.all([
    import('../inspector/account/source.ts'),
    import('../inspector/saved.ts'),
    import('../contract/mask/index.ts'),
  ]);
  const { globals } = terminal;
  const mask = hasPersonalData ? undefined : createMask();
  const source = accountSource(
    { ...account, globals: { ...globals, present: { ...globals.present, mask } } },
    globals.zone,
  );
  try {
    const bytes = Buffer.from(await sessionText(source, { nowMs: world.clock.now(), mask }));
    createPrivateBytes(path, bytes);
    return { result: { data: { file: path, bytes: bytes.length } } };
  } catch (error) {
    throw unusable(path, error);
  } finally {
    await source.close();
  }
}

async function show(account: Account, source: InspectorSource, port: number): Promise<void> {
  const {
    world,
    globals,
    notices: { note },
  } = account;
  const { serveInspector } = await import('../inspector/server.ts');
  const inspector = await serveInspector(world, source, { host: HOST, port }).catch((error) => {
    throw listenProblem(error, HOST, port);
  });
  try {
    const { url } = inspector;
    await world.stdout.write(globals.present.format === 'table' ? `${url}\n` : `${JSON.stringify({ url })}\n`);
    await note('open this address in a browser of this machine; it works once. Press Ctrl-C to stop');
    await untilInterrupted(world);
  } finally {
    await inspector.close();
  }
}

const inspectCommand = command({
  words: ['inspect'],
  summary: 'Browse the journal, the inbox and the local copy on a web page served by this machine',
  details:
    'Shows what this machine knows: the operations of the profile and their outcomes, the events that arrived and where they were forwarded, and the copied lists (fiatrail sync). It sends nothing to the service, and the page changes nothing. Runs until Ctrl-C. With a file, shows a session that --save-to wrote, on any machine. To see inside a sandbox: fiatrail sandbox serve --inspect.',
  examples: [
    'fiatrail inspect',
    'fiatrail inspect --save-to session.json',
    'fiatrail inspect session.json',
    'fiatrail inspect --port 0 -o json',
  ],
  endpoints: [],
  isLocal: true,
  prints: () => z.object({ file: z.string(), bytes: z.int() }),
  parameters: {
    file: optionalArgument('file', 'saved session to show instead of the account', word),
    port: option('--port <port>', 'TCP port of the page (default: any free port)', wholeNumber(0, 65_535)),
    saveTo: option('--save-to <file>', 'save the session to this new file and exit', newFile),
    withPersonalData: switchOn('--with-personal-data', 'leave names, accounts and addresses in the saved file'),
  },
  run: async (account, terminal, { file, port = 0, saveTo: target, withPersonalData = false }) => {
    if (target !== undefined && file !== undefined)
      throw new CliError('usage', 'a saved session cannot be saved again', { hint: 'remove --save-to or the file' });
    if (withPersonalData && target === undefined)
      throw new CliError('usage', '--with-personal-data is about --save-to', { hint: 'add --save-to FILE' });
    const { present } = account.globals;
    if (withPersonalData) requireUnmasked(present, '--with-personal-data saves');
    if (target !== undefined) return save(account, terminal, target, withPersonalData);
    if (file !== undefined) {
      await show(account, await savedAt(file), port);
      return {};
    }
    const [{ accountSource }, { shownSource }] = await Promise.all([
      import('../inspector/account/source.ts'),
      import('../inspector/masked.ts'),
    ]);
    const source = accountSource(account, terminal.globals.zone);
    try {
      // A file that cannot be read, such as one of a newer version, is reported now instead of by an empty page.
      await source.version();
      await show(account, shownSource(source, present.mask), port);
    } finally {
      await source.close();
    }
    return {};
  },
});

export const commands = [inspectCommand];
