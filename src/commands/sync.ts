import * as z from 'zod/mini';
import { CliError } from '../base/errors.ts';
import { existingMirror, openMirror } from '../engine/mirror/open.ts';
import { statusOf, sync, type TableReport } from '../engine/mirror/sync.ts';
import type { Outcome } from '../engine/outcome.ts';
import { command } from '../terminal/command.ts';
import { duration, option, switchOn } from '../terminal/parse/parameters.ts';
import type { Session } from '../terminal/session.ts';

const DOUBTS = {
  unfinished: 'not read to its end yet',
  count: 'the service counts another number of rows',
  order: 'the service lists rows in no order',
} as const;

const tableSchema = () =>
  z.object({
    table: z.string(),
    rows: z.int(),
    added: z.nullable(z.int()),
    changed: z.nullable(z.int()),
    open: z.int(),
    gone: z.int(),
    isWhole: z.boolean(),
    doubt: z.nullable(z.enum(['unfinished', 'count', 'order'])),
    newest: z.nullable(z.string()),
    syncedAt: z.nullable(z.string()),
    secondLookAt: z.nullable(z.string()),
  });

const prints = () => z.object({ tables: z.array(tableSchema()) });

const COLUMNS = [
  { field: 'table', title: 'Table' },
  { field: 'rows', title: 'Rows', align: 'right' },
  { field: 'added', title: 'New', align: 'right' },
  { field: 'changed', title: 'Changed', align: 'right' },
  { field: 'open', title: 'Open', align: 'right' },
  { field: 'whole', title: 'Whole' },
  { field: 'newest', title: 'Newest', isWide: true },
  { field: 'secondLookAt', title: 'Second look', isWide: true },
] as const;

/** Prints what the mirror has. The column for people says why a table may lack rows. */
function printed(reports: readonly TableReport[], isSync: boolean): Outcome {
  const tables = reports.map(({ done, ...report }) => ({
    ...report,
    ...{ added: done?.added ?? null, changed: done?.changed ?? null },
    whole: report.doubt === null ? 'yes' : `no: ${DOUBTS[report.doubt]}`,
  }));
  const columns = isSync ? COLUMNS : COLUMNS.filter(({ field }) => field !== 'added' && field !== 'changed');
  return { result: { data: { tables }, lists: 'tables', list: { isWhole: true }, columns } };
}

const syncCommand = command({
  words: ['sync'],
  summary: 'Copy the account’s lists to this machine, so that questions about them need no request',
  details:
    'Reads what is new since the last time, and again what was not final. The first time takes as long as the rate limit of each list allows; it can be interrupted at any moment, and the next sync goes on where it stopped. Nothing that moves money decides by the copy. Names and numbers of persons are removed from it after 90 days. Never copies a BVN.',
  examples: ['fiatrail sync', 'fiatrail sync --every 5m', 'fiatrail sync --full'],
  endpoints: [],
  prints,
  parameters: {
    full: switchOn('--full', 'read every list to its end, and mark rows that the service no longer shows'),
    every: option('--every <duration>', 'keep running, and sync again this often: 5m, 1h', duration),
  },
  run: async (session, { full, every }) => {
    const mirror = await openMirror(session.world, session.profile);
    try {
      const reports = await sync(session, mirror, { isFull: full });
      return printed(reports, true);
    } finally {
      await mirror.close();
    }
  },
});

const noMirror = () =>
  new CliError('usage', 'this account has not been copied to this machine yet', {
    code: 'NO_MIRROR',
    hint: 'run: fiatrail sync',
  });

const statusCommand = command({
  words: ['sync', 'status'],
  summary: 'Show how much of each list is on this machine, and how fresh it is',
  examples: ['fiatrail sync status', 'fiatrail sync status -o json --query "tables[?!isWhole].table"'],
  endpoints: [],
  prints,
  isLocal: true,
  parameters: {},
  run: async ({ world, profile }) => {
    const mirror = await existingMirror(world, profile);
    if (!mirror) throw noMirror();
    try {
      return printed(await statusOf(mirror), false);
    } finally {
      await mirror.close();
    }
  },
});

export const commands = [syncCommand, statusCommand];
