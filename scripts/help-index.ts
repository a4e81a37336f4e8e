/**
 * Builds the index that `fiatrail help WORDS` looks in (src/terminal/help/search.ts): the topics, the help of each command, and the
 * pages below docs/, each part of a page for itself.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Command, Group } from '../src/terminal/command.ts';
import { helpOf, pageNamed } from '../src/terminal/help/help.ts';
import { INDEX_SCHEMA, type Passage, wordsIn } from '../src/terminal/help/index-layout.ts';
import { MEANINGS } from '../src/terminal/help/meanings.ts';
import { TOPICS } from '../src/terminal/help/topics/index.ts';
import { HARMFUL } from '../src/terminal/parse/nearest.ts';

/** A topic answers a question, and a command does something about it. Few people look for what removes or overwrites something. */
const WEIGHTS = { topic: 1.4, command: 1.1, harmful: 0.8, page: 1 };

/** The width of a text in the index, in which no sentence is broken. */
const ONE_LINE = Number.MAX_SAFE_INTEGER;

/** Returns the index, as the bytes of a SQLite file: equal for equal pages. */
export async function helpIndex(root: string, catalogue: readonly Group[]): Promise<Uint8Array> {
  const passages = await passagesOf(root, catalogue);
  const folder = mkdtempSync(join(tmpdir(), 'fiatrail-help-'));
  const path = join(folder, 'help.db');
  try {
    const database = new DatabaseSync(path);
    database.exec(`${INDEX_SCHEMA}; BEGIN`);
    const insert = database.prepare('INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?)');
    for (const { heading, words, text, options, weight, page, command } of passages)
      insert.run(heading, words, text, options, weight, page, command);
    const known = new Set(
      passages.flatMap(({ heading, words, text, options }) => wordsIn(`${heading} ${words} ${text} ${options}`)),
    );
    const insertWord = database.prepare('INSERT INTO words VALUES (?)');
    for (const word of [...known].filter((each) => /^[a-z]{3,}$/.test(each)).sort()) insertWord.run(word);
    database.exec("COMMIT; INSERT INTO passages(passages) VALUES ('optimize'); VACUUM");
    database.close();
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns all passages: topics, then commands, then pages. */
export async function passagesOf(root: string, catalogue: readonly Group[]): Promise<readonly Passage[]> {
  const commands = (await Promise.all(catalogue.map((group) => group.load()))).flat();
  return [
    ...(await Promise.all(TOPICS.map(({ name, title }) => topicPassage(name, title)))),
    ...(await Promise.all(commands.map((command) => commandPassage(command, catalogue)))),
    ...catalogue.flatMap((group) => groupPassages(group, commands)),
    ...docPages(root).flatMap((name) => sectionsOf(`docs/${name}`, readFileSync(join(root, 'docs', name), 'utf8'))),
  ];
}

/** The pages for users: an index of links says nothing itself. */
const docPages = (root: string): string[] =>
  readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .sort();

/** What people type for a command or a topic, as the table of meanings has it. */
const typedFor = (target: string): string =>
  [...MEANINGS].flatMap(([typed, meant]) => (meant.split(', ').includes(target) ? [typed] : [])).join(', ');

async function topicPassage(name: string, title: string): Promise<Passage> {
  const page = `help ${name}`;
  const [, ...lines] = ((await pageNamed([name], [], ONE_LINE)) ?? '').split('\n');
  const text = lines.filter((line) => !line.startsWith('More: ')).join('\n');
  return {
    page,
    heading: title,
    words: [name, typedFor(page)].join(', '),
    text: withoutPrompts(text),
    options: '',
    weight: WEIGHTS.topic,
    command: `fiatrail ${page}`,
  };
}

async function commandPassage(command: Command, catalogue: readonly Group[]): Promise<Passage> {
  const { words, summary } = command;
  const page = words.join(' ');
  const [head = '', ...sections] = (await helpOf(words, catalogue, ONE_LINE)).split(/\n(?=[A-Z][a-z ]+:\n)/);
  const sectionNamed = (title: string) =>
    sections.find((each) => each.startsWith(`${title}:`))?.slice(title.length + 1);
  const isHarmful = HARMFUL.includes(words.at(-1) ?? '');
  return {
    page,
    heading: summary,
    words: [page, typedFor(page)].join(', '),
    text: [
      head.replace(/^Usage: .*\n/, '').replace(summary, ''),
      sectionNamed('Examples')?.replace(/\nAll global .*/, ''),
    ]
      .map((each) => withoutPrompts(each ?? ''))
      .filter(Boolean)
      .join('\n'),
    // The global options are the same for every command.
    options: [sectionNamed('Arguments'), sectionNamed('Options')].filter(Boolean).join('\n'),
    weight: isHarmful ? WEIGHTS.harmful : WEIGHTS.command,
    command: `fiatrail ${page} --help`,
  };
}

/** Command lines as they are typed: an excerpt has no lines. */
const withoutPrompts = (text: string) => text.replace(/^ *\$ /gm, '').trim();

/** Returns a passage for a group and for each part of it, such as `fx orders`, unless it is a command too. */
function groupPassages({ name, summary, parts = {} }: Group, commands: readonly Command[]): Passage[] {
  const names = new Set(commands.map(({ words }) => words.join(' ')));
  return [
    [name, summary] as const,
    ...Object.entries(parts).map(([part, about]) => [`${name} ${part}`, about] as const),
  ]
    .filter(([page]) => !names.has(page))
    .map(([page, heading]) => ({
      page,
      heading,
      words: [page, typedFor(page)].join(', '),
      text: commands
        .filter(({ words }) => `${words.join(' ')} `.startsWith(`${page} `))
        .map((each) => `${each.words.join(' ')}: ${each.summary}`)
        .join('; '),
      options: '',
      weight: WEIGHTS.page,
      command: `fiatrail ${page} --help`,
    }));
}

/** Splits a page at its headings. What the program generates into a page is in the index as such already. */
export function sectionsOf(page: string, markdown: string): Passage[] {
  const own = markdown.replace(/<!-- ([a-z]+), from [\s\S]*?<!-- end of \1 -->\n/g, '');
  const sections: { heading: string; lines: string[] }[] = [];
  const above: string[] = [];
  let isCode = false;
  for (const line of own.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const [, marks = '', title = ''] = isCode ? [] : (/^(#{1,4}) (.*)$/.exec(line) ?? []);
    if (marks === '') {
      sections.at(-1)?.lines.push(line);
      continue;
    }
    above.splice(marks.length - 1, Number.POSITIVE_INFINITY, plainOf(title));
    sections.push({ heading: above.filter(Boolean).join(' › '), lines: [] });
  }
  return sections
    .map(({ heading, lines }): Passage => {
      const text = lines.join('\n');
      return {
        page,
        heading,
        words: subjectsIn(text),
        text: plainOf(text),
        options: '',
        weight: WEIGHTS.page,
        command: commandIn(text),
      };
    })
    .filter(({ text }) => text !== '');
}

/** Returns what people may type for a part of a page, which a comment below its heading says: `<!-- subjects: sdk, library -->`. */
const subjectsIn = (markdown: string): string => /^<!-- subjects: (.*) -->$/m.exec(markdown)?.[1] ?? '';

/** Returns the first command line that a text shows, without where a script sends its output; null if it shows none. */
function commandIn(markdown: string): string | null {
  const [, line] = /^\s*(?:\$ )?(fiatrail [a-z].*)$/m.exec(markdown) ?? [];
  const [, span] = /`(fiatrail [a-z][^`]*)`/.exec(markdown) ?? [];
  return (
    (line ?? span)
      ?.replace(/\s+(#|\d?>|\|\|).*$/, '')
      .replace(/\s*\\$/, '')
      .trim() ?? null
  );
}

/** Removes the marks of Markdown. */
function plainOf(markdown: string): string {
  return markdown
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/^```.*$/gm, '')
    .replace(/^\$ /gm, '')
    .replace(/^\|[-| :]+\|$/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^[\s>]*[-*] /gm, '')
    .replace(/[`|]|\*\*/g, ' ')
    .replace(/[ \t]+/g, ' ')
    .replace(/\s*\n\s*/g, '\n')
    .trim();
}
