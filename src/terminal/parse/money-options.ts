import { CliError } from '../../base/errors.ts';
import { LONGEST_PLAN_MS } from '../../engine/plans/lifetime.ts';
import { duration, newFile, option, shortDuration, switchOn } from './parameters.ts';

const MAX_KEY_LENGTH = 200;

/** Parses an idempotency key. Throws CliError usage. */
function idempotencyKey(text: string): string {
  if (text.trim() === '')
    throw new CliError('usage', 'the idempotency key is empty', { hint: 'use a name such as fees-2026-11' });
  if (text.length > MAX_KEY_LENGTH)
    throw new CliError('usage', `the idempotency key has ${text.length} characters; the maximum is ${MAX_KEY_LENGTH}`);
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text) || text !== text.trim())
    throw new CliError('usage', 'the idempotency key contains invisible characters', {
      hint: 'use letters, digits and hyphens',
    });
  return text;
}

/** The end of the help of a text that may look as if it kept a command from running twice. */
export const NO_PROTECTION = 'does not prevent repeats; --once does';

/** Parses how long a plan holds. Throws CliError usage. */
function planLifetime(text: string): number {
  const durationMs = duration(text);
  if (durationMs <= LONGEST_PLAN_MS) return durationMs;
  throw new CliError('usage', `the duration "${text}" is too long`, {
    hint: `the maximum is ${shortDuration(LONGEST_PLAN_MS)}`,
  });
}

/** The flags of every command whose change can be planned. */
export const PLAN_OPTIONS = {
  plan: option(
    '--plan <file>',
    'send nothing; write what would be sent to a file, for ops sign and ops apply',
    newFile,
  ),
  planExpires: option('--plan-expires <duration>', 'how long the plan can be applied (default 24h)', planLifetime),
} as const;

const ONCE_OPTION = option(
  '--once <key>',
  'idempotency key: the money moves at most once under it, and later runs print the recorded result; {year}, {month}, {day} and {hour} are filled in (Lagos time)',
  idempotencyKey,
);

/** The flags of a command that moves money and is guarded against repetitions. */
export const MONEY_OPTIONS = {
  once: ONCE_OPTION,
  again: switchOn('--again', 'repeat an equal operation of the last 10 minutes, or one whose outcome is unknown'),
  ...PLAN_OPTIONS,
} as const;

/** The flags of a command that moves money and may be repeated at any time. */
export const UNGUARDED_OPTIONS = { once: ONCE_OPTION, ...PLAN_OPTIONS } as const;
