import * as z from 'zod/mini';
import { absolutePath } from '../../account/paths.ts';
import { CliError } from '../../base/errors.ts';
import {
  sandboxAdvance,
  sandboxClock,
  sandboxEvent,
  sandboxEventResend,
  sandboxEvents,
  sandboxReset,
  sandboxRestore,
  sandboxSeed,
  sandboxSettle,
  sandboxSnapshot,
  sandboxStatus,
} from '../../contract/control.ts';
import type { ResponseOf } from '../../contract/endpoint.ts';
import { STATE_FILE_ID } from '../../contract/sandbox.ts';
import { existingJournal } from '../../engine/connection/journal-location.ts';
import { listed } from '../../engine/lists/listed.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import { entryAt } from '../../files/inspect.ts';
import { BytesFileError, type BytesProblem, createPrivateFile, readPlainBytes } from '../../files/plain-file.ts';
import { type Command, command, type Group } from '../../terminal/command.ts';
import { choice, listOptions } from '../../terminal/list-command.ts';
import {
  argument,
  duration,
  id,
  newFile,
  oneOf,
  onOrOff,
  option,
  picked,
  switchOn,
  wholeNumber,
  word,
} from '../../terminal/parse/parameters.ts';
import { periodOf, periodOptions } from '../../terminal/parse/period.ts';
import { change } from '../../terminal/terminal.ts';
import { faultCommands } from './fault.ts';
import { payCommand } from './pay.ts';
import { acceptPlainResponses, requireSandbox } from './require-sandbox.ts';
import { serveCommand } from './serve.ts';
import { simulateCommand } from './simulate.ts';

const pace = option(
  '--pace <pace>',
  'how fast banks and blockchains are: instant, quick or real (default quick)',
  oneOf('instant', 'quick', 'real'),
);

const rateLimits = option('--rate-limits <on|off>', 'enforce rate limits (default on)', onOrOff);

const resetCommand = command({
  words: ['sandbox', 'reset'],
  summary: 'Reset the sandbox to its initial data',
  details: 'Deletes everything in the sandbox except its key, then seeds it again.',
  examples: ['fiatrail sandbox reset', 'fiatrail sandbox reset --pace instant --yes'],
  endpoints: [sandboxReset.id],
  prints: { response: sandboxReset },
  parameters: { pace, rateLimits },
  run: async (account, terminal, input) => {
    requireSandbox(account);
    const reply = await change(
      account,
      terminal,
      sandboxReset,
      { pace: input.pace, rateLimits: input.rateLimits },
      {
        summary: 'reset the sandbox',
        lines: [['loses', 'every user, balance and request in this sandbox']],
      },
    );
    await acceptPlainResponses(account);
    const { mode, name } = account.profile;
    const journal = await existingJournal(account);
    await journal?.destroyed({ mode, profile: name }, await account.accountNames());
    return outcomeOf(account, sandboxReset, reply);
  },
});

/** The maximum number of rows in one request. */
const USERS_AT_ONCE = 1_000;

const TRANSACTIONS_AT_ONCE = 50_000;

/** Splits `count` into parts of at most `size` rows; `done` is the number of rows before each part. */
function parts(count: number, size: number): { done: number; rows: number }[] {
  const starts = Array.from({ length: Math.ceil(count / size) }, (_each, index) => index * size);
  return starts.map((done) => ({ done, rows: Math.min(size, count - done) }));
}

const seedCommand = command({
  words: ['sandbox', 'seed'],
  summary: 'Add users or a transaction history to the sandbox',
  details:
    'Existing data is kept. A history consists of completed deposits and payouts of 40 users over the past year; missing users are created. Also changes the pace and the rate limits.',
  examples: [
    'fiatrail sandbox seed --users 250',
    'fiatrail sandbox seed --history 100000',
    'fiatrail sandbox seed --pace instant --rate-limits off',
  ],
  endpoints: [sandboxSeed.id],
  prints: { response: sandboxSeed },
  parameters: {
    users: option('--users <count>', 'number of verified users to add', wholeNumber(0, 1_000_000)),
    history: option('--history <count>', 'number of completed transactions to add', wholeNumber(0, 10_000_000)),
    pace,
    rateLimits,
  },
  run: async (account, _terminal, { users = 0, history = 0, ...settings }) => {
    requireSandbox(account);
    let reply = await account.call(sandboxSeed, settings);
    for (const { rows } of parts(users, USERS_AT_ONCE)) reply = await account.call(sandboxSeed, { users: rows });
    for (const { done, rows } of parts(history, TRANSACTIONS_AT_ONCE)) {
      reply = await account.call(sandboxSeed, { history: rows, historyDone: done, historyTotal: history });
      if (history > TRANSACTIONS_AT_ONCE) await account.notices.note(`${done + rows} of ${history} transactions`);
    }
    return outcomeOf(account, sandboxSeed, reply);
  },
});

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

