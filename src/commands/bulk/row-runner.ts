import { CliError } from '../../base/errors.ts';
import { keyOf } from '../../bulk/progress.ts';
import type { SendRow } from '../../bulk/send.ts';
import { effectOf } from '../../contract/endpoint.ts';
import type { Account } from '../../engine/account.ts';
import { AlreadyDone, LostRequest, reconcileHint } from '../../engine/guard.ts';
import { type OpenedAccount, openAccount } from '../../engine/opening/open-account.ts';
import type { ChangePrompt } from '../../engine/sending/change.ts';
import { guardIn, requireUnused } from '../../engine/sending/once.ts';
import type { NumberedRow, StagedFile } from '../../journal/files.ts';
import { inputName } from '../../terminal/ask/input.ts';
import { consenting, type Terminal } from '../../terminal/terminal.ts';
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

/** Returns what sends a row of a file as its command. */
export function rowRunner(
  account: Account,
  terminal: Terminal,
  rows: Account,
  command: CommandWithRows,
  file: Pick<StagedFile, 'key'>,
): SendRow {
  const { columns, requestOf } = rowCommandOf(command);
  const call = cachedReads(rows);
  return async (row) => {
    const values = valuesOf(row, columns);
    // A second interrupt must say which request was in the air.
    const own: Account = { ...rows, activity: account.activity, call };
    delete own.activity.changed;
    const { unopened } = rows.activity;
    if (unopened) own.activity.unopened = unopened;
    const key = keyOf(file, row);
    if (effectOf(command.rows.endpoint, requestOf(values)) !== 'money')
      throw new CliError('usage', `files cannot run "${command.words.join(' ')}" yet; nothing was sent`);
    await sendMoney(own, terminal, command, key, values);
  };
}

function valuesOf(
  { texts }: NumberedRow,
  columns: ReturnType<typeof rowCommandOf>['columns'],
): Record<string, unknown> {
  return Object.fromEntries(
    columns.flatMap(({ key, parse }) => {
      const text = texts[key];
      return text === undefined ? [] : [[key, parse(text)] as const];
    }),
  );
}

async function sendMoney(
  account: Account,
  terminal: Terminal,
  command: CommandWithRows,
  idempotencyKey: string,
  typed: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { values, guard: plain } = await guardIn(command, typed, account.time.nowMs);
  if (!plain) throw new Error(`${command.words.join(' ')} moves money without a guard`);
  // Not filled in: a reference may have braces.
  const guard = { ...plain, idempotencyKey };
  const consented = consenting(
    { ...terminal, consent: { prompt: AGREED, guard: undefined, plan: undefined } },
    { guard },
  );
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
    if (error instanceof AlreadyDone) return;
    if (!(error instanceof LostRequest)) throw error;
    const { operationId, summary } = error.operation;
    throw new CliError('unknown', `the outcome of ${summary} is unknown; nothing was sent this time`, {
      code: 'OUTCOME_UNKNOWN',
      hint: reconcileHint(operationId),
      operationId,
    });
  });
}
