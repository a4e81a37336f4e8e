import { advice } from '../base/advice.ts';
import { CliError } from '../base/errors.ts';
import type { Account } from '../engine/account.ts';
import { reconcile } from '../engine/evidence/reconcile.ts';
import type { FileLease, NumberedRow, StagedFile } from '../journal/files.ts';
import type { Journal } from '../journal/interface.ts';
import { followAccepted } from './follow.ts';
import { type FollowedRow, KEY_END, type RowStatus, rowNote, rowsText, withOperations } from './progress.ts';

/** Sends a row as its command. Resolves once the service took it, or did it before. Throws CliError. */
export type SendRow = (row: NumberedRow) => Promise<void>;

/** How the rows of a file are sent. */
interface Sending {
  readonly send: SendRow;
  /** Returns how long the next row must wait for its turn, in milliseconds. */
  waitMs(): Promise<number>;
  /** Sends at most so many rows. */
  readonly first: number | undefined;
  /** Stops after so many rows that the service rejected, that failed, or whose outcome is unknown. */
  readonly stopAfter: number;
  /** Called before each row with the number of those that this run has sent; `rows` returns all as they are. */
  progress(sent: number, rows: () => readonly FollowedRow[]): Promise<void>;
  /** Says what became of a row, if it is not as it should be. */
  say(text: string): Promise<void>;
}

/** The end of one run. */
export interface SentRows {
  readonly rows: readonly FollowedRow[];
  readonly sent: number;
  /** The references of the rows that it has said something of. */
  readonly noted: ReadonlySet<string>;
  /** Why it stopped before it had sent all of them; undefined if it had. */
  readonly stopped: CliError | undefined;
}

/** How long a row may take besides the time limit of its requests: reads before it, and waits of this machine. */
const LEASE_MARGIN_MS = 120_000;

/** Every row of a file may have several operations: those that the service rejected. */
const MOST_OPERATIONS = 1_000_000;

/** Reads the rows of a file with their operations. Throws CliError usage if this journal does not have the rows. */
export async function followedRows(
  journal: Journal,
  file: StagedFile,
  staged?: readonly NumberedRow[],
): Promise<readonly FollowedRow[]> {
  const rows = staged ?? (await journal.files.rows(file));
  if (!rows)
    throw new CliError(
      'usage',
      `the journal knows the file ${file.key}, and not its rows: it was imported without them`,
      {
        code: 'ROWS_MISSING',
        hint: advice`give the file once more: [fiatrail bulk create FILE --as "${file.command}" --once ${file.key}]`,
      },
    );
  const operations = await journal.list({
    account: [file.account],
    keyStart: `${file.key}${KEY_END}`,
    limit: MOST_OPERATIONS,
  });
  return withOperations(file, rows, operations, (each) => journal.isBusy(each));
}

/** What becomes of a run after a row. `wait`: the row may be sent later. */
type AfterRow = 'sent' | 'error' | 'later' | 'wait' | CliError;

/** Errors of one row, after which nothing was sent and the others may be. */
const OF_ONE_ROW: ReadonlySet<string> = new Set([
  'AMBIGUOUS_BANK',
  'BELOW_MINIMUM',
  'NOT_FOUND',
  'NOT_THE_USERS_WALLET',
  'ONCE_KEY_TAKEN',
  'VALIDATION_ERROR',
]);

/** Returns what an error of a row means for the rows after it. */
function afterError(error: unknown): AfterRow {
  if (!(error instanceof CliError)) throw error;
  const { category, code } = error;
  if (category === 'rejected' || category === 'failed' || category === 'unknown') return 'error';
  if (category === 'rate-limited') return 'wait';
  // Something equal has an unknown outcome: the row waits for it.
  if (category === 'declined' && code === 'OUTCOME_UNKNOWN') return 'later';
  return OF_ONE_ROW.has(code) ? 'error' : error;
}

/** How long a run waits after the service said that there were too many requests, and its own wait was not enough. */
const RATE_WAIT_MS = 10_000;

/** How long a run sleeps at most before it says again that it is at work. */
const LONGEST_REST_MS = 30_000;

