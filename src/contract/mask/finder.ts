import { encodingsOf } from '../redact.ts';

/** Replaces known values in texts, in every form in which a text may have them. */
interface Finder {
  /** Replaces this value by `handle` from now on. */
  add(value: string, handle: string): void;
  replace(text: string): string;
}

interface Form {
  /** In lower case. */
  readonly text: string;
  readonly handle: string;
  /** Whether it counts only as a whole word: what is encoded is in no word by chance. */
  readonly isWord: boolean;
}

/** Shorter values are in too many words to be looked for in other texts. */
const SHORTEST = 3;

/**
 * Looks at each place of a text for the forms that start with its next three characters, by the lengths that these have: a session of 20 MB
 * may have some thousand names, each in a dozen forms, which no regular expression can take.
 */
export function createFinder(): Finder {
  const forms = new Map<string, Form>();
  const lengthsByStart = new Map<number, number[]>();
  const addLength = (start: number, length: number) => {
    const lengths = lengthsByStart.get(start) ?? [];
    // The longest first, so that a part of a name leaves nothing of it.
    if (!lengths.includes(length))
      lengthsByStart.set(
        start,
        [...lengths, length].toSorted((a, b) => b - a),
      );
  };
  const formAt = (folded: string, at: number): Form | undefined => {
    for (const length of lengthsByStart.get(startOf(folded, at)) ?? []) {
      const form = forms.get(folded.slice(at, at + length));
      if (form && (!form.isWord || (startsWord(folded, at) && endsWord(folded, at + length)))) return form;
    }
    return undefined;
  };
  return {
    add: (value, handle) => {
      const plain = value.trim();
      if (plain.length < SHORTEST) return;
      for (const each of formsOf(plain)) {
        const text = lowered(each);
        if (forms.has(text)) continue;
        forms.set(text, { text, handle, isWord: each === plain });
        addLength(startOf(text, 0), text.length);
      }
    },
    replace: (text) => {
      const folded = lowered(text);
      const parts: string[] = [];
      let from = 0;
      for (let at = 0; at <= text.length - SHORTEST; at += 1) {
        const form = formAt(folded, at);
        if (!form) continue;
        parts.push(text.slice(from, at), form.handle);
        from = at + form.text.length;
        at = from - 1;
      }
      return parts.length === 0 ? text : parts.join('') + text.slice(from);
    },
  };
}

const BITS = 16;

/** The first three characters, as a number. */
const startOf = (text: string, at: number) =>
  (text.charCodeAt(at) * 2 ** BITS + text.charCodeAt(at + 1)) * 2 ** BITS + text.charCodeAt(at + 2);

const WORD = /[\p{L}\p{N}]/u;
/** An escape before a word ends in a letter or a digit that is no part of it: `%20`, `\n`, `\u00a0`. */
const ESCAPE = /(?:%[\da-f]{2}|\\[bfnrt]|\\u[\da-f]{4})$/;
const LONGEST_ESCAPE = 6;

function startsWord(text: string, at: number): boolean {
  if (!WORD.test(text.charAt(at)) || !WORD.test(text.charAt(at - 1))) return true;
  return ESCAPE.test(text.slice(Math.max(0, at - LONGEST_ESCAPE), at));
}

const endsWord = (text: string, end: number) => !WORD.test(text.charAt(end - 1)) || !WORD.test(text.charAt(end));

/** A text in lower case, with each character in its place. */
function lowered(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from({ length: text.length }, (_, at) => {
    const each = text.charAt(at).toLowerCase();
    return each.length === 1 ? each : text.charAt(at);
  }).join('');
}

/** How a text is written in JSON of ASCII alone. */
const inAscii = (text: string) =>
  JSON.stringify(text)
    .slice(1, -1)
    .replace(/[^\x20-\x7e]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** How a word is written between the single quotes of a shell. */
const inQuotes = (text: string) => text.replaceAll("'", `'\\''`);

/** Every form of a value: as it is, in JSON, in a path, in a query, in base64, and each of these in the quotes of a shell. */
function formsOf(value: string): string[] {
  const forms = [...encodingsOf(value), inAscii(value), Buffer.from(value).toString('hex')];
  return [...new Set([...forms, ...forms.map(inQuotes)])];
}