const snapshotCommand = command({
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

const restoreCommand = command({
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

const COLUMNS = [
  { field: 'eventId', title: 'Event ID' },
  { field: 'event', title: 'Event' },
  { field: 'createdAt', title: 'When' },
  { field: 'state', title: 'Status' },
  { field: 'attempts', title: 'Attempts', align: 'right' },
  { field: 'requestId', title: 'Request', isWide: true },
  { field: 'dueAt', title: 'Next attempt', isWide: true },
] as const;

const eventId = picked('sandbox event', argument('event-id', 'event id, from sandbox events list', id, 'Which event?'));

type SandboxEvent = ResponseOf<typeof sandboxEvents>['events'][number];

const listCommand = command({
  words: ['sandbox', 'events', 'list'],
  summary: 'List the events of the sandbox, newest first, with their delivery status',
  details: 'Status none means that no webhook was subscribed to the event; see: fiatrail webhooks show',
  examples: ['fiatrail sandbox events list', 'fiatrail sandbox events list --status given-up -o json'],
  endpoints: [sandboxEvents.id],
  prints: { response: sandboxEvents },
  parameters: {
    event: option('--event <name>', 'only this event', word),
    requestId: option('--request-id <request-id>', 'only events about this request', id),
    state: choice('status', ['none', 'waiting', 'delivered', 'given-up']),
    ...periodOptions,
    ...listOptions(),
  },
  run: async (account, terminal, { event, requestId, state, ...page }) => {
    requireSandbox(account);
    return listed(
      account,
      {
        endpoint: sandboxEvents,
        columns: COLUMNS,
        request: ({ size, offset }) => ({ event, requestId, state, limit: size, offset }),
        rowsOf: ({ events }) => events,
        totalOf: ({ total }) => total,
        idOf: (row: SandboxEvent) => row.eventId,
        timeOf: (row: SandboxEvent) => row.createdAt,
      },
      page,
      periodOf(page, terminal),
    );
  },
});

const showCommand = command({
  words: ['sandbox', 'events', 'show'],
  summary: 'Show an event and every attempt to deliver it',
  examples: ['fiatrail sandbox events show EVENT_ID', 'fiatrail sandbox events show EVENT_ID -o json --query log'],
  endpoints: [sandboxEvent.id],
  prints: { response: sandboxEvent },
  parameters: { eventId },
  run: async (account, _terminal, input) => {
    requireSandbox(account);
    return outcomeOf(account, sandboxEvent, await account.call(sandboxEvent, input));
  },
});

const resendCommand = command({
  words: ['sandbox', 'events', 'resend'],
  summary: 'Deliver an event again, under the same id',
  examples: ['fiatrail sandbox events resend EVENT_ID', 'fiatrail sandbox events resend EVENT_ID -o json'],
  endpoints: [sandboxEventResend.id],
  prints: { response: sandboxEventResend },
  parameters: { eventId },
  run: async (account, _terminal, input) => {
    requireSandbox(account);
    const reply = await account.call(sandboxEventResend, input);
    return outcomeOf(account, sandboxEventResend, reply, { columns: COLUMNS });
  },
});

const eventCommands = [listCommand, showCommand, resendCommand];

const STATUS_COLUMNS = [
  { field: 'fintechName', title: 'Fintech' },
  { field: 'fintechId', title: 'Fintech ID' },
  { field: 'now', title: 'Sandbox time' },
  { field: 'clockOffsetSeconds', title: 'Clock offset (seconds)' },
  { field: 'pace', title: 'Pace' },
  { field: 'rateLimits', title: 'Rate limits' },
  { field: 'users', title: 'Users' },
  { field: 'pending', title: 'Pending' },
  { field: 'stuck', title: 'Stuck' },
  { field: 'events', title: 'Events' },
  { field: 'openTrades', title: 'Open trades' },
  { field: 'escrow', title: 'In escrow' },
  { field: 'ledger', title: 'Ledger' },
] as const;

const MEANING = { field: 'means', title: 'Meaning' } as const;

const VALUE_COLUMNS = [
  { field: 'bvns', title: 'Test BVNs', columns: [{ field: 'bvn', title: 'BVN' }, MEANING] },
  { field: 'accounts', title: 'Test accounts', columns: [{ field: 'accountNumber', title: 'Account' }, MEANING] },
  { field: 'trades', title: 'Test trades', columns: [{ field: 'cngnAmount', title: 'cNGN' }, MEANING] },
  {
    field: 'values',
    title: 'Other test values',
    columns: [{ field: 'use', title: 'Used in' }, { field: 'value', title: 'Value' }, MEANING],
  },
  {
    field: 'refusals',
    title: 'Rejections, for sandbox fault add --fault reject --name',
    columns: [
      { field: 'operation', title: 'Operation' },
      { field: 'names', title: 'Names' },
    ],
  },
  {
    field: 'fintechs',
    title: 'Fintechs',
    columns: [
      { field: 'name', title: 'Name' },
      { field: 'sandboxKey', title: 'Sandbox key' },
      { field: 'productionKey', title: 'Production key' },
    ],
  },
] as const;

const statusCommand = command({
  words: ['sandbox', 'status'],
  summary: 'Show the sandbox’s clock, ledger and contents',
  details:
    'Checks that the ledger balances. If it has more than 10,000 posting sets, only the newest 10,000 are checked, and the sums cover only those.',
  examples: ['fiatrail sandbox status -o json --query ledger.balanced', 'fiatrail sandbox status --values'],
  endpoints: [sandboxStatus.id],
  prints: { response: sandboxStatus },
  parameters: {
    values: switchOn(
      '--values',
      'also list the test values: special BVNs, accounts, trades and amounts, each operation’s rejections, and the fintechs with their keys',
    ),
  },
  run: async (account, _terminal, { values }) => {
    requireSandbox(account);
    const reply = await account.call(sandboxStatus, { values: values || undefined });
    const columns = [...STATUS_COLUMNS, ...(values ? VALUE_COLUMNS : [])];
    return outcomeOf(account, sandboxStatus, reply, { columns });
  },
});

const advanceCommand = command({
  words: ['sandbox', 'advance'],
  summary: 'Advance the sandbox’s clock and run everything due by then',
  examples: ['fiatrail sandbox advance 31m', 'fiatrail sandbox advance 5d -o json'],
  endpoints: [sandboxAdvance.id],
  prints: { response: sandboxAdvance },
  parameters: {
    duration: argument('duration', 'time to advance, such as 30s, 31m, 2h, 5d or 1y', duration, 'How long:'),
  },
  fields: { durationMs: 'duration' },
  run: async (account, _terminal, input) => {
    requireSandbox(account);
    return outcomeOf(account, sandboxAdvance, await account.call(sandboxAdvance, { durationMs: input.duration }));
  },
});

const settleCommand = command({
  words: ['sandbox', 'settle'],
  summary: 'Complete all pending bank transfers, chain transactions and approvals now',
  details:
    'The clock does not move, so anything that only expires with time stays open: virtual accounts, quotes and locks.',
  examples: ['fiatrail sandbox settle', 'fiatrail sandbox settle -o json --query events'],
  endpoints: [sandboxSettle.id],
  prints: { response: sandboxSettle },
  parameters: {},
  run: async (account) => {
    requireSandbox(account);
    return outcomeOf(account, sandboxSettle, await account.call(sandboxSettle, {}));
  },
});

const clockCommand = command({
  words: ['sandbox', 'clock'],
  summary: 'Show the sandbox’s clock and the system clock',
  examples: ['fiatrail sandbox clock', 'fiatrail sandbox clock -o json --query now'],
  endpoints: [sandboxClock.id],
  prints: { response: sandboxClock },
  parameters: {},
  run: async (account) => {
    requireSandbox(account);
    return outcomeOf(account, sandboxClock, await account.call(sandboxClock, {}));
  },
});

/** Returns the sandbox commands; `fault add` looks up command names in the catalogue. */
export function commandsOf(catalogue: readonly Group[]): readonly Command[] {
  return [
    serveCommand,
    statusCommand,
    payCommand,
    advanceCommand,
    settleCommand,
    clockCommand,
    seedCommand,
    simulateCommand,
    resetCommand,
    snapshotCommand,
    restoreCommand,
    ...eventCommands,
    ...faultCommands(catalogue),
  ];
}
