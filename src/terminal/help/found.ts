import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { openPaint, type Paint } from '../../present/style.ts';
import { openProgramData } from '../../sqlite/program-data.ts';
import { HELP_COLUMNS, paragraphs } from './help.ts';
import type { Asked, HelpLine } from './help-line.ts';
import { type FoundPassage, MARKS, type Search, searchHelp } from './search.ts';

/** The index that the build writes (scripts/help-index.ts). */
const INDEX = 'dist/help.db';

/** Looks for the words in the pages. Throws CliError usage if none has any of them. */
export async function helpFound(
  { words, format, catalogue, present, world }: Asked,
  document: (data: object) => HelpLine,
): Promise<HelpLine> {
  const index = await openProgramData(world.ownFile(INDEX)).catch(unreadable);
  let search: Search;
  try {
    search = searchHelp(index, words);
  } catch (error) {
    return unreadable(error);
  } finally {
    index.close();
  }
  const typed = words.join(' ');
  const passages = search.passages.map((passage) => ({
    ...passage,
    excerpt: passage.excerpt.replace(/\s+/g, ' ').trim(),
  }));
  if (passages.length === 0) {
    const { hintFor } = await import('./suggest.ts');
    throw new CliError('usage', `nothing in the help is about "${typed.slice(0, 60)}"`, {
      code: 'NOT_FOUND',
      hint:
        (await hintFor(words, catalogue)) ??
        advice`see what there is with: [fiatrail help topics], or: [fiatrail help commands]`,
    });
  }
  if (format === 'json') {
    const plain = passages.map((passage) => ({ ...passage, excerpt: marked(passage.excerpt, (text) => text) }));
    return document({ ...search, passages: plain });
  }
  const paint = await openPaint(present.color);
  return { kind: 'help', text: foundText({ ...search, passages }, world.stdout.columns ?? HELP_COLUMNS, paint) };
}

function unreadable(cause: unknown): never {
  throw new CliError('usage', 'the index of the help is missing or damaged', {
    hint: advice`check the files with: [fiatrail version --verify], or install fiatrail again`,
    cause,
  });
}

function foundText({ corrected, unknown, passages }: Search, columns: number, paint: Paint): string {
  const notes = [
    ...corrected.map(({ typed, word }) => `No page has "${typed}"; these have "${word}".`),
    ...unknown.map((word) => `No page has "${word}".`),
  ];
  const parts = passages.map((passage) => passageLines(passage, columns, paint));
  const lines = [...notes, ...(notes.length > 0 ? [''] : []), ...parts.flatMap((part) => [...part, ''])];
  return `${lines.join('\n')}\nAll topics and commands: fiatrail help topics, fiatrail help commands\n`.replace(
    '\n\n\n',
    '\n\n',
  );
}

function passageLines({ page, heading, command, excerpt }: FoundPassage, columns: number, paint: Paint): string[] {
  const text = paragraphs(excerpt, columns - 2).map((line) => `  ${line}`);
  return [
    ...paragraphs(`${page}: ${heading}`, columns),
    ...(excerpt === '' ? [] : marked(text.join('\n'), (word) => paint(word, 'bold')).split('\n')),
    ...(command === null ? [] : [`  $ ${command}`]),
  ];
}

/** Changes the words of an excerpt that were looked for. */
const marked = (text: string, change: (text: string) => string): string => {
  const [before, after] = MARKS;
  return text
    .split(before)
    .map((part, at) => {
      if (at === 0) return part;
      const [word = '', rest = ''] = part.split(after);
      return change(word) + rest;
    })
    .join('');
};
