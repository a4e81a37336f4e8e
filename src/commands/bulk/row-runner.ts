import { CliError } from '../../base/errors.ts';
import { rowValues } from '../../bulk/columns.ts';
import { keyOf } from '../../bulk/progress.ts';
import type { SendRow } from '../../bulk/send.ts';
import { effectOf } from '../../contract/endpoint.ts';
import { redact } from '../../contract/redact.ts';
import type { Account } from '../../engine/account.ts';
import { AlreadyDone, type Guard, LostRequest, reconcileHint, requireFree } from '../../engine/guard.ts';
import { type OpenedAccount, openAccount } from '../../engine/opening/open-account.ts';
import type { ChangePrompt, Consent } from '../../engine/sending/change.ts';
import { guardIn, requireUnused } from '../../engine/sending/once.ts';
import type { StagedFile } from '../../journal/files.ts';
import type { Intent } from '../../journal/intent.ts';
import { inputName } from '../../terminal/ask/input.ts';
import { consenting, type Terminal } from '../../terminal/terminal.ts';
import type { Approval } from './approval.ts';
import { cachedReads } from './cached-reads.ts';
import { type CommandWithRows, rowCommandOf } from './row-command.ts';

/** Everyone agreed to all rows together. */
const AGREED: ChangePrompt = { isAsked: false, confirm: async () => {}, show: async () => {} };

/**
 * Opens an account for the commands of the rows: the journal has them under the command of a row. The first interrupt does not reach a request of theirs: the run
 * ends between two rows.
 */
export function openForRows(account: Account, command: CommandWithRows): OpenedAccount {
  const { world, profile, globals, notices } = account;
  const opened = openAccount({
    world: { ...world, interrupted: world.abandoned },
    profile,
    globals: { ...globals, present: { ...globals.present, format: 'json', fields: undefined, query: undefined } },
    command: { line: `fiatrail ${command.words.join(' ')}`, inputName: (field) => inputName(command, field) },
    notices: {
      ...notices,
      isInteractive: false,
      // One code cannot stand for many rows.
      askCode: async () => {
        throw new CliError('declined', 'a code must be typed for each row; nothing was sent', {
          code: 'RULE_CONFIRMATION',
        });
      },
      note: async () => {},
    },
    journal: account.journal,
  });
  return opened;
}

/** What the rows of a file are sent with. */
interface RowContext {
  /** The account of the command that sends the file. */
  readonly account: Account;
  readonly terminal: Terminal;
  /** The account of the rows, see `openForRows`. */
  readonly rows: Account;
  readonly command: CommandWithRows;
  readonly file: Pick<StagedFile, 'key'>;
  /** The texts that were not staged, by reference. */
  readonly secrets: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** Returns the plan that the rows are sent by, as it counts now; undefined if they need none. Throws CliError declined. */
  readonly approval: Approval;
}

/** Returns what sends a row of a file as its command. */
export function rowRunner({ account, terminal, rows, command, file, secrets, approval }: RowContext): SendRow {
  const runs = rowCommandOf(command);
  const call = cachedReads(rows);
  return async (row) => {
    const texts = { ...row.texts, ...secrets.get(row.reference) };
    const values = rowValues(texts, runs);
    const request = runs.requestOf(values);
    // A second interrupt must say which request was in the air.
    const own: Account = { ...rows, activity: account.activity, call, mayWait: true };
    delete own.activity.changed;
    const { unopened } = rows.activity;
    if (unopened) own.activity.unopened = unopened;
    const key = keyOf(file, row);
    const { endpoint } = command.rows;
    const send =
      effectOf(endpoint, request) === 'money'
        ? async () => sendMoney(own, terminal, { command, idempotencyKey: key, values, plan: await approval() })
        : endpoint.starts === undefined
          ? () => sendChange(own, terminal, command, { key, texts, values, request })
          : () => sendOnboarding(own, terminal, command, key, values);
    await send().catch((error: unknown) => {
      if (!(error instanceof AlreadyDone)) throw error;
    });
  };
}

