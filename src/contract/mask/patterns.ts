import { parseRange } from '../cidr.ts';
import type { PersonalKind } from '../fields.ts';

/** A form of text that says by itself what it is. */
interface Pattern {
  readonly kind: PersonalKind;
  readonly form: RegExp;
  readonly is?: (text: string) => boolean;
}

/** Whether a text of base58 is no word: it has capitals, small letters and digits. */
const isMixed = (text: string) => /[A-Z]/.test(text) && /[a-z]/.test(text) && /\d/.test(text);

/** This machine's own addresses are nobody's. */
const LOCAL = /^(?:127\.|0\.0\.0\.0|::1?(?:\/|$))/;
const isAddress = (text: string) => parseRange(text.replace(/\/\d+$/, '')) !== undefined && !LOCAL.test(text);

/** What is masked in every text: e-mail addresses, addresses of every chain, transaction hashes, IP addresses, accounts and phone numbers. */
const PATTERNS: readonly Pattern[] = [
  { kind: 'email', form: /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g },
  { kind: 'hash', form: /(?<![\da-zA-Z])0x[0-9a-fA-F]{64}(?![\da-fA-F])/g },
  { kind: 'address', form: /(?<![\da-zA-Z])0x[0-9a-fA-F]{40}(?![\da-fA-F])/g },
  { kind: 'address', form: /(?<!\w)G[A-Z2-7]{55}(?!\w)/g },
  { kind: 'address', form: /(?<!\w)[1-9A-HJ-NP-Za-km-z]{32,44}(?!\w)/g, is: isMixed },
  { kind: 'ip', form: /(?<![\w.:])\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})?(?![\w.])/g, is: isAddress },
  {
    kind: 'ip',
    form: /(?<![\w:.])[\da-f]{0,4}(?::[\da-f]{0,4}){2,7}(?:\.\d{1,3}){0,3}(?:\/\d{1,3})?(?![\w:.])/gi,
    is: isAddress,
  },
  { kind: 'phone', form: /(?<![\w.])\+\d{10,14}(?!\d)/g },
  { kind: 'account', form: /(?<![\w.-])\d{10,11}(?![\w-]|\.\d)/g },
];

/** Replaces everything in a text that has the form of something personal. */
export function withoutPatterns(text: string, handleOf: (kind: PersonalKind, text: string) => string): string {
  return PATTERNS.reduce(
    (masked, { kind, form, is = () => true }) =>
      masked.replace(form, (found) => (is(found) ? handleOf(kind, found) : found)),
    text,
  );
}
