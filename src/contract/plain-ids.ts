/** An id, and a description that a person recognises. */
export interface KnownId {
  readonly id: string;
  readonly about: string;
}

const LONGEST_ABOUT = 80;

/** An id that a shell and an option parser read as a plain word. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;
/** A BVN, which is never an id. */
const BVN = /^\d{11}$/;

/** Whether a text may be offered as an id. */
export const isPlainId = (text: string): boolean => ID.test(text) && !BVN.test(text);

/** Makes a description of one short line, without numbers as long as a BVN. */
export function plainAbout(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\d{11,}/g, '…')
    .trim()
    .slice(0, LONGEST_ABOUT)
    .toWellFormed();
}

/** Writes a bank's name as one word that needs no quotes in a shell: `guaranty-trust-bank`. */
export function wordOfBank(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** Whether a typed text begins a word of a description, such as a name or an account number. Ignores case. */
export const isNamedBy = (about: string, typed: string): boolean =>
  about
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .some((word) => word.startsWith(typed.toLowerCase()));
