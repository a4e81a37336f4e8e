import type { RowCommand } from '../../bulk/columns.ts';
import { followAccepted } from '../../bulk/follow.ts';
import { waitForTurnMs } from '../../bulk/pace.ts';
import { badRowNotes, countsOf, type FollowedRow } from '../../bulk/progress.ts';
import { amountOf } from '../../bulk/report.ts';
import { followedRows, looked, type SentRows, sendRows, settleUnknown } from '../../bulk/send.ts';
import type { Account } from '../../engine/account.ts';
import type { Outcome } from '../../engine/outcome.ts';
import type { StagedFile } from '../../journal/files.ts';
import { amountForPeople } from '../../money/amount.ts';
import { grouped } from '../../money/decimal.ts';
import { DEFAULT_WAIT_MS } from '../../terminal/parse/field-options.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { approvalOf } from './approval.ts';
import { type CommandWithRows, rowCommandOf } from './row-command.ts';
import { openForRows, rowRunner } from './row-runner.ts';
import { FILE_COLUMNS, fileData, fileError, leftSums } from './sent.ts';

interface RunInput {
  readonly first: number | undefined;
  readonly stopAfter: number | undefined;
  readonly wait: number | undefined;
}

/** A file to send. */
export interface FileRun {
  readonly command: CommandWithRows;
  readonly file: StagedFile;
  /** The texts that were not staged, by reference. */
  readonly secrets?: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

const STOP_AFTER = 10;

/** What is said at the first interrupt: a row that waits for the rate limit may take a minute. */
const ENDS_SOON = 'ends after the row that is being sent; a second interrupt ends at once';

/** Sends the rows of a staged file, follows them to their end, and returns what is printed. */
export async function runFile(
  account: Account,
  terminal: Terminal,
  { command, file, secrets = new Map() }: FileRun,
  { first, stopAfter = STOP_AFTER, wait = DEFAULT_WAIT_MS }: RunInput,
): Promise<Outcome> {
  const approval = await approvalOf(account, file);
  const opened = openForRows(account, command);
  const line = account.notices.progress.line(true);
  const shows = progressOf(account, { command, file }, line.isLive);
  const { interrupted } = account.world;
  const sayEnd = () => void line.clear().then(() => account.notices.say(ENDS_SOON));
  interrupted.addEventListener('abort', sayEnd, { once: true });
  try {
    const sent = await sendRows(account, file, {
      send: rowRunner({ account, terminal, rows: opened.account, command, file, secrets, approval }),
      waitMs: () => waitForTurnMs(opened.account, command.rows.endpoint),
      first,
      stopAfter,
      progress: async (count, rows) => {
        const text = shows(count, rows);
        if (text !== undefined) await line.show(text);
      },
      say: account.notices.say,
    });
    await line.clear();
    const ended = await followToEnd(account, file, sent, wait);
    await line.end();
    for (const note of badRowNotes(ended, sent.noted)) await account.notices.say(note);
    const journal = await account.journal();
    const now = await journal.files.current(file);
    const result = { data: fileData(now, ended, undefined), columns: FILE_COLUMNS };
    const error = sent.stopped ?? fileError(now, ended);
    // A row that failed matters more than that the run was to be short.
    const shown = sent.stopped?.category === 'pending' ? (fileError(now, ended) ?? sent.stopped) : error;
    return shown ? { result, error: shown } : { result };
  } finally {
    interrupted.removeEventListener('abort', sayEnd);
    await line.clear();
    await opened.close();
  }
}

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;

/** Follows what was accepted until it has ended, or the time is up. */
async function followToEnd(
  account: Account,
  file: StagedFile,
  { rows: sent }: SentRows,
  waitMs: number,
): Promise<readonly FollowedRow[]> {
  const { notices } = account;
  const { clock, interrupted } = account.world;
  const journal = await account.journal();
  const untilMs = clock.now() + waitMs;
  let rows = sent;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    const { accepted, unknown } = countsOf(rows);
    if (accepted + unknown === 0 || interrupted.aborted) return rows;
    const current = rows;
    if (unknown > 0) await looked(notices.say, () => settleUnknown(account, file, current));
    if (accepted > 0) await looked(notices.say, () => followAccepted(account, current));
    rows = await followedRows(journal, file, rows);
    // Whether a request arrived may only be known after minutes: then a later run looks again.
    if (countsOf(rows).accepted === 0 || clock.now() + pauseMs > untilMs) return rows;
    await clock.sleep(pauseMs, interrupted).catch(() => {});
  }
}

/** How often a terminal, and how often a log, says how far a run is. */
const LIVE_EVERY_MS = 500;
const LOG_EVERY_MS = 60_000;

/** Returns what says how far a run is; undefined if it is too soon to say it again. */
function progressOf({ world }: Account, { command, file }: FileRun, isLive: boolean) {
  const sinceMs = world.clock.now();
  const everyMs = isLive ? LIVE_EVERY_MS : LOG_EVERY_MS;
  const runs = rowCommandOf(command);
  let shownMs = sinceMs;
  return (sent: number, all: () => readonly FollowedRow[]): string | undefined => {
    const now = world.clock.now();
    if (now - shownMs < everyMs) return undefined;
    shownMs = now;
    const rows = all();
    const { waiting, rejected, failed, unknown, struck } = countsOf(rows);
    const bad = [failed && `${failed} failed`, rejected && `${rejected} rejected`, unknown && `${unknown} unknown`];
    const left = sent === 0 ? [] : [`${durationText(((now - sinceMs) / sent) * waiting)} left`];
    const done = `${grouped(rows.length - waiting - struck)} of ${grouped(rows.length - struck)} rows`;
    return [done, ...bad.filter(Boolean), ...sumsText(runs, file, rows), ...left].join(' · ');
  };
}

/** `₦1,000.00 of ₦5,000.00`: what was sent, or may have been. */
function sumsText(runs: RowCommand, file: StagedFile, rows: readonly FollowedRow[]): readonly string[] {
  const sent = rows.filter(
    ({ status }) => status !== 'waiting' && status !== 'rejected' && status !== 'failed' && status !== 'struck',
  );
  const amounts = sent.flatMap((row) => amountOf(runs, row) ?? []);
  return leftSums(file).map((total) => {
    const minor = amounts.reduce((sum, each) => (each.asset === total.asset ? sum + each.minor : sum), 0n);
    return `${amountForPeople({ ...total, minor })} of ${amountForPeople(total)}`;
  });
}

function durationText(durationMs: number): string {
  const minutes = Math.ceil(durationMs / 60_000);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
