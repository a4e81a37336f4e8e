import * as z from 'zod/mini';
import { absolutePath } from '../account/paths.ts';
import { attempt, CliError, withDetails } from '../base/errors.ts';
import type { Zone } from '../base/zone.ts';
import type { LocalCopy } from '../copy/database.ts';
import { type Filler, fillerForPeople } from '../copy/filler.ts';
import { copyLocationOf, openCopy, removeCopyFile, withCopy } from '../copy/open.ts';
import { COPY_OF_ANOTHER, lostWith, type SyncReport, statusOf, sync } from '../copy/sync.ts';
import type { Account } from '../engine/account.ts';
import type { Outcome } from '../engine/outcome.ts';
import { endDryRun } from '../engine/requests.ts';
import { serverAddressOf } from '../journal/postgres/server-address.ts';
import { paginationSchema } from '../present/prints.ts';
import { timeText } from '../present/times.ts';
import { confirmChange } from '../terminal/ask/confirm.ts';
import { command } from '../terminal/command.ts';
import { argument, changing, duration, newFile, option, switchOn } from '../terminal/parse/parameters.ts';

const GAPS = {
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
    deleted: z.int(),
    isComplete: z.boolean(),
    gap: z.nullable(z.enum(['unfinished', 'count', 'order'])),
    complete: z.string(),
    newest: z.nullable(z.string()),
    syncedAt: z.nullable(z.string()),
    verifiedAt: z.nullable(z.string()),
  });

const prints = () =>
  z.object({
    tables: z.array(tableSchema()),
    running: z.nullable(z.object({ host: z.string(), process: z.int(), since: z.iso.datetime() })),
    pagination: paginationSchema(),
  });

const COLUMNS = [
  { field: 'table', title: 'Table' },
  { field: 'rows', title: 'Rows', align: 'right' },
  { field: 'added', title: 'New', align: 'right' },
  { field: 'changed', title: 'Changed', align: 'right' },
  { field: 'open', title: 'Open', align: 'right' },
  { field: 'deleted', title: 'Deleted', align: 'right', isWide: true },
  { field: 'complete', title: 'Complete' },
  { field: 'syncedAt', title: 'Synced', isBrief: true },
  { field: 'newest', title: 'Newest', isBrief: true, isWide: true },
  { field: 'verifiedAt', title: 'Verified', isBrief: true, isWide: true },
] as const;

const RUNNING = [
  { field: 'host', title: 'Host' },
  { field: 'process', title: 'Process', align: 'right' },
  { field: 'since', title: 'Since' },
] as const;

/** Prints what the local copy has, and which sync is running. The column for people says why a table may lack rows. */
function printed({ tables: reports, filler }: SyncReport, isSync: boolean, zone: Zone): Outcome {
  const tables = reports.map(({ done, ...report }) => ({
    ...report,
    added: done?.added ?? null,
    changed: done?.changed ?? null,
    complete: report.gap === null ? 'yes' : `no: ${GAPS[report.gap]}`,
  }));
  const isShown = (field: string) => (isSync ? field !== 'syncedAt' : field !== 'added' && field !== 'changed');
  const columns = COLUMNS.filter(({ field }) => isShown(field));
  const since = filler && new Date(filler.sinceMs).toISOString();
  const running = filler && since ? { host: filler.host, process: filler.processId, since } : null;
  const cells = running && {
    ...running,
    process: String(running.process),
    since: timeText(running.since, { zone }, true) ?? running.since,
  };
  const below = cells ? [{ title: 'Running', isAlways: true as const, rows: [cells], columns: RUNNING }] : [];
  return { result: { data: { tables, running }, lists: 'tables', list: { isWhole: true }, columns, below } };
}

const NO_PASSWORD =
  'put the password into ~/.pgpass or PGPASSFILE, then type: fiatrail sync --to postgres://USER@HOST/DATABASE';

/** Validates the URL of a database. Throws CliError usage. */
function databaseUrl(text: string): string {
  const problem = attempt(() => serverAddressOf(text));
  if (!(problem instanceof CliError)) return text;
  throw URL.parse(text.trim())?.password ? withDetails(problem, { hint: NO_PASSWORD }) : problem;
}

/** Syncs once. The embedded sandbox may have been reset: then its copy starts over. */
async function syncOnce(account: Account, isFull: boolean, to: string | undefined): Promise<SyncReport> {
  const { world, profile } = account;
  const { personalDays, server } = copyLocationOf(world, profile, to);
  const run = async () => {
    const copy = await openCopy(world, profile, to);
    try {
      return await sync(account, copy, { isFull, personalDays });
    } finally {
      await copy.close();
    }
  };
  try {
    return await run();
  } catch (error) {
    if (error instanceof CliError && error.category === 'interrupted')
      throw new CliError('interrupted', 'interrupted; what was read is saved, and the next sync goes on from there');
    const isReset = error instanceof CliError && error.code === COPY_OF_ANOTHER;
    if (!isReset || profile.mode !== 'embedded' || server) throw error;
    await account.notices.note('the sandbox was reset, so its copy starts over');
    removeCopyFile(world, profile);
    return run();
  }
}

const notSynced = (filler: Filler) => `${fillerForPeople(filler)}; this one read nothing`;

