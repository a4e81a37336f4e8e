import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { once } from '../../src/base/calls.ts';
import { type Home, newHome, type Ran } from '../support/built.ts';
import { copyOf } from '../support/folder-copy.ts';
import { fiatrail, fiatrailJson, type HereOptions } from '../support/in-process.ts';

/** Rows of payouts, a line each: reference, amount and, if not the default one, the bank account. */
export type Row = readonly [reference: string, amount: string, to?: string];

export const manyRows = (count: number): readonly Row[] =>
  Array.from({ length: count }, (_, at) => [`INV-${at + 1}`, `${1000 + at}`] as const);

/** The amounts of rows as the service prints them, in order. */
export const amountsOf = (rows: readonly Row[]) => rows.map(([, amount]) => `${amount}.00`).toSorted();

export function writeRows(home: Home, rows: readonly Row[], name = 'pay.csv'): string {
  const path = join(home.path, name);
  const lines = rows.map(([reference, amount, to = 'default']) => `${reference},${to},${amount}`);
  writeFileSync(path, `Reference,To,Amount\n${lines.join('\n')}\n`);
  return path;
}

export const createWords = (path: string, key = 'nov') => [
  'bulk',
  'create',
  path,
  '--as',
  'payout create',
  '--once',
  key,
  '--yes',
  '-q',
  '-o',
  'json',
];

/** Seeded once for all tests: seeding takes longer than writing what it left. */
const seeded = once(async () => {
  const home = newHome(onTestFinished);
  const seed = ['sandbox', 'seed', '--users', '0', '--rate-limits', 'off', '--pace', 'instant', '-q'];
  expect((await fiatrail(home, seed)).code).toBe(0);
  return copyOf(home.path);
});

/** A home whose embedded sandbox pays at once, without limits of requests. */
export async function homeForRows(): Promise<Home> {
  const restore = await seeded();
  const home = newHome(onTestFinished);
  restore(home.path);
  return home;
}

/** What a command printed with -o json: its data and its error. */
export function printed({ code, stdout, stderr }: Ran) {
  const error = stderr
    .split('\n')
    .filter((line) => line.startsWith('{"error"'))
    .map((line) => JSON.parse(line).error)[0];
  return { code, data: stdout === '' ? undefined : JSON.parse(stdout), error, stderr };
}

export const runIn = async (home: Home, argv: readonly string[], options: HereOptions = {}) =>
  printed(await fiatrail(home, [...argv], options));

/** The amounts that the service has paid out or is about to, in order. */
export async function paidIn(home: Home): Promise<readonly string[]> {
  const { payouts } = await fiatrailJson<{ payouts: { amount: { value: string } }[] }>(home, [
    'payout',
    'list',
    '--all',
    '-q',
  ]);
  return payouts.map(({ amount }) => amount.value).toSorted();
}
