import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../../src/commands/catalogue.ts';
import { controls } from '../../../src/contract/control.ts';
import { endpoints } from '../../../src/contract/endpoints/index.ts';
import { rowsOf } from '../../../src/contract/rows.ts';
import { toPlain } from '../../../src/present/plain.ts';
import { runQuery } from '../../../src/present/present.ts';
import type { Command } from '../../../src/terminal/command.ts';
import { type Printed, walk } from './walk.ts';

let walked: Promise<readonly Printed[]> | undefined;
/** What every command printed; the first test that asks runs them. */
const printedByAll = () => {
  walked ??= walk();
  return walked;
};

/** The last part of a field's flattened name. */
const lastOf = (name: string) => name.replace(/\[\]$/, '').replace(/^.*\./, '');

const rows = [...endpoints, ...Object.values(controls)].flatMap(({ request, response }) => [
  ...rowsOf(request()),
  ...rowsOf(response()),
]);
const isMoney = ({ unit }: { readonly unit?: string | undefined }) => unit !== undefined && unit !== 'percent';
const others = new Set(rows.filter((row) => !isMoney(row)).map(({ name }) => lastOf(name)));
/** The names that the contract gives to amounts and to nothing else. */
const MONEY = new Set(rows.filter(isMoney).flatMap(({ name }) => (others.has(lastOf(name)) ? [] : [lastOf(name)])));