/** Syncs until it is interrupted. What the next round may repair is said, and waited for. */
async function syncEvery(account: Account, everyMs: number, isFull: boolean, to: string | undefined): Promise<Outcome> {
  const { clock, interrupted } = account.world;
  for (let isFirst = true; !interrupted.aborted; isFirst = false) {
    try {
      const { tables, filler } = await syncOnce(account, isFull && isFirst, to);
      const sum = (of: 'added' | 'changed') => tables.reduce((all, { done }) => all + (done?.[of] ?? 0), 0);
      await account.notices.note(filler ? notSynced(filler) : `synced: ${sum('added')} new, ${sum('changed')} changed`);
    } catch (error) {
      const isTransient = error instanceof CliError && (error.category === 'network' || error.code === 'COPY_BUSY');
      if (!isTransient || isFirst) throw error;
      await account.notices.say(`warning: ${error.message}; the next sync goes on from there`);
    }
    await clock.sleep(everyMs, interrupted).catch(() => {});
  }
  return {};
}

const syncCommand = command({
  words: ['sync'],
  summary: 'Copy the account’s lists to this machine',
  details:
    'find, report and sql read the copy instead of the service. Each sync fetches new rows, and rows whose status could still change. The first sync fetches everything, as fast as the rate limits allow. You can interrupt it; the next sync continues. One sync runs at a time: another one waits for up to --timeout, and then says which one is running, reads nothing and exits with 0. Commands that move money never rely on the copy. It contains no BVNs, and personal names and numbers are removed after 90 days (profiles copy set --keep).',
  examples: ['fiatrail sync', 'fiatrail sync --every 5m', 'fiatrail sync --full'],
  endpoints: [],
  prints,
  parameters: {
    full: switchOn('--full', 'read every list to its end, and mark rows that the service no longer lists'),
    every: option('--every <duration>', 'keep running, and sync again this often: 5m, 1h', duration),
    to: changing(option('--to <url>', 'copy to this PostgreSQL database: postgres://USER@HOST/DATABASE', databaseUrl)),
  },
  run: async (account, { globals: { zone } }, { full = false, every, to }) => {
    if (every !== undefined) return syncEvery(account, every, full, to);
    const report = await syncOnce(account, full, to);
    if (report.filler) await account.notices.note(notSynced(report.filler));
    return printed(report, report.filler === undefined, zone);
  },
});

const statusCommand = command({
  words: ['sync', 'status'],
  summary: 'Show how complete and how recent the copy is, and whether a sync is running',
  examples: ['fiatrail sync status', 'fiatrail sync status -o json --query "tables[?!isComplete].table"'],
  endpoints: [],
  prints,
  isLocal: true,
  parameters: {},
  run: (account, { globals: { zone } }) =>
    withCopy(account, async (copy) => printed(await statusOf(copy), false, zone)),
});

const backupCommand = command({
  words: ['sync', 'backup'],
  summary: 'Back up the local copy to a new file',
  details: 'Only you can read the new file. It includes personal names, which are never removed from it.',
  examples: ['fiatrail sync backup copy-2026-11.db'],
  endpoints: [],
  prints: () => z.object({ file: z.string(), bytes: z.int() }),
  isLocal: true,
  parameters: { file: argument('file', 'path of the new file', newFile, 'File:') },
  run: (account, _terminal, { file }) =>
    withCopy(account, async (copy) => {
      const path = absolutePath(file);
      endDryRun(account, { file: path });
      const bytes = backUp(copy, path);
      return { result: { data: { file: path, bytes } } };
    }),
});

function backUp(copy: LocalCopy, path: string): number {
  const bytes = copy.backUp(path);
  if (bytes !== undefined) return bytes;
  throw new CliError('usage', `the local copy is on a server, ${copy.name}, and cannot be copied as a file`, {
    code: 'COPY_ON_SERVER',
    hint: 'use pg_dump --schema=fiatrail_copy',
  });
}

const forgetCommand = command({
  words: ['sync', 'forget'],
  summary: 'Remove the copy of the account’s lists from this machine',
  details:
    'The next sync copies the lists again. Past balances and fees, and rows that the service no longer lists, are lost: save them first with sync backup.',
  examples: ['fiatrail sync forget', 'fiatrail sync backup copy.db && fiatrail sync forget --yes'],
  endpoints: [],
  prints: () => z.object({ file: z.string(), removed: z.boolean() }),
  isLocal: true,
  parameters: {},
  run: async (account, terminal) => {
    const { world, profile } = account;
    const { path, server } = copyLocationOf(world, profile);
    if (server)
      throw new CliError('usage', `the local copy is on a server, set by ${server.from}`, {
        code: 'COPY_ON_SERVER',
        hint: 'remove it there: DROP SCHEMA fiatrail_copy CASCADE',
      });
    const lost = await withCopy(account, lostWith).catch((error: unknown) => {
      // A file that cannot be read must be possible to remove.
      if (error instanceof CliError && error.code === 'NO_COPY') throw error;
      return undefined;
    });
    const lines = [
      ['file', path],
      ['lost for ever', lost ?? 'unknown: the file cannot be read'],
    ] as const;
    endDryRun(account, { file: path, removed: true });
    await confirmChange(terminal.dialog, {
      summary: `remove the copy of the account of profile ${profile.name}`,
      lines,
    });
    removeCopyFile(world, profile);
    return { result: { data: { file: path, removed: true } } };
  },
});

export const commands = [syncCommand, statusCommand, backupCommand, forgetCommand];
