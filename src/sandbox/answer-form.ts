import type { AnswerForm, Writing } from '../contract/answer-forms.ts';
import { isJsonObject, scaledInteger } from '../money/decimal.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Returns the first form that is meant for a request. */
export function formFor(forms: readonly AnswerForm[] | undefined, input: unknown): AnswerForm | undefined {
  return forms?.find(({ when }) => {
    if (!when) return true;
    const value = (input as Fields | undefined)?.[when.field];
    return value !== undefined && (!when.is || when.is.some((each) => each === value));
  });
}

/** Returns the data of an answer as a form has it; undefined if the form has none. Leaves `data` as it is. */
export function inForm(form: AnswerForm, data: unknown, input: unknown): unknown {
  if (form.data === 'missing') return undefined;
  let formed = data;
  for (const [path, writing] of Object.entries(form.writes ?? {}))
    formed = changedAt(formed, stepsOf(path), (value) => written(value, writing));
  for (const name of form.echoes ?? []) formed = { ...(formed as Fields), [name]: (input as Fields)[name] };
  if (form.names) formed = renamed(formed, form.names);
  for (const path of form.without ?? []) formed = withoutAt(formed, stepsOf(path));
  if (form.only) formed = picked(formed, treeOf(form.only));
  return form.data ? (formed as Fields)[form.data.list] : formed;
}

/** Splits a path; a list and its items are two steps. */
function stepsOf(path: string): string[] {
  return path.replaceAll('[]', '.[]').split('.');
}

/** Changes every value at a path and copies what is around it. */
function changedAt(value: unknown, steps: readonly string[], change: (value: unknown) => unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return change(value);
  if (step === '[]') return Array.isArray(value) ? value.map((each) => changedAt(each, rest, change)) : value;
  if (!isJsonObject(value) || !Object.hasOwn(value, step)) return value;
  return { ...value, [step]: changedAt(value[step], rest, change) };
}

function withoutAt(value: unknown, steps: readonly string[]): unknown {
  const last = steps.at(-1) ?? '';
  return changedAt(value, steps.slice(0, -1), (parent) => {
    if (!isJsonObject(parent)) return parent;
    const { [last]: _, ...rest } = parent;
    return rest;
  });
}

function renamed(data: unknown, names: Readonly<Record<string, string>>): unknown {
  const values = Object.entries(names).map(([name, path]) => [name, valueAt(data, stepsOf(path))] as const);
  let rest = data;
  for (const path of Object.values(names)) rest = withoutAt(rest, stepsOf(path));
  return { ...(rest as Fields), ...Object.fromEntries(values.filter(([, value]) => value !== undefined)) };
}

function valueAt(data: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((at, step) => (isJsonObject(at) ? at[step] : undefined), data);
}

/** The steps of several paths as a tree. A branch without steps keeps everything below it. */
type Tree = Map<string, Tree>;

function treeOf(paths: readonly string[]): Tree {
  const root: Tree = new Map();
  for (const path of paths) {
    let at = root;
    for (const step of stepsOf(path)) {
      const next: Tree = at.get(step) ?? new Map();
      at.set(step, next);
      at = next;
    }
  }
  return root;
}

function picked(value: unknown, tree: Tree): unknown {
  const items = tree.get('[]');
  if (items && Array.isArray(value)) return value.map((each) => picked(each, items));
  if (tree.size === 0 || !isJsonObject(value)) return value;
  const names = [...tree].filter(([name]) => Object.hasOwn(value, name));
  return Object.fromEntries(names.map(([name, below]) => [name, picked(value[name], below)]));
}

/** Returns a value as it is written; a value of another type stays as it is. */
function written(value: unknown, writing: Writing): unknown {
  if (typeof value !== 'string') return value;
  if (writing === 'base') return String(scaledInteger(value, BASE_DECIMALS) ?? value);
  if (writing === 'no-zone') return value.replace(/\.\d+Z$/, '');
  if (writing === 'seconds') {
    const timeMs = Date.parse(value);
    return { _seconds: Math.floor(timeMs / 1000), _nanoseconds: (timeMs % 1000) * 1_000_000 };
  }
  return Object.hasOwn(writing, value) ? writing[value] : value;
}

const BASE_DECIMALS = 6;