/** The paths of everything that is printed under the name of an amount, without being one. */
function bareIn(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => bareIn(each, `${path}[${index}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return MONEY.has(name) && each !== null && !isAmount(each) ? [at] : bareIn(each, at);
  });
}

function isAmount(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { value: figure, asset, unit } = value as Record<string, unknown>;
  // An asset that nobody knows is said to be none, and a figure in an unknown unit stands as it came.
  const isNamed = typeof asset === 'string' || asset === null;
  return typeof figure === 'string' && (unit === 'unknown' || (/^-?\d+\.\d+$/.test(figure) && isNamed));
}

describe('every command', () => {
  test('that prints an answer of the service is run', { timeout: 120_000 }, async () => {
    const printed = await printedByAll();
    const commands = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat();
    const wanted = commands.filter(isAnswer).map(({ words }) => words.join(' '));
    const missing = wanted.filter((words) => !printed.some(({ line }) => `${line} `.startsWith(`${words} `)));
    expect(missing.filter((words) => !NOT_RUN.includes(words))).toEqual([]);
  });

  test('prints each amount with its asset', async () => {
    const bare = (await printedByAll()).flatMap(({ line, json }) => bareIn(json).map((path) => `${line}: ${path}`));
    expect(bare).toEqual([]);
  });

  test('prints many amounts, so that the test above finds what it looks for', async () => {
    const texts = (await printedByAll()).map(({ json }) => JSON.stringify(json));
    const found = new Set(texts.flatMap((text) => text.match(/"\w+":\{"value":/g) ?? []));
    expect({ isShown: found.size > 40, isKnown: MONEY.size > 60 }).toEqual({ isShown: true, isKnown: true });
  });
});

describe('every list', () => {
  /** The printed lists, with the name that the contract gives to their rows. */
  async function lists() {
    const commands = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat();
    const named = commands.flatMap(({ words, endpoints: [first] }) => {
      const endpoint = endpoints.find(({ id }) => id === first);
      const isList =
        endpoint?.lists !== undefined && endpoint.effect === 'read' && !NO_LISTS.includes(words.at(-1) ?? '');
      return isList ? [[words.join(' '), endpoint.lists] as const] : [];
    });
    const all = [...named, ['ip list', 'ipAddresses'] as const, ['ops list', 'operations'] as const];
    return (await printedByAll()).flatMap(({ line, json }) => {
      const found = all.find(([words]) => `${line} `.startsWith(`${words} `));
      return found ? [{ line, rows: found[1] ?? '', json: json as Record<string, unknown> }] : [];
    });
  }

  test('is found, of each command once as a page, and of each paged one once with --all', async () => {
    const lines = (await lists()).map(({ line }) => line);
    expect(lines.length).toBeGreaterThan(20);
    expect(lines.filter((line) => line.includes('--all')).length).toBeGreaterThan(8);
  });

  test('is the rows under their name, then where they are in the whole list', async () => {
    const heads = (await lists()).map(({ line, rows, json }) => {
      const [first, second, ...others] = Object.keys(json);
      const pagination = Object.keys(json['pagination'] ?? {});
      const isRows = Array.isArray(json[rows]);
      return { line, first, second, isRows, pagination, others: others.filter((name) => OF_PAGES.includes(name)) };
    });
    expect(heads).toEqual(
      (await lists()).map(({ line, rows }) => ({
        line,
        first: rows,
        second: 'pagination',
        isRows: true,
        pagination: ['total', 'limit', 'offset', 'hasMore', 'after'],
        others: [],
      })),
    );
  });

  test('says of all its pages that nothing follows, and how many rows there are', async () => {
    const joined = (await lists()).filter(({ line }) => line.includes('--all'));
    expect(joined.map(({ line, json }) => ({ line, pagination: json['pagination'] }))).toEqual(
      joined.map(({ line, rows, json }) => ({
        line,
        pagination: { total: (json[rows] as unknown[]).length, limit: null, offset: 0, hasMore: false, after: null },
      })),
    );
  });
});

describe('every command that starts work', () => {
  test('prints the same fields whether it waits or not', async () => {
    const printed = await printedByAll();
    const commands = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat();
    const waiting = commands.filter(({ words, parameters }) => {
      const isStart = !['status', 'trade-status', 'verify', 'onboarding'].includes(words.at(-1) ?? '');
      return (
        isStart && Object.hasOwn(parameters, 'wait') && !['bulk', 'ip', 'keys', 'ops', 'plans'].includes(words[0] ?? '')
      );
    });
    const forms = waiting.map(({ words }) => {
      // With these flags, a command sends another request, which has an answer of its own.
      const isOther = / --(wallet|market) /;
      const own = printed.filter(({ line }) => line.startsWith(`${words.join(' ')} `) && !isOther.test(line));
      const fieldsOf = (isWaiting: boolean) =>
        own.filter(({ line }) => line.includes('--wait') === isWaiting).map(({ json }) => Object.keys(json as object));
      return { words, waited: fieldsOf(true)[0], unwaited: fieldsOf(false)[0] };
    });
    expect(forms.length).toBeGreaterThanOrEqual(8);
    expect(forms).toEqual(forms.map(({ words, waited = [] }) => ({ words, waited, unwaited: waited })));
  });
});

test('the queries in the help find something in what their command prints', async () => {
  const printed = await printedByAll();
  const commands = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat();
  const queries = commands.flatMap(({ words, examples }) =>
    examples.flatMap((example) => {
      const query = /--query (?:"([^"]*)"|'([^']*)'|(\S+))/.exec(example)?.slice(1).find(Boolean);
      const own = printed.filter(({ line }) => `${line} `.startsWith(`${words.join(' ')} `));
      return query && own.length > 0 ? [{ example, query, own: own.map(({ json }) => toPlain(json)) }] : [];
    }),
  );
  const found = await Promise.all(
    queries.map(async ({ example, query, own }) => {
      const results = await Promise.all(own.map((json) => runQuery(json, query)));
      return { example, isFound: results.some((result) => result !== null) };
    }),
  );
  expect(found.length).toBeGreaterThan(30);
  expect(found.filter(({ isFound }) => !isFound)).toEqual([]);
});

test('the list of operations counts those that it does not print', async () => {
  const [list] = (await printedByAll()).filter(({ line }) => line === 'ops list --limit 1');
  expect(list?.json).toMatchObject({
    operations: [{ state: 'settled' }],
    pagination: {
      total: expect.toSatisfy((total: number) => total > 10),
      limit: 1,
      offset: 0,
      hasMore: true,
      after: expect.any(String),
    },
  });
});

const OF_PAGES = ['total', 'totalCount', 'count', 'limit', 'offset', 'hasMore'];

const isAnswer = ({ endpoints: called, isLocal }: Command) => called.length > 0 && !isLocal;

/** Commands that read a list, and print something else. */
const NO_LISTS = ['show', 'gaps', 'status'];

/** Commands whose answers have no amounts: those of keys, of the allowlist, of the sandbox as a whole, and the listener. */
const NOT_RUN: readonly string[] = [
  ...['rotate', 'sandbox add', 'platform show', 'platform accept', 'aes show'].map((name) => `keys ${name}`),
  ...['show', 'enable', 'rotate'].map((name) => `keys encryption ${name}`),
  'ip add',
  'ip remove',
  'ip replace',
  'recover',
  'fx vault register',
  'webhooks listen',
  'report owed',
  ...['advance', 'clock', 'reset', 'snapshot', 'restore'].map((name) => `sandbox ${name}`),
  ...['add', 'list', 'clear'].map((name) => `sandbox fault ${name}`),
];
