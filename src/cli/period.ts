import { CliError } from '../base/errors.ts';
import { printable } from '../money/amount.ts';
import { option } from './parameters.ts';

/** A moment as the service takes it. Days that no month has are refused, where Date would take them for the next month. */
const moment = (text: string): string => {
  const [, day, rest = ''] =
    /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? [];
  if (day !== undefined && isDay(day) && !Number.isNaN(Date.parse(day + rest))) return text;
  throw new CliError('usage', `"${printable(text)}" is no date`, {
    hint: 'write ISO 8601: 2026-08-01 (its midnight, UTC), or 2026-08-01T09:30:00Z',
  });
};

function isDay(text: string): boolean {
  const midnight = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(text);
}

/** The two ends of a list's time, as options of its command. */
export const periodOptions = {
  since: option('--since <date>', 'from this date or time on, ISO 8601', moment),
  until: option('--until <date>', 'up to this date or time; a plain date is its midnight, UTC', moment),
};

/** The two ends as fields of a request. Throws CliError usage when they are the wrong way round. */
export function periodOf({ since, until }: { readonly since: string | undefined; readonly until: string | undefined }) {
  if (since !== undefined && until !== undefined && Date.parse(since) > Date.parse(until)) {
    throw new CliError('usage', `--since ${since} is after --until ${until}`, {
      hint: 'give the earlier one as --since',
    });
  }
  return { startDate: since, endDate: until };
}
