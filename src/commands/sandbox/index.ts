import { type Command, command, type Group } from '../../cli/command.ts';
import { argument, duration, switchOn } from '../../cli/parameters.ts';
import { outcomeOf } from '../../cli/session.ts';
import { sandboxAdvance, sandboxClock, sandboxSettle, sandboxStatus } from '../../contract/control.ts';
import { faultCommands } from './fault.ts';
import { restoreCommand, snapshotCommand } from './files.ts';
import { requireSandbox } from './only.ts';
import { payCommand } from './pay.ts';
import { resetCommand, seedCommand } from './seed.ts';
import { serveCommand } from './serve.ts';

const STATUS_COLUMNS = [
  { field: 'fintechName', title: 'Fintech' },
  { field: 'fintechId', title: 'Fintech ID' },
  { field: 'now', title: 'Sandbox time' },
  { field: 'clockOffsetSeconds', title: 'Seconds ahead' },
  { field: 'pace', title: 'Pace' },
  { field: 'rateLimits', title: 'Rate limits' },
  { field: 'users', title: 'Users' },
  { field: 'pending', title: 'Under way' },
  { field: 'stuck', title: 'Set aside' },
  { field: 'events', title: 'Events' },
  { field: 'openTrades', title: 'Open trades' },
  { field: 'escrow', title: 'In escrow' },
  { field: 'ledger', title: 'Ledger' },
] as const;

const MEANS = { field: 'means', title: 'Means' } as const;

const VALUE_COLUMNS = [
  { field: 'bvns', title: 'Test BVNs', columns: [{ field: 'bvn', title: 'BVN' }, MEANS] },
  { field: 'accounts', title: 'Test accounts', columns: [{ field: 'accountNumber', title: 'Account' }, MEANS] },
  { field: 'trades', title: 'Test trades', columns: [{ field: 'cngnAmount', title: 'cNGN' }, MEANS] },
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
  summary: 'Show the sandbox: its clock, its ledger, what it holds',
  examples: ['fiatrail sandbox status -o json --query ledger.balanced', 'fiatrail sandbox status --values'],
  endpoints: [sandboxStatus.id],
  parameters: {
    values: switchOn(
      '--values',
      'list the test values too: BVNs, accounts and trades with a meaning, fintechs with their keys',
    ),
  },
  run: async (session, { values }) => {
    requireSandbox(session);
    const reply = await session.call(sandboxStatus, { values: values || undefined });
    const columns = [...STATUS_COLUMNS, ...(values ? VALUE_COLUMNS : [])];
    return outcomeOf(session, sandboxStatus, reply, { columns });
  },
});

const advanceCommand = command({
  words: ['sandbox', 'advance'],
  summary: "Move the sandbox's clock forward and do all that falls due",
  examples: ['fiatrail sandbox advance 31m', 'fiatrail sandbox advance 5d -o json'],
  endpoints: [sandboxAdvance.id],
  parameters: { duration: argument('duration', '30s, 31m, 2h, 5d or 1y', duration, 'How long:') },
  run: async (session, input) => {
    requireSandbox(session);
    return outcomeOf(session, sandboxAdvance, await session.call(sandboxAdvance, { durationMs: input.duration }));
  },
});

const settleCommand = command({
  words: ['sandbox', 'settle'],
  summary: 'Let everything that waits for a bank, a chain or an approval happen now',
  details: 'The clock stays as it is, and what only time ends stays open: accounts that expire, quotes, locks.',
  examples: ['fiatrail sandbox settle', 'fiatrail sandbox settle -o json --query events'],
  endpoints: [sandboxSettle.id],
  parameters: {},
  run: async (session) => {
    requireSandbox(session);
    return outcomeOf(session, sandboxSettle, await session.call(sandboxSettle, {}));
  },
});

const clockCommand = command({
  words: ['sandbox', 'clock'],
  summary: "Show the sandbox's clock beside the machine's",
  examples: ['fiatrail sandbox clock', 'fiatrail sandbox clock -o json --query now'],
  endpoints: [sandboxClock.id],
  parameters: {},
  run: async (session) => {
    requireSandbox(session);
    return outcomeOf(session, sandboxClock, await session.call(sandboxClock, {}));
  },
});

/** The commands of the sandbox; what is to go wrong may be named by a command of the catalogue. */
export function commandsOf(catalogue: readonly Group[]): readonly Command[] {
  return [
    serveCommand,
    statusCommand,
    payCommand,
    advanceCommand,
    settleCommand,
    clockCommand,
    seedCommand,
    resetCommand,
    snapshotCommand,
    restoreCommand,
    ...faultCommands(catalogue),
  ];
}
