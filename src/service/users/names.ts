/** Names of BVN and bank account holders in the sandbox, and name matching. */

const FIRST = [
  'ADAEZE',
  'BABAJIDE',
  'CHINEDU',
  'DAMILOLA',
  'EBUKA',
  'FATIMA',
  'GBENGA',
  'HADIZA',
  'IFEOMA',
  'JIDE',
  'KELECHI',
  'LARABA',
  'MUSA',
  'NGOZI',
  'OLUMIDE',
  'PATIENCE',
  'RASHEED',
  'SADE',
  'TUNDE',
  'UCHE',
  'VICTORIA',
  'WALE',
  'YETUNDE',
  'ZAINAB',
] as const;
const MIDDLE = [
  'AMINA',
  'BOLAJI',
  'CHIAMAKA',
  'DAVID',
  'EMEKA',
  'FOLAKE',
  'GRACE',
  'HASSAN',
  'IKENNA',
  'JOY',
  'KABIRU',
  'MERCY',
] as const;
const LAST = [
  'ABUBAKAR',
  'ADEYEMI',
  'AKPAN',
  'BALOGUN',
  'BELLO',
  'CHUKWU',
  'DANJUMA',
  'EFFIONG',
  'EZE',
  'GARBA',
  'IBRAHIM',
  'IGWE',
  'LAWAL',
  'MOHAMMED',
  'NNAMDI',
  'NWOSU',
  'OBI',
  'OGUNLEYE',
  'OKAFOR',
  'OKORO',
  'OLATUNJI',
  'SANI',
  'UDO',
  'YUSUF',
] as const;

export interface PersonName {
  readonly first: string;
  readonly middle: string;
  readonly last: string;
}

export function fullName({ first, middle, last }: PersonName): string {
  return [first, middle, last].filter(Boolean).join(' ');
}

/** FNV-1a, so that a number has the same name on every machine. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return value >>> 0;
}

function pick(names: readonly string[], text: string): string {
  return names[hash(text) % names.length] ?? '';
}

/** Returns the name for a number that is not a test value. */
export function derivedName(number: string): PersonName {
  return {
    first: pick(FIRST, `first ${number}`),
    middle: pick(MIDDLE, `middle ${number}`),
    last: pick(LAST, `last ${number}`),
  };
}

function words(name: string): string[] {
  const plain = name
    .normalize('NFD')
    .replace(/[\p{M}'’`.]/gu, '')
    .toUpperCase();
  return plain.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
}

/** Returns the Levenshtein distance between two words. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Scores two words: 1 if they are equal, less for each differing letter, 0 if they are different words. */
function likeness(a: string, b: string): number {
  const longest = Math.max(a.length, b.length);
  const allowed = longest >= 8 ? 2 : longest >= 4 ? 1 : 0;
  const distance = editDistance(a, b);
  return distance > allowed ? 0 : 1 - distance / longest;
}

interface NameMatch {
  readonly isMatch: boolean;
  /** From 0 to 100. */
  readonly scorePercent: number;
}

/**
 * Matches a depositor's name against a BVN record, in any word order, with or without the middle name, allowing small
 * misspellings. Source: interface (deposit rule 1); the measure is inferred.
 */
export function matchName(sender: string, person: PersonName): NameMatch {
  // A bank may write OKORO-BELLO with the hyphen, as two words, or as one.
  const [apart, together] = [' ', ''].map((hyphen) => {
    const plain = (text: string) => text.replaceAll('-', hyphen);
    return matchWords(plain(sender), {
      first: plain(person.first),
      middle: plain(person.middle),
      last: plain(person.last),
    });
  });
  const ways = [apart, together].filter((way) => way !== undefined);
  return (
    ways.toSorted((a, b) => Number(b.isMatch) - Number(a.isMatch) || b.scorePercent - a.scorePercent)[0] ?? NO_MATCH
  );
}

const NO_MATCH: NameMatch = { isMatch: false, scorePercent: 0 };

function matchWords(sender: string, person: PersonName): NameMatch {
  const senderWords = words(sender);
  const own = [...words(person.first), ...words(person.last)];
  const all = [...own, ...words(person.middle)];
  const best = (word: string, among: readonly string[]) => Math.max(0, ...among.map((other) => likeness(word, other)));
  const scores = own.map((word) => best(word, senderWords));
  const score = own.length === 0 ? 0 : scores.reduce((sum, each) => sum + each, 0) / own.length;
  // A company's name contains words that match no part of the person's name.
  const hasForeignWord = senderWords.some((word) => word.length > 1 && best(word, all) === 0);
  return {
    isMatch: scores.every((each) => each > 0) && own.length > 0 && !hasForeignWord,
    scorePercent: Math.round(score * (hasForeignWord ? 50 : 100)),
  };
}
