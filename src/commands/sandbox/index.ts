import {
  sandboxAdvance,
  sandboxClock,
  sandboxReset,
  sandboxSeed,
  sandboxSettle,
  sandboxStatus,
} from '../../contract/control.ts';
import { existingJournal } from '../../engine/connection/journal-location.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import { type Command, command, type Group } from '../../terminal/command.ts';
import { argument, duration, oneOf, onOrOff, option, switchOn, wholeNumber } from '../../terminal/parse/parameters.ts';
import { change } from '../../terminal/terminal.ts';
import { eventCommands } from './events.ts';
import { faultCommands } from './fault.ts';
import { payCommand } from './pay.ts';
import { acceptPlainResponses, requireSandbox } from './require-sandbox.ts';
import { serveCommand } from './serve.ts';
import { simulateCommand } from './simulate.ts';
import { restoreCommand, snapshotCommand } from './state-file.ts';

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
