import type * as z from 'zod/mini';
import { isJsonObject } from '../money/decimal.ts';
import { type Problem, problemsOf } from './check.ts';
import { elementOf, fieldOf, unwrap } from './rows.ts';

/** The problems of a response. Of a long one, only the first are listed. */
interface ResponseProblems {
  readonly problems: readonly Problem[];
  /** Whether all problems, listed or not, are missing fields. */
  readonly isOnlyIncomplete: boolean;
  /** Whether the time ran out before everything was checked. */
  readonly isLate: boolean;
}

/** A list with more items is checked item by item: the schema would keep every problem of all its items in memory. */
const LONG_LIST = 1_000;
/** Nobody reads more. */
const MAX_LISTED = 100;
const ITEMS_PER_LOOK_AT_THE_TIME = 1_000;

interface LongList {
  readonly path: string;
  readonly element: z.ZodMiniType;
  readonly items: readonly unknown[];
}

/** Validates a response of any length in little memory. Stops at the first wrong field of a long list, and once `isLate` says so. */
export function responseProblems(schema: z.ZodMiniType, value: unknown, isLate: () => boolean): ResponseProblems {
  const lists: LongList[] = [];
  const problems = wrongIn(schema, withoutLongLists(schema, value, '', lists));
  const result = (late = false) => ({
    problems,
    isOnlyIncomplete: problems.every(({ isMissing }) => isMissing),
    isLate: late,
  });
  for (let list = lists.pop(); list; list = lists.pop()) {
    for (const [index, item] of list.items.entries()) {
      if (index % ITEMS_PER_LOOK_AT_THE_TIME === 0 && isLate()) return result(true);
      const path = `${list.path}.${index}`;
      for (const problem of wrongIn(list.element, withoutLongLists(list.element, item, path, lists))) {
        const field = [path, problem.field].filter(Boolean).join('.');
        if (problems.length < MAX_LISTED || !problem.isMissing) problems.push({ ...problem, field });
        if (!problem.isMissing) return result();
      }
    }
  }
  return result();
}

/** A whole number that is too large for a double is right: every digit of a response is kept. */
const wrongIn = (schema: z.ZodMiniType, value: unknown): Problem[] =>
  problemsOf(schema, value).filter(({ isExactInteger }) => !isExactInteger);

/** Returns a value with its long lists emptied, and adds them to `lists`. A value without any is returned as it is. */
function withoutLongLists(schema: z.ZodMiniType, value: unknown, path: string, lists: LongList[]): unknown {
  const { schema: inner } = unwrap(schema);
  const element = elementOf(inner);
  const within = (name: string | number) => (path === '' ? `${name}` : `${path}.${name}`);
  if (element && Array.isArray(value)) {
    if (value.length <= LONG_LIST)
      return unchangedOr(
        value,
        value.map((each, index) => withoutLongLists(element, each, within(index), lists)),
      );
    lists.push({ path, element, items: value });
    return [];
  }
  if (!isJsonObject(value)) return value;
  const emptied: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(value)) {
    const field = typeof each === 'object' && each !== null ? fieldOf(inner, name) : undefined;
    const left = field ? withoutLongLists(field, each, within(name), lists) : each;
    if (left !== each) emptied[name] = left;
  }
  return Object.keys(emptied).length === 0 ? value : { ...value, ...emptied };
}

function unchangedOr(items: readonly unknown[], emptied: readonly unknown[]): readonly unknown[] {
  return items.every((item, index) => item === emptied[index]) ? items : emptied;
}