/** Rows between two looks at how those before them ended. */
const LOOK_EVERY = 100;

/**
 * Sends the rows of a file that were never sent, or that the service rejected, one after the other. Ends between two rows when the user interrupts it, the file
 * is paused or cancelled, or another process has its lease. Throws CliError if it cannot begin.
 */
export async function sendRows(account: Account, file: StagedFile, sending: Sending): Promise<SentRows> {
  const { world } = account;
  const journal = await account.journal();
  const staged = await journal.files.rows(file);
  const holder = world.ids.uuid();
  const leaseMs = account.globals.timeoutMs + LEASE_MARGIN_MS;
  const other = await journal.files.lease(file, holder, leaseMs);
  if (other) throw busyError(file, other);
  try {
    return await sendIn(account, journal, file, staged, sending, async () => {
      // A signal is noticed only between two turns.
      await world.turn();
      if (world.interrupted.aborted) return interrupted(file);
      const taken = await journal.files.lease(file, holder, leaseMs);
      if (taken) return busyError(file, taken);
      return stateError(await journal.files.current(file));
    });
  } finally {
    await journal.files.release(file, holder).catch(() => {});
  }
}

async function sendIn(
  account: Account,
  journal: Journal,
  file: StagedFile,
  staged: readonly NumberedRow[] | undefined,
  sending: Sending,
  mayGoOn: () => Promise<CliError | undefined>,
): Promise<SentRows> {
  const run = { sent: 0, errors: 0, noted: new Set<string>() };
  const settle = () => settleUnknown(account, file, staged);
  // What is proven not to have arrived is sent by this run.
  await looked(sending.say, settle);
  let stopped: CliError | undefined;
  for (let isFirst = true; ; isFirst = false) {
    const rows = await followedRows(journal, file, staged);
    const due = rows.filter(({ status }) => status === 'waiting' || (isFirst && status === 'rejected'));
    const pass = await passOver({ account, file, rows, due, sending, run, mayGoOn });
    stopped = pass.stopped;
    // Rows that equal one with an unknown outcome can be sent once that is known.
    const isSettled = stopped === undefined && pass.later > 0 && (await looked(sending.say, settle)) > 0;
    if (!isSettled) break;
  }
  return { rows: await followedRows(journal, file, staged), sent: run.sent, noted: run.noted, stopped };
}

/** One pass over the rows of a file that can be sent. */
interface Pass {
  readonly account: Account;
  readonly file: StagedFile;
  readonly rows: readonly FollowedRow[];
  readonly due: readonly FollowedRow[];
  readonly sending: Sending;
  readonly run: { sent: number; errors: number; readonly noted: Set<string> };
  mayGoOn(): Promise<CliError | undefined>;
}

/** Sends some rows. Returns why it stopped, if it did, and how many must wait for the outcome of another one. */
async function passOver({
  account,
  file,
  rows,
  due,
  sending,
  run,
  mayGoOn,
}: Pass): Promise<{ readonly stopped: CliError | undefined; readonly later: number }> {
  let later = 0;
  const shown = new Map(rows.map((row) => [row.number, row]));
  for (const row of due) {
    const stop =
      (sending.first !== undefined && run.sent >= sending.first ? enough(run.sent) : undefined) ??
      (run.errors >= sending.stopAfter ? tooManyErrors(run.errors) : undefined) ??
      (await mayGoOn());
    if (stop) return { stopped: stop, later };
    await sending.progress(run.sent, () => [...shown.values()]);
    const after = await sendOne(account, row, sending, mayGoOn);
    if (after instanceof CliError) return { stopped: after, later };
    if (after === 'later') later += 1;
    else run.sent += 1;
    if (after === 'error') {
      run.errors += 1;
      run.noted.add(row.reference);
    }
    shown.set(row.number, { ...row, status: STATUS_AFTER[after] });
    if (after !== 'later' && run.sent % LOOK_EVERY === 0)
      await looked(sending.say, () => followSent(account, file, rows));
  }
  return { stopped: undefined, later };
}

const STATUS_AFTER: Readonly<Record<Exclude<AfterRow, CliError>, RowStatus>> = {
  sent: 'accepted',
  error: 'rejected',
  later: 'waiting',
  wait: 'waiting',
};

