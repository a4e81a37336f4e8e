import { CliError } from '../base/errors.ts';
import { printable } from '../money/amount.ts';
import { option } from './parameters.ts';

/** Validates a date or time. Rejects days that do not exist, which Date would move to the next month. */
const moment = (text: string): string => {
  const [, day, rest = ''] =
    /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? [];
  if (day !== undefined && isDay(day) && !Number.isNaN(Date.parse(day + rest))) return text;
  throw new CliError('usage', `invalid date "${printable(text)}"`, {
    hint: 'use ISO 8601: 2026-08-01 (midnight UTC) or 2026-08-01T09:30:00Z',
  });
};

function isDay(text: string): boolean {
  const midnight = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(text);
}

/** The options for the start and the end of a list's period. */
export const periodOptions = {
  since: option('--since <date>', 'start of the period, ISO 8601', moment),
  until: option('--until <date>', 'end of the period; a plain date means midnight UTC', moment),
};

/** Converts the period to request fields. Throws CliError usage if it ends before it starts. */
export function periodOf({ since, until }: { readonly since: string | undefined; readonly until: string | undefined }) {
  if (since !== undefined && until !== undefined && Date.parse(since) > Date.parse(until)) {
    throw new CliError('usage', `--since ${since} is after --until ${until}`, {
      code: 'VALIDATION_ERROR',
      hint: 'pass the earlier time as --since',
    });
  }
  return { startDate: since, endDate: until };
}
