import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/cli/command.ts';
import { CATALOGUE } from '../../../src/commands/catalogue.ts';
import { controls } from '../../../src/contract/control.ts';
import { endpoints } from '../../../src/contract/endpoints/index.ts';
import { rowsOf } from '../../../src/contract/rows.ts';
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
  const { value: figure, asset } = value as Record<string, unknown>;
  return typeof figure === 'string' && /^-?\d+\.\d+$/.test(figure) && typeof asset === 'string';
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

const isAnswer = ({ endpoints: called, isLocal }: Command) => called.length > 0 && !isLocal;

/** Commands whose answers have no amounts: those of keys, of the allowlist, and of the sandbox as a whole. */
const NOT_RUN: readonly string[] = [
  ...['rotate', 'sandbox', 'platform', 'aes'].map((name) => `keys ${name}`),
  ...['status', 'enable', 'rotate'].map((name) => `keys encryption ${name}`),
  ...['ip add', 'ip remove', 'ip replace', 'recover', 'fx mpc register'],
  ...['advance', 'clock', 'reset', 'snapshot', 'restore'].map((name) => `sandbox ${name}`),
  ...['add', 'list', 'clear'].map((name) => `sandbox fault ${name}`),
];
