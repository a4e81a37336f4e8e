import { editDistance } from '../../base/edit-distance.ts';
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

/**
 * What a passage gains that has all words, two words beside each other in its heading or its words, and one that the table of
 * meanings has for a word.
 */
const GAIN = { allWords: 5, neighbours: 6, meaning: 6 };

/** The most that one word counts: a rare one must not outweigh the others of the question. */
const MOST_OF_A_WORD = 9;

const LONGEST_PHRASE = 3;

const WORTH = `
  SELECT rowid AS id, page, -bm25(passages, ${COLUMN_WEIGHTS}) * weight AS worth FROM passages WHERE passages MATCH ?`;

const PASSAGE = `
  SELECT page, heading, command, snippet(passages, 2, ?, ?, '…', 24) AS excerpt
  FROM passages WHERE passages MATCH ? AND rowid = CAST(? AS INTEGER)`;

/** Looks for words in the pages. */
export function searchHelp(index: ProgramData, typed: readonly string[]): Search {
  const corrected: { typed: string; word: string }[] = [];
  const unknown: string[] = [];
  const isKnown = (word: string) => namesOf(word).some((name) => isInPages(index, name));
  const asked = typed
    .flatMap((each) => each.toLowerCase().split(/\s+/))
    .filter((word) => wordsIn(word).length > 0)
    .slice(0, 20)
    // `stuck-payout` may be in no page, and its words in many.
    .flatMap((word) => (isKnown(word) ? word : wordsIn(word)))
    .flatMap((word) => {
      if (EMPTY_WORDS.has(word) || isKnown(word)) return word;
      const parts = partsOf(index, word);
      if (parts !== undefined) return parts;
      const near = nearestTo(index, word);
      if (near === undefined) unknown.push(word);
      else corrected.push({ typed: word, word: near });
      return near ?? [];
    });
  const isAboutNothing = unknown.length > 0 && asked.every((word) => EMPTY_WORDS.has(word));
  return { corrected, unknown, passages: isAboutNothing ? [] : bestPassages(index, asked) };
}

/** Returns the words that say what a question is about; all of them, if none does. */
function subjectOf(asked: readonly string[]): readonly string[] {
  const subject = asked.filter((word) => !EMPTY_WORDS.has(word));
  return subject.length > 0 ? subject : asked;
}

/** Returns the passages that have most of the words, best first, each of another page. */
function bestPassages(index: ProgramData, asked: readonly string[]): FoundPassage[] {
  const words = subjectOf(asked);
  const queries = words.map((word) => namesOf(word).map(phrase).join(' OR '));
  const all = new Map<number, { page: string; worth: number; count: number }>();
  for (const query of queries)
    for (const { id, page, worth } of index.all<{ id: number; page: string; worth: number }>(WORTH, query)) {
      const before = all.get(id) ?? { page, worth: 0, count: 0 };
      all.set(id, { page, worth: before.worth + Math.min(worth, MOST_OF_A_WORD), count: before.count + 1 });
    }
  const meant = meantBy(asked);
  const neighbours = neighboursIn(index, words);
  const ranked = [...all]
    .map(([id, { page, worth, count }]) => ({
      id,
      page,
      worth:
        worth +
        (meant.get(page) ?? 0) +
        (neighbours.get(id) ?? 0) * GAIN.neighbours +
        (count === words.length ? GAIN.allWords : 0),
    }))
    .toSorted((a, b) => b.worth - a.worth);
  return ranked
    .filter(({ page }, at) => ranked.findIndex((each) => each.page === page) === at)
    .slice(0, MAX_PASSAGES)
    .flatMap(({ id }) => index.all<FoundPassage>(PASSAGE, ...MARKS, queries.join(' OR '), String(id)));
}

/** Returns how many pairs of neighbouring words each passage has in its heading or in what people type for it. */
function neighboursIn(index: ProgramData, words: readonly string[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const [at, word] of words.slice(1).entries())
    for (const { id } of index.all<{ id: number }>(WORTH, `{heading words} : ${phrase(`${words[at]} ${word}`)}`))
      counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** Returns what the commands and topics gain that phrases among the words mean: the longer the phrase, the more. */
function meantBy(words: readonly string[]): ReadonlyMap<string, number> {
  const gains = new Map<string, number>();
  for (const from of words.keys())
    for (let count = 1; count <= LONGEST_PHRASE && from + count <= words.length; count += 1) {
      const parts = words.slice(from, from + count);
      // `get` alone says nothing, and `who paid` does.
      if (parts.every((part) => EMPTY_WORDS.has(part))) continue;
      // One word of several is often not the subject: `payment not received by customer` is not about customers.
      const isPart = Number(count === 1 && words.length > 1);
      const phrase = parts.join(' ');
      const meant = meaningOf([], [phrase], phrase.split(/[\s-]/).length)?.split(', ') ?? [];
      for (const [at, target] of meant.entries())
        gains.set(target, (gains.get(target) ?? 0) + GAIN.meaning * (count - isPart / 2) * (1 - at / 4));
    }
  return gains;
}

/** A word, and what the pages call it. */
const namesOf = (word: string): readonly string[] => [word, ...synonymsOf(word)];

/** `read-only` is two words beside each other. */
const phrase = (text: string) => `"${wordsIn(text).join(' ')}"`;

const isInPages = (index: ProgramData, text: string): boolean =>
  index.all('SELECT 1 FROM passages WHERE passages MATCH ? LIMIT 1', phrase(text)).length > 0;

const wordsOf = (index: ProgramData): readonly string[] =>
  index.all<{ word: string }>('SELECT word FROM words').map(({ word }) => word);

/** Returns the two words of the pages that are written as one: `healthcheck`. */
function partsOf(index: ProgramData, word: string): readonly [string, string] | undefined {
  const known = new Set(wordsOf(index));
  for (let at = 3; at <= word.length - 3; at += 1) {
    const [first, second] = [word.slice(0, at), word.slice(at)];
    if (known.has(first) && known.has(second)) return [first, second];
  }
  return undefined;
}

/** What may follow a word of the pages without another meaning: `hourly`. */
const ENDING = /^(ly|s|es|ed|d|ing|er|ers|or|al|ion|ions|ment)$/;

/**
 * Returns the word of the pages that a word begins, ends otherwise, or is a slip of the finger for. A word that few letters tell
 * apart from one of ours is often another word: `retention` is not `rejection`, and `spending` not `pending`.
 */
function nearestTo(index: ProgramData, typed: string): string | undefined {
  if (typed.length < 4) return undefined;
  const known = wordsOf(index).filter((word) => word[0] === typed[0]);
  const stem = known.find((word) => word.length > 3 && typed.startsWith(word) && ENDING.test(typed.slice(word.length)));
  return (
    stem ??
    spelledLike(
      typed,
      known.filter((word) => word.startsWith(typed) || editDistance(typed, word) === 1),
    )[0]
  );
}
