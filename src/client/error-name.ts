import { bareName } from '../contract/reading/names.ts';
import { isJsonObject } from '../money/decimal.ts';

/** Fields that may have the name of an error, the most specific first; without case and separators. */
const NAMED_IN = [
  ...['errorcode', 'errorname', 'code', 'responsecode', 'error', 'errors', 'details', 'data', 'type', 'reason'],
  ...['message', 'status'],
] as const;
/** Fields for programs: a name there may be written in any case. */
const FOR_PROGRAMS: ReadonlySet<string> = new Set(['errorcode', 'errorname', 'code', 'responsecode']);

const MAX_DEPTH = 4;
const MAX_LENGTH = 60;

/**
 * Returns the name of an error that an answer gives in a field, such as `USER_NOT_FOUND` in `error`, `errorCode`, `error.code` or
 * `data.error`; undefined if it only explains itself in a sentence. Source: public (which names and fields), inferred (their order).
 */
export function errorNameIn(value: unknown, depth = 0): string | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return firstOf(value, (each) => errorNameIn(each, depth + 1));
  if (!isJsonObject(value)) return typeof value === 'string' ? nameAt(value) : undefined;
  const fields = new Map(Object.entries(value).map(([name, each]) => [bareName(name), each]));
  return firstOf(NAMED_IN, (name) => {
    const field = fields.get(name);
    if (FOR_PROGRAMS.has(name) && typeof field === 'string')
      return nameAt(field.trim().toUpperCase().replaceAll('-', '_'));
    return errorNameIn(field, depth + 1);
  });
}

/** The name that a text is, or begins with: `PENDING_TRANSACTIONS: payouts are pending`. One word, such as `ERROR`, is no name. */
function nameAt(text: string): string | undefined {
  const [name] = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?=$|:\s)/.exec(text.trim()) ?? [];
  return name !== undefined && name.length <= MAX_LENGTH ? name : undefined;
}

function firstOf<T>(values: readonly T[], read: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const found = read(value);
    if (found !== undefined) return found;
  }
  return undefined;
}
