import { bareName } from '../contract/reading/values.ts';
import { isJsonObject } from '../money/decimal.ts';

/** Fields that may have the name of an error, the most specific first; without case and separators. */
const NAMED_IN = [
  'errorcode',
  'errorname',
  'code',
  'responsecode',
  'error',
  'errors',
  'details',
  'data',
  'type',
  'reason',
  'message',
  'status',
] as const;

/** Fields for programs: a name there may be written in any case. */
const FOR_PROGRAMS: ReadonlySet<string> = new Set(['errorcode', 'errorname', 'code', 'responsecode']);

/** The fields whose whole text names a refusal, and the objects in which they may stand. Source: public, inferred. */
const DECIDING: ReadonlySet<string> = new Set([...FOR_PROGRAMS, 'error']);
const AROUND_DECIDING: ReadonlySet<string> = new Set(['data', 'error']);

const MAX_LENGTH = 60;

/** How deep names are looked for. */
const MAX_DEPTH = 4;

/** A name that an answer gives. */
interface ErrorName {
  readonly name: string;
  /** Whether it is all that a field such as `errorCode`, `error`, `error.code` or `data.error` says, and no part of a sentence. */
  readonly isDeciding: boolean;
}

/** Yields every name of an error that an answer gives in a field, the most specific first. */
export function* errorNamesIn(value: unknown, path: readonly string[] = []): Generator<ErrorName> {
  if (path.length > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const each of value) yield* errorNamesIn(each, [...path, '']);
    return;
  }
  if (!isJsonObject(value)) {
    if (typeof value === 'string') yield* namesAt(value, path);
    return;
  }
  const fields = new Map(Object.entries(value).map(([name, each]) => [bareName(name), each]));
  for (const name of NAMED_IN) {
    const field = fields.get(name);
    const isForPrograms = FOR_PROGRAMS.has(name) && typeof field === 'string';
    yield* errorNamesIn(isForPrograms ? field.trim().toUpperCase().replaceAll('-', '_') : field, [...path, name]);
  }
}

/**
 * Returns the name of an error that an answer gives in a field, such as `USER_NOT_FOUND` in `error`, `errorCode`, `error.code` or
 * `data.error`; undefined if it only explains itself in a sentence. Source: public (which names and fields), inferred (their order).
 */
export function errorNameIn(value: unknown): string | undefined {
  for (const { name } of errorNamesIn(value)) return name;
  return undefined;
}

/** The name that a text is, or begins with: `PENDING_TRANSACTIONS: payouts are pending`. One word, such as `ERROR`, is no name. */
function* namesAt(text: string, path: readonly string[]): Generator<ErrorName> {
  const all = text.trim();
  const [name] = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?=$|:\s)/.exec(all) ?? [];
  if (name === undefined || name.length > MAX_LENGTH) return;
  const isDeciding =
    name === all && DECIDING.has(path.at(-1) ?? '') && path.slice(0, -1).every((each) => AROUND_DECIDING.has(each));
  yield { name, isDeciding };
}
