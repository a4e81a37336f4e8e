/** A part of a page that `fiatrail help WORDS` may find. */
export interface Passage {
  /** `help refund`, `payout create` or `docs/webhooks.md`. */
  readonly page: string;
  readonly heading: string;
  /** What it is called, and what people type for it. */
  readonly words: string;
  readonly text: string;
  /** Options and arguments of a command, whose texts recur in others. */
  readonly options: string;
  /** How much more it counts than a part of a page. */
  readonly weight: number;
  /** What to type: what shows all of it, or does what it is about. Null for a part of a page that shows no command. */
  readonly command: string | null;
}

/** The index: the passages, and the words that they have, to which a misspelled one is compared. Built by scripts/help-index.ts. */
export const INDEX_SCHEMA = `
  PRAGMA page_size = 4096;
  CREATE VIRTUAL TABLE passages USING fts5(
    heading, words, text, options, weight UNINDEXED, page UNINDEXED, command UNINDEXED, tokenize = 'porter unicode61'
  );
  CREATE TABLE words (word TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
`;

/** Returns the words of a text, as the index splits it. */
export const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
