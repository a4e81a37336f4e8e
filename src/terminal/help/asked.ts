import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { Command, Group } from '../command.ts';
import { nearest } from '../parse/nearest.ts';
import { helpOf, pageMeant, pageNamed } from './help.ts';
import type { Asked, HelpLine } from './help-line.ts';

/** Returns the help about some words: that of a command or group, a page, or else what the pages say about them. Throws CliError usage. */
export async function helpAbout(asked: Asked): Promise<HelpLine> {
  const { words, format = 'table', catalogue, present } = asked;
  if (format !== 'table' && format !== 'json')
    throw new CliError('usage', `help is printed as text or as JSON, not as ${format}`, {
      hint: 'use -o json, or leave out -o',
    });
  if (format === 'table' && (present.query !== undefined || present.fields))
    throw new CliError('usage', `${present.fields ? '--fields' : '--query'} needs help as JSON`, {
      hint: 'add -o json',
    });
  const [first, ...others] = words;
  if (first === 'topics' && others.length > 0) return topicOf(asked, others);
  const subject = await subjectOf(words, catalogue);
  const document = (data: object): HelpLine => ({ kind: 'help', result: { data, always: 'json' }, present });
  if (subject === undefined) return (await import('./found.ts')).helpFound(asked, document);
  if (format === 'json') {
    const { mapOf, pageDocument } = await import('./map.ts');
    return document(
      subject.kind === 'page' ? await pageDocument(subject.name, catalogue) : await mapOf(subject.words, catalogue),
    );
  }
  const { columns } = asked.world.stdout;
  const text =
    subject.kind === 'page'
      ? await pageNamed([subject.name], catalogue, columns)
      : await helpOf(subject.words, catalogue, columns);
  return { kind: 'help', text: text ?? '' };
}

/** A page of `fiatrail help NAME`, or the words of a command, a group or a part of one; none for the program. */
type Subject =
  | { readonly kind: 'page'; readonly name: string }
  | { readonly kind: 'commands'; readonly words: readonly string[] };

/** Returns the command, group or page that the words name; undefined if they are words to look for. */
async function subjectOf(words: readonly string[], catalogue: readonly Group[]): Promise<Subject | undefined> {
  const [first] = words;
  if (first === undefined) return { kind: 'commands', words };
  const group = catalogue.find(({ name }) => name === first);
  if (group) {
    const known = namedIn(words, await group.load());
    return known && { kind: 'commands', words: known };
  }
  const name = await pageMeant(words);
  return name === undefined ? undefined : { kind: 'page', name };
}

/** `help api quota` asks about a quota; a value of a command is an id, a number or a path more often than a word. */
const isPlainWord = (text: string) => /^[a-z]{3,}$/.test(text);

/** Returns the words of the command that was named, perhaps with its arguments, or those of a part of a group. */
function namedIn(words: readonly string[], commands: readonly Command[]): readonly string[] | undefined {
  const isStart = (start: readonly string[], of: readonly string[]) => start.every((word, at) => of[at] === word);
  if (commands.some((each) => isStart(words, each.words))) return words;
  const named = commands.toSorted((a, b) => b.words.length - a.words.length).find((each) => isStart(each.words, words));
  const args = Object.values(named?.parameters ?? {}).filter(({ kind }) => kind === 'argument');
  const room = args.some(({ repeats }) => repeats) ? Number.POSITIVE_INFINITY : args.length;
  const rest = words.slice(named?.words.length ?? 0);
  return named && rest.length <= room && !rest.some(isPlainWord) ? named.words : undefined;
}

/** `help topics NAME` is `help NAME`, of a topic alone. */
async function topicOf(asked: Asked, words: readonly string[]): Promise<HelpLine> {
  const { TOPICS } = await import('./topics/index.ts');
  const names = TOPICS.map(({ name }) => name);
  const name = words.join(' ');
  if (names.includes(name)) return helpAbout({ ...asked, words });
  const [near] = nearest(name, names, 1);
  throw new CliError('usage', `unknown topic "${name.slice(0, 60)}"`, {
    hint:
      near === undefined
        ? advice`list the topics with: [fiatrail help topics]`
        : advice`did you mean [fiatrail help ${near}]?`,
  });
}
