import type { OutputStream, World } from '../base/world.ts';

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
