import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../support/built.ts';
import { readSources } from '../support/source.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Concept {
  readonly name: string;
  readonly inCode: readonly string[];
  /** Words of identifiers and file names. */
  readonly identifiers: readonly string[];
  /** Texts in the code, the help and the pages. */
  readonly texts: readonly string[];
  readonly allowedNames: readonly string[];
  readonly allowedTexts: readonly string[];
}

const marked = (cell: string, mark: RegExp) => [...cell.matchAll(mark)].map(([, text = '']) => text);
const codeIn = (cell = '') => marked(cell, /`([^`]+)`/g);
const quotedIn = (cell = '') => marked(cell, /"([^"]+)"/g);

const CONCEPTS: readonly Concept[] = read('docs/glossary.md')
  .split('\n')
  .filter((line) => /^\| (?!name|---)/.test(line))
  .map((line) => {
    const [name = '', , inCode, retired, allowed] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    return {
      ...{ name, inCode: codeIn(inCode), identifiers: codeIn(retired), texts: quotedIn(retired) },
      ...{ allowedNames: codeIn(allowed), allowedTexts: quotedIn(allowed) },
    };
  });

/** The words of an identifier or a path: `keepAliveMs` and `keep-alive-ms` have three. */
const wordsOf = (name: string): string =>
  ` ${(name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).join(' ').toLowerCase()} `;

interface Name {
  readonly path: string;
  readonly words: string;
}

/** Names with the words that they consist of and the file that has them. */
const namesIn = (found: ReadonlyMap<string, string>): ReadonlyMap<string, Name> =>
  new Map([...found].map(([name, path]) => [name, { path, words: wordsOf(name) }]));

const SOURCES = readSources();
const NAMES = namesIn(
  new Map(
    SOURCES.flatMap(({ path, code }) => [
      [path, path] as const,
      ...(code.match(/[A-Za-z_$][\w$]*/g) ?? []).map((name) => [name, path] as const),
    ]),
  ),
);

/** Returns the identifiers and files that have a retired name, and where each is. */
function wrongNames({ identifiers, allowedNames }: Concept, names: ReadonlyMap<string, Name>): readonly string[] {
  const retired = identifiers.map(wordsOf);
  return [...names]
    .filter(([name, { words }]) => !allowedNames.includes(name) && retired.some((each) => words.includes(each)))
    .map(([name, { path }]) => `${path}: ${name}`);
}

const PAGES = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md') && name !== 'glossary.md')
  .map((name) => `docs/${name}`);
const TEXTS = [
  ...SOURCES.map(({ path, text }) => [`src/${path}`, text] as const),
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', ...PAGES].map(
    (path) => [path, read(path)] as const,
  ),
];

/** Returns the retired texts in a text, each with the words around it. */
function wrongTexts({ texts, allowedTexts }: Concept, text: string): readonly string[] {
  const plain = allowedTexts.reduce((rest, each) => rest.replaceAll(each, ''), text);
  // A comment may break its line within them.
  return texts.flatMap((each) =>
    [...plain.matchAll(new RegExp(`\\b${each.replaceAll(' ', '[\\s*]+')}\\b`, 'gi'))].map(({ 0: found, index }) =>
      plain.slice(Math.max(0, index - 30), index + found.length + 30),
    ),
  );
}

test('the glossary has its concepts, each once', () => {
  expect(CONCEPTS.length).toBeGreaterThan(50);
  expect(CONCEPTS.filter(({ identifiers }) => identifiers.length > 0).length).toBeGreaterThan(20);
  expect(new Set(CONCEPTS.map(({ name }) => name)).size).toBe(CONCEPTS.length);
});

describe.each(CONCEPTS)('$name', (concept) => {
  test('has its names in the code', () => {
    expect(concept.inCode.filter((name) => !NAMES.has(name))).toEqual([]);
    expect(concept.inCode.length).toBeGreaterThan(0);
  });

  test('has no retired name', () => {
    expect(wrongNames(concept, NAMES)).toEqual([]);
    const texts = TEXTS.flatMap(([path, text]) => wrongTexts(concept, text).map((found) => `${path}: ${found}`));
    expect(texts).toEqual([]);
  });

  test('needs every exception', () => {
    expect(concept.allowedNames.filter((name) => !NAMES.has(name))).toEqual([]);
    expect(concept.allowedTexts.filter((each) => !TEXTS.some(([, text]) => text.includes(each)))).toEqual([]);
  });
});

describe('a retired name is found', () => {
  const concept: Concept = {
    ...{ name: 'idempotency key', inCode: [] },
    ...{ identifiers: ['onceKey'], texts: ['once key'], allowedNames: ['once_key'], allowedTexts: [] },
  };

  test.each(['onceKey', 'givenOnceKeys', 'ONCE_KEY', 'once-key.ts'])('as the identifier or file %s', (name) => {
    const isPlural = name === 'givenOnceKeys';
    expect(wrongNames(concept, namesIn(new Map([[name, 'a.ts']])))).toEqual(isPlural ? [] : [`a.ts: ${name}`]);
  });

  test.each(['once_key', 'onceKeyed', 'nonceKey'])('but not as %s', (name) => {
    expect(wrongNames(concept, namesIn(new Map([[name, 'a.ts']])))).toEqual([]);
  });

  test.each([
    ['the once key is free', 1],
    ['// A Once\n * key', 1],
    ['once keyed', 0],
    ['an idempotency key', 0],
  ])('in the text %j: %i', (text, count) => {
    expect(wrongTexts(concept, text)).toHaveLength(count);
  });
});
