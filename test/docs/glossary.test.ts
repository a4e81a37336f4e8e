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

/** Names that a concept must not have again. */
const RETIRED: readonly Concept[] = [
  {
    name: 'rotation process',
    inCode: [],
    identifiers: ['keeper'],
    texts: ['keeper'],
    allowedNames: [],
    allowedTexts: [],
  },
  {
    name: 'journal location',
    inCode: [],
    identifiers: ['place', 'places'],
    texts: [],
    allowedNames: ['place', 'key_place'],
    allowedTexts: [],
  },
  {
    name: 'idempotency key',
    inCode: [],
    identifiers: ['onceKey'],
    texts: ['once key'],
    allowedNames: ['once_key'],
    allowedTexts: ['--once KEY'],
  },
  { name: 'conflict', inCode: [], identifiers: ['inTheWay'], texts: [], allowedNames: [], allowedTexts: [] },
  { name: 'already done', inCode: [], identifiers: ['doneBefore'], texts: [], allowedNames: [], allowedTexts: [] },
  {
    name: 'in doubt',
    inCode: [],
    identifiers: ['doubts'],
    texts: ['a doubt', 'doubts'],
    allowedNames: [],
    allowedTexts: [],
  },
  { name: 'outcome', inCode: [], identifiers: ['standing'], texts: [], allowedNames: [], allowedTexts: [] },
  {
    name: 'event evidence',
    inCode: [],
    identifiers: ['told', 'telling', 'untold'],
    texts: [],
    allowedNames: [],
    allowedTexts: [],
  },
  {
    name: 'event recorder',
    inCode: [],
    identifiers: ['learner', 'hear', 'heard'],
    texts: [],
    allowedNames: [],
    allowedTexts: [],
  },
  { name: 'end listener', inCode: [], identifiers: ['ear'], texts: [], allowedNames: [], allowedTexts: [] },
  { name: 'search state', inCode: [], identifiers: ['looks'], texts: [], allowedNames: [], allowedTexts: [] },
  { name: 'query', inCode: [], identifiers: ['sought'], texts: [], allowedNames: [], allowedTexts: [] },
  {
    name: 'competing operation',
    inCode: [],
    identifiers: ['rival', 'rivals'],
    texts: [],
    allowedNames: [],
    allowedTexts: [],
  },
  {
    name: 'unknown amount',
    inCode: [],
    identifiers: ['unsaid'],
    texts: ['unsaid'],
    allowedNames: [],
    allowedTexts: [],
  },
  { name: 'spool', inCode: [], identifiers: ['aside'], texts: [], allowedNames: [], allowedTexts: [] },
  {
    name: 'saved, stored',
    inCode: [],
    identifiers: ['kept', 'keep', 'keeps'],
    texts: [],
    allowedNames: ['keepAlive', 'keepAliveMs', 'keepAliveTimeout', 'keptIn'],
    allowedTexts: [],
  },
  { name: 'sibling file', inCode: [], identifiers: ['beside'], texts: [], allowedNames: [], allowedTexts: [] },
  { name: 'quoted text', inCode: [], identifiers: ['said'], texts: [], allowedNames: [], allowedTexts: [] },
  {
    name: 'redacted standard error',
    inCode: [],
    identifiers: ['saidBy'],
    texts: [],
    allowedNames: [],
    allowedTexts: [],
  },
  { name: 'transient problem', inCode: [], identifiers: ['passing'], texts: [], allowedNames: [], allowedTexts: [] },
  {
    name: 'request handler',
    inCode: [],
    identifiers: ['performer', 'performed'],
    texts: [],
    allowedNames: [],
    allowedTexts: [],
  },
  { name: 'host check', inCode: [], identifiers: ['entrance'], texts: [], allowedNames: [], allowedTexts: [] },
  {
    name: 'duplicate key',
    inCode: [],
    identifiers: ['doubled'],
    texts: [],
    allowedNames: ['DOUBLED_HEADER'],
    allowedTexts: [],
  },
  { name: 'endpoint hint', inCode: [], identifiers: ['nearby'], texts: [], allowedNames: [], allowedTexts: [] },
];

const CONCEPTS: readonly Pick<Concept, 'name' | 'inCode'>[] = read('docs/contributing/glossary.md')
  .split('\n')
  .filter((line) => /^\| (?!name|---)/.test(line))
  .map((line) => {
    const [name = '', , inCode = ''] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    return { name, inCode: [...inCode.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text) };
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
  expect(CONCEPTS.length).toBeGreaterThan(40);
  expect(CONCEPTS.length).toBeLessThanOrEqual(60);
  expect(new Set(CONCEPTS.map(({ name }) => name)).size).toBe(CONCEPTS.length);
});

describe.each(CONCEPTS)('$name', (concept) => {
  test('has its names in the code', () => {
    expect(concept.inCode.filter((name) => !NAMES.has(name))).toEqual([]);
    expect(concept.inCode.length).toBeGreaterThan(0);
  });
});

describe.each(RETIRED)('$name', (concept) => {
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
    name: 'idempotency key',
    inCode: [],
    identifiers: ['onceKey'],
    texts: ['once key'],
    allowedNames: ['once_key'],
    allowedTexts: [],
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
