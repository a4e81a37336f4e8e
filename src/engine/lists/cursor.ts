import { CliError } from '../../base/errors.ts';
import { sha256Hex } from '../../crypto/digest.ts';

/** The period of a list, as times in UTC. Both are in it. */
export interface ListPeriod {
  readonly startDate: string | undefined;
  readonly endDate: string | undefined;
}

/** The period of a list that has no limits. */
export const ALWAYS: ListPeriod = { startDate: undefined, endDate: undefined };

/** Where a list stopped: enough to go on without losing or repeating a row. */
export interface ResumePoint {
  /** The endpoint, the account and the filters, as digests: it fits nothing else. */
  readonly list: string;
  /** The number of rows before it in the whole list, when the last page was read. */
  readonly next: number;
  /** The number of rows in the whole list at that time; null if the service does not say. */
  readonly total: number | null;
  /** The id of the last row; null if rows have none. */
  readonly last: string | null;
  /** The period of the first page. Words such as `7d` mean another one later. */
  readonly period?: ListPeriod;
}

/** Identifies a list: which account, which endpoint, which filters. Contains neither a key nor a name. */
export function listDigest(keyFingerprint: string, endpoint: string, filters: unknown): string {
  return sha256Hex(JSON.stringify([keyFingerprint, endpoint, filters])).slice(0, 12);
}

/** Ids that need no quotes in a shell, and no dot. */
const PLAIN_ID = /^[\w-]+$/;

/** Writes a point as one short word for a command line: `8aa0426f21e8.42600.60000.i0001320260309`. */
export function cursorOf({ list, next, total, last, period }: ResumePoint): string {
  const id = last === null ? 'n' : PLAIN_ID.test(last) ? `i${last}` : `b${Buffer.from(last).toString('base64url')}`;
  const during = period ? [`.${shortTime(period.startDate)}`, shortTime(period.endDate)] : [];
  return `${list}.${next}.${total ?? ''}.${id}${during.join('-')}`;
}

const shortTime = (time: string | undefined) => (time === undefined ? '' : Date.parse(time).toString(36));

const timeOf = (short: string) => (short === '' ? undefined : new Date(Number.parseInt(short, 36)).toISOString());

const CURSOR =
  /^([0-9a-f]{12})\.(\d{1,15})\.(\d{0,15})\.(?:(n)|i([\w-]{1,500})|b([\w-]{1,700}))(?:\.([0-9a-z]{0,9})-([0-9a-z]{0,9}))?$/;

/** Reads a cursor. Throws CliError usage if it is not one, or one of another list. */
export function pointOf(cursor: string, list: string): ResumePoint {
  const [, digest, next, total, none, plain, encoded = '', start, end = ''] = CURSOR.exec(cursor) ?? [];
  if (digest === undefined)
    throw new CliError('usage', '--after: invalid cursor; nothing was read', {
      code: 'CURSOR_INVALID',
      hint: 'copy the whole cursor that the previous page printed',
    });
  if (digest !== list)
    throw new CliError('usage', 'cannot continue the list: the cursor belongs to another list, filter or account', {
      code: 'CURSOR_INVALID',
      hint: 'repeat the command line and the profile of the previous page; or, to start a file over, remove FILE.part and FILE.part.json',
    });
  const last = none ? null : (plain ?? Buffer.from(encoded, 'base64url').toString());
  const period = start === undefined ? {} : { period: { startDate: timeOf(start), endDate: timeOf(end) } };
  return { list, next: Number(next), total: total ? Number(total) : null, last, ...period };
}
