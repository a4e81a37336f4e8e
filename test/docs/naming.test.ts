import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { RENAMED } from '../../src/contract/renamed.ts';
import { ROOT } from '../support/built.ts';

const page = (path: string) => readFileSync(join(ROOT, path), 'utf8');
/** The first cells of the rows of a section's table. */
const rowsOf = (section: string) =>
  [
    ...((page('docs/contributing/naming.md').split(`## ${section}\n`)[1] ?? '')
      .split('\n## ')[0]
      ?.matchAll(/^\| `([^`]+)` \|/gm) ?? []),
  ].map(([, name = '']) => name);

const commands = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat().map(({ words }) => words.join(' '));
const lastOf = (command: string) => command.split(' ').at(-1) ?? '';

describe('docs/contributing/naming.md', () => {
  const verbs = rowsOf('Verbs');
  const things = rowsOf('Things without a verb');

  test('has the verb of every command, or the command itself', () => {
    const others = commands.filter((command) => !verbs.includes(lastOf(command)) || !command.includes(' '));
    expect(others.filter((command) => !things.includes(command))).toEqual([]);
  });

  test('has no verb and no command that there is not', () => {
    expect(verbs.filter((verb) => !commands.some((command) => lastOf(command) === verb))).toEqual([]);
    expect(things.filter((thing) => !commands.includes(thing))).toEqual([]);
  });

  test('started work has a status, and a setting can be shown', () => {
    const has = (command: string) => commands.includes(command);
    const sibling = (command: string, verb: string) => [...command.split(' ').slice(0, -1), verb].join(' ');
    const starts = commands.filter((command) => lastOf(command) === 'start');
    expect(starts.filter((command) => !has(sibling(command, 'status')))).toEqual(WITHOUT_STATUS);
    const sets = commands.filter((command) => lastOf(command) === 'set');
    expect(sets.filter((command) => !has(sibling(command, 'show')))).toEqual(WITHOUT_SHOW);
  });
});

/** Both are final when the command returns. */
const WITHOUT_STATUS = ['withdrawals start', 'transfers start'];
/** `profiles operators list` shows the amounts, and `users show` the asset. */
const WITHOUT_SHOW = ['profiles sign-above set', 'users onramp-asset set'];

describe('a former name of a command', () => {
  test('is no command, and its new name is one', () => {
    expect(Object.keys(RENAMED).filter((before) => commands.includes(before))).toEqual([]);
    expect(Object.values(RENAMED).filter((now) => !commands.includes(now))).toEqual([]);
  });

  test('is in the changelog with the new one', () => {
    const rows = [...page('CHANGELOG.md').matchAll(/^\| `([^`]+)` \| `([^`]+)` \|$/gm)].map(([, before, now]) => [
      before,
      now,
    ]);
    expect(rows).toEqual(Object.entries(RENAMED));
  });
});
