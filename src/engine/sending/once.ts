import { CliError } from '../../base/errors.ts';
import { HIDDEN, Secret } from '../../base/secret.ts';
import { DEFAULT_ZONE, zoneNamed } from '../../base/zone.ts';
import type { Operation } from '../../journal/operations.ts';
import { decimalText, isWireNumber, scaledInteger, trimDecimal, wireNumberText } from '../../money/decimal.ts';
import type { Account } from '../account.ts';
import { type Guard, LostRequest, requireFree } from '../guard.ts';

/** Splits what a money command was given into its own values and its guard. Throws CliError usage. */
export async function guardIn(
  { words, money }: { readonly words: readonly string[]; readonly money?: 'guarded' | 'unguarded' },
  input: Readonly<Record<string, unknown>>,
  timeMs: () => Promise<number>,
): Promise<{ readonly values: Readonly<Record<string, unknown>>; readonly guard: Guard | undefined }> {
  if (!money) return { values: input, guard: undefined };
  const { once, again, plan: _plan, planExpires: _expires, ...values } = input;
  const typed = {
    isGuarded: money === 'guarded',
    // A word in the place of an amount.
    takesRest: typeof values['amount'] === 'string',
    input: typedInput(words, values),
  };
  return { values, guard: await guardOf({ once, again }, typed, timeMs) };
}

/** Reads --once and --again. Throws CliError usage. */
export async function guardOf(
  { once, again }: { readonly once?: unknown; readonly again?: unknown },
  typed: Pick<Guard, 'isGuarded' | 'takesRest' | 'input'>,
  timeMs: () => Promise<number>,
): Promise<Guard> {
  const isAgain = again === true;
  if (once !== undefined && isAgain)
    throw new CliError('usage', '--once and --again cannot be combined', {
      hint: 'use another idempotency key to do it again',
    });
  return { ...typed, isAgain, idempotencyKey: typeof once === 'string' ? await filledKey(once, timeMs) : undefined };
}

/**
 * Throws AlreadyDone if an idempotency key was used before, LostRequest if its request may be sent again, and CliError if the key must not be used now. Waits
 * for a process that uses it.
 */
export async function requireUnused(account: Account, guard: Guard): Promise<void> {
  if (guard.idempotencyKey === undefined || account.globals.dryRun) return;
  const names = await account.accountNames();
  const journal = await account.journal();
  for (;;) {
    const found = await journal.findConflict({
      account: names,
      input: guard.input,
      idempotencyKey: guard.idempotencyKey,
    });
    if (!found) return;
    // The process that held the key may have spooled its outcome since this one opened it.
    if (found.kind === 'unknown-outcome' && (await journal.merge()).count > 0) continue;
    if (found.kind === 'unknown-outcome') {
      const { reconcile } = await import('../evidence/reconcile.ts');
      const { operation, kind } = await reconcile(account, found.operation);
      if (kind === 'ended') continue;
      if (kind !== 'busy' && (await isRepeatable(account, operation))) throw new LostRequest(operation, guard.plan);
    }
    await requireFree(account, found);
  }
}

/** Whether the service would do an operation's request once, however often it is sent. */
const isRepeatable = async (account: Account, operation: Operation): Promise<boolean> =>
  (await (await import('../evidence/repeatable.ts')).whyNotRepeatable(account, operation)) === undefined;

/** Values that decide what a command prints or how long it waits, but not what it does. */
const NOT_INTENT = new Set(['once', 'again', 'wait']);

/** Returns what was typed as JSON, equal for equal intents: names sorted, amounts exact, values that were left out left out. */
function typedInput(words: readonly string[], values: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(values).filter(
    ([name, value]) => value !== undefined && value !== false && !NOT_INTENT.has(name),
  );
  return JSON.stringify([
    words.join(' '),
    given.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => [name, plain(value)]),
  ]);
}

/** Returns a value as JSON that is equal for equal values: names sorted, numbers and amounts exact. It contains no secret. */
export function plain(value: unknown): unknown {
  if (value instanceof Secret) return HIDDEN;
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'function') return (value as { typed?: unknown }).typed;
  if (isWireNumber(value)) return decimalOf(wireNumberText(value));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => [name, plain(each)]);
}

/** More decimals than any amount has. */
const DECIMALS = 40;

/** Writes equal numbers alike: `5000`, `5000.00` and `5e3`. */
function decimalOf(text: string): string {
  const scaled = scaledInteger(text, DECIMALS);
  return scaled === undefined ? text : trimDecimal(decimalText(scaled, DECIMALS));
}

/** The placeholders of an idempotency key. */
const DATE_PARTS: readonly string[] = ['year', 'month', 'day', 'hour'];

/**
 * Fills the date into an idempotency key: `fees-{year}-{month}`, by the time that all hosts agree on: two hosts whose clocks differ must not
 * make two keys of one day. Throws CliError usage for any other brace: a key that means one month
 * and is the same in every month would pay once and never again.
 */
async function filledKey(key: string, timeMs: () => Promise<number>): Promise<string> {
  if (!/[{}]/.test(key)) return key;
  const names = [...key.matchAll(/\{([^{}]*)\}|[{}].*/g)];
  const unknown = names.find(([, name]) => name === undefined || !DATE_PARTS.includes(name));
  if (unknown)
    throw new CliError('usage', `--once: unknown placeholder ${unknown[0].slice(0, 30)}`, {
      hint: 'use {year}, {month}, {day} or {hour}',
    });
  const atMs = await timeMs();
  const there = new Date(atMs + zoneNamed(DEFAULT_ZONE).offsetMs(atMs)).toISOString();
  const values = there.split(/[-T:]/);
  return key.replace(/\{([^{}]*)\}/g, (_, name: string) => values[DATE_PARTS.indexOf(name)] ?? '');
}
