import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../support/built.ts';
import { literalsOf, readSources } from '../support/source.ts';

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

/** Words that are no longer used where users read them: in help, topics, messages, tables and pages. */
interface RetiredWord {
  /** What to write instead. */
  readonly name: string;
  readonly texts: readonly string[];
  /** Literals that are one such word: titles of columns and fields, and values that a table shows. */
  readonly titles: readonly string[];
  readonly allowedTexts: readonly string[];
}

const WORDS: readonly RetiredWord[] = [
  { name: 'approver; run by', texts: ['operator', 'operators'], titles: ['Operator', 'Operators'], allowedTexts: [] },
  {
    name: 'approve',
    texts: ['sign-above', 'sign a plan', 'second pair of eyes'],
    titles: ['Signers'],
    allowedTexts: [],
  },
  { name: 'local copy', texts: ['mirror', 'mirrors', 'mirrored'], titles: ['Mirror'], allowedTexts: [] },
  { name: 'Complete, Deleted, Verified', texts: ['second look'], titles: ['Whole', 'Gone'], allowedTexts: [] },
  { name: 'unknown outcome', texts: ['in doubt', 'unsettled'], titles: ['Doubt'], allowedTexts: [] },
  {
    name: 'encrypt, decrypt',
    texts: ['seal', 'seals', 'sealed', 'sealing', 'unseal', 'unsealed'],
    titles: ['Sealed', 'Sealing'],
    allowedTexts: ['sealed box', 'sealed boxes', 'sealed-box', 'sealed-boxes', 'crypto_box_seal'],
  },
  // A wallet may hold tokens.
  { name: 'quarantined', texts: ['held'], titles: ['Held'], allowedTexts: ['wallets held when'] },
  {
    name: 'checkpoint',
    texts: ['the head', 'journal’s head', 'head of the journal', 'stored head', 'saved head'],
    titles: ['Head'],
    allowedTexts: [],
  },
  {
    name: 'rejected; blocked',
    texts: ['refuse', 'refuses', 'refused', 'refusing', 'refusal', 'refusals'],
    titles: ['Refused', 'Refusal'],
    allowedTexts: ['connection refused', 'connection was refused', 'proxy refused the connection', 'schemas Refusal'],
  },
  {
    name: 'you; someone; an approver; no one',
    texts: ['somebody', 'nobody', 'whoever', 'anybody', 'everybody'],
    titles: ['nobody', 'somebody', 'whoever'],
    allowedTexts: [],
  },
];

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
    allowedNames: ['keepAlive', 'keepAliveMs', 'keepAliveTimeout'],
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

/** Where the words that someone may search for are, retired ones too. */
const SEARCHED = ['terminal/help/meanings.ts', 'terminal/help/synonyms.ts'];
/** For contributors, who read the code as well. */
const FOR_CONTRIBUTORS = /^docs\/(contributing|decisions)\//;

/** A word alone is a value or a name, unless it begins as a title does. */
const isShown = (literal: string) => /\s/.test(literal) || /^[A-Z][a-z]/.test(literal);

const SHOWN = [
  ...SOURCES.filter(({ path }) => !SEARCHED.includes(path)).flatMap(({ path, text }) =>
    literalsOf(text).map((literal) => [`src/${path}`, literal] as const),
  ),
  ...TEXTS.filter(([path]) => !path.startsWith('src/') && path !== 'CHANGELOG.md' && !FOR_CONTRIBUTORS.test(path)),
  ['docs/glossary.md', read('docs/glossary.md')] as const,
];

/** Returns the retired words in texts that users read. */
const wrongWords = (word: RetiredWord, shown: readonly (readonly [string, string])[]): readonly string[] =>
  shown.flatMap(([path, text]) =>
    [...(isShown(text) ? wrongTexts(word, text) : []), ...word.titles.filter((title) => title === text)].map(
      (found) => `${path}: ${found}`,
    ),
  );

/** Returns the retired texts in a text, each with the words around it. */
function wrongTexts({ texts, allowedTexts }: Pick<Concept, 'texts' | 'allowedTexts'>, text: string): readonly string[] {
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

describe.each(WORDS)('instead of $texts: $name', (word) => {
  test('is what users read', () => {
    expect(wrongWords(word, SHOWN)).toEqual([]);
  });

  test('needs every exception', () => {
    expect(word.allowedTexts.filter((each) => !SHOWN.some(([, text]) => text.includes(each)))).toEqual([]);
  });

  test.each(word.texts)('is missed where the text says %j', (text) => {
    expect(wrongWords(word, [['a.ts', `it is ${text} here`]])).toEqual([`a.ts: it is ${text} here`]);
    expect(wrongWords(word, [['a.ts', `it is ${text}ish here`]])).toEqual([]);
  });

  test.each(word.titles)('is missed where a title is %j', (title) => {
    expect(wrongWords(word, [['a.ts', title]])).not.toEqual([]);
  });
});

test('the words that users read are those of literals, not of names and comments', () => {
  const code = [
    "import { held } from './held.ts';",
    '// it is held',
    "const held = { title: 'Held', state: 'held', /* held */ note: 'it is \\'held\\'' };",
    ['const text = `an event of $', '{held({ a: `$', '{1} held twice` })} is held`;'].join(''),
    "const pattern = /['`] is held/;",
  ].join('\n');
  expect(literalsOf(code).filter(isShown)).toEqual([
    'Held',
    "it is \\'held\\'",
    'an event of ',
    ' held twice',
    ' is held',
  ]);
});

test.each(['summary', 'topic', 'page', 'message'])('the %s of a command is among the words that users read', (kind) => {
  const samples = {
    summary: ['src/commands/onramp/index.ts', 'Start an onramp'],
    topic: ['src/terminal/help/topics/money.ts', 'No command makes a refund'],
    page: ['docs/reference/commands/status.md', 'Open means pending or processing'],
    message: ['src/terminal/ask/confirm.ts', 'cannot ask for confirmation without a terminal'],
  };
  const [path, text] = samples[kind as keyof typeof samples];
  expect(SHOWN.some(([each, shown]) => each === path && shown.includes(text ?? ''))).toBe(true);
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
