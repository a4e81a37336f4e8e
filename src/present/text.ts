import type { OutputStream, World } from '../base/world.ts';

// Imports no code, because every command loads this file.

// Escape sequences in 7-bit and 8-bit form: CSI, strings (OSC, DCS and similar) and others. Source: ECMA-48.
// util.stripVTControlCharacters takes quadratic time on unterminated strings, which a hostile name may contain.
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g;

// C0 controls other than newlines, C1 controls, bidirectional controls, line separators, the byte order mark, and what is not seen: soft
// hyphens, characters without width, annotations and the tags of plane 14.
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
  /[\0-\t\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;

const JOINER = '\u200d';

/** Makes text safe for a terminal: one line, without escape sequences, control characters or bidirectional controls. */
export function plainLine(text: string): string {
  return text
    .toWellFormed()
    .replace(SEQUENCES, '')
    .replace(/(?:(?!\ufeff)[\s\x85])+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}]/gu, '');
}

// A joiner that does not join two emoji. Made when a text has one, since V8 takes long to prepare it.
const loneJoiner = () =>
  /(?<!\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d|\u200d(?!\p{Extended_Pictographic})/gu;

// Most text. It is recognized first, since V8 takes long to prepare the classes of Unicode below.
const PRINTABLE = /^[\n\t\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u20a0-\u20bf]*$/;

/** Makes text safe for a cell, on one line. Unlike plainLine, keeps all spaces and the joiners of emoji. */
export function plainCell(text: string): string {
  if (!hasControls(text)) return text;
  return text
    .toWellFormed()
    .replace(SEQUENCES, '')
    .replace(/\r\n|[\t-\r\x85\u2028\u2029]/g, ' ')
    .replace(CONTROLS, '')
    .replace(loneJoiner(), '');
}

/** Makes multi-line text safe for a terminal by removing control characters other than newlines and tabs. */
export function plainLines(text: string): string {
  if (PRINTABLE.test(text)) return text;
  return text
    .toWellFormed()
    .replace(SEQUENCES, '')
    .replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');
}

/** Whether text contains newlines, other control characters, invisible ones or half of a surrogate pair. */
export function hasControls(text: string): boolean {
  const hasLoneJoiner = () => text.includes(JOINER) && text.search(loneJoiner()) >= 0;
  return text.includes('\n') || text.search(CONTROLS) >= 0 || !text.isWellFormed() || hasLoneJoiner();
}

/** Serializes JSON safely for a terminal: control characters are escaped, which does not change the parsed value. */
export function jsonText(value: unknown, indent?: number): string {
  return escapeControls(JSON.stringify(value, null, indent));
}

/**
 * Makes a response safe for a terminal. In JSON, control characters are escaped, which does not change the parsed value;
 * from other text they are removed.
 */
export function rawText(text: string): string {
  if (!hasControls(text)) return text;
  if (!isJson(text)) return plainLines(text).replaceAll('\t', ' ');
  // Valid JSON has carriage returns and tabs only between its values.
  return escapeControls(text.replace(/\r\n?/g, '\n').replaceAll('\t', ' '));
}

const escapeUnits = (found: string) =>
  found
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** Escapes control characters in the strings of JSON, which contain no newlines. */
function escapeControls(json: string): string {
  const escaped = json.replace(CONTROLS, escapeUnits);
  return escaped.includes(JOINER) ? escaped.replace(loneJoiner(), escapeUnits) : escaped;
}

/** Whether a text is JSON: one such as `007` looks like a number but is none. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

// Control and format characters, separators, whatever a font leaves out, and the empty Braille cell. V8 takes long to prepare it.
const invisible = () => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Escapes what a terminal would hide or act on, so that the text shown is the text that counts. */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(invisible(), (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`);
}

/** Link targets by the text that is shown. */
export type Links = ReadonlyMap<string, string>;

/**
 * Whether a terminal supports links (OSC 8). Others may print garbage, so only known terminals get links. Source: the package
 * supports-hyperlinks; unlike it, this function gives no links to tmux and screen. Links are not colors, so --color and NO_COLOR do
 * not apply. FORCE_HYPERLINK, as in other programs, overrides the choice for every terminal but a dumb one.
 */
export function hasLinks({ isTerminal }: Pick<OutputStream, 'isTerminal'>, env: World['env']): boolean {
  const { TERM = '', TERM_PROGRAM = '', TERM_PROGRAM_VERSION = '', VTE_VERSION = '', FORCE_HYPERLINK } = env;
  if (!isTerminal || TERM === 'dumb') return false;
  if (FORCE_HYPERLINK) return FORCE_HYPERLINK !== '0';
  if (env['CI'] || env['TMUX'] || env['STY'] || /^(tmux|screen)/.test(TERM) || TERM_PROGRAM === 'tmux') return false;
  if (env['WT_SESSION']) return true;
  const since = Object.hasOwn(PROGRAMS, TERM_PROGRAM) ? PROGRAMS[TERM_PROGRAM] : undefined;
  if (since !== undefined) return isSince(TERM_PROGRAM_VERSION, since);
  // Four digits: 5002 is 0.50.2. The first version with links, 0.50.0, crashes on some.
  if (/^\d{4}$/.test(VTE_VERSION)) return Number(VTE_VERSION) > 5000;
  return /^(xterm-kitty|xterm-ghostty|alacritty|foot|foot-extra|wezterm)$/.test(TERM);
}

/** Terminals that set TERM_PROGRAM, with their first version that supports links. */
const PROGRAMS: Readonly<Record<string, readonly [major: number, minor: number]>> = {
  'iTerm.app': [3, 1],
  // A date.
  WezTerm: [20_200_620, 0],
  vscode: [1, 72],
  ghostty: [0, 0],
  zed: [0, 0],
  WarpTerminal: [0, 0],
};

function isSince(version: string, [major, minor]: readonly [number, number]): boolean {
  if (major === 0) return true;
  const [, ownMajor = '', ownMinor = '0'] = /^(\d{1,8})(?:[.-](\d{1,6}))?/.exec(version) ?? [];
  return Number(ownMajor) > major || (ownMajor !== '' && Number(ownMajor) === major && Number(ownMinor) >= minor);
}

/** Longer ones are cut off by some terminals. */
const MAX_LENGTH = 2000;

/**
 * Returns a URL that may become a link. Most come from outside, so only web addresses in visible ASCII qualify, without a user name,
 * which can make one address look like another. Masked URLs and `.invalid` hosts never become links.
 */
export function safeUrl(text: string): string | undefined {
  if (text.length > MAX_LENGTH || !/^https?:\/\/[!-~]+$/.test(text) || text.includes('***')) return undefined;
  if (!URL.canParse(text)) return undefined;
  const { username, password, hostname } = new URL(text);
  return username || password || hostname.endsWith('.invalid') ? undefined : text;
}

/** Makes a link of a whole cell that has a target. */
export function cellWithLink(text: string, links: Links): string {
  const target = links.get(text) ?? safeUrl(text);
  return target === undefined ? text : linked(target, text);
}

function linked(url: string, text: string): string {
  return `\u001b]8;;${url}\u001b\\${text}\u001b]8;;\u001b\\`;
}

/** An address in a sentence, without the punctuation after it. */
const ADDRESS = /https?:\/\/[!-~]*[\w/=&#%~+-]/g;

/** Makes links of the web addresses in a sentence that is safe for a terminal. */
export function sentenceWithLinks(text: string): string {
  return text.replace(ADDRESS, (url) => (safeUrl(url) === undefined ? url : linked(url, url)));
}

const SHORT_WORDS: Readonly<Record<string, string>> = {
  id: 'ID',
  ids: 'IDs',
  bvn: 'BVN',
  url: 'URL',
  api: 'API',
  aes: 'AES',
  evm: 'EVM',
  mpc: 'MPC',
  fx: 'FX',
  va: 'VA',
  vm: 'VM',
  means: 'meaning',
  nat: 'NAT',
  ip: 'IP',
  cngn: 'cNGN',
  ngn: 'NGN',
  usd: 'USD',
  usdc: 'USDC',
  usdt: 'USDT',
};

/** Converts a field name to a title: `accountNumber` becomes `Account number`, `wallets.evm` becomes `Wallets EVM`. */
export function titleOf(field: string): string {
  const words = plainLine(field)
    .replace(/cNGN/g, 'Cngn')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[\s._-]+/)
    .filter((word) => word !== '');
  const titleWords = words.map((word) => {
    const lower = word.toLowerCase();
    if (Object.hasOwn(SHORT_WORDS, lower)) return SHORT_WORDS[lower] ?? word;
    return word === word.toUpperCase() ? word : lower;
  });
  const title = titleWords.join(' ');
  return title.startsWith('cNGN') ? title : title.charAt(0).toUpperCase() + title.slice(1);
}