const followSent = async (account: Account, file: StagedFile, rows: readonly NumberedRow[]): Promise<number> =>
  followAccepted(account, await followedRows(await account.journal(), file, rows));

async function sendOne(
  account: Account,
  row: FollowedRow,
  { send, say, waitMs }: Sending,
  mayGoOn: () => Promise<CliError | undefined>,
): Promise<Exclude<AfterRow, 'wait'>> {
  const rest = async (restMs: number) => {
    await account.notices.progress.waits(restMs);
    // In parts, so that the lease is renewed.
    await account.world.clock.sleep(Math.min(restMs, LONGEST_REST_MS), account.world.interrupted).catch(() => {});
    return mayGoOn();
  };
  for (;;) {
    const turnMs = await waitMs();
    if (turnMs > 0) {
      const stop = await rest(turnMs);
      if (stop) return stop;
      continue;
    }
    const after = await send(row).then(
      () => 'sent' as const,
      async (error: unknown) => {
        const found = afterError(error);
        if (found === 'error') await say(rowNote(row, (error as CliError).message));
        return found;
      },
    );
    if (after !== 'wait') return after;
    const stop = await rest(RATE_WAIT_MS);
    if (stop) return stop;
  }
}

/**
 * Looks for something at the service. If it cannot be read, says so and returns 0: what was sent counts, and a later run looks again.
 */
export async function looked(say: Sending['say'], look: () => Promise<number>): Promise<number> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.category !== 'interrupted') await say(`could not read how rows ended: ${error.message}`);
    return 0;
  }
}

/** Looks for the rows whose outcome is unknown. Returns how many have one now. */
export async function settleUnknown(
  account: Account,
  file: StagedFile,
  staged?: readonly NumberedRow[],
): Promise<number> {
  const rows = await followedRows(await account.journal(), file, staged);
  let settled = 0;
  for (const { status, operation } of rows) {
    if (status !== 'unknown' || !operation) continue;
    if ((await reconcile(account, operation)).kind === 'ended') settled += 1;
  }
  return settled;
}

/** The error of a file that another process sends. */
export const busyError = ({ key }: StagedFile, { host, process, untilMs }: FileLease) =>
  new CliError('declined', `process ${process} on ${host} sends the file ${key}; nothing was sent by this one`, {
    code: 'FILE_BUSY',
    hint: advice`see how far it is with: [fiatrail bulk status ${key}]; if it has ended, go on after ${new Date(untilMs).toISOString()}`,
  });

const interrupted = ({ key }: StagedFile) =>
  new CliError('interrupted', `interrupted between two rows of the file ${key}`, {
    hint: advice`go on with: [fiatrail bulk resume ${key}]`,
  });

/** The error of a file whose rows may not be sent now. */
export function stateError({ key, state, plan }: StagedFile): CliError | undefined {
  if (state === 'open') return undefined;
  if (state === 'planned')
    return new CliError('declined', `the file ${key} waits for its plan to be applied; nothing was sent`, {
      code: 'FILE_PLANNED',
      hint: advice`see it with: [fiatrail plans show ${plan?.id}]; send it with: [fiatrail plans apply ${plan?.id}]`,
    });
  return new CliError('declined', `the file ${key} is ${state}`, {
    code: state === 'paused' ? 'FILE_PAUSED' : 'FILE_CANCELLED',
    hint:
      state === 'paused'
        ? advice`go on with: [fiatrail bulk resume ${key}]`
        : advice`see what was sent with: [fiatrail bulk report ${key}]`,
  });
}

const enough = (sent: number) =>
  new CliError('pending', `${rowsText(sent)} ${sent === 1 ? 'was' : 'were'} sent, as --first says`, {
    hint: 'run it again without --first for the rest',
  });

const tooManyErrors = (errors: number) =>
  new CliError(
    'rejected',
    `stopped after ${rowsText(errors)} that the service rejected, that failed, or whose outcome is unknown`,
    {
      code: 'TOO_MANY_ERRORS',
      hint: 'see why with bulk report; run it again to go on',
    },
  );
