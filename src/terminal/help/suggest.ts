import { spelledLike } from '../parse/nearest.ts';
import { GROUP_MEANINGS, VERBS } from './group-meanings.ts';
import { MEANINGS } from './meanings.ts';

/** What was typed up to the first option, and what there is. */
interface TypedWords {
  readonly words: readonly string[];
  /** The words of it that name a command, or the start of one. */
  readonly known: readonly string[];
  /** The names of the commands in the group, or of all groups if no word is known. */
  readonly names: readonly string[];
}

/** No phrase of the table is longer. */
const LONGEST_PHRASE = 3;

/** Returns a hint for words that name no command: what they mean, or else what is spelled like them; undefined without either. */
export function hintFor({ words, known, names }: TypedWords): string | undefined {
  const rest = words.slice(known.length);
  const meant = meaningOf(known, rest) ?? siblings(known, rest, names);
  if (meant) return hintOf(meant);
  const next = new Set(names.flatMap((name) => nextWord(name, known)));
  const [unknown = ''] = rest;
  const spelled = (distance?: number) => {
    const found = spelledLike(unknown, [...next], distance);
    return found.length > 0 ? `did you mean ${found.join(' or ')}?` : undefined;
  };
  const elsewhere = known.length > 0 ? meaningOf([], rest) : undefined;
  return spelled(1) ?? (elsewhere ? hintOf(elsewhere) : spelled());
}

/** Returns what else an incomplete command such as `fiatrail approvals` may mean. */
export function seeAlso(words: readonly string[]): string {
  const name = words.join(' ');
  const meant = Object.hasOwn(GROUP_MEANINGS, name) ? (GROUP_MEANINGS[name] ?? '') : undefined;
  return meant === undefined ? '' : `; see also: ${typedForms(meant).join(', ')}`;
}

/** Returns what words after a known start mean: the commands and topics, best first. The longest phrase counts. */
export function meaningOf(known: readonly string[], rest: readonly string[]): string | undefined {
  const all = rest.flatMap((word) => word.toLowerCase().split(/[\s_]+/)).slice(0, LONGEST_PHRASE);
  for (let count = all.length; count > 0; count -= 1) {
    const phrase = [...known, ...all.slice(0, count)].join(' ');
    const found = formsOf(phrase).find((form) => Object.hasOwn(MEANINGS, form));
    if (found !== undefined) return MEANINGS[found];
  }
  return undefined;
}

/** `log-in` and `refunds` are `log in` and `refund`. */
const formsOf = (phrase: string) =>
  [phrase, phrase.replaceAll('-', ' ')].flatMap((form) => [form, form.replace(/s$/, ''), form.replace(/ies$/, 'y')]);

/** Returns the commands beside the unknown word whose verb it may be. */
function siblings(known: readonly string[], [word = '']: readonly string[], names: readonly string[]) {
  const verbs = Object.hasOwn(VERBS, word.toLowerCase()) ? (VERBS[word.toLowerCase()] ?? '').split(', ') : [];
  const found =
    known.length > 0 ? verbs.map((verb) => [...known, verb].join(' ')).filter((name) => names.includes(name)) : [];
  return found.length > 0 ? found.slice(0, 2).join(', ') : undefined;
}

function nextWord(name: string, known: readonly string[]): string[] {
  const words = name.split(' ');
  const next = words[known.length];
  return next !== undefined && known.every((word, at) => words[at] === word) ? [next] : [];
}

const typedForms = (meant: string) => meant.split(', ').map((name) => `fiatrail ${name}`);

/** The hint of what is meant, commands before topics: `did you mean fiatrail fx quote? See also: fiatrail help units`. */
function hintOf(meant: string): string {
  const forms = typedForms(meant);
  const topics = forms.filter((form) => form.startsWith('fiatrail help '));
  const commands = forms.filter((form) => !topics.includes(form));
  if (commands.length === 0) return `run: ${topics.join(' or ')}`;
  const question = `did you mean ${[commands.slice(0, -1).join(', '), commands.at(-1)].filter(Boolean).join(' or ')}?`;
  return topics.length > 0 ? `${question} See also: ${topics.join(', ')}` : question;
}
