import type { ProgramData } from '../../sqlite/program-data.ts';
import { spelledLike } from '../parse/nearest.ts';
import { wordsIn } from './index-layout.ts';
import { meaningOf } from './suggest.ts';
import { synonymsOf } from './synonyms.ts';

/** A part of a page that was found. */
export interface FoundPassage {
  readonly page: string;
  readonly heading: string;
  readonly command: string | null;
  /** Has `MARKS` around the words that were looked for. */
  readonly excerpt: string;
}

/** What was looked for, and the best passages. */
export interface Search {
  /** Words that no page has: what was typed, and the nearest word, which was looked for instead. */
  readonly corrected: readonly { readonly typed: string; readonly word: string }[];
  /** Words that no page has, nor one like them. */
  readonly unknown: readonly string[];
  /** At most three, the best one first, each of another page. */
  readonly passages: readonly FoundPassage[];
}

/** Characters that no page has. */
export const MARKS = ['\u0001', '\u0002'] as const;

const MAX_PASSAGES = 3;

/** Words of a question that say nothing about its subject. */
const EMPTY_WORDS = new Set(
  (
    'a about all am an and any are as at be been by can cannot could did do does for from get give go had has have help how i if ' +
    'in into is it its just me my need no of on one or our out please should so some that the their them then there they this to ' +
    'us want was we what when where which who whose why will with without would you your'
  ).split(' '),
);

/** How much a word counts in each column: most in what people type for a command or a topic, least where commands repeat each other. */
const COLUMN_WEIGHTS = '6, 8, 1, 0.3';

/** What a passage gains that has all words, and one that the table of meanings has for a word; a word in a text gains 2 to 8. */
const GAIN = { allWords: 5, meaning: 6 };

const LONGEST_PHRASE = 3;

const SEARCH = `
  SELECT page, heading, command, snippet(passages, 2, ?, ?, '…', 24) AS excerpt,
    -bm25(passages, ${COLUMN_WEIGHTS}) * weight AS worth
  FROM passages WHERE passages MATCH ? ORDER BY worth DESC LIMIT 30`;

/** Looks for words in the pages. */
export function searchHelp(index: ProgramData, typed: readonly string[]): Search {
  const corrected: { typed: string; word: string }[] = [];
  const unknown: string[] = [];
  const isKnown = (word: string) => namesOf(word).some((name) => isInPages(index, name));
  // `stuck-payout` may be in no page, and its words in many.
  const asked = subjectOf(typed).flatMap((word) => (isKnown(word) ? word : wordsIn(word)));
  const words = asked.flatMap((word) => {
    if (isKnown(word)) return word;
    const near = nearestTo(index, word);
    if (near === undefined) unknown.push(word);
    else corrected.push({ typed: word, word: near });
    return near ?? [];
  });
  const passages: FoundPassage[] = [];
  for (const { page, heading, command, excerpt } of ranked(index, words))
    if (passages.length < MAX_PASSAGES && !passages.some((each) => each.page === page))
      passages.push({ page, heading, command, excerpt });
  return { corrected, unknown, passages };
}

/** Returns the words that say what a question is about; all of them, if none does. */
function subjectOf(typed: readonly string[]): readonly string[] {
  const words = typed
    .flatMap((each) => each.toLowerCase().split(/\s+/))
    .filter((word) => wordsIn(word).length > 0)
    .slice(0, 20);
  const subject = words.filter((word) => !EMPTY_WORDS.has(word));
  return subject.length > 0 ? subject : words;
}

/** Returns the passages with all words or some of them, best first. */
function ranked(index: ProgramData, words: readonly string[]) {
  if (words.length === 0) return [];
  const meant = meantBy(words);
  const queries = words.map((word) => `(${namesOf(word).map(phrase).join(' OR ')})`);
  return ([' AND ', ' OR '] as const)
    .flatMap((join) =>
      index.all<FoundPassage & { worth: number }>(SEARCH, ...MARKS, queries.join(join)).map((found) => ({
        ...found,
        worth: found.worth + (meant.get(found.page) ?? 0) + (join === ' AND ' ? GAIN.allWords : 0),
      })),
    )
    .toSorted((a, b) => b.worth - a.worth);
}

/** Returns what the commands and topics gain that phrases among the words mean: the longer the phrase, the more. */
function meantBy(words: readonly string[]): ReadonlyMap<string, number> {
  const gains = new Map<string, number>();
  for (const from of words.keys())
    for (let count = 1; count <= LONGEST_PHRASE && from + count <= words.length; count += 1) {
      const phrase = words.slice(from, from + count).join(' ');
      const meant = meaningOf([], [phrase], phrase.split(/[\s-]/).length)?.split(', ') ?? [];
      for (const [at, target] of meant.entries())
        gains.set(target, (gains.get(target) ?? 0) + GAIN.meaning * count * (1 - at / 4));
    }
  return gains;
}

/** A word, and what the pages call it. */
const namesOf = (word: string): readonly string[] => [word, ...synonymsOf(word)];

/** `read-only` is two words beside each other. */
const phrase = (text: string) => `"${wordsIn(text).join(' ')}"`;

const isInPages = (index: ProgramData, text: string): boolean =>
  index.all('SELECT 1 FROM passages WHERE passages MATCH ? LIMIT 1', phrase(text)).length > 0;

/** Returns the word of the pages that a word begins, or is a letter or two off from. */
const nearestTo = (index: ProgramData, typed: string): string | undefined =>
  spelledLike(
    typed,
    index.all<{ word: string }>('SELECT word FROM words').map(({ word }) => word),
  )[0];
