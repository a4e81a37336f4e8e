/** Something that is typed, once the terminal shows `expect`. */
export interface Typing {
  readonly expect: string;
  readonly send: string;
  /** How long the screen stands still before. */
  readonly afterMs: number;
}

/** A command that somebody runs in another terminal. `{}` is what the group of `find` matches on the screen. */
export interface Elsewhere {
  readonly expect: string;
  readonly find: string;
  readonly run: readonly string[];
  readonly afterMs: number;
}

export type Step = Typing | Elsewhere;

/** What is recorded. How long a screen stands still is said here, and never measured: it is the same in every recording. */
export interface Scene {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  /** The command, as it is typed. */
  readonly words: readonly string[];
  readonly rows: number;
  /** The BVNs of the users that are there from the start. */
  readonly users: readonly string[];
  readonly steps: readonly Step[];
  /** Where the output stops for a moment although nothing is typed: wherever one of these matches. */
  readonly pauses: readonly { readonly at: RegExp; readonly shownMs: number }[];
}

const ENTER = '\r';
const KEY_MS = 140;
const READING_MS = 1_300;

/** Types a word and Enter at a question, key by key. Each key is shown before the next one is typed. */
function answer(question: string, word: string): Typing[] {
  const keys = [...word].map((key, at) => ({
    expect: at === 0 ? question : word.slice(0, at),
    send: key,
    afterMs: at === 0 ? READING_MS : KEY_MS,
  }));
  const isEmpty = word === '';
  return [...keys, { expect: isEmpty ? question : word, send: ENTER, afterMs: isEmpty ? READING_MS : 700 }];
}

const ESCAPE = '\\u001b\\[';

/** Before each line that begins with this text in bold. */
const beforeBold = (text: string) => new RegExp(`(?<=\\n)(?=${ESCAPE}1m${text})`, 'g');

/** After each text in cyan that begins with this one, of one line or several. */
const afterCyan = (text: string) => new RegExp(`(?<=\\n${ESCAPE}36m${text}[^\\u001b]*${ESCAPE}39m\\r?\\n)`, 'g');

const tour: Scene = {
  name: 'tour',
  title: 'fiatrail tour: from a BVN to money in a bank account',
  about:
    'A terminal runs fiatrail tour. Thirteen numbered steps each show a command and what it prints: a user is onboarded by BVN, pays ₦5,100 into a bank account, gets 5,000 cNGN, and has ₦2,000 of it paid out. At the end, the ledger balances.',
  words: ['tour'],
  rows: 32,
  users: [],
  steps: [],
  pauses: [
    { at: beforeBold('(?!1\\. )\\d+\\. '), shownMs: 1_400 },
    { at: afterCyan('\\$ '), shownMs: 400 },
  ],
};

const onramp: Scene = {
  name: 'onramp',
  title: 'fiatrail onramp create: the wizard that turns Naira into cNGN',
  about:
    'A terminal runs fiatrail onramp create. It asks which of three users, and typing "sa" finds one. It asks for the amount, 5000 Naira, and where the cNGN should go, shows the fees and the total of ₦5,100, and asks for confirmation. Then it shows the bank account to pay into, waits until the payment arrives from elsewhere, and reports that the onramp completed.',
  words: ['onramp', 'create'],
  rows: 37,
  users: ['22345678902', '22345678903', '22345678901'],
  steps: [
    ...answer('account number:', 'sa'),
    ...answer('Amount in Naira:', '5000'),
    ...answer('Where should the cNGN go?', ''),
    ...answer('Continue?', 'y'),
    {
      expect: 'within',
      find: 'to +(\\d{10})',
      run: ['sandbox', 'pay', '{}', '--amount', '5100', '--sender', 'SADE ADEYEMI'],
      afterMs: 2_200,
    },
  ],
  pauses: [
    { at: /(?=\rthe onramp )/g, shownMs: 600 },
    { at: beforeBold('Request ID'), shownMs: 1_600 },
  ],
};

const rotation: Scene = {
  name: 'rotation',
  title: 'fiatrail keys rotate: replacing an API key',
  about:
    'A terminal runs fiatrail keys rotate. It asks for a command that the new key should be piped to, and gets none. It shows the fingerprint of the key that stops working and where the new one is stored, asks for confirmation, and then shows the fingerprints of the old and the new key. The keys themselves never appear.',
  words: ['keys', 'rotate'],
  rows: 18,
  users: [],
  steps: [...answer('(Enter for none):', ''), ...answer('Continue?', 'y')],
  pauses: [{ at: new RegExp(`(?=${ESCAPE}1mProfile)`, 'g'), shownMs: 2_400 }],
};

export const SCENES: readonly Scene[] = [tour, onramp, rotation];
