import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { CATEGORIES } from '../../src/base/errors.ts';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { GLOBAL_OPTIONS } from '../../src/terminal/parse/globals.ts';
import { ROOT, requireBuilt } from '../support/built.ts';
import { readSources } from '../support/source.ts';

beforeAll(requireBuilt);

const MAN = join(ROOT, 'dist', 'man');
const { man, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  man: string[];
  version: string;
};
const groups = await Promise.all(CATALOGUE.map(async (group) => ({ ...group, commands: await group.load() })));
const names = ['fiatrail.1', ...groups.map(({ name }) => `fiatrail-${name}.1`)];
const pageOf = (name: string) => readFileSync(join(MAN, name), 'utf8');

const SECTIONS = [
  'NAME',
  'SYNOPSIS',
  'DESCRIPTION',
  'COMMANDS',
  'EXAMPLES',
  'EXIT STATUS',
  'ENVIRONMENT',
  'FILES',
  'SEE ALSO',
];

/** Variables that fiatrail sets for the programs that it starts, and one for its own developers. */
const NOT_READ = /^FIATRAIL_(EVENT|EVENT_\w+|WEBHOOK_ID|DEBUG)$/;

/** A page as it is read, without the marks of roff. */
const plain = (page: string) =>
  page
    .replace(/\\f[BIR]/g, '')
    .replaceAll('\\-', '-')
    .replaceAll('\\&', '')
    .replaceAll('\\(aq', "'")
    .replaceAll('\\(dq', '"');

/** What is wrong with the form of a page: an escape that is missing, an unknown macro, a text that is not ASCII. */
function faultsIn(page: string): string[] {
  let isVerbatim = false;
  return page
    .trimEnd()
    .split('\n')
    .flatMap((line, index) => {
      const isMacro = /^\.(TH|SH|SS|PP|TP|BR|EX|EE|br)\b/.test(line);
      const isHead = /^\.(TH|SH)/.test(line);
      isVerbatim = line === '.EX' || (isVerbatim && line !== '.EE');
      const faults = [
        /^[.']/.test(line) && !isMacro && 'a macro that is not known',
        line === '' && 'an empty line',
        /[^\x20-\x7e]/.test(line) && 'not ASCII',
        !isHead && /(?<!\\)-/.test(line) && 'a hyphen without a backslash',
        !isHead && /["']/.test(line) && 'a quote',
        /\\(?!f[BIR]|-|e|&|\((?:cq|lq|rq|aq|dq)|\[u[0-9A-F]{4,5}\])/.test(line) && 'an unknown escape',
        !isVerbatim && line.length > 80 && 'a long line',
      ];
      return faults.flatMap((fault) => (fault ? [`${index + 1}: ${fault}`] : []));
    });
}

test('package.json lists every page', () => {
  expect(man).toEqual(names.map((name) => `dist/man/${name}`));
  expect(readdirSync(MAN).toSorted()).toEqual(names.toSorted());
});

const [DATE] = /\d{4}-\d{2}-\d{2}/.exec(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')) ?? [];

describe.each(names)('%s', (name) => {
  test('has the sections of a manual page in order', () => {
    const page = pageOf(name);
    const sections = [...page.matchAll(/^\.SH (.*)$/gm)].map(([, title]) => title);
    expect(sections.filter((title) => title !== 'OPTIONS')).toEqual(SECTIONS);
    const title = name.replace('.1', '').toUpperCase().replaceAll('-', '\\-');
    expect(page.split('\n')[0]).toBe(`.TH ${title} 1 "${DATE}" "fiatrail ${version}" "fiatrail Manual"`);
  });

  test('is well-formed', () => {
    expect(faultsIn(pageOf(name))).toEqual([]);
  });

  test('lists every exit code', () => {
    const [, section = ''] = pageOf(name).split('.SH EXIT STATUS\n');
    const listed = [...section.matchAll(/^\\fB(\d+) \(([a-z\\-]+)\)\\fR$/gm)].map(([, code, category = '']) => [
      category.replaceAll('\\', ''),
      Number(code),
    ]);
    const categories = Object.entries(CATEGORIES).map(([category, { exit }]) => [category, exit]);
    expect(listed.toSorted()).toEqual([['success', 0], ...categories].toSorted());
  });
});

test.each(groups)('the page of $name has its commands with their options and examples', ({ name, commands }) => {
  const page = plain(pageOf(`fiatrail-${name}.1`));
  const titles = [...page.matchAll(/^\.SS (.*)$/gm)].map(([, title]) => title);
  expect(titles).toEqual(commands.map(({ words }) => words.join(' ')));
  const sections = page.split('.SH EXAMPLES')[0]?.split(/^\.SS .*\n/m) ?? [];
  for (const [index, { parameters, examples }] of commands.entries()) {
    const terms = [...(sections[index + 1] ?? '').matchAll(/^\.TP\n(.*)$/gm)].map(([, term]) => term);
    const expected = Object.values(parameters).map((each) => {
      if (each.kind === 'option') return each.name;
      return each.required ? `<${each.name}>` : `[${each.name}]`;
    });
    expect(terms).toEqual(expected);
    for (const example of examples.filter((each) => /^[ -~]*$/.test(each) && !each.includes('\\')))
      expect(page).toContain(`\n${example}\n`);
  }
});

test('the page of fiatrail has every group, global option and variable', () => {
  const page = plain(pageOf('fiatrail.1'));
  const read = readSources().flatMap(({ code }) => code.match(/\bFIATRAIL_[A-Z_]+\b/g) ?? []);
  for (const { name } of groups) expect(page).toContain(`\nfiatrail ${name}\n`);
  for (const [flags] of GLOBAL_OPTIONS) expect(page).toContain(`.TP\n${flags}\n`);
  const variables = page.split('.SH ENVIRONMENT')[1] ?? '';
  expect([...new Set(read)].filter((name) => !NOT_READ.test(name) && !variables.includes(name))).toEqual([]);
});

test.each([
  ['.XX a', '1: a macro that is not known'],
  ["'quoted", '1: a macro that is not known,1: a quote'],
  ['a-b', '1: a hyphen without a backslash'],
  ['a\\zb', '1: an unknown escape'],
  ['₦', '1: not ASCII'],
  ['', '1: an empty line'],
  ['word '.repeat(20), '1: a long line'],
  ['\\fBa\\-b\\fR', ''],
])('the form of %j is judged', (line, faults) => {
  expect(faultsIn(`${line}\n.br`).join()).toBe(faults);
});

const hasMandoc = (process.env['PATH'] ?? '')
  .split(delimiter)
  .some((folder) => folder !== '' && readdirNames(folder).includes('mandoc'));

function readdirNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

// Where it is not installed, the rules above are what is checked.
if (hasMandoc)
  test('mandoc finds nothing to say', () => {
    const said = names.flatMap((name) => {
      try {
        return execFileSync('mandoc', ['-T', 'lint', join(MAN, name)], { encoding: 'utf8' }).split('\n');
      } catch (error) {
        return (error as { stdout: string }).stdout.split('\n');
      }
    });
    expect(said.filter((line) => line !== '')).toEqual([]);
  });
