import { CliError } from '../../base/errors.ts';
import { RENAMED, RENAMED_FLAGS } from '../../contract/renamed.ts';
import { shellWord } from '../../present/text.ts';

/**
 * Returns the error for a command line with a command's former name; undefined for any other. The hint is what to type instead.
 * The first `known` words are the name of a command.
 */
export function renamedForm(words: readonly string[], rest: readonly string[], known = 0): CliError | undefined {
  for (let count = words.length; count > known; count -= 1) {
    const before = words.slice(0, count).join(' ');
    const now = RENAMED.get(before);
    if (now === undefined) continue;
    const given = typed([...words.slice(count), ...rest], now);
    return new CliError('usage', `fiatrail ${before} has another name now: fiatrail ${now}`, {
      code: 'USAGE',
      hint: `type: fiatrail ${now}${given === '' ? '' : ` ${given}`}`,
    });
  }
  return undefined;
}

/** What a page is called by now is another value than what it was called by then. */
const PAGE_FLAGS: readonly string[] = ['--before', '--offset', '--page'];

/** Returns the error for a flag's former name, if the command has the flag that it is now; undefined for any other. */
export function renamedFlag(
  words: readonly string[],
  argv: readonly string[],
  flag: string,
  flags: readonly string[],
): CliError | undefined {
  const now = RENAMED_FLAGS.get(flag);
  if (now === undefined || !flags.some((each) => each.split(' ')[0] === now)) return undefined;
  const line = argv.map((word) => (word === flag || word.startsWith(`${flag}=`) ? word.replace(flag, now) : word));
  return new CliError('usage', `${flag} has another name now: ${now}`, {
    code: 'USAGE',
    hint: PAGE_FLAGS.includes(flag)
      ? `each page ends with its cursor, for ${now}: run it without ${flag} for the first page, or add --all`
      : `type: fiatrail ${words.join(' ')} ${typed(line, words.join(' '))}`,
  });
}

/** Typed words of a command for a message, without secrets. */
const typed = (words: readonly string[], command: string) =>
  words.map((word, at, all) => (isBvnOf(command, word, all[at - 1]) ? 'BVN' : withoutSecret(word))).join(' ');

/** Where a BVN is typed, any number that no flag takes may be a part of one. */
const isBvnOf = (command: string, word: string, before = '') =>
  command.startsWith('users ') && /^\d+$/.test(word) && !before.startsWith('-');

/** A typed word for a message: BVNs, and long words that may be keys, become placeholders. */
function withoutSecret(word: string): string {
  const [, flag = '', value = ''] = /^(--?[\w-]+=)?(.*)$/s.exec(word) ?? [];
  if (/^\d{11}$/.test(value.replace(/[\s-]/g, ''))) return `${flag}BVN`;
  const isKnownForm =
    value.length < 20 || /^0x[\da-f]{40}$/i.test(value) || /\s/.test(value) || /^[\w{}]+(-[\w{}]+)+$/.test(value);
  return isKnownForm ? flag + shellWord(value) : `${flag}…`;
}