const agreed = (terminal: Terminal): Terminal => ({
  ...terminal,
  consent: { prompt: AGREED, guard: undefined, plan: undefined },
});

/** Starts work that moves no money: the journal has it under the key. */
async function sendOnboarding(
  account: Account,
  terminal: Terminal,
  command: CommandWithRows,
  idempotencyKey: string,
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  const guard: Guard = { idempotencyKey, isAgain: false, isGuarded: false, input: '' };
  const guarded: Account = {
    ...account,
    call: (endpoint, input, options) =>
      account.call(endpoint, input, endpoint.id === command.rows.endpoint.id ? { ...options, guard } : options),
  };
  await command.run(guarded, agreed(terminal), values as never);
}

interface ChangeOfRow {
  readonly key: string;
  readonly texts: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, unknown>>;
  readonly request: unknown;
}

/**
 * Makes a change that moves no money. The journal has it as sent before it leaves, as it has money: a second bank account, or a wallet that someone has replaced since,
 * would not be the same. What became of it, if no response came, is read from what it changed.
 */
async function sendChange(
  account: Account,
  terminal: Terminal,
  command: CommandWithRows,
  { key, texts, values, request }: ChangeOfRow,
): Promise<void> {
  const { endpoint } = command.rows;
  const { profile } = account;
  const words = command.words.join(' ');
  const journal = await account.journal();
  const claim = await claimedChange(account, {
    kind: 'destructive',
    account: await account.accountNames(),
    profile: profile.name,
    mode: profile.mode,
    baseUrl: profile.baseUrl,
    endpoint: endpoint.id,
    effect: 'write',
    command: account.command.line,
    summary: `run ${words} for a row of a file`,
    request: JSON.stringify(redact(endpoint.request(), request)),
    input: JSON.stringify([words, Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1))]),
    idempotencyKey: key,
  });
  try {
    await command.run(account, agreed(terminal), values as never);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    const isUnknown = !(error instanceof CliError) || error.category === 'unknown';
    await journal.append(claim, isUnknown ? 'unknown' : 'rejected', { detail });
    throw error;
  }
  await journal.append(claim, 'settled');
}

async function claimedChange(account: Account, intent: Intent): Promise<string> {
  const journal = await account.journal();
  for (;;) {
    const claim = await journal.claim(intent, account.globals.timeoutMs);
    if (claim.kind === 'ours') return claim.operationId;
    if (claim.kind === 'over-limit' || claim.kind === 'plan-closed')
      throw new Error('a change without money was compared with a limit of amounts, or with a plan');
    await requireFree(account, claim);
  }
}

interface MoneyOfRow {
  readonly command: CommandWithRows;
  readonly idempotencyKey: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly plan: Consent['plan'];
}

async function sendMoney(
  account: Account,
  terminal: Terminal,
  { command, idempotencyKey, values: typed, plan }: MoneyOfRow,
): Promise<void> {
  const { values, guard: plain } = await guardIn(command, typed, account.time.nowMs);
  if (!plain) throw new Error(`${command.words.join(' ')} moves money without a guard`);
  // Not filled in: a reference may have braces.
  const guard = { ...plain, idempotencyKey };
  const consented = consenting(agreed(terminal), { guard, plan });
  const run = async () => {
    await requireUnused(account, guard);
    try {
      await command.run(account, consented, values as never);
    } catch (error) {
      // Another process may have sent the row since it was looked up.
      const isUnsent = error instanceof CliError && error.operationId === undefined && !account.activity.changed;
      if (isUnsent && error.category !== 'interrupted') await requireUnused(account, guard);
      throw error;
    }
  };
  await run().catch((error: unknown) => {
    if (!(error instanceof LostRequest)) throw error;
    const { operationId, summary } = error.operation;
    throw new CliError('unknown', `the outcome of ${summary} is unknown; nothing was sent this time`, {
      code: 'OUTCOME_UNKNOWN',
      hint: reconcileHint(operationId),
      operationId,
    });
  });
}
