import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { printedSchema } from '../../src/commands/schema.ts';
import type { JsonSchema } from '../../src/derive/schema.ts';
import { ROOT } from '../support/built.ts';

const page = (path: string) => readFileSync(join(ROOT, path), 'utf8');
/** The first cells of the rows of a section's table. */
const rowsOf = (section: string) =>
  [
    ...((page('docs/contributing/naming.md').split(`## ${section}\n`)[1] ?? '')
      .split('\n## ')[0]
      ?.matchAll(/^\| `([^`]+)` \|/gm) ?? []),
  ].map(([, name = '']) => name);

const all = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat();
const commands = all.map(({ words }) => words.join(' '));
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

  test('says which commands change what they would add', () => {
    const row = page('docs/contributing/naming.md')
      .split('\n')
      .find((line) => line.startsWith('| `add` |'));
    const both = all.filter(({ words, summary }) => lastOf(words.join(' ')) === 'add' && /\bchange\b/.test(summary));
    expect(both.map(({ words }) => words.join(' '))).toEqual([/`([\w -]+ add)`/.exec(row ?? '')?.[1]]);
  });

  test('what is created has a status, and a setting can be shown', () => {
    const has = (command: string) => commands.includes(command);
    const sibling = (command: string, verb: string) => [...command.split(' ').slice(0, -1), verb].join(' ');
    const starts = commands.filter((command) => lastOf(command) === 'create');
    expect(starts.filter((command) => !has(sibling(command, 'status')))).toEqual(WITHOUT_STATUS);
    const sets = commands.filter((command) => lastOf(command) === 'set');
    expect(sets.filter((command) => !has(sibling(command, 'show')))).toEqual(WITHOUT_SHOW);
  });
});

describe('flags and arguments', () => {
  const options = all.flatMap(({ words, parameters }) =>
    Object.values(parameters)
      .filter(({ kind }) => kind === 'option')
      .map(({ name }) => {
        const [flag = '', ...form] = name.replace(/^-\w, /, '').split(' ');
        return { command: words.join(' '), flag, form: form.join(' ') };
      }),
  );

  test('have one form of their value, but for those of the table', () => {
    const forms = Map.groupBy(options, ({ flag }) => flag);
    const several = [...forms].filter(([, uses]) => new Set(uses.map(({ form }) => form)).size > 1);
    const [section = ''] = page('docs/contributing/naming.md').split('In a list, a flag filters');
    const table = [...section.matchAll(/^\| `(--[\w-]+)` \|/gm)].map(([, flag = '']) => flag);
    expect(several.map(([flag]) => flag).toSorted()).toEqual(table.toSorted());
  });

  test('that filter a list are no other flag elsewhere, but for those of the table, which are about the same thing', () => {
    const filters = ['list', 'export', 'gaps', 'deposits', 'payouts', 'transactions', 'withdrawals', 'banks'];
    const isFilter = ({ command }: { readonly command: string }) => filters.includes(lastOf(command));
    const uses = [...Map.groupBy(options, ({ flag }) => flag)];
    const both = uses.filter(([, each]) => each.some(isFilter) && !each.every(isFilter)).map(([flag]) => flag);
    const said =
      page('docs/contributing/naming.md').split('In a list, a flag filters')[1]?.split('The condition of a thing')[0] ??
      '';
    const table = [...said.matchAll(/^\| `(--[\w-]+)` \|/gm)].map(([, flag = '']) => flag);
    expect(both.toSorted()).toEqual(table);
  });

  test('of a list with pages are those of every other', () => {
    const flagsOf = (command: string) => options.filter((each) => each.command === command).map(({ flag }) => flag);
    const paged = commands.filter(
      // A search has the pages of a list and no flag that filters.
      (command) => command !== 'find' && flagsOf(command).includes('--all') && flagsOf(command).includes('--limit'),
    );
    expect(paged.length).toBeGreaterThan(15);
    const missing = paged.flatMap((command) =>
      ['--after', '--since', '--until', '--status'].flatMap((flag) =>
        flagsOf(command).includes(flag) ? [] : [`${command} ${flag}`],
      ),
    );
    expect(missing).toEqual([]);
    const banned = ['--offset', '--page', '--before'];
    expect(options.filter(({ flag }) => banned.includes(flag))).toEqual([]);
  });

  test('of a list without pages filter by what its rows have', () => {
    const flagsOf = (command: string) => options.filter((each) => each.command === command).map(({ flag }) => flag);
    const whole = all.filter(
      ({ words: [...words] }) => words.at(-1) === 'list' && !flagsOf(words.join(' ')).includes('--limit'),
    );
    expect(whole.map(({ words }) => words.join(' ')).toSorted()).toEqual(WITHOUT_PAGES);
    const missing = whole.flatMap(({ words, prints }) => {
      const command = words.join(' ');
      const fields = prints ? rowFieldsIn(printedSchema(prints)) : [];
      const flags = [
        ...(fields.some((field) => /name$|label|description/i.test(field)) ? ['--search'] : []),
        ...(fields.some((field) => field.endsWith('At')) ? ['--since', '--until'] : []),
        ...(fields.includes('status') ? ['--status'] : []),
      ];
      return flags.filter((flag) => !flagsOf(command).includes(flag)).map((flag) => `${command} ${flag}`);
    });
    expect(missing).toEqual([]);
  });

  test('name an id after its thing', () => {
    const ids = all.flatMap(({ parameters }) =>
      Object.values(parameters).flatMap(({ kind, name }) =>
        kind === 'argument' && name.endsWith('-id') ? [name] : [],
      ),
    );
    expect([...new Set(ids)].toSorted()).toEqual(rowsOf('Arguments').toSorted());
  });
});

/** The lists that the service, or this machine, prints as a whole. */
const WITHOUT_PAGES = [
  'bank-accounts list',
  'ip list',
  'plans list',
  'profiles approvers list',
  'profiles list',
  'sandbox fault list',
  'wallets external list',
  'wallets list',
];

/** The fields of the rows of a document with one list. */
function rowFieldsIn({ properties }: JsonSchema): readonly string[] {
  const lists = Object.values(properties ?? {}).flatMap(({ type, items }) =>
    type === 'array' && items ? [items] : [],
  );
  expect(lists).not.toEqual([]);
  return Object.keys(lists[0]?.properties ?? {});
}

/** An order is in the list until it is cancelled. */
const WITHOUT_STATUS = ['fx orders create'];
/** `profiles approvers list` shows the amounts, and `users show` the asset. */
const WITHOUT_SHOW = ['users onramp-asset set', 'profiles approval-threshold set'];
